package dwarf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// TestEveryOpcode runs each opcode once and looks at the rows.
func TestEveryOpcode(t *testing.T) {
	for _, version := range []int{2, 3, 4, 5} {
		l := &td.Line{Version: version, Is64: version == 3}
		l.SetAddress(0x40)
		l.Special(2, 3)                    // 0x42, line 4
		l.Op(2, 7).Copy()                  // advance_pc: 0x49
		l.Op(3, -2).Copy()                 // advance_line: 2
		l.Op(4, 5).Copy()                  // set_file
		l.Op(5, 300).Copy()                // set_column
		l.Op(6).Copy()                     // negate_stmt
		l.Op(7).Copy().Copy()              // set_basic_block, for one row
		l.Op(8).Copy()                     // const_add_pc: (255-13)/14 = 17: 0x5a
		l.Code = l.Code.U8(9).U16(0x100)   // fixed_advance_pc: 0x15a
		l.Copy()                           //
		l.Op(10).Op(11).Copy().Copy()      // set_prologue_end, set_epilogue_begin
		l.Op(12, 3).Copy()                 // set_isa
		l.Ext(4, 0x85, 0x01).Copy().Copy() // set_discriminator 133, for one row
		l.Ext(0x80, 1, 2, 3).Copy()        // unknown extended opcode
		l.Advance(1).EndSequence()
		want := []dwarf.Row{
			{Addr: 0x42, File: 1, Line: 4, Flags: dwarf.RowIsStmt},
			{Addr: 0x49, File: 1, Line: 4, Flags: dwarf.RowIsStmt},
			{Addr: 0x49, File: 1, Line: 2, Flags: dwarf.RowIsStmt},
			{Addr: 0x49, File: 5, Line: 2, Flags: dwarf.RowIsStmt},
			{Addr: 0x49, File: 5, Line: 2, Column: 300, Flags: dwarf.RowIsStmt},
			{Addr: 0x49, File: 5, Line: 2, Column: 300},
			{Addr: 0x49, File: 5, Line: 2, Column: 300, Flags: dwarf.RowBasicBlock},
			{Addr: 0x49, File: 5, Line: 2, Column: 300},
			{Addr: 0x5a, File: 5, Line: 2, Column: 300},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300, Flags: dwarf.RowPrologueEnd | dwarf.RowEpilogueBegin},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300, ISA: 3},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300, ISA: 3, Discriminator: 133},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300, ISA: 3},
			{Addr: 0x15a, File: 5, Line: 2, Column: 300, ISA: 3},
			{Addr: 0x15b, File: 5, Line: 2, Column: 300, ISA: 3, Flags: dwarf.RowEndSequence},
		}
		rr := program(t, l).Rows()
		var got []dwarf.Row
		var row dwarf.Row
		for rr.Next(&row) {
			got = append(got, row)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("version %d:\n%s", version, diff)
		}
		if p := rr.Problems(); p.Total > 0 {
			t.Error(p.List[0])
		}
	}
}

