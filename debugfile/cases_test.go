package debugfile_test

import (
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// The cases in this file are problems that users and tool authors reported in
// public; the report is named at each.

const dead4 = 0xffffffff

// llvm/llvm-project#205691: 4 bytes of ones not seen as a tombstone.
func TestRemovedFunction(t *testing.T) {
	for _, dead := range []uint64{dead4, dead4 - 1, 0} {
		w := newWorld(16, 16)
		l := run(&td.Line{}, dead+12, row(dead, 90)) // its rows
		run(l, w.end(0), row(w.start(0)+1, 5))
		attrs := w.lines(l)
		// From 0 its length reaches over live code.
		w.unit(4, attrs, td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "removed"),
			td.A(td.AtLowPC, td.FormAddr, dead), td.A(td.AtHighPC, td.FormData4, 30)),
			function("live", w.start(0), w.end(0)))
		f := expect(t, w.module(), debugfile.Options{},
			want{w.start(0) + 1, "live a.c:5"}, want{w.start(0) + 9, "live a.c:5"}, want{w.start(1) + 3, "(no debug info)"})
		if s, _ := f.Stats(); s.DeadFunctions != 1 || s.DeadSequences != 1 || s.FunctionRanges.Total() != 1 {
			t.Errorf("dead value 0x%x: %+v", dead, s)
		}
	}
}

// bytecodealliance/wasmtime#3403, WebAssembly/binaryen#4788: damaged .debug_loc.
func TestDamagedLocations(t *testing.T) {
	w := newWorld(16)
	list := w.Append(".debug_loc", td.Bytes(nil).U32(9).U32(3).U16(60000).U8(1))
	attrs := w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5)))
	w.unit(4, attrs, function("f", w.start(0), w.end(0)).With(
		td.Die(td.TagVariable, td.A(td.AtLocation, td.FormSecOffset, list)), td.Die(td.TagVariable, td.A(td.AtLocation, td.FormSecOffset, 1<<30))))
	expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.c:5"})
}

// wazero/wazero#1488: a removed inlined call inside of a live function.
func TestRemovedInlinedCall(t *testing.T) {
	w := newWorld(16)
	attrs := w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5)))
	inner := abstract("inner")
	w.unit(4, attrs, inner, function("f", w.start(0), w.end(0)).With(
		inlined(inner, dead4, dead4+9, 3), inlined(inner, 0, 30, 3)))
	expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.c:5"})
}

// WebAssembly/binaryen#4155: arithmetic on a tombstone.
func TestWrappingBlock(t *testing.T) {
	w := newWorld(16)
	attrs := w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5)))
	w.unit(4, attrs, function("f", w.start(0), w.end(0)).With(
		td.Die(td.TagLexicalBlock, td.A(td.AtLowPC, td.FormAddr, 0x30), td.A(td.AtHighPC, td.FormData4, uint32(0xffffffd0)))))
	f := expect(t, w.module(), debugfile.Options{CheckScopes: true}, want{w.start(0) + 4, "f a.c:5"})
	if s, _ := f.Stats(); s.BadRanges != 1 || len(f.Problems()) == 0 {
		t.Errorf("%+v, %v", s, f.Problems())
	}
}

// wasm-bindgen/walrus#318, emscripten#6884: 0 as a tombstone.
func TestRowsAtZero(t *testing.T) {
	w := newWorld(60, 16)
	l := run(&td.Line{}, 0x20, row(0, 90), row(0x10, 91))
	run(l, w.end(1), row(w.start(1), 7))
	w.unit(4, w.lines(l), function("f", w.start(1), w.end(1)))
	expect(t, w.module(), debugfile.Options{}, want{0x10, "(no debug info)"}, want{w.start(1), "f a.c:7"}, want{0, "(count)"})
}

// llvm/llvm-project#96134, #176460, emscripten#26044: a stub without a code
// offset. It is not named after the entry at 0.
func TestStubAtZero(t *testing.T) {
	w := newWorld(3, 16)
	w.bodies[0] = testwasm.Fn(testwasm.OpUnreachable)
	w.unit(4, w.lines(run(&td.Line{}, w.end(1), row(w.start(1)+1, 4))),
		td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "signature_mismatch"), td.A(td.AtLowPC, td.FormAddr, 0), td.A(td.AtHighPC, td.FormData4, 3)),
		function("f", w.start(1), w.end(1)))
	expect(t, w.module(), debugfile.Options{}, want{w.start(0), "(no debug info)"}, want{w.start(0) + 1, "(no debug info)"}, want{w.start(1) + 1, "f a.c:4"})
}

// gimli-rs/gimli#743, addr2line#328: the address ranges table lies.
func TestLyingAranges(t *testing.T) {
	w := newWorld(16, 16)
	attrs := w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5)))
	w.unit(4, attrs, function("f", w.start(0), w.end(0)))
	w.Append(".debug_aranges", td.Bytes(nil).U32(0x24).U16(2).U32(0x999).U8(4, 0).U32(0).
		U32(dead4).U32(0x10).U32(w.start(1)).U32(0x10).U32(0).U32(0))
	expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.c:5"}, want{w.start(1) + 4, "(no debug info)"})
}

