package debugfile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// unitOf adds a unit with one function and one sequence in [lo, hi).
func (w *world) unitOf(name string, lo, hi uint64, line uint64) {
	l := run(&td.Line{Files: []td.File{{Name: name + ".c"}}}, hi, row(lo+1, line))
	w.unit(4, w.lines(l), function(name, lo, hi))
}

func TestShadowedDefinitions(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(w *world)
		want string // at the middle of body 0
		fate [2]debugfile.Fate
	}{
		{"the one that ends with the body wins, though it comes later", func(w *world) {
			w.unitOf("loser", w.start(0), w.start(0)+9, 1)
			w.unitOf("winner", w.start(0), w.end(0), 2)
		}, "winner winner.c:2", [2]debugfile.Fate{debugfile.Lost, debugfile.Live}},
		{"the longer one leaves the body", func(w *world) {
			w.unitOf("loser", w.start(0), w.end(0)+9, 1)
			w.unitOf("winner", w.start(0), w.end(0), 2)
		}, "winner winner.c:2", [2]debugfile.Fate{debugfile.LeavesBody, debugfile.Live}},
		{"a tie goes to the earlier unit", func(w *world) {
			w.unitOf("first", w.start(0), w.end(0), 1)
			w.unitOf("second", w.start(0), w.end(0), 2)
		}, "first first.c:1", [2]debugfile.Fate{debugfile.Live, debugfile.Lost}},
		{"leaving the body, alone", func(w *world) {
			w.unitOf("loser", w.start(0), w.end(0)+4, 1)
		}, "(shadowed)", [2]debugfile.Fate{debugfile.LeavesBody}},
		{"ending inside an instruction, alone", func(w *world) {
			w.bodies[0] = wide(w.sizes[0])
			w.unitOf("loser", w.start(0), w.start(0)+9, 1) // 1 + 6n + 2
		}, "(shadowed)", [2]debugfile.Fate{debugfile.OffBoundary}},
		{"ending between instructions, alone", func(w *world) {
			w.bodies[0] = wide(w.sizes[0])
			w.unitOf("part", w.start(0), w.start(0)+13, 1)
		}, "part part.c:1", [2]debugfile.Fate{debugfile.Live}},
		{"ending on the last end", func(w *world) {
			w.unitOf("short", w.start(0), w.end(0)-1, 1)
		}, "short short.c:1", [2]debugfile.Fate{debugfile.Live}},
		{"whole before a part that ends with the body", func(w *world) {
			w.unitOf("part", w.start(0)+4, w.end(0), 1)
			w.unitOf("whole", w.start(0), w.end(0), 2)
		}, "whole whole.c:2", [2]debugfile.Fate{debugfile.Live, debugfile.Overlapped}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(20, 20)
			c.make(w)
			f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 8, c.want})
			var fates, sequences [2]debugfile.Fate
			i := 0
			for r := range f.Functions() {
				fates[i] = r.Fate
				i++
			}
			i = 0
			for s := range f.Sequences() {
				sequences[i] = s.Fate
				i++
			}
			if fates != c.fate {
				t.Errorf("functions: %v, want %v", fates, c.fate)
			}
			if sequences != c.fate {
				t.Errorf("sequences: %v, want %v", sequences, c.fate)
			}
		})
	}
}

// wide returns a body of the given size whose instructions are 6 bytes long:
// i32.const with a padded immediate.
func wide(size int) testwasm.Body {
	var code []byte
	for len(code)+7 < size-1 {
		code = append(code, testwasm.OpI32Const, 0x80, 0x80, 0x80, 0x80, 0x00)
	}
	for len(code) < size-2 {
		code = append(code, testwasm.OpNop)
	}
	return testwasm.Fn(code...)
}

// TinyGo writes several sequences for one function.
func TestPartialSequences(t *testing.T) {
	w := newWorld(30)
	s := w.start(0)
	l := run(&td.Line{}, w.end(0), row(s+20, 9))
	run(l, s+10, row(s+1, 5))
	run(l, s+20, row(s+12, 7), row(s+15, 8))
	w.unit(4, w.lines(l), function("f", s, w.end(0)))
	f := expect(t, w.module(), debugfile.Options{}, want{s + 1, "f a.c:5"}, want{s + 9, "f a.c:5"}, want{s + 10, "f (no row)"},
		want{s + 12, "f a.c:7"}, want{s + 19, "f a.c:8"}, want{s + 20, "f a.c:9"}, want{w.end(0) - 1, "f a.c:9"})
	if st, _ := f.Stats(); st.Sequences.Of(debugfile.Live) != 3 || st.Rows.Of(debugfile.Live) != 4 {
		t.Errorf("%+v", st)
	}
	n := 0
	for r := range f.BodyRows(0) {
		n++
		if r.File != "a.c" {
			t.Errorf("%+v", r)
		}
	}
	if n != 4 {
		t.Errorf("%d rows", n)
	}
	if _, seqs, fb, lb := f.BodyLive(0); seqs != 3 || fb != 30 || lb != 9+8+10 {
		t.Errorf("%d sequences, %d and %d bytes", seqs, fb, lb)
	}
}

