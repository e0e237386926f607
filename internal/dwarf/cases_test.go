package dwarf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// The cases in this file are problems that users and tool authors reported in
// public; the issue is named at each.

const dead4 uint64 = 0xffffffff

// llvm/llvm-project#205691: a 4-byte tombstone that is not recognised.
func TestTombstoneOfFourBytes(t *testing.T) {
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(
		fn("removed", dead4, 0x20), fn("removed2", dead4-1, 0x20), fn("live", 0x40, 0x10))})
	f := functions(t, u)
	if diff := cmp.Diff([]string{"live"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
	if f.Stats.DeadFuncs != 2 || f.Problems.Total != 0 {
		t.Errorf("got %+v, problems %v", f.Stats, f.Problems.List)
	}
}

// The same in units with 8-byte addresses; 4 bytes of ones are an address there.
func TestTombstoneOfEightBytes(t *testing.T) {
	u := unit(td.New(), &td.Unit{Version: 4, AddrSize: 8, Root: cu().With(
		td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "removed"),
			td.A(td.AtLowPC, td.FormAddr, ^uint64(0)), td.A(td.AtHighPC, td.FormData4, 8)),
		td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "removed2"),
			td.A(td.AtLowPC, td.FormAddr, ^uint64(0)-1), td.A(td.AtHighPC, td.FormData4, 8)),
		fn("live", dead4, 0x10))})
	f := functions(t, u)
	if diff := cmp.Diff([]string{"live"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
	if f.Stats.DeadFuncs != 2 {
		t.Errorf("got %+v", f.Stats)
	}
}

// bytecodealliance/wasmtime#3403: the location list of a removed function ends
// before it begins. WebAssembly/binaryen#4788: a broken .debug_loc. Functions
// and lines do not need it, and it can be reported.
func TestBrokenLocationList(t *testing.T) {
	b := td.New()
	line := b.AddLine((&td.Line{Version: 4, Files: []td.File{{Name: "a.c"}}}).Sequence(0x40, 7, 8))
	list := b.Append(".debug_loc", td.Bytes(nil).
		U32(dead4).U32(dead4-1).          // base: removed code
		U32(9).U32(3).U16(1).U8(0x50).    // relative to it
		U32(dead4).U32(0x40).             // base: live code
		U32(9).U32(3).U16(1).U8(0x50).    // reversed
		U32(2).U32(5).U16(1).U8(0x51).    // good
		U32(5).U32(6).U16(9999).U8(0x52)) // cut off
	broken := td.Die(td.TagVariable, td.A(td.AtLocation, td.FormSecOffset, list))
	outside := td.Die(td.TagVariable, td.A(td.AtLocation, td.FormSecOffset, 0x12345))
	u := unit(b, &td.Unit{Version: 4, Root: cu(td.A(td.AtStmtList, td.FormSecOffset, line)).With(
		fn("f", 0x40, 0x10).With(broken, outside))})
	f := functions(t, u)
	if len(f.Funcs) != 1 || f.Problems.Total != 0 {
		t.Errorf("functions: %v, problems %v", names(t, f), f.Problems.List)
	}
	p, err := u.LineProgram()
	if err != nil {
		t.Fatal(err)
	}
	if _, rows, _ := sequences(p); len(rows) != 1 || len(rows[0]) != 2 {
		t.Errorf("rows: %v", rows)
	}
	c, err := u.CursorAt(broken.Off())
	if err != nil {
		t.Fatal(err)
	}
	v, _ := c.Attr(dwarf.AttrLocation)
	var classes []dwarf.RangeClass
	locs := u.Locations(v)
	var e dwarf.LocEntry
	for locs.Next(&e) {
		classes = append(classes, e.Class)
	}
	want := []dwarf.RangeClass{dwarf.RangeTombstone, dwarf.RangeReversed, dwarf.RangeLive}
	if diff := cmp.Diff(want, classes); diff != "" {
		t.Error(diff)
	}
	if err := locs.Err(); err == nil || !strings.HasPrefix(err.Error(), ".debug_loc+0x31: ") {
		t.Errorf("error is %v", err)
	}
	c, _ = u.CursorAt(outside.Off())
	v, _ = c.Attr(dwarf.AttrLocation)
	locs = u.Locations(v)
	if locs.Next(&e) || locs.Err() == nil {
		t.Error("a list outside of the section is read")
	}
}

// wazero/wazero#1488: a removed inlined call inside live code is not shown.
func TestRemovedInlinedCall(t *testing.T) {
	origin := abstract("inner")
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(origin,
		fn("outer", 0x40, 0x10).With(
			call(origin, dead4, 4).With(call(origin, 0x42, 2)),
			call(origin, 0x44, 2)))})
	f := functions(t, u)
	if len(f.Funcs) != 1 || len(f.Inlines) != 1 || f.Ranges[f.Inlines[0].Ranges.Lo].Start != 0x44 {
		t.Errorf("got %+v", f.Inlines)
	}
	if f.Stats.DeadInlines != 2 || f.Stats.DeadRanges != 1 {
		t.Errorf("got %+v", f.Stats)
	}
}

