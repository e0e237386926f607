package stacktrace

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	list := func(f Frame) string {
		var out []string
		for m, n := range f.Names() {
			s := string(m) + "|" + string(n)
			if n == nil {
				s += "(none)"
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		line, want string
	}{
		{"    at calc.wasm.f (https://x/a.wasm:wasm-function[1]:0x1)", "|calc.wasm.f calc|wasm.f calc.wasm|f calc.wasm.f|(none)"},
		{"calc.f@https://x/a.wasm:wasm-function[1]:0x1", "|calc.f calc|f"},
		{"  0: 0x2f10 - a:b!f!g", "a:b|f!g a:b!f|g |a:b!f!g"},
		{"  0: 0x2f10 - <unknown>!f!g", "|f!g"},
		{"f@calc:wasm-function[1]", "calc|f"},
		{"@https://x/a.wasm:wasm-function[1]:0x1", ""},
	} {
		f, ok := ParseLine([]byte(c.line))
		if got := list(f); !ok || got != c.want {
			t.Errorf("%q: names %q, want %q", c.line, got, c.want)
		}
	}
}

func TestNameIn(t *testing.T) {
	for _, c := range []struct {
		line, module, want string
		none               bool
	}{
		{"    at calc.wasm.f.g (https://x/a.wasm:wasm-function[1]:0x1)", "calc.wasm", "f.g", false},
		{"    at calc.wasm.f.g (https://x/a.wasm:wasm-function[1]:0x1)", "", "calc.wasm.f.g", false},
		{"    at calc.wasm.f.g (https://x/a.wasm:wasm-function[1]:0x1)", "alc", "calc.wasm.f.g", false},
		{"    at calc (https://x/a.wasm:wasm-function[1]:0x1)", "calc", "", true},
		{"calc@https://x/a.wasm:wasm-function[1]:0x1", "calc", "calc", false},
		{"    at https://x/a.wasm:wasm-function[1]:0x1", "calc", "", true},
	} {
		f, _ := ParseLine([]byte(c.line))
		got, ok := f.NameIn([]byte(c.module))
		if ok == c.none || string(got) != c.want {
			t.Errorf("%q in %q: %q, %v", c.line, c.module, got, ok)
		}
	}
}

func TestDecodeName(t *testing.T) {
	for in, want := range map[string]string{
		`foo\28int\29`: "foo(int)", `a\2c\20b`: "a, b", "plain": "plain", `\`: `\`, `\2`: `\2`, `x\zz\28`: `x\zz(`,
		`a\0ab\7f`: `a\0ab\7f`, `\5c28`: `\28`, `\C3\A9`: "é",
	} {
		if got := string(DecodeName([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestClone(t *testing.T) {
	line := []byte("    at calc.f (https://x/a.wasm:wasm-function[1]:0x1)")
	f, _ := ParseLine(line)
	c := f.Clone()
	for i := range line {
		line[i] = '#'
	}
	if string(c.Name) != "calc.f" || string(c.Location.Text) != "https://x/a.wasm" {
		t.Errorf("the copy changed with the line: %q, %q", c.Name, c.Location.Text)
	}
}

func TestOffsetUnits(t *testing.T) {
	offsets := []Offset{{}, file(5), code(6), InFunction(7)}
	for i, o := range offsets {
		f, isFile := o.File()
		c, isCode := o.Code()
		n, isFunction := o.Function()
		if isFile != (i == 1) || isCode != (i == 2) || isFunction != (i == 3) {
			t.Errorf("%v can be read as %v %v %v", o, isFile, isCode, isFunction)
		}
		if isFile && f != 5 || isCode && c != 6 || isFunction && n != 7 {
			t.Errorf("%v reads as %v, %v, %v", o, f, c, n)
		}
	}
	if got := offsets[2].String() + " " + offsets[0].String(); got != "code 0x6 none" {
		t.Errorf("got %q", got)
	}
}

func TestDoubts(t *testing.T) {
	for d, want := range map[Doubts]Confidence{
		0: High, DoubtNameCut: Medium, DoubtNoIndex | DoubtUnmarked: Medium, DoubtZero: Low, DoubtForm: Low, DoubtDecimal | DoubtNameCut: Low, DoubtMode: Low,
	} {
		if got := d.Confidence(); got != want {
			t.Errorf("%b: %v, want %v", d, got, want)
		}
		if (d.Reason() == "") != (d == 0) {
			t.Errorf("%b: reason %q", d, d.Reason())
		}
	}
	if n := strings.Count((DoubtNameCut | DoubtForm).Reason(), "; "); n != 1 {
		t.Errorf("two doubts give %q", (DoubtNameCut | DoubtForm).Reason())
	}
	// Each doubt has its words.
	for d := Doubts(1); d <= DoubtForm; d <<= 1 {
		if d != doubtMinorEnd && d.Reason() == "" {
			t.Errorf("doubt %b has no words", d)
		}
	}
}

func TestNamesOfConstants(t *testing.T) {
	for s := ShapeUnknown; s <= ShapeSentry; s++ {
		if (s.String() == "unknown") != (s == ShapeUnknown) {
			t.Errorf("shape %d is called %q", s, s)
		}
	}
	if Shape(200).String() != "unknown" || Shape(200).Engine() != EngineUnknown || Engine(200).String() != "unknown" || LocationKind(200).String() != "none" {
		t.Error("values out of range")
	}
	if ShapeSanitizer.Engine().String() != "emscripten" || LocationAnonymous.String() != "anonymous" || EngineEmscripten.String() != "emscripten" {
		t.Error("a table is out of step with its constants")
	}
}
