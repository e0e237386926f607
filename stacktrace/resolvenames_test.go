package stacktrace

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestNamesDisagree: a function that the trace calls otherwise is doubted, and
// without an offset that would tell it is of another build.
func TestNamesDisagree(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	for _, c := range []struct {
		line       string
		resolved   bool
		confidence Confidence
	}{
		{"    at outer (http://x/app.wasm:wasm-function[1]:0x193)", true, High},
		{"    at ? (http://x/app.wasm:wasm-function[1]:0x193)", true, High},
		{"    at O0-dw4.wasm.outer (http://x/app.wasm:wasm-function[1]:0x193)", true, High},
		{"    at inner (http://x/app.wasm:wasm-function[1]:0x193)", true, Medium},
		{"inner@http://x/app.wasm:wasm-function[1]:0x193", true, Medium},
		{"outer@wasm-function[1]", true, High},
		// Nothing marks where these frames begin behind the prefix of a log.
		{"web-1  | outer@wasm-function[1]", true, High},
		{"web-1  | O0-dw4.wasm.outer@http://x/app.wasm:wasm-function[1]:0x193", true, High},
		{"web-1  | @http://x/app.wasm:wasm-function[1]:0x193", true, High},
		{"web-1  | 1@wasm-function[1]", true, High},
		{"\ufeffouter@wasm-function[1]", true, High},
		{"\u00a0\u00a0outer@wasm-function[1]\u00a0", true, High},
		{"\u00e0outer@wasm-function[1]", false, Low},
		{"web-1  | 7@wasm-function[1]", false, Low},
		{"setTimeout handler*outer@http://x/app.wasm:wasm-function[1]:0x193", true, High},
		{"router@http://x/app.wasm:wasm-function[1]:0x193", true, Medium},
		{"web-1  | router@wasm-function[1]", false, Low},
		{"web-1  | inner@wasm-function[1]", false, Low},
		{"inner@wasm-function[1]", false, Low},
		{"    at inner (wasm://wasm/00013d22:1:404)", false, Low},
		{"    at <unnamed> (app[1]:0x193)", true, High},
		{"    at inner (app[1]:0x193)", true, High}, // wasmer's names are not believed
	} {
		res := lineOf(t, r, c.line)
		if res.Resolved() != c.resolved || res.Confidence != c.confidence && !(strings.Contains(c.line, ":1:") && !c.resolved) {
			t.Errorf("%s: %s, confidence %v, notes %q", c.line, brief(res), res.Confidence, res.Notes)
		}
		if !c.resolved && (res.Cause != CauseOtherBuild || !strings.Contains(res.Reason, `calls function 1 "`)) {
			t.Errorf("%s: %s", c.line, brief(res))
		}
	}
	// What is remembered is not changed by a frame with a wrong name.
	if res := lineOf(t, r, "    at outer (http://x/app.wasm:wasm-function[1]:0x193)"); res.Confidence != High || len(res.Notes) > 0 {
		t.Errorf("after a wrong name: confidence %v, notes %q", res.Confidence, res.Notes)
	}
}

// TestEscapedNames: names with parentheses, blanks and escapes (case G16).
func TestEscapedNames(t *testing.T) {
	names := []string{`f\28int\29`, "a b", "g(int)", "x::<y>::z"}
	want := []string{"f(int)", "a b", "g(int)", "x::<y>::z"}
	path := filepath.Join(t.TempDir(), "m.wasm")
	body := tw.Fn(tw.OpUnreachable)
	writeFile(t, path, tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0, 0, 0, 0), tw.Code(body, body, body, body), tw.Names{Functions: tw.List(names...)}.Section()))
	r := resolver(t, path)
	start := r.store.builds[0].production.span.Start
	for i, name := range names {
		at := (start + 3 + 4*wasm.FileOffset(i)).String()
		index := string(rune('0' + i))
		for _, line := range []string{
			"    at " + name + " (http://x/m.wasm:wasm-function[" + index + "]:" + at + ")",
			name + "@http://x/m.wasm:wasm-function[" + index + "]:" + at,
		} {
			res := lineOf(t, r, line)
			if !res.Resolved() || res.Frames[0].Display != want[i] || res.Code != 3+4*wasm.CodeOffset(i) || len(res.Notes) > 1 {
				t.Errorf("%s: %s, C %v, notes %q", line, brief(res), res.Code, res.Notes)
			}
		}
	}
}

// TestOneLoader: Firefox names the script that compiled a module, so that modules
// which one script loaded are told apart by their names (case G10).
func TestOneLoader(t *testing.T) {
	dir := t.TempDir()
	c := split(t, "c/O0-dw4.wasm", dir, "first", rewrite.Options{})
	cpp := split(t, "cpp/O2-dw5.wasm", dir, "second", rewrite.Options{})
	const at = "@http://x/load.js line 25 > WebAssembly.instantiate:wasm-function"
	got := linesOf(t, resolver(t, dir), "O0-dw4.wasm.outer"+at+"[1]:0x193\nO2-dw5.wasm.run"+at+"[1]:0x8f\nO0-dw4.wasm.run"+at+"[0]:0xae\n")
	// So they are behind the prefix of a log.
	const log = "web-1  | "
	got = append(got, linesOf(t, resolver(t, dir), log+"O0-dw4.wasm.outer"+at+"[1]:0x193\n"+log+"O2-dw5.wasm.run"+at+"[1]:0x8f\n"+log+"O0-dw4.wasm.run"+at+"[0]:0xae\n")...)
	want := []string{c.companion, cpp.companion, c.companion, c.companion, cpp.companion, c.companion}
	for i, r := range got {
		if r.Build == nil || r.Build.Path() != want[i] || !r.HasLine() {
			t.Errorf("frame %d: %s", i, brief(r))
		}
	}
}