// WebAssembly/binaryen#4155: arithmetic on a tombstone gives a block that ends
// at 0xffffffd0.
func TestWrappingBlock(t *testing.T) {
	block := td.Die(td.TagLexicalBlock, td.A(td.AtLowPC, td.FormAddr, 0x30), td.A(td.AtHighPC, td.FormData4, uint64(0xffffffa0))).
		With(td.Die(td.TagVariable))
	wraps := td.Die(td.TagLexicalBlock, td.A(td.AtLowPC, td.FormAddr, 0x70), td.A(td.AtHighPC, td.FormData4, uint64(0xffffffa0)))
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(fn("f", 0x20, 0x40).With(block, wraps), fn("g", 0x70, 0x10))})
	f := functions(t, u)
	if diff := cmp.Diff([]string{"f", "g"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]dwarf.Range{{Start: 0x20, End: 0x60}, {Start: 0x70, End: 0x80}}, f.Ranges); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, p := range f.Problems.List {
		got = append(got, p.Msg)
	}
	want := []string{
		"block has code outside of what it is in",
		"range 0x70..0xffffffff of the block does not fit into the address space; range skipped",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Lookups do not look at blocks at all.
	f, err := u.Functions(dwarf.FuncOptions{})
	if err != nil || f.Problems.Total != 0 {
		t.Errorf("%v, %v", err, f.Problems.List)
	}
}

// wasm-bindgen/walrus#318, emscripten-core/emscripten#6884: rows of removed
// code at 0 cover live code.
func TestRowsAtZero(t *testing.T) {
	l := &td.Line{Version: 4, Files: []td.File{{Name: "a.c"}}}
	l.SetAddress(0).Copy().Row(0x40, 1).Row(0x10, 1).EndSequence()
	l.Sequence(0x40, 7, 8)
	l.Copy().EndSequence() // address 0 because nothing was set
	seqs, rows, r := sequences(program(t, l))
	if diff := cmp.Diff([]dwarf.Sequence{{Start: 0x40, End: 0x42}}, seqs); diff != "" {
		t.Error(diff)
	}
	if len(rows) != 1 || rows[0][0].Line != 7 || rows[0][1].Line != 8 {
		t.Errorf("rows: %+v", rows)
	}
	if s := r.Stats(); s.DeadSequences != 2 || s.DeadRows != 4 {
		t.Errorf("got %+v", s)
	}
}

