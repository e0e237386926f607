package stacktrace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// quotedLog is a structured log: a document a line, with traces in strings.
const quotedLog = `{"level":"error","path":"C:\\new\\app","stack":"RuntimeError: unreachable\n    at outer (http://x/app.wasm:wasm-function[1]:0x193)\n    at \u001b[1mhttp://x/app.wasm\u001b[22m:wasm-function[0]:0xae\n    at main (http://x/app.js:10:20)","time":1}
{"log":"outer@wasm-function[1]\n","stream":"stderr"}
{"a":"\n","b":"wasm stack trace:\r\n\t.outer(i32) i32\r\n\t\t0x139: ./trap.c:17:5 (inlined)\r\n","c":"\"\\"}
level=error msg="error while executing at wasm backtrace:\n    0:  0x193 - app.wasm!outer\u003cT\u003e"
a "C:\new" outer@http://x/app.wasm:wasm-function[1]:0x193
`

// TestScanQuoted: strings of structured logs are read as the lines that they stand
// for, and all pieces together are the text.
func TestScanQuoted(t *testing.T) {
	type piece struct {
		Text, EOL         string
		Quoted, Continues bool
		Frame             string
	}
	var got []piece
	s := NewScanner(strings.NewReader(quotedLog), 0)
	back := ""
	for s.Scan() {
		l := s.Line()
		p := piece{string(l.Text), string(l.EOL), l.Quoted, l.Continues, ""}
		if l.IsFrame {
			p.Frame = l.Frame.Shape.String() + " " + string(l.Frame.Name) + " " + l.Frame.Offset.String() + " " + string(l.Text[l.Frame.Span.Start:l.Frame.Span.End])
		}
		got = append(got, p)
		back += p.Text + p.EOL
	}
	if back != quotedLog {
		t.Errorf("the lines add up to %q", back)
	}
	want := []piece{
		{`{"level":"error","path":"C:\\new\\app","stack":"`, "", false, false, ""},
		{`RuntimeError: unreachable`, `\n`, true, true, ""},
		{`    at outer (http://x/app.wasm:wasm-function[1]:0x193)`, `\n`, true, true, "v8 outer file 0x193 outer (http://x/app.wasm:wasm-function[1]:0x193)"},
		{`    at \u001b[1mhttp://x/app.wasm\u001b[22m:wasm-function[0]:0xae`, `\n`, true, true, `v8  file 0xae http://x/app.wasm\u001b[22m:wasm-function[0]:0xae`},
		{`    at main (http://x/app.js:10:20)`, ``, true, true, ""},
		{`","time":1}`, "\n", false, true, ""},
		{`{"log":"`, "", false, false, ""},
		{`outer@wasm-function[1]`, `\n`, true, true, "jsc outer none outer@wasm-function[1]"},
		{`","stream":"stderr"}`, "\n", false, true, ""},
		{`{"a":"`, "", false, false, ""},
		{``, `\n`, true, true, ""},
		{`","b":"`, "", false, true, ""},
		{`wasm stack trace:`, `\r\n`, true, true, ""},
		{`\t.outer(i32) i32`, `\r\n`, true, true, "wazero outer none .outer(i32) i32"},
		{`\t\t0x139: ./trap.c:17:5 (inlined)`, `\r\n`, true, true, "wazero outer code 0x139 0x139: ./trap.c:17:5 (inlined)"},
		{`","c":"\"\\"}`, "\n", false, true, ""},
		{`level=error msg="`, "", false, false, ""},
		{`error while executing at wasm backtrace:`, `\n`, true, true, ""},
		{`    0:  0x193 - app.wasm!outer\u003cT\u003e`, ``, true, true, `wasmtime app.wasm!outer<T> file 0x193 0x193 - app.wasm!outer\u003cT\u003e`},
		{`"`, "\n", false, true, ""},
		{`a "`, "", false, false, ""},
		{`C:`, `\n`, true, true, ""},
		{`ew`, ``, true, true, ""},
		{`" outer@http://x/app.wasm:wasm-function[1]:0x193`, "\n", false, true, `gecko " outer file 0x193 " outer@http://x/app.wasm:wasm-function[1]:0x193`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAnnotateQuoted: what a trace in a string resolves to is what it resolves to
// as text, and stands in the string, so that a log of documents stays one.
func TestAnnotateQuoted(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), `a"b\c`, rewrite.Options{})
	other := split(t, "cpp/O2-dw5.wasm", t.TempDir(), "lib", rewrite.Options{})
	r := resolver(t, f.companion, other.companion)
	annotate := func(text string) string {
		var out bytes.Buffer
		mark := func(_ Mark, text []byte) []byte { return append([]byte("\x1b[1m"), text...) }
		opt := AnnotateOptions{}
		if strings.HasPrefix(text, "{") {
			opt.Mark = mark
		}
		if _, err := Annotate(&out, strings.NewReader(text), r, opt); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, trace := range []string{
		"RuntimeError: \"x\"\n    at outer (http://x/a\"b\\c.wasm:wasm-function[1]:0x193)\n    at http://x/a\"b\\c.wasm:wasm-function[0]:0xae\n    at main (http://x/app.js:10:20)\n",
		"x\n\n\touter@wasm-function[1]\n\trun@wasm-function[0]\n\nend",
		"wasm stack trace:\r\n\t.outer(i32) i32\r\n\t\t0x139: ./trap.c:17:5 (inlined)\r\n\t.run(i32,i32) i32\r\n\t\t0x54: ./trap.c:61:12\r\n",
		"\n    at O2-dw5.wasm.double app::ring_user<double>(int) (http://x/lib.wasm:wasm-function[2]:0x1f3)\n    at nowhere (http://x/a.wasm:wasm-function[99]:0x1)",
	} {
		doc, err := json.Marshal(map[string]string{"msg": "a", "stack": trace, "z": "C:\\new"})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		text := annotate(string(doc) + "\n")
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%v: %s", err, text)
			continue
		}
		want := annotate(trace)
		if strings.Contains(trace, "\r\n") {
			want = strings.ReplaceAll(strings.ReplaceAll(want, "\r\n", "\n"), "\n", "\r\n")
			got["stack"] = strings.ReplaceAll(strings.ReplaceAll(got["stack"], "\r\n", "\n"), "\n", "\r\n")
		}
		if !strings.Contains(want, "=> ") || got["msg"] != "a" || got["z"] != "C:\\new" {
			t.Errorf("got %s", text)
		}
		if diff := cmp.Diff(want, got["stack"]); diff != "" {
			t.Errorf("in a string (+) otherwise than as text (-):\n%s", diff)
		}
	}
	// The lines are numbered as they are in the file.
	log := NewLog(strings.NewReader(quotedLog), r, 0)
	var numbers []int64
	for log.Next() {
		if log.Line().Resolution != nil {
			numbers = append(numbers, log.Line().Number)
		}
	}
	if diff := cmp.Diff([]int64{1, 1, 2, 3, 4, 5}, numbers); diff != "" {
		t.Error(diff)
	}
}

// TestQuotedDocument: an error of Firefox with its stack is a text, and one without
// is a document.
func TestQuotedDocument(t *testing.T) {
	const head = `{"message":"unreachable executed","fileName":"http://x/app.wasm","lineNumber":403,"columnNumber":1`
	if d, err := ParseDocument([]byte(head + "}")); err != nil || len(d.Frames) != 1 {
		t.Errorf("without a stack: %v", err)
	}
	text := []byte(head + `,"stack":"outer@http://x/app.wasm:wasm-function[1]:0x193\nmain@http://x/a.js:1:2\n"}`)
	if d, err := ParseDocument(text); err == nil || !HoldsFrames(text) {
		t.Errorf("with a stack: %d frames, %v", len(d.Frames), err)
	}
	// Entries of a log in a list, and a list that is one of call sites or of neither.
	for text, frames := range map[string]int{
		`[{"level":"error","stack":"x\n    at outer (http://x/app.wasm:wasm-function[1]:0x193)"}]`:                                            -1,
		`{"frames":[{"stack":"x\n    at outer (http://x/app.wasm:wasm-function[1]:0x193)\n"}]}`:                                               -1,
		`[{"url":"http://x/app.wasm","lineNumber":0,"columnNumber":403,"note":"x\n    at outer (http://x/app.wasm:wasm-function[1]:0x193)"}]`: 1,
		`[{"url":"http://x/app.js","lineNumber":0,"columnNumber":403,"note":"x\ny"}]`:                                                         0,
	} {
		if d, err := ParseDocument([]byte(text)); frames < 0 != errors.Is(err, ErrNoFrames) || err == nil && len(d.Frames) != frames {
			t.Errorf("%s: %v", text, err)
		}
	}
	if HoldsFrames([]byte(`{"stack":"main@http://x/a.js:1:2\n"}`)) {
		t.Error("there is no frame of WebAssembly")
	}
}

// TestQuotedControls: what is added to a string gives a terminal no commands, as JSON
// by itself allows: it leaves the controls above U+007E as they are.
func TestQuotedControls(t *testing.T) {
	var text strings.Builder
	out := bufio.NewWriter(&text)
	a := annotator{out: out, quoted: true, buf: []byte("\tf\u009b2J\x7f\u202e ü")}
	a.line(MarkFrame)
	out.Flush()
	if want := `\tf\\u{9b}2J\\u{7f}\\u{202e} ü`; text.String() != want {
		t.Errorf("got %s, want %s", text.String(), want)
	}
}

// TestUnquote: the escapes of JSON, of which PHP writes \/ as well; what is none stays.
func TestUnquote(t *testing.T) {
	var c cleaner
	const line = `http:\/\/x\\n\"\tc\u00e9\ud83d\ude00\q`
	text, changed := c.clean([]byte(line), true)
	if want := "http://x\\n\"\tcé😀\\q"; !changed || string(text) != want {
		t.Errorf("%q, want %q", text, want)
	}
	if got := c.span(Span{5, 8}); got != (Span{5, 10}) {
		t.Errorf("//x stands at %v of the line", got)
	}
}
