package stacktrace

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkFrame fails when a frame breaks what the type promises.
func checkFrame(t *testing.T, line []byte, quoted bool, f *Frame) {
	t.Helper()
	if f.Span.Start < 0 || f.Span.Start > f.Span.End || f.Span.End > len(line) {
		t.Fatalf("%q: span %v", line, f.Span)
	}
	// Names and locations are of what the line is without escapes.
	var c cleaner
	text, _ := c.clean(line, quoted)
	inside := func(what string, b []byte) {
		if line := text; len(b) > 0 && !bytes.Contains(line, b) && f.Role == RoleFrame {
			t.Fatalf("%q: %s %q is not in the line", line, what, b)
		}
	}
	inside("name", f.Name)
	inside("module", f.Module)
	inside("location", f.Location.Text)
	inside("file", f.Source.File)
	if f.Shape == ShapeUnknown || !f.HasName && (f.Name != nil || f.Separator != 0) || !f.HasIndex && f.Index != 0 {
		t.Fatalf("%q: %+v", line, f)
	}
	if off, ok := f.Offset.File(); ok && off < 0 {
		t.Fatalf("%q: negative offset %v", line, f.Offset)
	}
	if (f.Location.Kind == LocationNone) && len(f.Location.Text) > 0 {
		t.Fatalf("%q: a location without a kind", line)
	}
	n := 0
	for range f.Names() {
		n++
	}
	if f.HasName != (n > 0) {
		t.Fatalf("%q: %d ways to read the name %q", line, n, f.Name)
	}
	_ = f.Doubts.Reason()
	DecodeName(f.Name)
	ParseV8Label(f.Location.Text)
	f.Location.Gecko()
	clone := f.Clone()
	if !cmp.Equal(summarise(line, &clone), summarise(line, f), cmp.AllowUnexported(Offset{})) {
		t.Fatalf("%q: the copy differs", line)
	}
}

var seedLines = []string{
	"    at div_u (" + cdn + ":wasm-function[41]:0x2f10)", "    at " + cdn + ":wasm-function[41]:0x2f10",
	"    at a:wasm-function[9]:0x99) (wasm://wasm/my (mod)-0000abcd:wasm-function[6]:0x69)", "    at  (:wasm-function[1]:0x1)",
	"    at <anonymous> (wasm://wasm/00013d22:1:12049)", "@at@@" + cdn + ":wasm-function[0]:0x0", "f@x line 3 > WebAssembly.Module:wasm-function[1]:0x9",
	"https://a/ line 3 > WebAssembly.Module:485:1", "<?>.wasm-function[div_u]@[wasm code]", "41@<?>:wasm-function[41]", "div_u@wasm-function[41]", "    at unknown",
	"    at calc.wasm-function[div_u] ([wasm code])", "  0: 0x2f10 - <unknown>!<wasm function 44>", "  1: <unknown>!recurse", "    at <unnamed> (m[41]:0x2f10)",
	"\t.$41(i32,i32) (i32,f64)", "\tm.f()", "\t\t0x2d31: a.c:1:2 (inlined)", "\t\t        a.c:1:2", "#00: 0x2f10 - $f4", "#00 $f4", "    #1 0x1e5 in f+0x1e5 (a.wasm+0x1e5)",
	"    at f (wasm-function[12]:34)", "    at fib (<WASM>[3]+12)", "$f @ a.wasm:0x2f10", "error while executing at wasm backtrace:", "wasm stack trace:",
	"                at src/lib.rs:12:3", "               - calc::run", "    at f (node:internal:1:2)", "\x1b[90m    at f (x:wasm-function[1]:0x1)\x1b[39m {",
	"    at f (\x1b[36mhttps://x/a.wasm\x1b[39m:wasm-function[1]:0x1)", "\x1b]8;;http://x\x1b\\f\x1b]8;;\x07@https://x/a.wasm:wasm-function[1]:0x1\x1b[",
	"    at f (https://x/a.wasm:wasm-function[1]:0x1", "    at f (x:wasm-function[1]:0x1)\", source: https://x/ (1)", "web | 0: <unknown>!f", "web | #01 $f4",
	"E: x    at f (x:wasm-function[1]:0x1)    at g (a.js:1:2)    at x.wasm:wasm-function[2]:0x3", "  at f(a.wasm:wasm-function[1]:0x1)",
}

