//go:build linux

package toolchain

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// symbolicated is what the program's JSON document says, as far as it is compared.
type symbolicated struct {
	Frames []struct {
		Line       int    `json:"line"`
		Resolved   bool   `json:"resolved"`
		Reason     string `json:"reason"`
		Text       string `json:"text"`
		Confidence string `json:"confidence"`
		Inferred   bool   `json:"inferred"`
		Frames     []struct {
			Function string `json:"function"`
			File     string `json:"file"`
			Line     int    `json:"line"`
			Inlined  bool   `json:"inlined"`
		} `json:"frames"`
	} `json:"frames"`
}

// check resolves everything that an engine printed with companions of both kinds.
// Labels says that the engine labels modules that have no URL.
func (s *site) check(t *testing.T, text string, labels bool) {
	t.Logf("%d bytes of traces, for example:\n%s", len(text), text[:min(len(text), 700)])
	for _, kind := range companionKinds {
		t.Run(kind, func(t *testing.T) {
			traces := 0
			for _, m := range s.modules {
				companion := filepath.Join(s.symbols[kind], m.name+".debug.wasm")
				traces += s.checkModule(t, m, text, companion)
				if !m.alone && (labels || !m.bySize) {
					// All companions at once: each frame finds its own.
					s.checkModule(t, m, text, s.symbols[kind])
				}
			}
			t.Logf("%d traces resolved", traces)
		})
	}
}

// checkModule resolves the traces of one module and returns how many there are.
func (s *site) checkModule(t *testing.T, m trapModule, text, debug string) int {
	t.Helper()
	want := m.marked(t)
	// Of several builds whose names fit, the one that holds the trace is chosen, with
	// less confidence than one that was named.
	several := filepath.Ext(debug) != ".wasm"
	// Traces of other modules become empty lines, so that numbers stay right.
	lines := strings.Split(text, "\n")
	head := make([]string, len(lines)) // the header that each line belongs to
	current, mine := "", false
	count := map[string]int{}
	for i, line := range lines {
		if h, ok := strings.CutPrefix(line, "== "); ok {
			current, mine = h, strings.HasPrefix(h, m.name+" ")
			if mine {
				count[current] = 0
			}
		}
		if head[i] = current; !mine {
			lines[i] = ""
		}
	}
	input := []byte(strings.Join(lines, "\n"))
	out := cmd{args: []string{program(t), "symbolicate", "--debug", debug, "--json"}, stdin: input}.run(t)
	var doc symbolicated
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	got := map[string][]place{}
	for _, f := range doc.Frames {
		h := head[f.Line-1]
		count[h]++
		if !f.Resolved || f.Inferred || f.Confidence != "high" && (!several || f.Confidence != "medium") {
			t.Errorf("%s: %s: resolved %v, confidence %s, inferred %v: %s", h, f.Text, f.Resolved, f.Confidence, f.Inferred, f.Reason)
		}
		for i, x := range f.Frames {
			if p := (place{plainName(x.Function), filepath.Base(x.File), x.Line}); p.File != m.library {
				got[h] = append(got[h], p)
			}
			if x.Inlined != (i < len(f.Frames)-1) {
				t.Errorf("%s: %s: function %d of %d: inlined is %v", h, f.Text, i, len(f.Frames), x.Inlined)
			}
		}
	}
	if n := len(m.cases) * (2*len(m.loads) + 1); len(count) != n {
		t.Errorf("%s: %d traces, not %d", m.name, len(count), n)
	}
	for h := range count {
		var name, load, where string
		var kase int
		if _, err := fmt.Sscan(h, &name, &load, &where, &kase); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[kase], got[h]); diff != "" {
			t.Errorf("%s, with %s: (-marked in the sources +resolved)\n%s", h, debug, diff)
		}
	}
	if t.Failed() {
		t.Logf("the traces:\n%s", strings.TrimSpace(string(input)))
	}
	return len(count)
}

// plainName takes the scope, the types and the parameters from a demangled name.
func plainName(name string) string {
	name = strings.TrimSuffix(name, " const")
	if strings.HasSuffix(name, ")") {
		depth := 0
		for i := len(name) - 1; i >= 0; i-- {
			switch name[i] {
			case ')':
				depth++
			case '(':
				depth--
			}
			if depth == 0 && name[i] == '(' {
				name = name[:i]
				break
			}
		}
	}
	if strings.HasSuffix(name, "operator") {
		return "operator()"
	}
	if strings.HasSuffix(name, ">") {
		depth := 0
		for i := len(name) - 1; i >= 0; i-- {
			switch name[i] {
			case '>':
				depth++
			case '<':
				depth--
			}
			if depth == 0 {
				name = strings.TrimSuffix(name[:i], "::")
				break
			}
		}
	}
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	if i := strings.LastIndex(name, " "); i >= 0 && !strings.HasPrefix(name, "operator") {
		name = name[i+1:]
	}
	return name
}
