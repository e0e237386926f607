package stacktrace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// summary is a frame in a form that tables can hold.
type summary struct {
	Shape  Shape
	Role   Role
	Text   string // of the span
	Number int    // -1 when none
	Index  int    // -1 when none
	Offset Offset
	Name   string // "-" when none
	Sep    string
	Module string
	Kind   LocationKind
	Loc    string
	Source string
	Line   uint32
	Column uint32
	Inline bool
	Past   bool // PastOpcode
	Doubts Doubts
}

func summarise(line []byte, f *Frame) summary {
	s := summary{
		Shape: f.Shape, Role: f.Role, Number: -1, Index: -1, Offset: f.Offset, Name: "-",
		Module: string(f.Module), Kind: f.Location.Kind, Loc: string(f.Location.Text),
		Source: string(f.Source.File), Line: f.Source.Line, Column: f.Source.Column, Inline: f.Source.Inlined, Past: f.PastOpcode,
		Doubts: f.Doubts,
	}
	if line != nil {
		s.Text = string(line[f.Span.Start:f.Span.End])
	}
	if f.HasNumber {
		s.Number = int(f.Number)
	}
	if f.HasIndex {
		s.Index = int(f.Index)
	}
	if f.HasName {
		s.Name = string(f.Name)
	}
	if f.Separator != 0 {
		s.Sep = string(rune(f.Separator))
	}
	return s
}

func file(f int64) Offset { return InFile(wasm.FileOffset(f)) }

func code(c uint32) Offset { return InCode(wasm.CodeOffset(c)) }

// lineCase is one line and the frame in it. An empty want.Text stands for the
// line without the indentation, "at " and number it begins with.
type lineCase struct {
	line string
	want summary
}

