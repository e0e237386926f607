package stacktrace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// unsplit copies a module of the corpus to dir.
func unsplit(t testing.TB, input, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpusDir, filepath.FromSlash(input)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.Base(input))
	writeFile(t, path, b)
	return path
}

// The places of c/O0-dw4.wasm as V8 printed them: function 1 traps at 0x193, and
// function 0 called it at 0xae. The code starts at 0x5a.
const (
	outerTrap = "level3 at ./trap.c:17:5 (inlined); level2 at ./trap.c:21:10 (inlined); level1 at ./trap.c:25:10 (inlined); outer at ./trap.c:28:11"
	runCalls  = "run at ./trap.c:61:12"
)

// outerBody returns C of the body of function 1.
func outerBody(t testing.TB, r *Resolver) int64 {
	t.Helper()
	open, err := r.store.builds[0].opened()
	if err != nil {
		t.Fatal(err)
	}
	_, e, ok := open.body(1)
	if !ok {
		t.Fatal("there is no function 1")
	}
	return int64(e.Start)
}

// TestLines resolves single lines with one companion. The wanted text is brief's.
func TestLines(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	start := int64(r.store.builds[0].companion.record.Code.Start)
	body := start + outerBody(t, r)
	for _, c := range []struct{ about, line, want string }{
		{"V8", "    at http://x/app.wasm:wasm-function[1]:0x193", outerTrap},
		{"V8, caller: the call itself, nothing subtracted", "    at http://x/app.wasm:wasm-function[0]:0xae", runCalls},
		{"Firefox", "outer@http://x/app.wasm?v=1:wasm-function[1]:0x193", outerTrap},
		{"Deno up to 2.6: column F+1", fmt.Sprintf("    at <anonymous> (wasm://wasm/00013d22:1:%d)", 0x193+1), outerTrap},
		{"V8 without a location", "    at outer (wasm-function[1]:0x193)", outerTrap},
		{"wasmtime", "   0:    0x193 - app!<wasm function 1>", outerTrap},
		{"wasmer", "    at outer (app[1]:0x193)", outerTrap},
		{"Safari: index alone", "1@wasm-function[1]", "outer, declared at ./trap.c:27"},
		{"Safari: name alone", "app.wasm-function[outer]@[wasm code]", "outer, declared at ./trap.c:27"},
		{"Safari: a name that nothing has", "app.wasm-function[nothing]@[wasm code]", "no position: the engine printed neither index nor offset, and no single function is called \"nothing\""},
		{"bun prints nothing", "    at unknown", "no position: the engine printed neither function nor offset"},
		{"stack overflow: the body's first byte", fmt.Sprintf("    at http://x/app.wasm:wasm-function[1]:0x%x", body), "outer at ./trap.c:27"},
		{"the index disagrees", "    at http://x/app.wasm:wasm-function[2]:0x193", "other build: the trace says function 2"},
		{"no such function", "    at http://x/app.wasm:wasm-function[99]:0x193", "other build: " + f.companion + " has no function 99, only 7"},
		{"inside an instruction", "    at http://x/app.wasm:wasm-function[0]:0xaf", "other build: code offset 0x55 is inside an instruction"},
		{"before the code", "    at http://x/app.wasm:wasm-function[1]:0x20", "not code: file offset 0x20 lies before the code"},
		{"behind the code", "    at http://x/app.wasm:wasm-function[1]:0xffff", "not code: file offset 0xffff lies behind the code"},
		{"a size, without an index", fmt.Sprintf("    at x (http://x/app.wasm:0x%x)", start+1), "not code: this is the size in front of a function body"},
		{"offset 0 is a host function (case B14)", "f@http://x/app.wasm:wasm-function[1]:0x0", "host: offset 0"},
		{"WAMR does not know the offset (case B14)", "#00: 0x0000 - $f1", "outer, declared at ./trap.c:27"},
		{"a component's offset", "   0:   0x99193 - app!<wasm function 1>", "in a component, wasmtime counts from the start of the component"},
		{"V8, the place before the body", fmt.Sprintf("    at http://x/app.wasm:wasm-function[1]:0x%x", body-1), "outer, declared at ./trap.c:27"},
		{"Firefox, the place before the body", fmt.Sprintf("outer@http://x/app.wasm:wasm-function[1]:0x%x", body-1), "other build: the trace says function 1"},
	} {
		got := brief(lineOf(t, r, c.line))
		if !strings.Contains(got, c.want) || strings.HasPrefix(c.want, "level3") && got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.about, c.line, got, c.want)
		}
	}
	quiet := lineOf(t, r, "    at http://x/app.wasm:wasm-function[1]:0x194")
	if quiet.Confidence != Low || len(quiet.Notes) != 1 || !strings.Contains(quiet.Notes[0], "neither calls nor traps") {
		t.Errorf("an instruction that no engine reports: confidence %v, notes %q", quiet.Confidence, quiet.Notes)
	}
}