// TestOpIndex: instructions of several operations (VLIW).
func TestOpIndex(t *testing.T) {
	l := &td.Line{Version: 4, MinInst: 4, MaxOps: 3}
	l.SetAddress(0x40).Special(2, 1) // op 2 of 0x40
	l.Special(2, 1)                  // 4 operations: op 1 of 0x44
	l.Op(2, 8).Copy()                // 9 operations from there: op 0 of 0x50
	l.Op(8).Copy()                   // 17 more: op 2 of 0x64
	l.Code = l.Code.U8(9).U16(1)     // fixed_advance_pc resets op_index
	l.Copy().EndSequence()
	rr := program(t, l).Rows()
	var got [][2]uint64
	var row dwarf.Row
	for rr.Next(&row) {
		got = append(got, [2]uint64{row.Addr, uint64(row.OpIndex)})
	}
	want := [][2]uint64{{0x40, 2}, {0x44, 1}, {0x50, 0}, {0x64, 2}, {0x65, 0}, {0x65, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOpcodeLengths: opcodes beyond those known, those the header redefines,
// and a small opcode base.
func TestOpcodeLengths(t *testing.T) {
	l := &td.Line{Version: 4, OpcodeBase: 15, Lengths: []int{0, 1, 1, 1, 2, 0, 0, 0, 1, 0, 0, 1, 3, 0}}
	l.SetAddress(0x40)
	l.Code = l.Code.U8(13).ULEB(1000).ULEB(2000).ULEB(3) // unknown: three operands
	l.Code = l.Code.U8(14)                               // unknown: none
	l.Code = l.Code.U8(5).ULEB(11).ULEB(12)              // set_column redefined: ignored
	l.Op(3, 4).Copy().Special(1, 1).EndSequence()
	_, rows, _ := sequences(program(t, l))
	if len(rows) != 1 || len(rows[0]) != 2 || rows[0][0].Line != 5 || rows[0][0].Column != 0 {
		t.Errorf("rows: %+v", rows)
	}
	small := &td.Line{Version: 2, OpcodeBase: 4, LineBase: 1, LineRange: 4}
	small.SetAddress(0x40).Special(2, 1).Op(2, 5).Copy().EndSequence()
	_, rows, _ = sequences(program(t, small))
	if len(rows) != 1 || rows[0][0].Addr != 0x42 || rows[0][0].Line != 2 {
		t.Errorf("rows: %+v", rows)
	}
}

// TestSequences shows the rules of SequenceReader.
func TestSequences(t *testing.T) {
	seq := func(start, end uint64, flags dwarf.SeqFlags) dwarf.Sequence {
		return dwarf.Sequence{Start: start, End: end, Flags: flags}
	}
	type line = td.Line
	tests := []struct {
		name  string
		make  func(*line)
		want  []dwarf.Sequence
		lines []uint32 // of all rows
		stats dwarf.LineStats
		err   string
	}{
		{"unsorted sequences", func(l *line) { l.Sequence(0x80, 1, 2).Sequence(0x40, 3) },
			[]dwarf.Sequence{seq(0x80, 0x82, 0), seq(0x40, 0x41, 0)}, []uint32{1, 2, 3}, dwarf.LineStats{Sequences: 2, Rows: 3}, ""},
		{"no rows at all", func(l *line) {}, nil, nil, dwarf.LineStats{}, ""},
		{"only an end", func(l *line) { l.SetAddress(0x40).EndSequence() }, nil, nil, dwarf.LineStats{Empty: 1}, ""},
		{"no length", func(l *line) { l.SetAddress(0x40).Copy().EndSequence().Sequence(0x50, 2) },
			[]dwarf.Sequence{seq(0x50, 0x51, 0)}, []uint32{2}, dwarf.LineStats{Sequences: 1, Rows: 1, Empty: 1}, ""},
		{"removed code", func(l *line) { l.Sequence(0, 1, 2).Sequence(dead4, 1, 2).Sequence(dead4-1, 1).Sequence(0x40, 3) },
			[]dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{3}, dwarf.LineStats{Sequences: 1, Rows: 1, DeadSequences: 3, DeadRows: 5}, ""},
		{"removed code without rows", func(l *line) { l.SetAddress(dead4).EndSequence() }, nil, nil, dwarf.LineStats{DeadSequences: 1}, ""},
		{"removed code in the middle", func(l *line) {
			l.SetAddress(0x40).Copy().SetAddress(dead4).Row(1, 1).SetAddress(0x44).Row(0, 1).Advance(2).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x46, dwarf.SeqPartlyDead)}, []uint32{1, 3}, dwarf.LineStats{Sequences: 1, Rows: 2, DeadRows: 1}, ""},
		{"removed code at the start", func(l *line) {
			l.SetAddress(0).Copy().Row(9, 1).SetAddress(0x44).Row(0, 1).Advance(2).EndSequence()
		}, []dwarf.Sequence{seq(0x44, 0x46, dwarf.SeqPartlyDead)}, []uint32{3}, dwarf.LineStats{Sequences: 1, Rows: 1, DeadRows: 2}, ""},
		{"removed code at the end", func(l *line) {
			l.SetAddress(0x40).Copy().Row(4, 1).SetAddress(dead4).Row(0, 1).Advance(2).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x44, dwarf.SeqPartlyDead)}, []uint32{1, 2}, dwarf.LineStats{Sequences: 1, Rows: 2, DeadRows: 1}, ""},
		{"rows go back", func(l *line) {
			l.SetAddress(0x40).Copy().Row(8, 1).SetAddress(0x44).Row(0, 1).Row(2, 1).Row(2, 1).Row(4, 1).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x4c, dwarf.SeqBackward)}, []uint32{1, 2, 5, 6}, dwarf.LineStats{Sequences: 1, Rows: 4, BackwardRows: 2}, ""},
		{"the end goes back", func(l *line) {
			l.SetAddress(0x40).Copy().Row(8, 1).SetAddress(0x44).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x48, dwarf.SeqBackward)}, []uint32{1, 2}, dwarf.LineStats{Sequences: 1, Rows: 2}, ""},
		{"the address wraps", func(l *line) {
			l.SetAddress(0x40).Copy().Row(0xffffffff, 1).Row(1, 1).SetAddress(0x44).Row(0, 1).Advance(1).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x45, dwarf.SeqWrapped)}, []uint32{1, 4}, dwarf.LineStats{Sequences: 1, Rows: 2, WrappedRows: 2}, "past the highest address"},
		{"the address wraps in 64 bits", func(l *line) {
			l.SetAddress(0x40).Copy().Row(^uint64(0), 1).EndSequence()
		}, nil, nil, dwarf.LineStats{Empty: 1, WrappedRows: 1}, "past the highest address"},
		{"no end", func(l *line) { l.Sequence(0x40, 1).SetAddress(0x50).Copy().Row(4, 1) },
			[]dwarf.Sequence{seq(0x40, 0x41, 0), seq(0x50, 0x54, dwarf.SeqUnterminated)}, []uint32{1, 1, 2},
			dwarf.LineStats{Sequences: 2, Rows: 3, Unterminated: 1}, "no end_sequence"},
		{"last opcode cut off", func(l *line) { l.Sequence(0x40, 1); l.Code = l.Code.U8(2, 0x80) },
			[]dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{1}, dwarf.LineStats{Sequences: 1, Rows: 1}, "cut off"},
		{"extended opcode too long", func(l *line) { l.Sequence(0x40, 1); l.Code = l.Code.U8(0, 0x7f, 2) },
			[]dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{1}, dwarf.LineStats{Sequences: 1, Rows: 1}, "runs past the end"},
		{"extended opcode of no length", func(l *line) { l.Code = l.Code.U8(0, 0); l.Sequence(0x40, 1) },
			[]dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{1}, dwarf.LineStats{Sequences: 1, Rows: 1}, "length 0"},
		{"address of 3 bytes", func(l *line) { l.Ext(2, 1, 2, 3).Sequence(0x40, 1) },
			[]dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{1}, dwarf.LineStats{Sequences: 1, Rows: 1}, "address of 0x3 bytes"},
		{"address of 8 bytes", func(l *line) {
			l.Ext(2, td.Bytes(nil).U64(0x40)...).Copy().Advance(1).EndSequence()
			l.Ext(2, td.Bytes(nil).U64(^uint64(0))...).Copy().Advance(1).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{1}, dwarf.LineStats{Sequences: 1, Rows: 1, DeadSequences: 1, DeadRows: 1}, ""},
		{"lines out of range", func(l *line) {
			l.SetAddress(0x40).Op(3, -5).Copy().Op(3, 1<<40).Copy().Op(3, -1<<62).Op(3, -1<<62).Op(3, -1<<62).Copy().Advance(1).EndSequence()
		}, []dwarf.Sequence{seq(0x40, 0x41, 0)}, []uint32{0, 0, 0}, dwarf.LineStats{Sequences: 1, Rows: 3}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := &td.Line{Version: 4}
			test.make(l)
			seqs, rows, r := sequences(program(t, l))
			if diff := cmp.Diff(test.want, seqs); diff != "" {
				t.Error(diff)
			}
			var lines []uint32
			for i, part := range rows {
				last := seqs[i].Start
				for _, row := range part {
					lines = append(lines, row.Line)
					if row.Addr < last || row.Addr > seqs[i].End {
						t.Errorf("row at 0x%x is not in order", row.Addr)
					}
					last = row.Addr
				}
			}
			if diff := cmp.Diff(test.lines, lines); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.stats, r.Stats()); diff != "" {
				t.Error(diff)
			}
			p := r.Problems()
			if test.err == "" && p.Total > 0 || test.err != "" && (p.Total != 1 || !strings.Contains(p.List[0].Msg, test.err)) {
				t.Errorf("problems: %v", p.List)
			}
		})
	}
}