// TestDeno: Deno 2.9.6 calls every function number 0 and leaves out the name of the
// module. Offset and name tell the function, and a frame whose name is another one's
// is of another build, as ever. The trace is what Deno printed.
func TestDeno(t *testing.T) {
	dir := t.TempDir()
	f := split(t, "c/O0-dw4.wasm", dir, "app", rewrite.Options{})
	const label = "wasm://wasm/O0-dw4.wasm-623d96e2:wasm-function[0]:"
	const trace = "error: Uncaught RuntimeError: unreachable\n" +
		"    at \x1b[0m\x1b[1m\x1b[3mouter\x1b[0m (\x1b[0m\x1b[36mwasm://wasm/O0-dw4.wasm-623d96e2\x1b[0m:\x1b[0m\x1b[33mwasm-function[0]\x1b[0m:\x1b[0m\x1b[33m0x193\x1b[0m)\n" +
		"    at run (" + label + "0xae)\n" +
		"    at <anonymous> (" + label + "0x193)\n" +
		"    at file:///app/run.mjs:4:16\n"
	split(t, "cpp/O2-dw5.wasm", dir, "second", rewrite.Options{})
	for _, r := range []*Resolver{resolver(t, f.companion), resolver(t, dir)} {
		for i, res := range linesOf(t, r, trace) {
			want := []string{outerTrap, runCalls, outerTrap}[i]
			if got := brief(res); got != want || res.Index != []uint32{1, 0, 1}[i] {
				t.Errorf("frame %d: function %d, %s", i, res.Index, got)
			}
		}
	}
	r := resolver(t, f.companion)
	for _, line := range []string{
		"    at inner (" + label + "0x193)",
		"    at O0-dw4.wasm.outer (wasm://wasm/O0-dw4.wasm-623d96e2:wasm-function[2]:0x193)",
		"    at " + label + "0x193", // V8's own form
		"    at ? (" + label + "0x193)",
		"    at O0-dw4.wasm.outer (" + label + "0x193)", // V8 names the module as well
		"    at O0-dw4.wasm (" + label + "0x193)",       // and alone for a function without a name
	} {
		if res := lineOf(t, r, line); res.Cause != CauseOtherBuild {
			t.Errorf("%s: %s", line, brief(res))
		}
	}
	if res := lineOf(t, r, "    at outer ("+label+"0x193)"); res.Confidence != Medium || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "Deno") {
		t.Errorf("confidence %v, notes %q", res.Confidence, res.Notes)
	}
}

// TestManyOrigins: a trace may be of more modules than are looked through one by one.
func TestManyOrigins(t *testing.T) {
	dir := t.TempDir()
	c := split(t, "c/O0-dw4.wasm", dir, "first", rewrite.Options{})
	cpp := split(t, "cpp/O2-dw5.wasm", dir, "second", rewrite.Options{})
	r := resolver(t, dir)
	var trace strings.Builder
	var want []string
	for round := range 2 {
		for i := range 3 * fewOrigins {
			if i%2 == 0 {
				fmt.Fprintf(&trace, "    at outer (http://x/first.wasm?%d:wasm-function[1]:0x193)\n", i/2)
				want = append(want, c.companion)
			} else {
				fmt.Fprintf(&trace, "    at run (http://x/second.wasm?%d:wasm-function[1]:0x8f)\n", i/2+round)
				want = append(want, cpp.companion)
			}
		}
	}
	for i, res := range linesOf(t, r, trace.String()) {
		if res.Build == nil || res.Build.Path() != want[i] || !res.HasLine() {
			t.Errorf("frame %d: %s", i, brief(res))
		}
	}
}

// TestTrace: what stands between two frames separates them.
func TestTrace(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	frame := func(index uint32) *Frame { return &Frame{Shape: ShapeJSC, Index: index, HasIndex: true} }
	together := r.Trace([]*Frame{frame(1), frame(0)})
	apart := r.Trace([]*Frame{frame(1), nil, frame(0)})
	if !together[1].Inferred || apart[1] != nil || apart[2].Inferred {
		t.Errorf("together %s, apart %s", brief(together[1]), brief(apart[2]))
	}
}

// TestFunctionAlone: a frame without an offset never gets the line of a call that
// was inlined at the start of the function.
func TestFunctionAlone(t *testing.T) {
	seen := 0
	for _, p := range programs() {
		path := filepath.Join(corpusDir, filepath.FromSlash(p.input))
		r := resolver(t, path)
		open, err := r.store.builds[0].opened()
		if err != nil {
			t.Fatal(err)
		}
		for i := range open.debug.NumBodies() {
			index, e := open.debug.Body(i)
			res := r.Trace([]*Frame{{Shape: ShapeJSC, Index: index, HasIndex: true}})[0]
			a := open.debug.Lookup(e.Start, nil)
			if !res.Resolved() || len(res.Frames) != 1 || !res.FunctionOnly || res.HasLine() {
				t.Errorf("%s, function %d: %s", p.input, index, brief(res))
				continue
			}
			if n := len(a.Frames); n > 1 {
				seen++
				if res.Frames[0].Line != 0 {
					t.Errorf("%s, function %d: line %d is that of a call", p.input, index, res.Frames[0].Line)
				}
			}
		}
	}
	t.Logf("%d functions begin with an inlined call", seen)
}
