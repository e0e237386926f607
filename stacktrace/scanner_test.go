package stacktrace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// scanAll returns the summaries of all frames, and fails when the lines do not
// add up to the text.
func scanAll(t *testing.T, text string) []summary {
	t.Helper()
	var out []summary
	var back strings.Builder
	s := NewScanner(strings.NewReader(text), 0)
	for s.Scan() {
		l := s.Line()
		back.Write(l.Text)
		back.Write(l.EOL)
		if l.IsFrame {
			out = append(out, summarise(l.Text, &l.Frame))
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if back.String() != text {
		t.Errorf("the lines add up to %q, not to %q", back.String(), text)
	}
	return out
}

func checkScan(t *testing.T, text string, want []summary) {
	t.Helper()
	if diff := cmp.Diff(want, scanAll(t, text), cmp.AllowUnexported(Offset{})); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

func TestScanWazero(t *testing.T) {
	text := "wasm error: integer divide by zero\nwasm stack trace:\n" +
		"\tcalc.$41(i32,i32) i32\n" +
		"\t\t0x2d31: src/a:b.c:12:3 (inlined)\n" +
		"\t\t        src/c.c:7:9 (inlined)\n" +
		"\t\t        src/d.c:8\n" +
		"\tenv.host()\n" +
		"\t.run()\r\n" +
		"\t\t0x44: @shim:1\n" +
		"\t... maybe followed by omitted frames\n" +
		"\t\t0x45: not a source line any more\n" +
		"\tenv.host()"
	src := func(text, file string, line, col uint32, inlined bool, off uint32) summary {
		return summary{Shape: ShapeWazero, Role: RoleSource, Text: text, Number: -1, Index: 41, Module: "calc", Name: "-",
			Source: file, Line: line, Column: col, Inline: inlined, Offset: code(off)}
	}
	run := src("0x44: @shim:1", "@shim", 1, 0, false, 0x44)
	run.Index, run.Module, run.Name = -1, "", "run"
	checkScan(t, text, []summary{
		{Shape: ShapeWazero, Text: "calc.$41(i32,i32) i32", Number: -1, Index: 41, Module: "calc", Name: "-"},
		src("0x2d31: src/a:b.c:12:3 (inlined)", "src/a:b.c", 12, 3, true, 0x2d31),
		src("src/c.c:7:9 (inlined)", "src/c.c", 7, 9, true, 0x2d31),
		src("src/d.c:8", "src/d.c", 8, 0, false, 0x2d31),
		{Shape: ShapeWazero, Text: "env.host()", Number: -1, Index: -1, Name: "env.host", Sep: "."},
		{Shape: ShapeWazero, Text: ".run()", Number: -1, Index: -1, Name: "run"},
		run,
	})
}

func TestScanWasmtime(t *testing.T) {
	text := "Error: failed to run main module `x.wasm`\n\nCaused by:\n    0: failed to invoke command default\n" +
		"    1: error while executing at wasm backtrace:\n" +
		"           0:    0x2f10 - div_u\n" +
		"                              at src/lib.rs:12:3\n" +
		"                          - calc::run\n" +
		"                              at C:\\src\\run.rs:40\n" +
		"           1:    0x30aa - <unknown>!<wasm function 44>\n" +
		"           2: calc!overflow\n" +
		"    2: wasm trap: call of a!b\n" +
		"    3: calc!nothing\n"
	at := func(text, file string, line, col uint32) summary {
		return summary{Shape: ShapeWasmtime, Role: RoleSource, Text: text, Number: 0, Index: -1, Name: "div_u", Offset: file2f10,
			Source: file, Line: line, Column: col}
	}
	checkScan(t, text, []summary{
		{Shape: ShapeWasmtime, Text: "0x2f10 - div_u", Index: -1, Name: "div_u", Offset: file2f10},
		at("src/lib.rs:12:3", "src/lib.rs", 12, 3),
		{Shape: ShapeWasmtime, Role: RoleSymbol, Text: "calc::run", Index: -1, Name: "calc::run", Offset: file2f10},
		at(`C:\src\run.rs:40`, `C:\src\run.rs`, 40, 0),
		{Shape: ShapeWasmtime, Text: "0x30aa - <unknown>!<wasm function 44>", Number: 1, Index: 44, Name: "-", Offset: file(0x30aa)},
		{Shape: ShapeWasmtime, Text: "calc!overflow", Number: 2, Index: -1, Name: "calc!overflow", Sep: "!"},
	})
}

var file2f10 = file(0x2f10)

// TestScanNative: a native backtrace below a wasmtime one, and JavaScript "at"
// lines, are not read as its details.
func TestScanNative(t *testing.T) {
	text := "    0: 0x2f10 - <unknown>!f\n" +
		"at the end of the line\n" +
		"stack backtrace:\n" +
		"   0:     0x55d3a8b2c0a0 - std::backtrace\n" +
		"             at /rustc/library/std/src/backtrace.rs:1:2\n"
	if got := scanAll(t, text); len(got) != 1 {
		t.Errorf("found %d frames, want 1: %+v", len(got), got)
	}
}

// TestScanWasmtimeEnd: what follows a list and looks like its next frame is
// told apart by its column and by its number.
func TestScanWasmtimeEnd(t *testing.T) {
	head := "    1: error while executing at wasm backtrace:\n           0:    0x2f10 - f\n"
	for _, c := range []struct {
		rest string
		want int
	}{
		{"           1: calc!overflow\n", 2},
		{"    1: wasm trap: a!b\n", 1},
		{"           7: calc!overflow\n", 1},
		{"           7:    0x2f10 - f\n", 1},
		{"\n           1:    0x2f10 - f\n", 1},
	} {
		if got := scanAll(t, head+c.rest); len(got) != c.want {
			t.Errorf("%q: %d frames, want %d", c.rest, len(got), c.want)
		}
	}
}

func TestScanWAMROld(t *testing.T) {
	got := scanAll(t, "\n#00 $f44 \n#01 _start\n#03 not consecutive\n#04 main\n")
	if len(got) != 2 || got[0].Index != 44 || got[1].Name != "_start" || got[1].Doubts != DoubtForm {
		t.Errorf("got %+v", got)
	}
}

// TestScanPrefixes: the prefix of a log does not hide frames that have no offset.
func TestScanPrefixes(t *testing.T) {
	for _, prefix := range []string{"", "web-1  | ", "2026-11-30T08:00:00.123Z stderr F ", "08:00:00 ", "[pod/app/1] ", "I 12: #3 "} {
		checkScan(t, prefix+"error while executing at wasm backtrace:\n"+
			prefix+"   0: <unknown>!recurse\n"+
			prefix+"   1: my: calc!a: 1!b\n"+
			prefix+"   2:   0x30aa - <unknown>!<wasm function 44>\n", []summary{
			{Shape: ShapeWasmtime, Text: "<unknown>!recurse", Number: 0, Index: -1, Name: "recurse"},
			{Shape: ShapeWasmtime, Text: "my: calc!a: 1!b", Number: 1, Index: -1, Name: "my: calc!a: 1!b", Sep: "!"},
			{Shape: ShapeWasmtime, Text: "0x30aa - <unknown>!<wasm function 44>", Number: 2, Index: 44, Offset: file(0x30aa), Name: "-"},
		})
		checkScan(t, prefix+"#00 $f7\n"+prefix+"#01 main\n"+prefix+"#03 other\n", []summary{
			{Shape: ShapeWAMROld, Text: "$f7", Number: 0, Index: 7, Name: "-"},
			{Shape: ShapeWAMROld, Text: "main", Number: 1, Index: -1, Name: "main", Doubts: DoubtForm},
		})
	}
}

// TestScanBehindLists: what a program writes behind a trace is none of its frames.
func TestScanBehindLists(t *testing.T) {
	checkScan(t, "wasm backtrace:\n   0: <unknown>!f\nretry 1: failed!\n", []summary{{Shape: ShapeWasmtime, Text: "<unknown>!f", Number: 0, Index: -1, Name: "f"}})
	checkScan(t, "#00 $f7\njob #01 finished\n", []summary{{Shape: ShapeWAMROld, Text: "$f7", Number: 0, Index: 7, Name: "-"}})
	checkScan(t, "a #00 $f7\n#01 finished\n", []summary{{Shape: ShapeWAMROld, Text: "$f7", Number: 0, Index: 7, Name: "-"}})
}

// TestScanCutNames: a line break in a name loses the name, never the frame.
func TestScanCutNames(t *testing.T) {
	got := scanAll(t, "a@https://x/a.wasm:wasm-function[1]:0x11\ntab\tnew\nline@https://x/a.wasm:wasm-function[2]:0x22\nb@https://x/a.wasm:wasm-function[3]:0x33\n")
	if len(got) != 3 || got[1].Name != "-" || got[1].Index != 2 || got[1].Doubts != DoubtNameCut || got[2].Name != "b" {
		t.Errorf("firefox: %+v", got)
	}
	got = scanAll(t, "a@https://x/a.wasm:wasm-function[1]:0x11\nrun@https://x/boot.js:1:2\nb@https://x/a.wasm:wasm-function[3]:0x33\n")
	if len(got) != 2 || got[1].Name != "b" || got[1].Doubts != 0 {
		t.Errorf("firefox with a frame of JavaScript between: %+v", got)
	}
	got = scanAll(t, "    at tab\tnew\r\nline (https://x/a.wasm:wasm-function[2]:0x22)\r\n")
	if len(got) != 1 || got[0].Name != "-" || got[0].Index != 2 || got[0].Doubts != DoubtNameCut {
		t.Errorf("v8: %+v", got)
	}
}

func TestScanLongLines(t *testing.T) {
	frame := "    at f (https://x/a.wasm:wasm-function[1]:0x11)"
	text := strings.Repeat("x", 1000) + frame + "\r\n" + frame + "\r\n" + strings.Repeat("y", 256) + "\n" + frame
	for _, limit := range []int{64, 100, 256, 257, 4096} {
		var back strings.Builder
		frames, longest := 0, 0
		s := NewScanner(iotest.OneByteReader(strings.NewReader(text)), limit)
		for s.Scan() {
			l := s.Line()
			back.Write(l.Text)
			back.Write(l.EOL)
			longest = max(longest, len(l.Text))
			if l.IsFrame {
				frames++
			}
			if l.Partial && l.IsFrame {
				t.Errorf("limit %d: a piece was read as a frame: %q", limit, l.Text)
			}
		}
		want := 2
		if limit == 4096 {
			want = 3
		}
		if back.String() != text || frames != want || longest > limit {
			t.Errorf("limit %d: %d frames, longest %d, same text: %v", limit, frames, longest, back.String() == text)
		}
		if n := len(s.lines.buf); n > limit {
			t.Errorf("limit %d: buffer has %d bytes", limit, n)
		}
	}
}

// TestScanLongLineEndsList: a line too long to be read may be anything, so what
// follows it is no longer part of the trace.
func TestScanLongLineEndsList(t *testing.T) {
	s := NewScanner(strings.NewReader("wasm stack trace:\n\ta.f()\n"+strings.Repeat("x", 200)+"\n\ta.f()\n"), 100)
	n := 0
	for s.Scan() {
		if s.Line().IsFrame {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d frames, want 1", n)
	}
}

func TestScanReadErrors(t *testing.T) {
	boom := errors.New("boom")
	s := NewScanner(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom)), 0)
	var got []string
	for s.Scan() {
		got = append(got, string(s.Line().Text)+string(s.Line().EOL))
	}
	if strings.Join(got, "|") != "a\n|b" || !errors.Is(s.Err(), boom) {
		t.Errorf("got %q, error %v", got, s.Err())
	}
	s = NewScanner(stuckReader{}, 0)
	if s.Scan() || !errors.Is(s.Err(), io.ErrNoProgress) {
		t.Errorf("a reader that reads nothing: error %v", s.Err())
	}
}

type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

// TestScanFidelity: whatever the text, the limit and the way it is read, the
// lines add up to it, and reading in pieces finds the same frames.
func TestScanFidelity(t *testing.T) {
	parts := []string{"\n", "\r\n", "\r", "\n\n", "\t", "    ", "at ", "f (", ")", "@", "https://x/a.wasm", ":wasm-function[3]", ":0x1f",
		"wasm stack trace:\n", "\t.$3(i32) i32\n", "\t\t0x12: a.c:1:2\n", "wasm backtrace:\n", "  0: 0x12 - a!b\n", "       at x.c:3\n", "é\x00", `"`, `\n`, `\r\n`, `\t`, `\`, `\u001b[1m`, "\x1b[1m", "\x1b]8;;", "    at f (x:wasm-function[1]:0x1)"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "text"), "")
		limit := rapid.IntRange(1, 80).Draw(t, "limit")
		piece := rapid.IntRange(1, 40).Draw(t, "piece")
		var want []summary
		for i, limit := range []int{0, 0, limit} {
			var r io.Reader = strings.NewReader(text)
			if i > 0 {
				r = &pieceReader{r, piece}
			}
			s := NewScanner(r, limit)
			var back bytes.Buffer
			var got []summary
			for s.Scan() {
				l := s.Line()
				back.Write(l.Text)
				back.Write(l.EOL)
				if l.IsFrame {
					got = append(got, summarise(l.Text, &l.Frame))
				}
			}
			if back.String() != text || s.Err() != nil {
				t.Fatalf("got %q (%v), want %q", back.String(), s.Err(), text)
			}
			if i == 0 {
				want = got
			}
			if i == 1 && !cmp.Equal(got, want, cmp.AllowUnexported(Offset{})) {
				t.Fatalf("reading in pieces of %d changed the frames: %+v, want %+v", piece, got, want)
			}
		}
	})
}

type pieceReader struct {
	r io.Reader
	n int
}

func (p *pieceReader) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }
