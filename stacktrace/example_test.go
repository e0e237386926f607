package stacktrace_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/stacktrace"
)

func ExampleParseLine() {
	line := []byte("    at calc.div_u (https://cdn.example/calc.wasm?v=7:wasm-function[41]:0x2f10)")
	f, ok := stacktrace.ParseLine(line)
	fmt.Println(ok, f.Shape, f.Index, f.Offset)
	fmt.Printf("%s\n%s\n", f.Name, f.Location.Text)
	// Output:
	// true v8 41 file 0x2f10
	// calc.div_u
	// https://cdn.example/calc.wasm?v=7
}

// Every line is written again; frames get a note behind them.
func ExampleScanner() {
	trace := `RuntimeError: unreachable
    at https://cdn.example/calc.wasm:wasm-function[41]:0x2f10
    at run (https://app.example/boot.js:17:31)
`
	s := stacktrace.NewScanner(strings.NewReader(trace), 0)
	for s.Scan() {
		l := s.Line()
		os.Stdout.Write(l.Text)
		if l.IsFrame {
			fmt.Printf("  <- function %d", l.Frame.Index)
		}
		os.Stdout.Write(l.EOL)
	}
	// Output:
	// RuntimeError: unreachable
	//     at https://cdn.example/calc.wasm:wasm-function[41]:0x2f10  <- function 41
	//     at run (https://app.example/boot.js:17:31)
}

// TestMixedTrace is a trace as people paste it: two modules, JavaScript between
// them, and the same frame as three browsers print it. Each frame keeps index,
// offset if any, name if any, and its own location, also when the module is
// unknown; all else is left alone.
//
// DataDog/browser-sdk#3481, dart-lang/tools#1858, sentry-javascript#13655,
// DioxusLabs/dioxus#5125, emscripten#14133.
func TestMixedTrace(t *testing.T) {
	trace := strings.Join([]string{
		"Uncaught (in promise) RuntimeError: divide by zero",
		"    at a.wasm.div_u (https://x/a.wasm:wasm-function[7]:0x1f)",
		"    at https://x/b.wasm?v=2:wasm-function[7]:0x2f",
		"    at run (https://x/boot.js:17:31)",
		"div_u@https://x/a.wasm:wasm-function[7]:0x1f",
		"@https://unknown.example/c.wasm:wasm-function[7]:0x2f",
		"run@https://x/boot.js:17:31",
		"div_u@a.wasm:wasm-function[7]",
		"7@<?>:wasm-function[7]",
		"wasm-stub@[wasm code]",
		"[native code]",
	}, "\r\n")
	var got []string
	s := stacktrace.NewScanner(strings.NewReader(trace), 0)
	for s.Scan() {
		if l := s.Line(); l.IsFrame {
			f := &l.Frame
			got = append(got, fmt.Sprintf("%s %d %v %q %s%s %s", f.Shape.Engine(), f.Index, f.Offset, f.Name, f.Location.Text, f.Module, f.Confidence()))
		}
	}
	want := []string{
		`v8 7 file 0x1f "a.wasm.div_u" https://x/a.wasm high`,
		`v8 7 file 0x2f "" https://x/b.wasm?v=2 high`,
		`gecko 7 file 0x1f "div_u" https://x/a.wasm high`,
		`gecko 7 file 0x2f "" https://unknown.example/c.wasm high`,
		`jsc 7 none "div_u" a.wasm high`,
		`jsc 7 none ""  high`,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}