// TestLineHeaders: headers that cannot be used, and those that can.
func TestLineHeaders(t *testing.T) {
	long, longer := uint64(1<<20), uint64(1<<40)
	tests := []struct {
		name string
		make func() []byte
		err  string
	}{
		{"good", func() []byte { return header(&td.Line{Version: 5}) }, ""},
		{"version 1", func() []byte { return header(&td.Line{Version: 1}) }, "version 1"},
		{"version 6", func() []byte { return header(&td.Line{Version: 6}) }, "version 6"},
		{"header too long", func() []byte { return header(&td.Line{Version: 4, HeaderLen: &long}) }, "does not fit"},
		{"header too long, 64 bits", func() []byte { return header(&td.Line{Version: 4, Is64: true, HeaderLen: &longer}) }, "does not fit"},
		{"line range 0", func() []byte { h := header(&td.Line{Version: 4}); h[14] = 0; return h }, "line range 0"},
		{"opcode base 0", func() []byte { h := header(&td.Line{Version: 4}); h[15] = 0; return h }, "opcode base 0"},
		{"address size 5", func() []byte { h := header(&td.Line{Version: 5}); h[6] = 5; return h }, "address size 5"},
		{"segments", func() []byte { h := header(&td.Line{Version: 5}); h[7] = 1; return h }, "segments"},
		{"cut off", func() []byte { return header(&td.Line{Version: 4})[:9] }, "does not fit"},
		{"reserved length", func() []byte { return []byte{0xf0, 0xff, 0xff, 0xff} }, "reserved"},
		{"nothing", func() []byte { return []byte{2, 0, 0, 0, 4} }, "does not fit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := td.New()
			off := b.Append(".debug_line", test.make())
			u := unit(b, &td.Unit{Version: 4, Root: cu(td.A(td.AtStmtList, td.FormSecOffset, off)).With(fn("f", 0x40, 4))})
			_, err := u.LineProgram()
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error is %v", err)
			}
			if got := names(t, functions(t, u)); len(got) != 1 {
				t.Errorf("functions: %v", got)
			}
		})
	}
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu(td.A(td.AtStmtList, td.FormSecOffset, 99))})
	if _, err := u.LineProgram(); err == nil || !strings.HasPrefix(err.Error(), ".debug_line+0x63: ") {
		t.Errorf("error is %v", err)
	}
	u = unit(td.New(), &td.Unit{Version: 4, Root: cu()})
	if p, err := u.LineProgram(); p != nil || err != nil {
		t.Errorf("a unit without lines has %v, %v", p, err)
	}
}

