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
	long, short, counted, bounds := p.Sequences(), p.Sequences(), p.Sequences(), p.Sequences()
	counted.Know(1, 1)
	bounds.Know(1, 1)
	none := func(uint64) bool { return false }
	var buf []dwarf.ShortRow
	odd := false
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
		odd = !odd
		kept := false
		if !counted.NextCounted(func(addr uint64) bool {
			kept = odd && addr == long.Sequence().Start
			return kept
		}) || counted.Sequence() != long.Sequence() || counted.RowCount() != len(want) {
			t.Fatalf("sequence %+v with %d rows, NextCounted gives %+v with %d", long.Sequence(), len(want), counted.Sequence(), counted.RowCount())
		}
		if diff := cmp.Diff(want, counted.ShortRows()); kept && diff != "" {
			t.Fatalf("rows of %+v (-Next +NextCounted):\n%s", long.Sequence(), diff)
		}
		strangers := 0
		for _, r := range want {
			if r.File != 1 {
				strangers++
			}
		}
		if strangers != counted.Strangers() {
			t.Fatalf("%d rows of %+v name another file, NextCounted gives %d", strangers, long.Sequence(), counted.Strangers())
		}
		if !bounds.NextCounted(none) || bounds.Sequence() != long.Sequence() || bounds.RowCount() != len(want) || bounds.Strangers() != strangers {
			t.Fatalf("sequence %+v with %d rows, %d of other files, NextCounted gives %+v with %d, %d",
				long.Sequence(), len(want), strangers, bounds.Sequence(), bounds.RowCount(), bounds.Strangers())
		}
		buf = p.ShortRows(long.Sequence().Off, buf)
		if diff := cmp.Diff(want, buf); diff != "" {
			t.Fatalf("rows of %+v (-Next +ShortRows):\n%s", long.Sequence(), diff)
		}
	}
	if short.NextShort() {
		t.Fatalf("NextShort gives one sequence more: %+v", short.Sequence())
	}
	if counted.NextCounted(none) || bounds.NextCounted(none) {
		t.Fatalf("NextCounted gives one sequence more: %+v, %+v", counted.Sequence(), bounds.Sequence())
	}
	for name, s := range map[string]*dwarf.SequenceReader{"NextShort": &short, "NextCounted": &counted, "NextCounted without rows": &bounds} {
		if long.Stats() != s.Stats() || long.DefinesFiles() != s.DefinesFiles() {
			t.Fatalf("Next counts %+v (%v), %s %+v (%v)", long.Stats(), long.DefinesFiles(), name, s.Stats(), s.DefinesFiles())
		}
		a, b := long.Problems(), s.Problems()
		if a.Total != b.Total {
			t.Fatalf("Next finds %d problems, %s %d: %v, %v", a.Total, name, b.Total, a.List, b.List)
		}
		for i := range a.List {
			if a.List[i].Error() != b.List[i].Error() {
				t.Fatalf("Next finds %v, %s %v", a.List[i], name, b.List[i])
			}
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

// TestManyRows: of rows at one address the last one counts, and where there are very
// many the others are not kept. They are counted all the same.
func TestManyRows(t *testing.T) {
	const n = 3*dwarf.ManyRows + 7
	for _, slow := range []bool{false, true} {
		b := td.New()
		l := &td.Line{Version: 4, Files: []td.File{{Name: "a.c"}}}
		l.SetAddress(16).Copy()
		for range n {
			l.Op(3, 1).Copy() // DW_LNS_advance_line
		}
		if slow { // makes the careful reader do it
			l.Ext(0x80, make([]byte, 200)...)
		}
		l.Advance(4).Copy().Advance(4).EndSequence()
		off := b.AddLine(l)
		b.AddUnit(&td.Unit{Version: 4, Root: td.Die(td.TagCompileUnit, td.A(td.AtStmtList, td.FormSecOffset, off))})
		p, err := open(b.Build()).Unit(0).LineProgram()
		if err != nil {
			t.Fatal(err)
		}
		s, counted := p.Sequences(), p.Sequences()
		counted.Know(1, 0) // all are strangers
		if !s.NextShort() || !counted.NextCounted(func(uint64) bool { return true }) {
			t.Fatal("no sequence")
		}
		rows := s.ShortRows()
		if len(rows) > dwarf.ManyRows+dwarf.ManyRows/2 || s.Stats().Rows != n+2 {
			t.Errorf("%d rows are kept, %d counted of %d", len(rows), s.Stats().Rows, n+2)
		}
		if counted.RowCount() != n+2 || counted.Strangers() != n+2 || len(counted.ShortRows()) != 0 {
			t.Errorf("NextCounted counts %d rows and %d strangers and keeps %d", counted.RowCount(), counted.Strangers(), len(counted.ShortRows()))
		}
		for i := range rows {
			if rows[i].Addr == 16 && (i+1 == len(rows) || rows[i+1].Addr != 16) && rows[i].Line != n+1 {
				t.Errorf("the row that counts has line %d, want %d", rows[i].Line, n+1)
			}
		}
	}
}