// The rows of the unit that has the function are preferred to those of an earlier
// unit that end at the same place.
func TestRowsGoWithTheFunction(t *testing.T) {
	w := newWorld(20)
	s, e := w.start(0), w.end(0)
	w.unit(4, w.lines(run(&td.Line{Files: []td.File{{Name: "rows.c"}}}, e, row(s+1, 1))), function("loser", s, s+9))
	w.unitOf("winner", s, e, 2)
	expect(t, w.module(), debugfile.Options{}, want{s + 8, "winner winner.c:2"})
}

// An inlined call in two pieces.
func TestSplitRangesOfInlinedCall(t *testing.T) {
	for _, many := range []int{0, 40} {
		w := newWorld(60)
		s := w.start(0)
		list := w.Append(".debug_ranges", td.Bytes(nil).U32(s+4).U32(s+8).U32(s+16).U32(s+20).U32(0).U32(0))
		inner, deep := abstract("inner"), abstract("deep")
		call := inlined(inner, 0, 0, 55)
		call.Attrs = append(call.Attrs[:1:1], td.A(td.AtRanges, td.FormSecOffset, list), td.A(td.AtCallFile, td.FormData1, 1), td.A(td.AtCallLine, td.FormData1, 55))
		fn := function("outer", s, w.end(0)).With(td.Die(td.TagLexicalBlock).With(call.With(inlined(deep, s+17, s+19, 66))))
		for i := range many { // enough for a table
			fn.With(inlined(deep, s+22+uint64(i)/2, s+23+uint64(i)/2, 100+i))
		}
		attrs := w.lines(run(&td.Line{}, w.end(0), row(s+1, 5)))
		attrs[1] = td.A(td.AtLowPC, td.FormAddr, 0)
		attrs[2] = td.A(td.AtRanges, td.FormSecOffset, w.Append(".debug_ranges", td.Bytes(nil).U32(s).U32(w.end(0)).U32(0).U32(0)))
		w.unit(4, attrs, inner, deep, fn)
		wants := []want{{s + 3, "outer a.c:5"}, {s + 4, "inner a.c:5 < outer a.c:55"}, {s + 7, "inner a.c:5 < outer a.c:55"}, {s + 8, "outer a.c:5"},
			{s + 16, "inner a.c:5 < outer a.c:55"}, {s + 18, "deep a.c:5 < inner a.c:66 < outer a.c:55"}, {s + 19, "inner a.c:5 < outer a.c:55"}, {s + 20, "outer a.c:5"}}
		for i := range many / 2 { // of calls that overlap the first counts
			wants = append(wants, want{s + 22 + uint64(i), fmt.Sprintf("deep a.c:5 < outer a.c:%d", 100+2*i)})
		}
		expect(t, w.module(), debugfile.Options{}, wants...)
	}
}

// What a unit has in code that its root entry does not claim is never an answer,
// whether or not it happens to be indexed. A unit that claims nothing is asked
// last.
func TestClaims(t *testing.T) {
	w := newWorld(20, 20, 20)
	l := run(&td.Line{}, w.end(0), row(w.start(0)+1, 1))
	run(l, w.end(1), row(w.start(1)+1, 2))
	lies := w.lines(l)
	lies[2] = td.A(td.AtHighPC, td.FormData4, 20) // body 0 alone
	w.unit(4, lies, function("f", w.start(0), w.end(0)), function("stray", w.start(1), w.end(1)))
	l = run(&td.Line{Files: []td.File{{Name: "b.c"}}}, w.end(0), row(w.start(0)+1, 7))
	run(l, w.end(2), row(w.start(2)+1, 8))
	w.unit(4, w.lines(l)[:1], function("late", w.start(0), w.end(0)), function("g", w.start(2), w.end(2)))
	f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.c:1"}, want{w.start(1) + 4, "(no debug info)"}, want{w.start(2) + 4, "g b.c:8"})
	st, _ := f.Stats()
	if st.FunctionRanges.Of(debugfile.Unclaimed) != 2 || st.FunctionRanges.Of(debugfile.Live) != 2 || st.FunctionRanges.Shadowed() != 0 {
		t.Errorf("%+v", st.FunctionRanges)
	}
}