func header(l *td.Line) []byte {
	b := td.New()
	b.AddLine(l)
	return b.Build()[".debug_line"]
}

// TestFileTables: both shapes, extra columns, defined files, damage.
func TestFileTables(t *testing.T) {
	paths := func(p *dwarf.LineProgram) (out []string) {
		f := p.Files()
		for i := range f.NumFiles() {
			path, _ := f.Path(f.FirstFile() + uint64(i))
			out = append(out, path)
		}
		return out
	}
	five := &td.Line{Version: 5, Dirs: []string{"/src", "inc", "/abs"}, Files: []td.File{
		{Name: "a.c", MD5: []byte("0123456789abcdef")}, {Name: "b.h", Dir: 1}, {Name: "c.h", Dir: 2}, {Name: "/d.h", Dir: 2}, {Name: "e.h", Dir: 77}}}
	if diff := cmp.Diff([]string{"/src/a.c", "/src/inc/b.h", "/abs/c.h", "/d.h", "/src/e.h"}, paths(program(t, five))); diff != "" {
		t.Error(diff)
	}
	four := &td.Line{Version: 4, Dirs: []string{"/src", "inc"}, Files: []td.File{{Name: "a.c"}, {Name: "b.h", Dir: 1}, {Name: "c.h", Dir: 2}}}
	four.SetAddress(0x40).Copy().Ext(3, td.Bytes(nil).Str("defined.h").U8(1, 0, 0)...).Op(4, 4).Copy().Advance(1).EndSequence()
	if diff := cmp.Diff([]string{"a.c", "/src/b.h", "inc/c.h", "/src/defined.h"}, paths(program(t, four))); diff != "" {
		t.Error(diff)
	}
	// Every column form, and unknown contents.
	tables := td.Bytes(nil).U8(2).
		ULEB(1).ULEB(td.FormLineStrp).ULEB(0x2001).ULEB(td.FormBlock).ULEB(1).
		U32(0).U8(2, 9, 9).
		U8(6).ULEB(2).ULEB(td.FormData2).ULEB(3).ULEB(td.FormUdata).ULEB(4).ULEB(td.FormData8).
		ULEB(1).ULEB(td.FormStrp).ULEB(0x3000).ULEB(td.FormString).ULEB(5).ULEB(td.FormData16).ULEB(1).
		U16(0).ULEB(300).U64(5).U32(0).Str("source text").U64(1).U64(2)
	b := td.New()
	b.LineStr("/line/str")
	b.Str("name.c")
	b.AddLine(&td.Line{Version: 5, Tables: tables})
	open(b.Build()).LinePrograms(4, func(p *dwarf.LineProgram) bool {
		if diff := cmp.Diff([]string{"/line/str/name.c"}, paths(p)); diff != "" {
			t.Error(diff)
		}
		return true
	})
	for name, tables := range map[string]td.Bytes{
		"no columns, many entries":      td.Bytes(nil).U8(0).ULEB(1<<60).U8(0, 0),
		"columns of no size":            td.Bytes(nil).U8(1).ULEB(1).ULEB(td.FormFlagPresent).ULEB(1 << 60),
		"more entries than bytes":       td.Bytes(nil).U8(1).ULEB(1).ULEB(td.FormString).ULEB(1 << 60).Str("x"),
		"unknown form":                  td.Bytes(nil).U8(1).ULEB(1).ULEB(0x99).ULEB(1).U8(1, 2, 3),
		"form outside of 16 bits":       td.Bytes(nil).U8(1).ULEB(1).ULEB(1<<20).ULEB(1).U8(1, 2, 3),
		"no tables":                     {},
		"files have more than is there": td.Bytes(nil).U8(0, 0).U8(1).ULEB(1).ULEB(td.FormString).ULEB(3).Str("x").Str("y"),
	} {
		if tables == nil {
			tables = td.Bytes{}
		}
		l := &td.Line{Version: 5, Tables: tables}
		p := program(t, l.Sequence(0x40, 7))
		if f := p.Files(); f.Problems().Total != 1 || f.NumFiles() > 2 {
			t.Errorf("%s: %d files, problems %v", name, f.NumFiles(), f.Problems().List)
		}
		if _, rows, _ := sequences(p); len(rows) != 1 {
			t.Errorf("%s: rows %v", name, rows)
		}
	}
}