func FuzzParseLine(f *testing.F) {
	for _, s := range seedLines {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		fr, ok := ParseLine(line)
		if !bytes.Equal(before, line) {
			t.Fatal("the line was changed")
		}
		if ok {
			checkFrame(t, line, false, &fr)
		} else if fr.Shape != ShapeUnknown || fr.HasIndex {
			t.Fatalf("%q: no frame, and yet %+v", line, fr)
		}
	})
}

func FuzzScanner(f *testing.F) {
	all := ""
	for _, s := range seedLines {
		f.Add([]byte(s+"\n"+s+"\r\n"), uint16(0), uint8(1))
		all += s + "\n"
	}
	f.Add([]byte(all), uint16(40), uint8(7))
	f.Add([]byte(quotedLog), uint16(300), uint8(3))
	for _, name := range []string{"node20-weird-sync", "firefox153-weird-buffer"} {
		text, err := os.ReadFile(filepath.Join(tracesDir, name+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint16(500), uint8(90))
	}
	f.Fuzz(func(t *testing.T, text []byte, limit uint16, piece uint8) {
		scan := func(r io.Reader, limit int) (lines []summary) {
			var back []byte
			s := NewScanner(r, limit)
			for s.Scan() {
				l := s.Line()
				if len(l.Text)+len(l.EOL) == 0 || limit > 0 && len(l.Text) > limit {
					t.Fatalf("a line of %d bytes", len(l.Text))
				}
				back = append(append(back, l.Text...), l.EOL...)
				if l.IsFrame {
					checkFrame(t, l.Text, l.Quoted, &l.Frame)
					lines = append(lines, summarise(l.Text, &l.Frame))
				}
			}
			if s.Err() != nil || !bytes.Equal(back, text) {
				t.Fatalf("error %v, lines %q, want %q", s.Err(), back, text)
			}
			return lines
		}
		whole := scan(bytes.NewReader(text), 0)
		pieces := scan(&pieceReader{bytes.NewReader(text), int(piece) + 1}, 0)
		if diff := cmp.Diff(whole, pieces, cmp.AllowUnexported(Offset{})); diff != "" {
			t.Fatalf("reading in pieces differs:\n%s", diff)
		}
		scan(bytes.NewReader(text), int(limit)+1)
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(sentryEvent))
	f.Add([]byte(`[{"functionName":"f","fileName":"wasm://wasm/74a48abe","position":70,"isWasm":true},{}]`))
	f.Add([]byte(`{"callFrames":[{"url":"a.wasm","lineNumber":0,"columnNumber":1e1}]}`))
	f.Add([]byte(`{"a":[{"fileName":"x.wasm","lineNumber":"0x10","columnNumber":1}]}`))
	f.Add([]byte(`{"debug_meta":{"images":[{"type":"wasm"}]},"stacktrace":{"frames":[{"addr_mode":"rel:0"},{"filename":"a:wasm-function[1]:0x2","\u0061":1,"a":2}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseDocument(text)
		if err != nil {
			return
		}
		if !bytes.Equal(d.Bytes(), text) {
			t.Fatal("reading changed the document")
		}
		for i := range d.Frames {
			fr := &d.Frames[i]
			if fr.Image >= len(d.Images) || fr.Shape == ShapeUnknown {
				t.Fatalf("frame %+v", fr)
			}
			for _, value := range []int{1, 2} {
				if err := d.Set(i, "lineno", value); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Set(i, "resolved", "yes"); err != nil {
				t.Fatal(err)
			}
			if fr.inList {
				if err := d.Insert(i, i%2 == 0, map[string]int{"added": i}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if out := d.Bytes(); !json.Valid(out) {
			t.Fatalf("not JSON any more: %s", out)
		} else if n := bytes.Count(out, []byte(`"resolved":"yes"`)) - bytes.Count(text, []byte(`"resolved":"yes"`)); n != len(d.Frames) {
			t.Fatalf("%d of %d frames have the new field: %s", n, len(d.Frames), out)
		}
	})
}