// Units that share a line program share its rows: they are kept once.
func TestSharedLineProgram(t *testing.T) {
	w := newWorld(20, 20)
	l := run(&td.Line{}, w.end(0), row(w.start(0)+1, 1))
	run(l, w.end(1), row(w.start(1)+1, 2))
	attrs := w.lines(l)
	only := func(i int) []td.Attr {
		return []td.Attr{attrs[0], td.A(td.AtLowPC, td.FormAddr, w.start(i)), td.A(td.AtHighPC, td.FormData4, 20)}
	}
	w.unit(4, only(0), function("f", w.start(0), w.end(0)))
	for range 30 {
		w.unit(4, only(1), function("g", w.start(1), w.end(1)))
	}
	f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.c:1"}, want{w.start(1) + 4, "g a.c:2"})
	if st, _ := f.Stats(); st.Sequences.Total() != 2 || st.FunctionRanges.Of(debugfile.Lost) != 29 {
		t.Errorf("%+v", st)
	}
}

// llvm-symbolizer (19 and 22) answers 128 of these offsets from a losing copy,
// which was compiled with other options:
//
//	0x25..0x69  wk, line 0           is fa, line 3
//	0x72..0x8e  shared, lines 3 to 6 and 0, of the copy without optimisation
//	                                 is shared, lines 2 to 4
//	0x8f..0xb6  wk, lines 0, 4, 5    is shared, lines 4, 5 and 0
//	0xbf        fb, line 0           is fb, line 7
func TestWeakDefinitions(t *testing.T) {
	f := open(t, corpus+"/weak/w22-ab.wasm", debugfile.Options{})
	if err := f.Build(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	st, _ := f.Stats()
	if st.FunctionRanges.Shadowed() == 0 || st.Sequences.Shadowed() == 0 || st.FunctionRanges.Of(debugfile.NoBody) != 0 {
		t.Errorf("%+v", st)
	}
	sources := map[string][]string{}
	for i := range f.NumBodies() {
		_, e := f.Body(i)
		unit, ok := f.BodyUnit(i)
		for c := e.Start; c < e.End; c++ {
			a := f.Lookup(c, nil)
			for k := range a.Frames {
				fr := &a.Frames[k]
				if fr.File == "" {
					continue
				}
				base := fr.File[strings.LastIndexByte(fr.File, '/')+1:]
				if sources[base] == nil {
					b, err := os.ReadFile(corpus + "/src/weak/" + base)
					if err != nil {
						t.Fatal(err)
					}
					sources[base] = strings.Split(string(b), "\n")
				}
				if int(fr.Line) > len(sources[base]) || strings.TrimSpace(sources[base][max(fr.Line, 1)-1]) == "" {
					t.Errorf("%v: %s:%d is no line of code", c, base, fr.Line)
				}
			}
		}
		if ok {
			// Everything live in one body comes from one unit.
			for r := range f.Functions() {
				if r.Fate == debugfile.Live && e.Contains(r.Start) && (r.Unit != unit || r.Extent != e) {
					t.Errorf("body %d: function %+v, unit %d", i, r, unit)
				}
			}
			for s := range f.Sequences() {
				if s.Fate == debugfile.Live && e.Contains(s.Start) && (s.Unit != unit || s.End != e.End) {
					t.Errorf("body %d: sequence %+v, unit %d", i, s, unit)
				}
			}
		}
	}
}

// Offsets that are no code.
func TestNoCode(t *testing.T) {
	w := newWorld(16, 16)
	w.bodies[1] = testwasm.Fn(make([]byte, 14)...).Pad(5)
	w.unitOf("f", w.start(0), w.end(0), 5)
	m := w.module()
	start1 := w.end(0) + 5
	expect(t, m, debugfile.Options{}, want{0, "(count)"}, want{1, "(size)"}, want{2, "f f.c:5"}, want{w.end(0), "(size)"}, want{start1 - 1, "(size)"},
		want{start1, "(no debug info)"}, want{start1 + 16, "(past end)"}, want{0xffffffff, "(past end)"})
}

// The width of the Code section's size moves F and not C (WebAssembly/debugging#9).
func TestCodeSizeWidths(t *testing.T) {
	for _, width := range []int{1, 2, 5} {
		w := newWorld(16)
		w.width = width
		w.unitOf("f", w.start(0), w.end(0), 5)
		f := expect(t, w.module(), debugfile.Options{}, want{6, "f f.c:5"})
		span, ok := f.CodeSpan()
		if c, in := span.Code(wasm.FileOffset(8+4+2+2+2+1+width) + 6); !ok || !in || c != 6 {
			t.Errorf("width %d: span %+v, %v", width, span, c)
		}
	}
}
