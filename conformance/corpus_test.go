package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

var update = flag.Bool("update", false, "rewrite the table and the rules in docs/conformance.md")

// table is the modules of the table in docs/conformance.md.
var table = []string{
	"c/O0-dw4", "c/O0-dw5", "c/O1-dw4", "c/O1-dw5", "c/O2-dw4", "c/O2-dw5", "c/O3-dw4", "c/Os-dw4", "c/Oz-dw5", "c/simd-tail", "c/threads-dw5", "c/pic-shared",
	"cpp/O0-dw4", "cpp/O0-dw5", "cpp/O1-dw4", "cpp/O1-dw5", "cpp/O2-dw4", "cpp/O2-dw5", "cpp/O3-dw4", "cpp/Os-dw4", "cpp/Oz-dw5", "cpp/lto", "cpp/split-dw5", "cpp/threads-dw5", "cpp/pic-shared",
	"eh/eh-new-4",
	"rust/nostd-O0-dw4", "rust/nostd-O0-dw5", "rust/nostd-O1-dw4", "rust/nostd-O1-dw5", "rust/nostd-O2-dw4", "rust/nostd-O2-dw5", "rust/nostd-Os-dw4", "rust/nostd-Os-dw5",
	"zig/small", "zig/lld-bid",
	"assemblyscript/debug", "assemblyscript/inc",
	"emscripten/g-O2",
	"traces/traps-named",
}

const tableHead = "| module | functions | entered | calls | traps | host calls | probes | trapped in place | offsets | compared with the input | mismatches |\n" +
	"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

// row formats what a run has seen. Both engines must have seen the same.
func row(t *testing.T, name string, r *Result) string {
	t.Helper()
	a, b := r.Engines[0], r.Engines[1]
	b.Engine = a.Engine
	if a != b {
		t.Errorf("%s: the engines have seen different things:\n%+v\n%+v", name, a, b)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, a.Functions, a.Entered, 2*a.Calls, 2*a.Traps, 2*a.HostCalls,
		2*a.Points, 2*a.Trapped, r.Offsets, r.Compared, r.Mismatches)
}

// TestCorpus runs the corpus and holds the table in the documentation.
func TestCorpus(t *testing.T) {
	needsCompiler(t)
	var b strings.Builder
	b.WriteString(tableHead)
	for _, name := range table {
		r := corpusPair(t, name+".wasm").run(t, Options{}, true)
		if r.Subject.Verdict != report.Pass || r.Mismatches != 0 || len(codes(r, report.Warning)) > 0 && !strings.HasPrefix(name, "traces") {
			t.Errorf("%s: %v%s", name, r.Subject.Verdict, messages(r))
		}
		if r.Offsets == 0 || r.Engines[0].Trapped == 0 {
			t.Errorf("%s: nothing was seen", name)
		}
		b.WriteString(row(t, name, r))
	}
	holdDoc(t, "corpus", b.String())
}

// TestRulesAreDocumented holds the rules in the documentation.
func TestRulesAreDocumented(t *testing.T) {
	var b strings.Builder
	for _, r := range Rules() {
		fmt.Fprintf(&b, "### %s %s\n\n%s. By default: **%v**.\n\n%s\n\n*What to do:* %s.\n\n", r.Code, r.Name, r.Title, r.Default, r.Meaning, r.Remedy)
	}
	holdDoc(t, "rules", b.String())
}

// holdDoc holds a part of docs/conformance.md against what it should be, or
// rewrites it.
func holdDoc(t *testing.T, part, want string) {
	t.Helper()
	const doc = "../docs/conformance.md"
	begin, end := "<!-- "+part+" -->\n", "<!-- end of "+part+" -->\n"
	before, rest, ok1 := strings.Cut(string(read(t, doc)), begin)
	have, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("%s has no place for the %s", doc, part)
	case *update:
		if err := os.WriteFile(doc, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case have != want:
		t.Errorf("the %s in %s are out of date; run go test ./conformance -update. It should be:\n%s", part, doc, want)
	}
}

// TestExpectedFrames runs every case of the corpus in scenarios that expect the
// frames that the sources mark.
func TestExpectedFrames(t *testing.T) {
	names, by := offsetsOfV8(t)
	sources := map[string]map[string][]ExpectedFrame{
		"c": expected(t, "src/trap.c.expect.json"), "cpp": expected(t, "src/trap.cpp.expect.json"),
		"rust": expected(t, "src/nostd.expect.json"), "eh": expected(t, "src/eh.cpp.expect.json"),
	}
	ran := 0
	for _, name := range names {
		if strings.Contains(name, "mem64") || strings.Contains(name, "legacy") || strings.Contains(name, "linedirs") || strings.Contains(name, "split-single") {
			continue // not runnable, or without frames
		}
		dir := filepath.Dir(name)
		s := &Scenario{}
		for _, o := range by[name] {
			if dir == "rust" && o.name == "1" {
				continue // begins in the core library
			}
			frames := slices.Clone(sources[dir][o.name])
			if dir == "rust" {
				frames = slices.Insert(frames, 0, ExpectedFrame{}) // the core library's, which the marks leave out
			}
			if strings.Contains(name, "lineonly") {
				for i := range frames {
					frames[i].Function = ""
				}
			}
			s.Calls = append(s.Calls, Call{Export: "run", Args: []Arg{Arg(o.name), argument(dir, o.name)}, Expect: &Expect{Outcome: "trap", Frames: frames}})
		}
		r := corpusPair(t, name).run(t, Options{Scenario: s, NoSweep: true}, false)
		if r.Subject.Verdict != report.Pass || len(r.Subject.Findings) > 0 {
			t.Errorf("%s: %v%s", name, r.Subject.Verdict, messages(r))
		}
		ran += len(s.Calls)

		// And the expectations must be able to fail.
		last := &s.Calls[len(s.Calls)-1].Expect.Frames
		(*last)[len(*last)-1].Line++
		r = corpusPair(t, name).run(t, Options{Scenario: s, NoSweep: true}, false)
		if got := codes(r, report.Error); !slices.Contains(got, ExpectationFailed) {
			t.Errorf("%s: a wrong line is not noticed: %v", name, got)
		}
	}
	if ran < 350 {
		t.Errorf("%d cases only", ran)
	}
}

// TestGo builds a Go program for WASI and runs it: no DWARF, names alone, a code of
// over a megabyte.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a Go program")
	}
	out := filepath.Join(t.TempDir(), "hello.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, "main.go")
	cmd.Dir = "../testdata/go"
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no Go toolchain to build with: %v\n%s", err, text)
	}
	p := split(t, out, read(t, out), rewrite.Options{})
	engines := bothEngines
	start := time.Now()
	r := p.run(t, Options{Engines: engines, Limits: Limits{CallTime: 10 * time.Second}}, true)
	t.Logf("%v: %d frames at %d offsets, %+v", time.Since(start), r.Reports, r.Offsets, r.Engines)
	if r.Subject.Verdict != report.Pass || r.Mismatches != 0 || r.Resolved.Function < 500 {
		t.Errorf("%v, %d mismatches, %+v%s", r.Subject.Verdict, r.Mismatches, r.Resolved, messages(r))
	}
	e := r.Engines[0]
	if e.Exits != 1 || e.HostCalls < 5 || e.Entered < 100 || e.Trapped < 1000 {
		t.Errorf("%+v", e)
	}
}