// wazero/wazero#912, #2199: inlined frames missing or counted wrong.
func TestInlinedCall(t *testing.T) {
	w := newWorld(16)
	s := w.start(0)
	attrs := w.lines(run(&td.Line{}, w.end(0), row(s+1, 5), row(s+4, 3), row(s+8, 6)))
	inner := abstract("inner")
	w.unit(4, attrs, inner, function("outer", s, w.end(0)).With(inlined(inner, s+4, s+8, 55)))
	expect(t, w.module(), debugfile.Options{},
		want{s + 3, "outer a.c:5"}, want{s + 4, "inner a.c:3 < outer a.c:55"}, want{s + 7, "inner a.c:3 < outer a.c:55"}, want{s + 8, "outer a.c:6"})
}

// wasmtime#3184: TinyGo writes no DW_AT_comp_dir.
func TestNoCompilationDirectory(t *testing.T) {
	w := newWorld(16)
	attrs := w.lines(run(&td.Line{Files: []td.File{{Name: "sub/a.go"}}}, w.end(0), row(w.start(0)+1, 5)))
	w.unit(4, attrs, function("f", w.start(0), w.end(0)))
	f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.go:5"})
	if a := f.Lookup(6, nil); a.Frames[0].File != "sub/a.go" || len(f.Problems()) != 0 {
		t.Errorf("%+v, %v", a, f.Problems())
	}
}

// wasmtime#8913: a file index out of range. The file is unknown and reported.
func TestUnknownFile(t *testing.T) {
	w := newWorld(16)
	s := w.start(0)
	l := (&td.Line{}).SetAddress(s+1).Op(4, 99).Row(0, 6)
	l.Op(4, 1).Row(4, 1).Advance(w.end(0) - s - 5).EndSequence()
	w.unit(4, w.lines(l), function("f", s, w.end(0)))
	f := expect(t, w.module(), debugfile.Options{}, want{s + 2, "f :7 (no file)"}, want{s + 5, "f a.c:8"})
	if !strings.Contains(strings.Join(messages(f), "\n"), "name a file that the table of files does not have") {
		t.Errorf("problems: %v", f.Problems())
	}
}

func messages(f *debugfile.File) []string {
	var out []string
	for _, p := range f.Problems() {
		out = append(out, p.Error())
	}
	return out
}

// getsentry/symbolic#713: two rows at one address; the last one counts.
func TestLastRowAtAddress(t *testing.T) {
	w := newWorld(16)
	s := w.start(0)
	w.unit(4, w.lines(run(&td.Line{}, w.end(0), row(s+1, 5), row(s+4, 6), row(s+4, 7), row(s+4, 8), row(s+9, 9))), function("f", s, w.end(0)))
	expect(t, w.module(), debugfile.Options{}, want{s + 3, "f a.c:5"}, want{s + 4, "f a.c:8"}, want{s + 8, "f a.c:8"}, want{s + 9, "f a.c:9"})
}

// surma/wasmphobia#12: a range that ends before it begins is skipped and reported.
func TestReversedRange(t *testing.T) {
	w := newWorld(16, 16)
	list := w.Append(".debug_ranges", td.Bytes(nil).U32(w.end(0)).U32(w.start(0)).U32(w.start(0)).U32(w.end(0)).U32(0).U32(0))
	attrs := w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5)))
	// The unit's own low_pc is the base; it is 0 here, as clang writes it.
	attrs = append(attrs[:1:1], td.A(td.AtLowPC, td.FormAddr, 0), td.A(td.AtRanges, td.FormSecOffset, list))
	w.unit(4, attrs, td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "f"), td.A(td.AtRanges, td.FormSecOffset, list)))
	f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "f a.c:5"}, want{w.start(1) + 4, "(no debug info)"})
	if s, _ := f.Stats(); s.BadRanges != 1 || len(f.Problems()) == 0 {
		t.Errorf("%+v, %v", s, f.Problems())
	}
}

// llvm#82083: the first row comes after the function's start. What is before it
// has a function and no line, never that of the function before; but a stack
// overflow points at the very start, and is answered with the declaration.
func TestBeforeFirstRow(t *testing.T) {
	w := newWorld(16, 16)
	l := run(&td.Line{}, w.end(0), row(w.start(0)+1, 5))
	run(l, w.end(1), row(w.start(1)+3, 9))
	w.unit(4, w.lines(l), function("f", w.start(0), w.end(0)),
		function("g", w.start(1), w.end(1), td.A(td.AtDeclFile, td.FormData1, 1), td.A(td.AtDeclLine, td.FormData1, 8)))
	expect(t, w.module(), debugfile.Options{},
		want{w.end(0) - 1, "f a.c:5"}, want{w.start(1) - 1, "(size)"},
		want{w.start(1), "g a.c:8"}, want{w.start(1) + 1, "g (no row)"}, want{w.start(1) + 2, "g (no row)"}, want{w.start(1) + 3, "g a.c:9"})
}

