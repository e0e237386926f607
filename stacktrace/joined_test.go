package stacktrace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// TestJoinedFrames: a trace of V8 whose line breaks were taken out is read frame by
// frame, and divided behind each of WebAssembly.
func TestJoinedFrames(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	const (
		outer = "    at outer (http://x/app.wasm:wasm-function[1]:0x193)"
		run   = "    at http://x/app.wasm:wasm-function[0]:0xae"
		js    = "    at main (http://x/app.js:10:20)"
		trap  = "      => level3 at ./trap.c:17:5 (inlined)\n      => level2 at ./trap.c:21:10 (inlined)\n      => level1 at ./trap.c:25:10 (inlined)\n      => outer at ./trap.c:28:11\n"
		call  = "      => run at ./trap.c:61:12\n"
	)
	for _, c := range []struct{ text, want string }{
		{"RuntimeError: unreachable" + outer + run + js + "\n", "RuntimeError: unreachable" + outer + "\n" + trap + run + "\n" + call + js + "\n"},
		{outer + js + run + "\nend", outer + "\n" + trap + js + run + "\n" + call + "end"},
		{js + outer + "\n", js + outer + "\n" + trap},
		{"x |" + outer + "\n" + js + js + "\n", "x |" + outer + "\n" + strings.ReplaceAll(trap, "      =>", "  =>") + js + js + "\n"},
	} {
		var out bytes.Buffer
		if _, err := Annotate(&out, strings.NewReader(c.text), r, AnnotateOptions{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		// Numbers are those of lines in the text.
		log := NewLog(strings.NewReader(c.text), r, 0)
		for log.Next() {
			if l := log.Line(); l.Resolution != nil && (l.Number != 1 || l.Resolution.Confidence != High) {
				t.Errorf("%q: %q is on line %d, confidence %v", c.text, l.Text, l.Number, l.Resolution.Confidence)
			}
		}
	}
}