// TestJoinedTrap: wasmtime reports a conditional branch in place of the unreachable
// that it leads to. 0x191 is a br_if, which no other engine reports.
func TestJoinedTrap(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	other := split(t, "c/O2-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	// What wasmtime 50 printed, DWARF stripped.
	const trace = "error while executing at wasm backtrace:\n    0:    0x191 - O0-dw4.wasm!outer\n    1:     0xae - O0-dw4.wasm!run\n"
	for _, r := range []*Resolver{resolver(t, f.companion), resolver(t, f.companion, other.companion)} {
		all := linesOf(t, r, trace)
		if got := brief(all[0]); !strings.HasPrefix(got, "level3 at ./trap.c:16:9 (inlined); ") || len(all[0].Notes) > 0 {
			t.Errorf("%s, notes %q", got, all[0].Notes)
		}
		if got := brief(all[1]); got != runCalls {
			t.Error(got)
		}
	}
	r := resolver(t, f.companion)
	for _, line := range []string{"    at http://x/app.wasm:wasm-function[1]:0x191", "   0:    0x190 - app!<wasm function 1>"} {
		if res := lineOf(t, r, line); res.Confidence != Low || len(res.Notes) == 0 || !strings.Contains(res.Notes[0], "neither calls nor traps") {
			t.Errorf("%s: confidence %v, notes %q", line, res.Confidence, res.Notes)
		}
	}
}

// TestOffsetModes: one trap as every runtime counts (case B13).
func TestOffsetModes(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	s := openStore(t, StoreOptions{Debug: []string{f.companion}})
	start := int64(s.builds[0].companion.record.Code.Start)
	const trap, call = 0x193, 0xae
	body := outerBody(t, NewResolver(s, ResolverOptions{}))
	for _, c := range []struct {
		mode       OffsetMode
		line, want string
		confidence Confidence
	}{
		{OffsetsFile, fmt.Sprintf("#00: 0x%x - $f1", trap), outerTrap, High},
		{OffsetsCode, fmt.Sprintf("#00: 0x%x - $f1", trap-start), outerTrap, High},
		{OffsetsNext, fmt.Sprintf("#00: 0x%x - $f1", trap+1), outerTrap, High},
		{OffsetsNext, fmt.Sprintf("#01: 0x%x - $f0", call+6), runCalls, High},
		{OffsetsFunction, fmt.Sprintf("#00: 0x%x - $f1", trap-start-body), outerTrap, High},
		// Without a mode the code decides, and the answer says so.
		{OffsetsAuto, fmt.Sprintf("#00: 0x%x - $f1", trap), outerTrap, Low},
		{OffsetsAuto, fmt.Sprintf("#00: 0x%x - $f1", trap+1), outerTrap, Low},
		{OffsetsAuto, fmt.Sprintf("#01: 0x%x - $f0", call+6), runCalls, Low},
		{OffsetsAuto, fmt.Sprintf("#00: 0x%x - $f1", trap-start-body), "", Low},
		// A wrong mode is a mismatch, not another line.
		{OffsetsCode, fmt.Sprintf("#00: 0x%x - $f1", trap), "", Low},
		{OffsetsFile, fmt.Sprintf("#00: 0x%x - $f1", trap-start), "", Low},
		{OffsetsCode, fmt.Sprintf("    at a.wasm:wasm-function[1]:0x%x", trap), "", Low},
	} {
		r := lineOf(t, NewResolver(s, ResolverOptions{Offsets: c.mode}), c.line)
		switch {
		case c.want == "" && r.Cause != CauseOtherBuild && r.Cause != CauseNotCode:
			t.Errorf("%v, %s: %s, want a mismatch", c.mode, c.line, brief(r))
		case c.want != "" && brief(r) != c.want:
			t.Errorf("%v, %s:\n got %s\nwant %s", c.mode, c.line, brief(r), c.want)
		}
		if r.Confidence != c.confidence {
			t.Errorf("%v, %s: confidence %v, want %v: %v", c.mode, c.line, r.Confidence, c.confidence, r.Notes)
		}
	}
	for m := OffsetsAuto; m <= OffsetsNext; m++ {
		if got, err := ParseOffsetMode(m.String()); err != nil || got != m {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if _, err := ParseOffsetMode("bytes"); err == nil {
		t.Error("no error for an unknown mode")
	}
}

// TestOneModeInATrace: one frame of WAMR often can be read in either of its ways,
// but all frames of a trace are in one. Both places of function 0 are a call.
func TestOneModeInATrace(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	alone := brief(lineOf(t, r, "#01: 0x00ae - $f0"))
	for _, c := range []struct{ trace, want string }{
		{"#00: 0x0193 - $f1\n#01: 0x00ae - $f0\n", runCalls}, // exact
		{"#01: 0x00ae - $f0\n#00: 0x0193 - $f1\n", outerTrap},
		{"#00: 0x0194 - $f1\n#01: 0x00ae - $f0\n", alone},                    // behind the operator
		{"#00: 0x0000 - $f1\n#01: 0x00ae - $f0\n", alone},                    // nothing tells
		{"#00: 0x0193 - $f1\n#01: 0x00ae - $f0\n#02: 0x0194 - $f1\n", alone}, // one says this, one that
	} {
		all := linesOf(t, r, c.trace)
		if got := brief(all[1]); got != c.want {
			t.Errorf("%q: %s, want %s", c.trace, got, c.want)
		}
	}
	// So it is where two builds fit that give one answer.
	other := splitBytes(t, padded(t, "c/O0-dw4.wasm", 99), t.TempDir(), "app", rewrite.Options{})
	all := linesOf(t, resolver(t, f.companion, other.companion), "#00: 0x0193 - $f1\n#01: 0x00ae - $f0\n")
	if got := brief(all[1]); got != runCalls || len(all[1].Candidates) != 2 {
		t.Errorf("two builds: %s, %d candidates", got, len(all[1].Candidates))
	}
	if alone == runCalls {
		t.Error("alone, the frame is read as exact already, so that this test shows nothing")
	}
}

// TestLongNames: a name of any length is not searched for all that it can begin
// with: without a limit each of these lines takes seconds.
func TestLongNames(t *testing.T) {
	f := split(t, "rust/nostd-O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion, tracesDir, filepath.Join(corpusDir, "c"))
	if len(r.store.names) <= 8 {
		t.Fatalf("only %d names of modules, which are too few to be looked up by their hash", len(r.store.names))
	}
	for _, line := range []string{
		"    at " + strings.Repeat("a.", 300_000) + " (http://x/nothing.wasm:wasm-function[1]:0x1)",
		strings.Repeat("a. ", 300_000) + "@http://x/nothing.wasm:wasm-function[1]:0x1",
		"error while executing at wasm backtrace:\n  0: app!" + strings.Repeat("a!", 300_000),
	} {
		if res := lineOf(t, r, line); res.Resolved() {
			t.Errorf("%.40s...: %s", line, brief(res))
		}
	}
}

// TestImportsCount: function indices count imports (case G9).
func TestImportsCount(t *testing.T) {
	module := tw.Build(
		tw.Types(tw.FuncType{}),
		tw.Imports(tw.Import{Module: "env", Name: "a", Kind: tw.KindFunc}, tw.Import{Module: "env", Name: "b", Kind: tw.KindFunc}, tw.Import{Module: "env", Name: "c", Kind: tw.KindFunc}),
		tw.Functions(0, 0),
		tw.Code(tw.Fn(tw.OpCall, 4), tw.Fn(tw.OpUnreachable)),
		tw.Names{Functions: tw.From(3, "first", "second")}.Section(),
	)
	path := filepath.Join(t.TempDir(), "m.wasm")
	writeFile(t, path, module)
	r := resolver(t, path)
	span := r.store.builds[0].companion
	if span == nil {
		span = r.store.builds[0].production
	}
	at := func(c int64) int64 { return int64(span.span.Start) + c }
	for line, want := range map[string]string{
		fmt.Sprintf("at m.wasm:wasm-function[3]:0x%x", at(3)): "first",
		fmt.Sprintf("at m.wasm:wasm-function[4]:0x%x", at(8)): "second",
		"2@wasm-function[2]": "host: function 2 is imported (env.c), so its code is not in the module",
		fmt.Sprintf("at m.wasm:wasm-function[2]:0x%x", at(8)): "other build: function 2 has an offset in the trace, but is imported",
		fmt.Sprintf("at m.wasm:wasm-function[3]:0x%x", at(8)): "other build: the trace says function 3",
	} {
		if got := brief(lineOf(t, r, line)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestCalls: Safari's frames, which have no offsets, and the calls they must have
// come from.
func TestCalls(t *testing.T) {
	dir := t.TempDir()
	full := split(t, "c/O0-dw4.wasm", filepath.Join(dir, "full"), "app", rewrite.Options{})
	symbols := split(t, "c/O0-dw4.wasm", filepath.Join(dir, "symbols"), "app", rewrite.Options{Companion: rewrite.CompanionSymbols})
	const trace = "1@wasm-function[1]\n0@wasm-function[0]\n"
	for _, c := range []struct {
		about string
		o     StoreOptions
		line  uint32
	}{
		{"full companion", StoreOptions{Debug: []string{full.companion}}, 61},
		{"companion without code", StoreOptions{Debug: []string{symbols.companion}}, 0},
		{"companion without code, production module", StoreOptions{Debug: []string{symbols.companion}, Modules: []string{symbols.production}}, 61},
	} {
		got := linesOf(t, NewResolver(openStore(t, c.o), ResolverOptions{}), trace)
		if got[0].Inferred || !got[0].FunctionOnly || got[0].HasLine() {
			t.Errorf("%s: top frame: %s", c.about, brief(got[0]))
		}
		if r := got[1]; r.Inferred != (c.line != 0) || r.FunctionOnly == r.Inferred || r.Inferred && r.Frames[0].Line != c.line || r.Confidence == High && r.Inferred {
			t.Errorf("%s: caller: %s, confidence %v", c.about, brief(r), r.Confidence)
		}
	}
	r := resolver(t, full.companion)
	// A JavaScript frame in between: nothing is known about the call.
	got := linesOf(t, r, "1@wasm-function[1]\nf@http://x/app.js:1:1\n0@wasm-function[0]\n")
	if len(got) != 2 || got[1].Inferred {
		t.Errorf("inferred across a JavaScript frame: %s", brief(got[1]))
	}
	// Function 1 never calls function 2.
	if got := linesOf(t, r, "2@wasm-function[2]\n1@wasm-function[1]\n"); got[1].Inferred {
		t.Errorf("inferred a call that is not there: %s", brief(got[1]))
	}
}

// TestDirectCalls: a function that is called twice, through a table, or by a tail
// call is no place to infer.
func TestDirectCalls(t *testing.T) {
	const returnCall, callIndirect = 0x12, 0x11
	module := tw.Build(
		tw.Types(tw.FuncType{}), tw.Functions(0, 0, 0, 0, 0), tw.Tables(tw.Table{Limits: tw.Limits{Min: 1}}),
		tw.Code(
			tw.Fn(tw.OpUnreachable),
			tw.Fn(tw.OpCall, 0),
			tw.Fn(tw.OpCall, 0, tw.OpCall, 0),
			tw.Fn(tw.OpCall, 0, tw.OpI32Const, 0, callIndirect, 0, 0),
			tw.Fn(returnCall, 0),
		))
	path := filepath.Join(t.TempDir(), "m.wasm")
	writeFile(t, path, module)
	open, err := resolver(t, path).store.builds[0].opened()
	if err != nil {
		t.Fatal(err)
	}
	type answer struct{ Indirect, OK bool }
	var got []answer
	for i := range 5 {
		_, indirect, ok := open.calls.of(i).callTo(0)
		got = append(got, answer{indirect, ok})
	}
	want := []answer{{}, {OK: true}, {}, {true, true}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSourceMapOnly: a module with a source map and no DWARF says so (case G14).
func TestSourceMapOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.wasm")
	writeFile(t, path, tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn(tw.OpUnreachable)), tw.SourceMappingURL("app.wasm.map")))
	r := resolver(t, path)
	b := r.store.builds[0].production
	got := brief(lineOf(t, r, fmt.Sprintf("at m.wasm:wasm-function[0]:0x%x", int64(b.span.Start)+3)))
	if !strings.Contains(got, "there is a source map (app.wasm.map) and no DWARF") {
		t.Error(got)
	}
}

// TestWazero: a trace of wazero, whose offsets count from the code start and stand
// on the line below the frame (case G15).
func TestWazero(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tracesDir, "wazero1.12-rust-nostd.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f := split(t, "rust/nostd-O2-dw5.wasm", t.TempDir(), "app", rewrite.Options{})
	all := string(text)
	got := linesOf(t, resolver(t, f.companion), all[:strings.Index(all, "case 1 ")])
	have := places(got)
	want := marked(t, "rust/lib.rs")[0]
	if len(have) == 0 || have[0].File != "mod.rs" {
		t.Fatalf("got %v", have)
	}
	if diff := cmp.Diff(want, plain(have[1:])); diff != "" {
		t.Error(diff)
	}
	// The trace of another build: names and offsets do not agree.
	for _, res := range linesOf(t, resolver(t, unsplit(t, "rust/nostd-O0-dw4.wasm", t.TempDir())), all[:strings.Index(all, "case 1 ")]) {
		if res.Resolved() && res.HasLine() && res.Confidence == High {
			t.Errorf("resolved with another build: %s", brief(res))
		}
	}
}