// Without a declaration the start of a body is answered with its first row.
func TestBodyStartWithoutDeclaration(t *testing.T) {
	w := newWorld(16, 16)
	l := run(&td.Line{}, w.end(0), row(w.start(0)+1, 0), row(w.start(0)+2, 5))
	run(l, w.end(1), row(w.start(1)+3, 9))
	w.names = []string{"named_f", "named_g"}
	w.unit(4, w.lines(l), function("f", w.start(0), w.end(0)))
	expect(t, w.module(), debugfile.Options{}, want{w.start(0), "f a.c:5"}, want{w.start(0) + 1, "f a.c:0 (line 0)"}, want{w.start(0) + 2, "f a.c:5"},
		want{w.start(1), "named_g a.c:9"}, want{w.start(1) + 1, "named_g (no row)"}, want{w.start(1) + 4, "named_g a.c:9"})
}

// WebAssembly/binaryen#2604: the end row lies on the next body's size, which is no
// error and no answer.
func TestEndRowOnSize(t *testing.T) {
	w := newWorld(16, 16)
	w.unit(4, w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5))), function("f", w.start(0), w.end(0)))
	f := expect(t, w.module(), debugfile.Options{}, want{w.end(0) - 1, "f a.c:5"}, want{w.end(0), "(size)"}, want{w.start(1), "(no debug info)"})
	if len(f.Problems()) != 0 {
		t.Errorf("problems: %v", f.Problems())
	}
}

// pulseengine/meld#319: an inlined call outside of its function is reported, and
// shown nowhere.
func TestInlinedOutside(t *testing.T) {
	w := newWorld(16, 16)
	l := run(&td.Line{}, w.end(0), row(w.start(0)+1, 5))
	run(l, w.end(1), row(w.start(1)+1, 9))
	inner := abstract("inner")
	w.unit(4, w.lines(l), inner, function("f", w.start(0), w.end(0)).With(inlined(inner, w.start(1)+2, w.start(1)+6, 3)), function("g", w.start(1), w.end(1)))
	f := expect(t, w.module(), debugfile.Options{}, want{w.start(1) + 3, "g a.c:9"}, want{w.start(0) + 3, "f a.c:5"})
	n := 0
	for p := range f.NestingProblems() {
		if n++; uint64(p.Code.Start) != w.start(1)+2 || uint64(p.Code.End) != w.start(1)+6 {
			t.Errorf("%+v", p)
		}
	}
	if s, _ := f.Stats(); n != 1 || s.OutsideInlined != 1 || len(f.Problems()) == 0 {
		t.Errorf("%d problems, %+v", n, s)
	}
}

// caffeinelabs/motoko#4938: other .debug_ sections without .debug_info.
func TestNoDebugInfoSection(t *testing.T) {
	w := newWorld(16)
	w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5)))
	w.names = []string{"named"}
	f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "named (no debug info)"})
	if f.HasDWARF() || f.Tier() != debugfile.TierNames || !strings.Contains(f.TierReason(), ".debug_info, without which the others say nothing, is missing") {
		t.Errorf("%v: %s", f.Tier(), f.TierReason())
	}
}

// getsentry/symbolicator#1746: a has-children byte that is neither 0 nor 1.
func TestBadAbbreviation(t *testing.T) {
	w := newWorld(16)
	w.unit(4, w.lines(run(&td.Line{}, w.end(0), row(w.start(0)+1, 5))), function("f", w.start(0), w.end(0)))
	w.dwarf = w.Build()
	abbrev := w.dwarf[".debug_abbrev"]
	// Code 2, DW_TAG_subprogram, has children: no.
	i := strings.Index(string(abbrev), "\x02\x2e\x00")
	abbrev[i+2] = 2
	f := openBytes(t, w.module(), debugfile.Options{})
	if err := f.Build(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := messages(f); len(got) == 0 || !strings.HasPrefix(got[0], ".debug_abbrev+") {
		t.Errorf("problems: %v", got)
	}
}

// zackees/fastled-wasm#129, zpl-c/eco2d#4, wasi-sdk#422: Windows paths, prefixes.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ comp, dir, name, want string }{
		{`C:\build`, `src`, `a.c`, `C:\build\src\a.c`},
		{`\\?\C:\build`, `sub`, `a.c`, `\\?\C:\build\sub\a.c`},
		{`C:\build`, `\\?\C:\build\src`, `a.c`, `\\?\C:\build\src\a.c`},
		{`/build`, `./src`, `a.c`, `/build/src/a.c`},
		{`/build`, `/src/app`, `lib/a.c`, `/src/app/lib/a.c`},
		{`.`, ``, `./a.c`, `./a.c`},
	} {
		w := newWorld(16)
		l := run(&td.Line{Dirs: []string{c.dir}, Files: []td.File{{Name: c.name, Dir: 1}}}, w.end(0), row(w.start(0)+1, 5))
		if c.dir == "" {
			l.Dirs, l.Files[0].Dir = nil, 0
		}
		w.unit(4, append(w.lines(l), td.A(td.AtCompDir, td.FormString, c.comp)), function("f", w.start(0), w.end(0)))
		a := w.open(t, debugfile.Options{}).Lookup(6, nil)
		if got := a.Frames[0].File; got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}