func checkLines(t *testing.T, cases []lineCase) {
	t.Helper()
	for _, c := range cases {
		f, ok := ParseLine([]byte(c.line))
		if !ok {
			t.Errorf("%q: not recognised", c.line)
			continue
		}
		want := c.want
		if want.Text == "" {
			want.Text = strings.TrimPrefix(strings.TrimLeft(c.line, " \t"), "at ")
		}
		if want.Name == "" {
			want.Name = "-"
		}
		if want.Name == "EMPTY" {
			want.Name = ""
		}
		if want.Number == 0 && !f.HasNumber {
			want.Number = -1
		}
		if diff := cmp.Diff(want, summarise([]byte(c.line), &f), cmp.AllowUnexported(Offset{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
}

const cdn = "https://cdn.example/pkg/calc_bg.wasm?v=7"

func TestV8Lines(t *testing.T) {
	v8 := func(index int, off int64, name, loc string, kind LocationKind) summary {
		s := summary{Shape: ShapeV8, Index: index, Offset: file(off), Name: name, Loc: loc, Kind: kind}
		if name != "" {
			s.Sep = "."
		}
		return s
	}
	doubtful := func(s summary, text string, d Doubts) summary {
		s.Text, s.Doubts = text, d
		return s
	}
	checkLines(t, []lineCase{
		{"    at div_u (" + cdn + ":wasm-function[41]:0x2f10)", v8(41, 0x2f10, "div_u", cdn, LocationURL)},
		{"    at " + cdn + ":wasm-function[41]:0x2f10", v8(41, 0x2f10, "", cdn, LocationURL)},
		{"    at calc.wasm.div_u (" + cdn + ":wasm-function[41]:0x2f10)", v8(41, 0x2f10, "calc.wasm.div_u", cdn, LocationURL)},
		{"    at calc.wasm.div_u (wasm://wasm/calc.wasm-00013d22:wasm-function[41]:0x2f10)",
			v8(41, 0x2f10, "calc.wasm.div_u", "wasm://wasm/calc.wasm-00013d22", LocationV8Label)},
		{"    at wasm://wasm/00013d22:wasm-function[41]:0x2f10", v8(41, 0x2f10, "", "wasm://wasm/00013d22", LocationV8Label)},
		// Frame text inside names and locations.
		{"    at  (" + cdn + ":wasm-function[1]:0x9)", doubtful(v8(1, 9, "EMPTY", cdn, LocationURL), " ("+cdn+":wasm-function[1]:0x9)", 0)},
		{"    at a:wasm-function[9]:0x99) (" + cdn + ":wasm-function[6]:0x69)", v8(6, 0x69, "a:wasm-function[9]:0x99)", cdn, LocationURL)},
		{"    at at x (http://evil/y.wasm:wasm-function[1]:0x1) (" + cdn + ":wasm-function[7]:0x71)",
			doubtful(v8(7, 0x71, "at x (http://evil/y.wasm:wasm-function[1]:0x1)", cdn, LocationURL),
				"at x (http://evil/y.wasm:wasm-function[1]:0x1) ("+cdn+":wasm-function[7]:0x71)", 0)},
		{"    at foo(int, char const*) (" + cdn + ":wasm-function[4]:0x59)", v8(4, 0x59, "foo(int, char const*)", cdn, LocationURL)},
		{"    at f (https://x.example:8443/a(1)/b.wasm?q=(2):wasm-function[4]:0x59)",
			v8(4, 0x59, "f", "https://x.example:8443/a(1)/b.wasm?q=(2)", LocationURL)},
		{"    at f (https://cdn.example/@scope/pkg@1.2.3/b.wasm:wasm-function[4]:0x59)",
			v8(4, 0x59, "f", "https://cdn.example/@scope/pkg@1.2.3/b.wasm", LocationURL)},
		{"    at https://cdn.example/@scope/pkg@1.2.3/b.wasm:wasm-function[4]:0x59",
			v8(4, 0x59, "", "https://cdn.example/@scope/pkg@1.2.3/b.wasm", LocationURL)},
		{"    at f (blob:https://app.example/0d5c-11:wasm-function[4]:0x59)", v8(4, 0x59, "f", "blob:https://app.example/0d5c-11", LocationBlob)},
		{"    at f (data:application/wasm;base64,AGFzbQEAAAA=:wasm-function[4]:0x59)",
			v8(4, 0x59, "f", "data:application/wasm;base64,AGFzbQEAAAA=", LocationData)},
		{"    at f (file:///C:/app/a%20b.wasm:wasm-function[4]:0x59)", v8(4, 0x59, "f", "file:///C:/app/a%20b.wasm", LocationFile)},
		{"    at f (:wasm-function[4]:0x59)", v8(4, 0x59, "f", "", LocationEmpty)},
		{"    at f (<anonymous>:wasm-function[4]:0x59)", v8(4, 0x59, "f", "<anonymous>", LocationAnonymous)},
		{"    at <anonymous>:wasm-function[4]:0x59", v8(4, 0x59, "", "<anonymous>", LocationAnonymous)},
		{"    at f (calc.wasm:wasm-function[4]:0x59)", v8(4, 0x59, "f", "calc.wasm", LocationPath)},
		// The module's name is part of the label, raw.
		{"    at my mod (1).f (wasm://wasm/my mod (1)-0000abcd:wasm-function[4]:0x59)",
			doubtful(v8(4, 0x59, "my mod (1).f", "wasm://wasm/my mod (1)-0000abcd", LocationV8Label), "", DoubtBoundary)},
		// Binaryen's escapes (case G16).
		{`    at foo\28int\29 (` + cdn + ":wasm-function[4]:0x59)", v8(4, 0x59, `foo\28int\29`, cdn, LocationURL)},
		{`    at foo(int) [_Z3fooi] (` + cdn + ":wasm-function[4]:0x59)", v8(4, 0x59, `foo(int) [_Z3fooi]`, cdn, LocationURL)},
		// Text around the frame.
		{"\x1b[90m    at f (" + cdn + ":wasm-function[4]:0x59)\x1b[39m", doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f ("+cdn+":wasm-function[4]:0x59)", 0)},
		{"\x1b[31m    at \x1b[1mf\x1b[22m (\x1b[36m" + cdn + "\x1b[39m:wasm-function[4]:0x59)\x1b[0m",
			doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f\x1b[22m (\x1b[36m"+cdn+"\x1b[39m:wasm-function[4]:0x59)", 0)},
		{"    at f (\x1b]8;;http://x/\x07" + cdn + "\x1b]8;;\x1b\\:wasm-function[4]:0x59)",
			doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f (\x1b]8;;http://x/\x07"+cdn+"\x1b]8;;\x1b\\:wasm-function[4]:0x59)", 0)},
		{"    at f (" + cdn + ":wasm-function[4]:0x59)\", source: https://x.example/a.js (12)", doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f ("+cdn+":wasm-function[4]:0x59)", 0)},
		// Cut off: digits of the offset may be missing.
		{"    at f (" + cdn + ":wasm-function[4]:0x5", summary{Shape: ShapeV8, Index: 4, Name: "f", Sep: ".", Loc: cdn, Kind: LocationURL, Doubts: DoubtCut}},
		{"    at f (wasm://wasm/00013d22:wasm-function[4]:0x0", summary{Shape: ShapeV8, Index: 4, Name: "f", Sep: ".", Loc: "wasm://wasm/00013d22", Kind: LocationV8Label, Doubts: DoubtCut}},
		{"    at f (https://cdn.example/@s/p@1/b.wasm:wasm-function[4]", summary{Shape: ShapeV8, Index: 4, Name: "f", Sep: ".", Loc: "https://cdn.example/@s/p@1/b.wasm", Kind: LocationURL}},
		{"    at f (" + cdn + ":wasm-function[4]:0x59) {", doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f ("+cdn+":wasm-function[4]:0x59)", 0)},
		{"    at f (" + cdn + ":wasm-function[4]:0x59)\u00a0\u00a0", doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f ("+cdn+":wasm-function[4]:0x59)", 0)},
		{"    at f (" + cdn + ":wasm-function[4]:0x59)\",\t ", doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f ("+cdn+":wasm-function[4]:0x59)", 0)},
		{"web-1  |     at f (" + cdn + ":wasm-function[4]:0x59)", doubtful(v8(4, 0x59, "f", cdn, LocationURL), "f ("+cdn+":wasm-function[4]:0x59)", 0)},
		{"12:00 [web] at " + cdn + ":wasm-function[4]:0x59", doubtful(v8(4, 0x59, "", cdn, LocationURL), cdn+":wasm-function[4]:0x59", 0)},
		// The second half of a name with a line break.
		{"line (" + cdn + ":wasm-function[12]:0x99)", doubtful(v8(12, 0x99, "", cdn, LocationURL), "", DoubtNameCut)},
		// What does not fit is refused, not wrapped.
		{"    at f (" + cdn + ":wasm-function[4294967296]:0x59)", summary{Shape: ShapeV8, Index: -1, Offset: file(0x59), Name: "f", Sep: ".",
			Loc: cdn, Kind: LocationURL, Doubts: DoubtRange}},
		{"    at f (" + cdn + ":wasm-function[1]:0x10000000000000059)", summary{Shape: ShapeV8, Index: 1, Name: "f", Sep: ".",
			Loc: cdn, Kind: LocationURL, Doubts: DoubtRange}},
		// Deno until 2.6.
		{"    at <anonymous> (wasm://wasm/00013d22:1:12049)", summary{Shape: ShapeV8Column, Index: -1, Offset: file(12048),
			Loc: "wasm://wasm/00013d22", Kind: LocationV8Label, Doubts: DoubtNoIndex}},
		{"    at \x1b[1mf\x1b[22m (\x1b[36mwasm://wasm/00013d22\x1b[39m:\x1b[33m1\x1b[39m:\x1b[33m12049\x1b[39m)", summary{Shape: ShapeV8Column, Index: -1, Offset: file(12048),
			Text: "f\x1b[22m (\x1b[36mwasm://wasm/00013d22\x1b[39m:\x1b[33m1\x1b[39m:\x1b[33m12049\x1b[39m)", Name: "f", Sep: ".",
			Loc: "wasm://wasm/00013d22", Kind: LocationV8Label, Doubts: DoubtNoIndex}},
		{"    at wasm://wasm/00013d22:1:12049", summary{Shape: ShapeV8Column, Index: -1, Offset: file(12048),
			Loc: "wasm://wasm/00013d22", Kind: LocationV8Label, Doubts: DoubtNoIndex}},
		{"    at f (https://x.example/a.wasm:1:61)", summary{Shape: ShapeV8Column, Index: -1, Offset: file(60), Name: "f", Sep: ".",
			Loc: "https://x.example/a.wasm", Kind: LocationURL, Doubts: DoubtNoIndex}},
	})
}

func TestGeckoLines(t *testing.T) {
	page := "https://app.example/boot.js line 12 > WebAssembly.Module"
	g := func(index int, off int64, name, loc string, kind LocationKind) summary {
		s := summary{Shape: ShapeGecko, Index: index, Offset: file(off), Name: name, Loc: loc, Kind: kind}
		if name != "" {
			s.Sep = "."
		}
		return s
	}
	atX := "at x (http://evil/y.wasm:wasm-function[1]:0x1)"
	checkLines(t, []lineCase{
		{"div_u@" + cdn + ":wasm-function[41]:0x2f10", g(41, 0x2f10, "div_u", cdn, LocationURL)},
		{"div_u@" + page + ":wasm-function[41]:0x2f10", g(41, 0x2f10, "div_u", page, LocationGecko)},
		{"@" + cdn + ":wasm-function[41]:0x2f10", g(41, 0x2f10, "", cdn, LocationURL)},
		{"f@:wasm-function[41]:0x2f10", g(41, 0x2f10, "f", "", LocationEmpty)},
		{"@:wasm-function[41]:0x2f10", g(41, 0x2f10, "", "", LocationEmpty)},
		{"@at@@" + cdn + ":wasm-function[1]:0x9", g(1, 9, "@at@", cdn, LocationURL)},
		{"@at@@" + page + ":wasm-function[1]:0x9", g(1, 9, "@at@", page, LocationGecko)},
		{"a@b::c@https://cdn.example/@s/p@1.2/x.wasm:wasm-function[1]:0x9", g(1, 9, "a@b::c", "https://cdn.example/@s/p@1.2/x.wasm", LocationURL)},
		{"f@/app/boot.js line 3 > WebAssembly.instantiate:wasm-function[1]:0x9",
			g(1, 9, "f", "/app/boot.js line 3 > WebAssembly.instantiate", LocationGecko)},
		{"f@blob:https://app.example/77:wasm-function[1]:0x9", g(1, 9, "f", "blob:https://app.example/77", LocationBlob)},
		{"f@file:/app/a.wasm:wasm-function[1]:0x9", g(1, 9, "f", "file:/app/a.wasm", LocationFile)},
		{"f@wasm:0123:wasm-function[1]:0x9", g(1, 9, "f", "wasm:0123", LocationPath)},
		{"a:wasm-function[9]:0x99)@" + cdn + ":wasm-function[6]:0x69", g(6, 0x69, "a:wasm-function[9]:0x99)", cdn, LocationURL)},
		{atX + "@" + cdn + ":wasm-function[7]:0x71", func() summary {
			s := g(7, 0x71, atX, cdn, LocationURL)
			s.Text = atX + "@" + cdn + ":wasm-function[7]:0x71"
			return s
		}()},
		{"<T as core::fmt::Debug>::fmt@" + cdn + ":wasm-function[1]:0x9", g(1, 9, "<T as core::fmt::Debug>::fmt", cdn, LocationURL)},
		{"@" + cdn + ":wasm-function[0]:0x0", func() summary {
			s := g(0, 0, "", cdn, LocationURL)
			s.Doubts = DoubtZero
			return s
		}()},
		// The error object's own position, through window.onerror.
		{page + ":485:1", summary{Shape: ShapeGeckoLine, Index: -1, Offset: file(485), Loc: page, Kind: LocationGecko, Doubts: DoubtNoIndex}},
		{page + ":485", summary{Shape: ShapeGeckoLine, Index: -1, Offset: file(485), Loc: page, Kind: LocationGecko, Doubts: DoubtNoIndex}},
		{cdn + ":485:1", summary{Shape: ShapeGeckoLine, Index: -1, Offset: file(485), Loc: cdn, Kind: LocationURL, Doubts: DoubtNoIndex}},
	})
}

func TestJSCLines(t *testing.T) {
	codeLoc := func(s summary) summary {
		s.Loc, s.Kind = "[wasm code]", LocationCode
		return s
	}
	checkLines(t, []lineCase{
		// Until mid 2025.
		{"<?>.wasm-function[div_u]@[wasm code]", codeLoc(summary{Shape: ShapeJSCCode, Index: -1, Name: "div_u"})},
		{"<?>.wasm-function[41]@[wasm code]", codeLoc(summary{Shape: ShapeJSCCode, Index: 41})},
		{"calc.wasm.wasm-function[a[0](b)@c]@[wasm code]", codeLoc(summary{Shape: ShapeJSCCode, Index: -1, Name: "a[0](b)@c", Module: "calc.wasm"})},
		{"wasm-function[f]@[wasm code]", codeLoc(summary{Shape: ShapeJSCCode, Index: -1, Name: "f"})},
		// Since August 2025.
		{"div_u@<?>:wasm-function[41]", summary{Shape: ShapeJSCModule, Index: 41, Name: "div_u"}},
		{"41@<?>:wasm-function[41]", summary{Shape: ShapeJSCModule, Index: 41}},
		{"div_u@calc.wasm:wasm-function[41]", summary{Shape: ShapeJSCModule, Index: 41, Name: "div_u", Module: "calc.wasm"}},
		{"a@b(c d)@<?>:wasm-function[41]", summary{Shape: ShapeJSCModule, Index: 41, Name: "a@b(c d)"}},
		{"7@<?>:wasm-function[41]", summary{Shape: ShapeJSCModule, Index: 41, Name: "7"}},
		// Later, and with the debugger's offset.
		{"div_u@wasm-function[41]", summary{Shape: ShapeJSC, Index: 41, Name: "div_u"}},
		{"41@wasm-function[41]", summary{Shape: ShapeJSC, Index: 41}},
		{"wasm-function[41]", summary{Shape: ShapeJSC, Index: 41}},
		{"div_u@wasm-function[41]:0x2f10", summary{Shape: ShapeJSC, Index: 41, Name: "div_u", Offset: file(0x2f10)}},
		{"wasm-function[41]:0x2f10", summary{Shape: ShapeJSC, Index: 41, Offset: file(0x2f10)}},
		// bun.
		{"    at unknown", summary{Shape: ShapeBun, Index: -1, Doubts: DoubtNothing}},
		{"    at calc.wasm-function[div_u] ([wasm code])", codeLoc(summary{Shape: ShapeBun, Index: -1, Name: "div_u", Module: "calc"})},
		{"    at <?>.wasm-function[41] ([wasm code])", codeLoc(summary{Shape: ShapeBun, Index: 41})},
	})
}

func TestRuntimeLines(t *testing.T) {
	checkLines(t, []lineCase{
		// wasmtime.
		{"           0:    0x2f10 - <unknown>!div_u", summary{Shape: ShapeWasmtime, Text: "0x2f10 - <unknown>!div_u", Index: -1, Offset: file(0x2f10), Name: "div_u"}},
		{"           1:    0x30aa - <unknown>!<wasm function 44>", summary{Shape: ShapeWasmtime, Text: "0x30aa - <unknown>!<wasm function 44>", Number: 1, Index: 44, Offset: file(0x30aa)}},
		{"    2: 0x3b4b4 - calc.wasm!<wasm function 7>", summary{Shape: ShapeWasmtime, Text: "0x3b4b4 - calc.wasm!<wasm function 7>", Number: 2, Index: 7, Module: "calc.wasm", Offset: file(0x3b4b4)}},
		{"    2: 0x3b4b4 - wit-component:shim!a - b", summary{Shape: ShapeWasmtime, Text: "0x3b4b4 - wit-component:shim!a - b", Number: 2, Index: -1, Name: "wit-component:shim!a - b", Sep: "!", Offset: file(0x3b4b4)}},
		{"  0: <unknown>!recurse", summary{Shape: ShapeWasmtime, Text: "<unknown>!recurse", Index: -1, Name: "recurse"}},
		{"2026-01-02 - INFO - 0: 0x2f10 - <unknown>!f", summary{Shape: ShapeWasmtime, Text: "0x2f10 - <unknown>!f", Index: -1, Name: "f", Offset: file(0x2f10)}},
		// wasmer.
		{"    at div_u (calc[41]:0x2f10)", summary{Shape: ShapeWasmer, Index: 41, Name: "div_u", Module: "calc", Offset: file(0x2f10)}},
		{"    at <unnamed> (<module>[41]:0x2f10)", summary{Shape: ShapeWasmer, Index: 41, Module: "<module>", Offset: file(0x2f10)}},
		{"    at a (b) c (my[1] mod[41]:0x2f10)", summary{Shape: ShapeWasmer, Index: 41, Name: "a (b) c", Module: "my[1] mod", Offset: file(0x2f10)}},
		// wazero.
		{"\t.$41(i32,i32) i32", summary{Shape: ShapeWazero, Index: 41}},
		{"\tcalc.wasm.$41()", summary{Shape: ShapeWazero, Index: 41, Module: "calc.wasm"}},
		{"\tcalc.wasm.div(u)(i32,i64) (f32,unknown)", summary{Shape: ShapeWazero, Index: -1, Name: "calc.wasm.div(u)", Sep: "."}},
		{"\t.core::fmt::write(i32)", summary{Shape: ShapeWazero, Index: -1, Name: "core::fmt::write"}},
		{"\tenv.abort(i32)", summary{Shape: ShapeWazero, Index: -1, Name: "env.abort", Sep: "."}},
		{"app | \t.$41(i32) v128", summary{Shape: ShapeWazero, Text: ".$41(i32) v128", Index: 41}},
		// WAMR.
		{"#00: 0x2f10 - div_u", summary{Shape: ShapeWAMR, Text: "0x2f10 - div_u", Index: -1, Name: "div_u", Offset: file(0x2f10), Doubts: DoubtMode, Past: true}},
		{"#12: 0x002f - $f44", summary{Shape: ShapeWAMR, Text: "0x002f - $f44", Number: 12, Index: 44, Offset: file(0x2f), Doubts: DoubtMode, Past: true}},
		{"#00: 0x0000 - main", summary{Shape: ShapeWAMR, Text: "0x0000 - main", Index: -1, Name: "main", Doubts: DoubtMode | DoubtZero, Past: true}},
		{"#00 $f44 ", summary{Shape: ShapeWAMROld, Text: "$f44", Index: 44}},
		// emscripten.
		{"    at wasm-function[12]", summary{Shape: ShapeV8Bare, Index: 12}},
		{"    at wasm-function[12]:0x1e5", summary{Shape: ShapeV8Bare, Index: 12, Offset: file(0x1e5)}},
		{"    at _main (wasm-function[12]:0x1e5)", summary{Shape: ShapeV8Bare, Index: 12, Name: "_main", Sep: ".", Offset: file(0x1e5)}},
		{"    #1 0x1e5 in foo(int)+0x1e5 (a.out.wasm+0x1e5)", summary{Shape: ShapeSanitizer, Text: "foo(int)+0x1e5 (a.out.wasm+0x1e5)", Number: 1, Index: -1,
			Name: "foo(int)", Offset: file(0x1e5), Loc: "a.out.wasm", Kind: LocationPath, Doubts: DoubtNoIndex}},
		// Old and incomplete forms.
		{"    at wasm-function[12]:34", summary{Shape: ShapeV8Bare, Index: 12, Offset: InFunction(34), Doubts: DoubtDecimal}},
		{"    at f (wasm-function[12]:34)", summary{Shape: ShapeV8Bare, Index: 12, Name: "f", Sep: ".", Offset: InFunction(34), Doubts: DoubtDecimal}},
		{"    at <WASM UNNAMED> (<WASM>[3]+12)", summary{Shape: ShapeV8Old, Index: 3, Offset: InFunction(12), Doubts: DoubtDecimal | DoubtForm}},
		{"    at fib (<WASM>[3]+12)", summary{Shape: ShapeV8Old, Index: 3, Name: "fib", Offset: InFunction(12), Doubts: DoubtDecimal | DoubtForm}},
		{"    at $div_u (calc_bg.wasm:0x2f10)", summary{Shape: ShapeNoIndex, Index: -1, Name: "$div_u", Sep: ".", Offset: file(0x2f10), Loc: "calc_bg.wasm", Kind: LocationPath,
			Doubts: DoubtNoIndex | DoubtForm}},
		{"$div_u @ calc_bg.wasm:0x2f10", summary{Shape: ShapeNoIndex, Index: -1, Name: "$div_u", Sep: ".", Offset: file(0x2f10), Loc: "calc_bg.wasm", Kind: LocationPath,
			Doubts: DoubtNoIndex | DoubtForm}},
		{"    f app.wasm:wasm-function[41]:0x2f10", summary{Shape: ShapeLocation, Text: "app.wasm:wasm-function[41]:0x2f10", Index: 41, Offset: file(0x2f10), Loc: "app.wasm", Kind: LocationPath, Doubts: DoubtUnmarked}},
		{"  at f(" + cdn + ":wasm-function[41]:0x2f10)", summary{Shape: ShapeLocation, Text: cdn + ":wasm-function[41]:0x2f10", Index: 41, Offset: file(0x2f10), Loc: cdn, Kind: LocationURL, Doubts: DoubtUnmarked}},
		{"  at f(app.wasm:wasm-function[41]:0x2f10)", summary{Shape: ShapeLocation, Text: "app.wasm:wasm-function[41]:0x2f10", Index: 41, Offset: file(0x2f10), Loc: "app.wasm", Kind: LocationPath, Doubts: DoubtUnmarked}},
		{"my page:wasm-function[41]:0x2f10", summary{Shape: ShapeLocation, Index: 41, Offset: file(0x2f10), Loc: "my page", Kind: LocationPath, Doubts: DoubtUnmarked}},
		{cdn + ":wasm-function[41]:0x2f10", summary{Shape: ShapeLocation, Index: 41, Offset: file(0x2f10), Loc: cdn, Kind: LocationURL, Doubts: DoubtUnmarked}},
	})
}

// TestOtherLines holds what must pass through.
func TestOtherLines(t *testing.T) {
	for _, line := range []string{
		"", " ", "RuntimeError: unreachable", "RangeError: Maximum call stack size exceeded",
		"    at https://app.example/boot.js:17:31",
		"    at f (https://app.example/boot.js:1:2345)",
		"    at f (https://app.example/a.wasm.js:1:2345)",
		"    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)",
		"    at async ModuleLoader.import (node:internal/modules/esm/loader:606:24)",
		"    at Array.map (<anonymous>)", "    at new Promise (<anonymous>)", "    at eval (eval at f (x.js:1:1), <anonymous>:1:5)",
		"    at unknown function", "arrived at unknown",
		"f@https://app.example/boot.js:17:31", "@https://app.example/:17:31", "global code@", "[native code]", "forEach@[native code]",
		"@[wasm code]", "wasm-stub@[wasm code]", "js-to-wasm@[wasm code]", "wasm-function@[wasm code]", ".wasm-function[]x@[wasm code]",
		"wasm-function[]", "wasm-function[x]:0x1", "a:wasm-function[1]:0xzz", "see wasm-function[3]",
		"error while executing at wasm backtrace:", "wasm stack trace:", "    2: wasm trap: wasm `unreachable` instruction executed",
		"   0:     0x55d3a8b2c0a0 - std::backtrace_rs::backtrace::libunwind::trace::h9e1a", "   1: core::panicking::panic_fmt",
		"   0:     0x55d3a8b2c0a0 - a::operator!=(b)", "   1: a!b",
		"#0 0x4a5 in main ()", "    #0 0x55d3a8b2c0a0 in main (/usr/bin/app+0x4a5)", "    #0 0x80000011 in callMain (JavaScript+0x80000011)", "    #0 0x80000011 in callMain (a.wasm+0x80000011)",
		"#00 main", "#1 $f3", "\tmain.main()", "\tat com.example.Main.run(Main.java:3)", "console.log(i32)", "\tfoo(i32)", "\tn := m.load(i64)", "  x = m.load(i64)", "  .functype f () -> (i32)", "  1.34  (unknown)",
		"goroutine 1 [running]:", "\t/src/main.go:12 +0x1e5", "x[3]:0x44", "    at f (x[3]:44)", "map[1]",
		"https://x.example/a.wasm:1", "https://x.example/a.wasm?v=7:1:1", "file:///app/a.wasm:1", "https://app.example/x.js:485:1", "app.wasm:485:1 is not a URL", "0x2f10", "a.wasm:2f10", ")", "]", "):0x1", "@", " (", "at ", "    at  ()",
	} {
		if f, ok := ParseLine([]byte(line)); ok {
			t.Errorf("%q was read as a frame: %+v", line, summarise([]byte(line), &f))
		}
	}
}
