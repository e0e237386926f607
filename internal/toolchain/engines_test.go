//go:build linux

package toolchain

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// scenario is the module's cases with the frames that its sources mark.
func (m trapModule) scenario(t *testing.T) *conformance.Scenario {
	t.Helper()
	marked := m.marked(t)
	s := &conformance.Scenario{}
	for _, c := range m.cases {
		x := &conformance.Expect{Outcome: "trap"}
		if m.library != "" {
			x.Frames = append(x.Frames, conformance.ExpectedFrame{}) // the library's, which the marks leave out
		}
		for _, p := range marked[c[0]] {
			x.Frames = append(x.Frames, conformance.ExpectedFrame{Function: p.Function, File: p.File, Line: uint32(p.Line)})
		}
		s.Calls = append(s.Calls, conformance.Call{Export: "run", Args: []conformance.Arg{conformance.Arg(strconv.Itoa(c[0])), conformance.Arg(strconv.Itoa(c[1]))}, Expect: x})
	}
	return s
}

// fileFrame is a frame as a browser prints it.
type fileFrame struct {
	index uint32
	at    wasm.FileOffset
}

// conformed runs the scenario of a module that is served, in wazero, and returns
// for each case the frames that a browser must report: wazero's offsets and the
// code start of the served file.
func (s *site) conformed(t *testing.T, m trapModule) map[int][]fileFrame {
	t.Helper()
	path := filepath.Join(s.dir, "pkg", m.name+".wasm")
	r, err := debugid.Conform(context.Background(), debugid.ConformOptions{Path: path, Companion: filepath.Join(s.symbols["full"], m.name+".debug.wasm"),
		Original: corpusFile(t, m.input), Options: conformance.Options{Scenario: m.scenario(t)}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Report.Verdict() != report.Pass {
		t.Errorf("%s: %+v", m.name, r.Report.Subjects[0].Findings)
	}
	f, err := wasm.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	span, _ := f.CodeSpan()
	out := map[int][]fileFrame{}
	for _, c := range r.Run.Calls {
		kase, err := strconv.Atoi(string(c.Call.Args[0]))
		if err != nil {
			t.Fatal(err)
		}
		var frames []fileFrame
		for _, x := range c.Frames {
			at, _ := span.File(x.Code)
			frames = append(frames, fileFrame{x.Index, at})
		}
		if have, ok := out[kase]; ok && !slices.Equal(have, frames) {
			t.Errorf("%s case %d: wazero's engines disagree: %v, %v", m.name, kase, have, frames)
		}
		out[kase] = frames
	}
	if len(out) != len(m.cases) {
		t.Fatalf("%s: %d cases were run, not %d", m.name, len(out), len(m.cases))
	}
	return out
}

var browserFrame = regexp.MustCompile(`wasm-function\[(\d+)\]:0x([0-9a-f]+)`)

// sameOffsets holds every trace that an engine printed against wazero's frames. It
// returns how many offsets were compared.
func sameOffsets(t *testing.T, text string, want map[string]map[int][]fileFrame) int {
	t.Helper()
	compared, traces := 0, 0
	for _, section := range strings.Split("\n"+text, "\n== ") {
		head, body, _ := strings.Cut(section, "\n")
		var name, load, where string
		var kase int
		if _, err := fmt.Sscan(head, &name, &load, &where, &kase); err != nil {
			continue // the end
		}
		var got []fileFrame
		for _, m := range browserFrame.FindAllStringSubmatch(body, -1) {
			index, err := strconv.ParseUint(m[1], 10, 32)
			at, err2 := strconv.ParseInt(m[2], 16, 64)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			got = append(got, fileFrame{uint32(index), wasm.FileOffset(at)})
		}
		traces++
		compared += len(got)
		if frames := want[name][kase]; len(frames) == 0 || !slices.Equal(got, frames) {
			t.Errorf("%s: %v, wazero and the code start say %v\n%s", head, got, frames, body)
		}
	}
	t.Logf("%d offsets of %d traces are wazero's and the code start", compared, traces)
	return compared
}

// TestEngines runs the scenarios in wazero, and in Node.js, Chromium and Firefox on
// the very same stripped files: every engine must report the offsets that wazero
// reports, moved by the code start.
func TestEngines(t *testing.T) {
	stage(t, "engines")
	s := newSite(t)
	want := map[string]map[int][]fileFrame{}
	for _, m := range s.modules {
		want[m.name] = s.conformed(t, m)
	}
	for _, e := range []struct {
		name  string
		trace func(t *testing.T) string
	}{
		{"node", func(t *testing.T) string {
			return cmd{args: []string{tool(t, "node"), filepath.Join("testdata", "browsers", "node.mjs"), s.url}}.run(t)
		}},
		{"chromium", func(t *testing.T) string { return s.visit(t, "chromium", chromiumArgs) }},
		{"firefox", func(t *testing.T) string { return s.visit(t, "firefox-esr", firefoxArgs) }},
	} {
		t.Run(e.name, func(t *testing.T) {
			if n := sameOffsets(t, e.trace(t), want); n < 100 {
				t.Errorf("%d offsets only", n)
			}
		})
	}
}