// llvm/llvm-project#96134, #176460: a stub has a function at 0.
func TestFunctionAtZero(t *testing.T) {
	b := td.New()
	b.AddUnit(&td.Unit{Version: 4, Root: cu(td.A(td.AtLowPC, td.FormAddr, 0)).With(fn("stub", 0, 3), fn("live", 2, 3))})
	s := b.Build()
	f := functions(t, open(s).Unit(0))
	if diff := cmp.Diff([]string{"live"}, names(t, f)); diff != "" || f.Stats.DeadFuncs != 1 {
		t.Errorf("%s, %+v", diff, f.Stats)
	}
	// In an object file 0 is an address like any other.
	var sec dwarf.Sections
	for name, data := range s {
		sec.Set(name, data)
	}
	f = functions(t, dwarf.New(sec, dwarf.Options{}).Unit(0))
	if diff := cmp.Diff([]string{"stub", "live"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
}

// gimli-rs/gimli#743, gimli-rs/addr2line#328: .debug_aranges with tombstones
// and lies steers nothing and can be compared.
func TestLyingAranges(t *testing.T) {
	b := td.New()
	b.Append(".debug_aranges", td.Bytes(nil).U32(0x2c).U16(2).U32(0).U8(4, 0).U32(0).
		U32(dead4).U32(0x10). // tombstone
		U32(0x999).U32(0x10). // a lie
		U32(0xfffffff0).U32(0x20).
		U32(0).U32(0))
	b.Append(".debug_aranges", td.Bytes(nil).U32(8).U16(9).U32(0).U8(4, 0)) // unknown version
	u := unit(b, &td.Unit{Version: 4, Root: cu().With(fn("f", 0x40, 0x10))})
	if got := names(t, functions(t, u)); len(got) != 1 {
		t.Errorf("functions: %v", got)
	}
	var got []dwarf.ArangesEntry
	problems := u.Data().Aranges(func(e dwarf.ArangesEntry) bool { got = append(got, e); return true })
	want := []dwarf.ArangesEntry{
		{Range: dwarf.Range{Start: dead4, End: dead4}, Off: 0x10, Dead: true, Wraps: true},
		{Range: dwarf.Range{Start: 0x999, End: 0x9a9}, Off: 0x18},
		{Range: dwarf.Range{Start: 0xfffffff0, End: dead4}, Off: 0x20, Wraps: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if problems.Total != 1 || problems.List[0].Off != 0x30 {
		t.Errorf("problems: %v", problems.List)
	}
}

// wazero/wazero#912, #2199, #58: one inlined call.
func TestOneInlinedCall(t *testing.T) {
	origin := abstract("inner")
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(origin, fn("outer", 0x40, 0x10).With(
		call(origin, 0x44, 4, td.A(td.AtCallFile, td.FormData1, 1), td.A(td.AtCallLine, td.FormData2, 300), td.A(td.AtCallColumn, td.FormUdata, 12))))})
	f := functions(t, u)
	want := []dwarf.Inline{{
		Off: f.Inlines[0].Off, Origin: 1, Ranges: dwarf.Span{Lo: 1, Hi: 2}, Parent: -1, End: 1,
		CallFile: 1, CallLine: 300, CallColumn: 12,
	}}
	if diff := cmp.Diff(want, f.Inlines); diff != "" {
		t.Error(diff)
	}
	decl, err := f.Decl(f.Inlines[0].Origin)
	if err != nil || string(decl.Name) != "inner" {
		t.Errorf("%s, %v", decl.Name, err)
	}
}

// bytecodealliance/wasmtime#3184: TinyGo writes no compilation directory.
func TestNoCompilationDirectory(t *testing.T) {
	b := td.New()
	line := b.AddLine((&td.Line{Version: 4, Files: []td.File{{Name: "main.go"}}}).Sequence(0x40, 7))
	u := unit(b, &td.Unit{Version: 4, Root: cu(td.A(td.AtStmtList, td.FormSecOffset, line))})
	root, err := u.Root()
	if err != nil || root.CompDir != nil {
		t.Errorf("%q, %v", root.CompDir, err)
	}
	p, err := u.LineProgram()
	if err != nil {
		t.Fatal(err)
	}
	if path, ok := p.Files().Path(1); path != "main.go" || !ok {
		t.Errorf("path %q, %v", path, ok)
	}
}

// bytecodealliance/wasmtime#8913, #8884, #8904: file 99 of one.
func TestFileIndexOutOfRange(t *testing.T) {
	for _, version := range []int{2, 3, 4, 5} {
		l := &td.Line{Version: version, Files: []td.File{{Name: "a.c"}}}
		l.SetAddress(0x40).Op(4, 99).Copy().Advance(1).EndSequence()
		p := program(t, l)
		_, rows, _ := sequences(p)
		files := p.Files()
		if path, ok := files.Path(uint64(rows[0][0].File)); path != dwarf.UnknownFile || ok {
			t.Errorf("version %d: path %q, %v", version, path, ok)
		}
		first := files.FirstFile()
		if path, ok := files.Path(first); path != "a.c" || !ok {
			t.Errorf("version %d: path %q, %v", version, path, ok)
		}
		for _, i := range []uint64{first - 1, first + 1, ^uint64(0)} {
			if _, ok := files.File(i); ok {
				t.Errorf("version %d: there is a file %d", version, i)
			}
		}
	}
}

// getsentry/symbolic#713: of two rows at one address the last counts, so both
// have to be there, in order.
func TestTwoRowsAtOneAddress(t *testing.T) {
	l := &td.Line{Version: 4}
	l.SetAddress(0x40).Op(3, 6).Copy().Op(3, 1).Copy().Advance(2).EndSequence()
	_, rows, _ := sequences(program(t, l))
	if len(rows) != 1 || len(rows[0]) != 2 || rows[0][0].Line != 7 || rows[0][1].Line != 8 || rows[0][1].Addr != 0x40 {
		t.Errorf("rows: %+v", rows)
	}
}

// surma/wasmphobia#12: one range ends before it begins; the others work.
func TestReversedRange(t *testing.T) {
	b := td.New()
	list := b.Append(".debug_ranges", td.Bytes(nil).U32(0x40).U32(0x50).U32(0x70).U32(0x60).U32(0x80).U32(0x90).U32(0).U32(0))
	f := functions(t, unit(b, &td.Unit{Version: 4, Root: cu().With(td.Die(td.TagSubprogram, td.A(td.AtRanges, td.FormSecOffset, list)))}))
	if diff := cmp.Diff([]dwarf.Range{{Start: 0x40, End: 0x50}, {Start: 0x80, End: 0x90}}, f.Ranges); diff != "" {
		t.Error(diff)
	}
	if f.Stats.BadRanges != 1 || f.Problems.Total != 1 || !strings.Contains(f.Problems.List[0].Msg, "ends before it begins") {
		t.Errorf("%+v, %v", f.Stats, f.Problems.List)
	}
}

// pulseengine/meld#319: an inlined call outside of its function.
func TestInlinedCallOutside(t *testing.T) {
	origin := abstract("inner")
	b := td.New()
	split := b.Append(".debug_ranges", td.Bytes(nil).U32(0x40).U32(0x48).U32(0x48).U32(0x50).U32(0x60).U32(0x70).U32(0).U32(0))
	u := unit(b, &td.Unit{Version: 4, Root: cu().With(origin,
		fn("f", 0x40, 0x10).With(call(origin, 0x80, 4), call(origin, 0x4e, 4), call(origin, 0x40, 0x10)),
		td.Die(td.TagSubprogram, td.A(td.AtRanges, td.FormSecOffset, split)).With(
			call(origin, 0x44, 8),  // over the seam of two ranges: inside
			call(origin, 0x4c, 8),  // runs into the gap
			call(origin, 0x60, 16), // the last one
			call(origin, 0x58, 2)),
		td.Die(td.TagNamespace).With(call(origin, 0x40, 4)))})
	f := functions(t, u)
	var outside []bool
	for _, in := range f.Inlines {
		outside = append(outside, in.Flags&dwarf.InlineOutside != 0)
	}
	if diff := cmp.Diff([]bool{true, true, false, false, true, false, true}, outside); diff != "" {
		t.Error(diff)
	}
	if f.Stats.Outside != 5 || f.Problems.Total != 5 {
		t.Errorf("%+v, %v", f.Stats, f.Problems.List)
	}
}

// caffeinelabs/motoko#4938: .debug_line without .debug_info is readable, but
// there are no units.
func TestOnlyLines(t *testing.T) {
	b := td.New()
	b.AddLine((&td.Line{Version: 5, Dirs: []string{"/src"}, Files: []td.File{{Name: "a.c"}}}).Sequence(0x40, 7))
	b.AddLine((&td.Line{Version: 9}).Sequence(0x40, 7))
	b.AddLine((&td.Line{Version: 4, Files: []td.File{{Name: "b.c"}}}).Sequence(0x50, 9))
	d := open(b.Build())
	if d.NumUnits() != 0 {
		t.Errorf("%d units", d.NumUnits())
	}
	var got []string
	problems := d.LinePrograms(4, func(p *dwarf.LineProgram) bool {
		path, _ := p.Files().Path(p.Files().FirstFile())
		got = append(got, path)
		return true
	})
	if diff := cmp.Diff([]string{"/src/a.c", "b.c"}, got); diff != "" {
		t.Error(diff)
	}
	if problems.Total != 1 || !strings.Contains(problems.List[0].Msg, "version 9") {
		t.Errorf("problems: %v", problems.List)
	}
}

// getsentry/symbolicator#1746: a has-children byte of 2 is an error, and costs
// the entries that use it.
func TestBadHasChildrenByte(t *testing.T) {
	b := td.New()
	b.AddUnit(&td.Unit{Version: 4, Root: cu().With(fn("a", 0x40, 4), td.Die(td.TagVariable))})
	b.AddUnit(&td.Unit{Version: 4, Root: cu().With(fn("b", 0x50, 4))})
	s := b.Build()
	// The unit's third abbreviation is the variable's: code 3, tag, children.
	i := strings.Index(string(s[".debug_abbrev"]), "\x03\x34\x00\x00\x00")
	s[".debug_abbrev"][i+2] = 2
	d := open(s)
	u := d.Unit(0)
	f := functions(t, u)
	if diff := cmp.Diff([]string{"a"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
	if !f.Incomplete || f.Problems.Total != 1 {
		t.Errorf("incomplete %v, problems %v", f.Incomplete, f.Problems.List)
	}
	p := u.Problems()
	if p.Total != 1 || p.List[0].Section != ".debug_abbrev" || p.List[0].Off != uint64(i+2) || !strings.Contains(p.List[0].Msg, "0x2") {
		t.Errorf("problems: %v", p.List)
	}
	if diff := cmp.Diff([]string{"b"}, names(t, functions(t, d.Unit(1)))); diff != "" {
		t.Error(diff)
	}
	if p := d.Unit(1).Problems(); p.Total != 0 {
		t.Errorf("the other unit has problems: %v", p.List)
	}
}
