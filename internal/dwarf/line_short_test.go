package dwarf_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// sameShort compares the two ways to read sequences.
func sameShort(t *testing.T, p *dwarf.LineProgram) {
	t.Helper()
	long, short := p.Sequences(), p.Sequences()
	var buf []dwarf.ShortRow
	for long.Next() {
		if !short.NextShort() || short.Sequence() != long.Sequence() {
			t.Fatalf("sequence %+v, NextShort gives %+v", long.Sequence(), short.Sequence())
		}
		want := make([]dwarf.ShortRow, 0, len(long.Rows()))
		for _, r := range long.Rows() {
			want = append(want, dwarf.ShortRow{Addr: uint32(r.Addr), File: r.File, Line: r.Line, Column: r.Column})
		}
		if diff := cmp.Diff(want, short.ShortRows()); diff != "" {
			t.Fatalf("rows of %+v (-Next +NextShort):\n%s", long.Sequence(), diff)
		}
		buf = p.ShortRows(long.Sequence().Off, buf)
		if diff := cmp.Diff(want, buf); diff != "" {
			t.Fatalf("rows of %+v (-Next +ShortRows):\n%s", long.Sequence(), diff)
		}
	}
	if short.NextShort() {
		t.Fatalf("NextShort gives one sequence more: %+v", short.Sequence())
	}
	if long.Stats() != short.Stats() || long.DefinesFiles() != short.DefinesFiles() {
		t.Fatalf("Next counts %+v (%v), NextShort %+v (%v)", long.Stats(), long.DefinesFiles(), short.Stats(), short.DefinesFiles())
	}
	a, b := long.Problems(), short.Problems()
	if a.Total != b.Total {
		t.Fatalf("Next finds %d problems, NextShort %d: %v, %v", a.Total, b.Total, a.List, b.List)
	}
	for i := range a.List {
		if a.List[i].Error() != b.List[i].Error() {
			t.Fatalf("Next finds %v, NextShort %v", a.List[i], b.List[i])
		}
	}
}

// TestShortRows: the fast way to read sequences agrees with the careful one, in
// real modules and where it has to give up.
func TestShortRows(t *testing.T) {
	for _, name := range []string{"cpp/O2-dw4.wasm", "cpp/types-dw5.wasm", "c/linedirs-dw5.wasm"} {
		module, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		open(customSections(module)).LinePrograms(4, func(p *dwarf.LineProgram) bool {
			sameShort(t, p)
			for s := p.Sequences(); s.NextShort(); {
				rows += len(s.ShortRows())
			}
			return true
		})
		if rows == 0 {
			t.Errorf("%s: no rows", name)
		}
	}
	clang := func() *td.Line { return &td.Line{Version: 4} }
	const dead = 1<<32 - 1
	ok := func(l *td.Line) *td.Line {
		return l.SetAddress(0x10).Special(0, 3).Special(4, 1).Advance(4).EndSequence()
	}
	for name, l := range map[string]*td.Line{
		"plain":               ok(clang()),
		"two":                 ok(ok(clang())),
		"removed":             ok(clang().SetAddress(dead).Special(0, 1).Special(4, 1).Advance(4).EndSequence()),
		"removed at 0":        ok(clang().SetAddress(0).Special(0, 1).Special(4, 1).Advance(4).EndSequence()),
		"removed in part":     ok(clang().SetAddress(8).Special(0, 1).SetAddress(dead).Special(4, 1).Advance(4).EndSequence()),
		"alive in part":       ok(clang().SetAddress(dead).Special(0, 1).SetAddress(8).Special(4, 1).Advance(4).EndSequence()),
		"no address":          ok(clang().Special(0, 1).Advance(4).EndSequence()),
		"late address":        ok(clang().Copy().SetAddress(8).Copy().Advance(4).EndSequence()),
		"back":                ok(clang().SetAddress(40).Copy().SetAddress(8).Copy().SetAddress(50).Copy().Advance(4).EndSequence()),
		"on":                  ok(clang().SetAddress(40).Copy().SetAddress(48).Copy().Advance(4).EndSequence()),
		"wrapped":             ok(clang().SetAddress(dead - 9).Copy().Advance(20).Copy().EndSequence()),
		"wrapped, then set":   ok(clang().SetAddress(dead - 9).Op(8).SetAddress(8).Copy().Advance(4).EndSequence()),
		"empty":               ok(clang().SetAddress(8).Copy().EndSequence()),
		"no rows":             ok(clang().SetAddress(8).Advance(4).EndSequence()),
		"nothing":             ok(clang().EndSequence()),
		"unterminated":        ok(clang()).SetAddress(80).Copy().Advance(4).Copy(),
		"long numbers":        ok(clang().SetAddress(8).Op(5, 1<<33+5).Op(4, 1<<40).Op(3, 1<<20).Copy().Op(3, 1<<33).Copy().Op(3, -1<<34).Copy().Advance(4).EndSequence()),
		"long column":         ok(clang().SetAddress(8).Op(5, 1<<33+5).Op(4, 1<<40).Copy().Op(5, 300).Op(4, 200).Copy().Advance(4).EndSequence()),
		"line below 1":        ok(clang().SetAddress(8).Op(3, -7).Copy().Op(3, 9).Advance(1).Copy().Advance(4).EndSequence()),
		"flags":               ok(clang().SetAddress(8).Op(6).Op(7).Op(10).Op(11).Op(12, 3).Op(8).Copy().Advance(4).EndSequence()),
		"defined file":        ok(clang().SetAddress(8).Ext(3, td.Bytes(nil).Str("d").U8(0, 0, 0)...).Op(4, 2).Copy().Advance(4).EndSequence()),
		"unknown extended":    ok(clang().SetAddress(8).Ext(0x80, 1, 2, 3).Copy().Advance(4).EndSequence()),
		"extended of no size": ok(clang().SetAddress(8).Op(0, 0).Copy().Advance(4).EndSequence()),
	} {
		t.Run(name, func(t *testing.T) { sameShort(t, program(t, l)) })
	}
	far := clang().SetAddress(8) // the line register has a limit, at 1<<40
	for range 300 {
		far.Op(3, 1<<32-1)
	}
	for range 300 {
		far.Op(3, -1<<32+1)
	}
	sameShort(t, program(t, ok(far.Op(3, 5).Copy().Advance(4).EndSequence())))
	vliw := ok(&td.Line{Version: 4, MinInst: 4, MaxOps: 3})
	sameShort(t, program(t, vliw))
	p := program(t, ok(clang()))
	for _, off := range []uint64{0, p.End, p.End + 1, 1 << 60} {
		if rows := p.ShortRows(off, nil); len(rows) != 0 {
			t.Errorf("%d rows at 0x%x", len(rows), off)
		}
	}
}
