package debugfile

import (
	"bytes"
	"iter"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// What is in this file is for those who look at everything: checks and reports.
// The iterators need [File.Build] to have been called, and give nothing before.
// They copy nothing and allocate nothing for each element. Where files are mapped
// they belong inside of a guard against files that shrink; see internal/mapped.

// FunctionRange is one range of one function's code, as its DWARF has it.
type FunctionRange struct {
	Extent
	Unit   int
	Offset uint64 // of the function's entry in .debug_info (of its .dwo, for split DWARF)
	Fate   Fate

	claim ref
}

// Functions iterates over the ranges of all functions that have code, by start,
// shadowed ones included.
func (f *File) Functions() iter.Seq[FunctionRange] {
	return func(yield func(FunctionRange) bool) {
		for i := range f.NumFunctionRanges() {
			if !yield(f.FunctionRange(i)) {
				return
			}
		}
	}
}

// NumFunctionRanges returns how many ranges [File.Functions] gives.
func (f *File) NumFunctionRanges() int {
	if x := f.full.Load(); x != nil {
		return len(x.claims.refs)
	}
	return 0
}

// FunctionRange returns range i, 0 ≤ i < NumFunctionRanges, in the order of
// [File.Functions].
func (f *File) FunctionRange(i int) FunctionRange {
	x := f.full.Load()
	c := x.claims.refs[i]
	u := f.units[c.unit]
	return FunctionRange{c.Extent, u.number, u.fns.Funcs[u.claims[c.index].fn].Off, x.claims.fates[i], c}
}

// FirstFunctionRange returns the number of the first range that starts at or
// behind c, which is NumFunctionRanges if there is none.
func (f *File) FirstFunctionRange(c wasm.CodeOffset) int {
	if x := f.full.Load(); x != nil {
		return lowerBound(x.claims.refs, c, refStart)
	}
	return 0
}

func refStart(r *ref) wasm.CodeOffset { return r.Start }

// FunctionDecl returns what a function is called and where it is declared, as a
// frame without a column.
func (f *File) FunctionDecl(r FunctionRange) Frame {
	u := f.units[r.claim.unit]
	d := f.funcDecl(u, u.claims[r.claim.index].fn)
	return Frame{Function: d.name, Linkage: d.linkage, File: d.file, Line: d.line, Source: TierDWARF}
}

// FunctionNames are the names of a function as its DWARF has them. They are views
// of the sections and good until the file is closed.
type FunctionNames struct{ name, linkage []byte }

// FunctionNames returns the names of a function. Unlike [File.FunctionDecl] it keeps
// and copies nothing.
func (f *File) FunctionNames(r FunctionRange) FunctionNames {
	u := f.units[r.claim.unit]
	d, _ := u.fns.FuncDecl(u.claims[r.claim.index].fn) // what could be read of a damaged one
	return FunctionNames{d.Name, d.LinkageName}
}

// Same reports whether two functions have the same linkage name, or the same name.
func (n FunctionNames) Same(o FunctionNames) bool {
	return len(n.linkage) > 0 && bytes.Equal(n.linkage, o.linkage) || bytes.Equal(n.name, o.name)
}

// Sequence is a run of rows of a line table.
type Sequence struct {
	Extent
	Unit   int
	Offset uint64 // in .debug_line
	Fate   Fate
	Rows   int
	Flags  SequenceFlags

	seq ref
}

// SequenceFlags say what is unusual about a sequence.
type SequenceFlags uint8

// The flags.
const (
	Unterminated SequenceFlags = SequenceFlags(dwarf.SeqUnterminated) // the program ends inside of it
	Backward     SequenceFlags = SequenceFlags(dwarf.SeqBackward)     // rows were dropped because their address goes back
	PartlyDead   SequenceFlags = SequenceFlags(dwarf.SeqPartlyDead)   // rows of removed code were dropped
	Wrapped      SequenceFlags = SequenceFlags(dwarf.SeqWrapped)      // rows outside of the address space were dropped
)

// Row is a line row.
type Row struct {
	Offset wasm.CodeOffset
	File   string // empty if the table of files does not have it
	Line   uint32 // 0: no line is responsible
	Column uint32
}

// Sequences iterates over all sequences that are not of removed code, by start,
// shadowed ones included.
func (f *File) Sequences() iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for i := range f.NumSequences() {
			if !yield(f.Sequence(i)) {
				return
			}
		}
	}
}

// NumSequences returns how many sequences [File.Sequences] gives.
func (f *File) NumSequences() int {
	if x := f.full.Load(); x != nil {
		return len(x.seqs.refs)
	}
	return 0
}

// Sequence returns sequence i, 0 ≤ i < NumSequences, in the order of
// [File.Sequences].
func (f *File) Sequence(i int) Sequence {
	x := f.full.Load()
	c := x.seqs.refs[i]
	s := &f.units[c.unit].seqs[c.index]
	return Sequence{c.Extent, int(c.unit), uint64(s.off), x.seqs.fates[i], int(s.rows), SequenceFlags(s.flags), c}
}

// FirstSequence returns the number of the first sequence that starts at or behind
// c, which is NumSequences if there is none.
func (f *File) FirstSequence(c wasm.CodeOffset) int {
	if x := f.full.Load(); x != nil {
		return lowerBound(x.seqs.refs, c, refStart)
	}
	return 0
}

// SequenceRows iterates over the rows of a sequence, by offset. Those of a sequence
// that is not live are read again from its line program each time.
func (f *File) SequenceRows(s Sequence) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		var buf [64]dwarf.ShortRow
		f.units[s.seq.unit].each(f.shortRows(s, buf[:]), yield)
	}
}

// SequenceMarks iterates over the places at which a sequence has rows, by offset, and
// says whether the row that counts there names a file and a line.
func (f *File) SequenceMarks(s Sequence) iter.Seq2[wasm.CodeOffset, bool] {
	return func(yield func(wasm.CodeOffset, bool) bool) {
		u := f.units[s.seq.unit]
		var buf [64]dwarf.ShortRow
		rows := f.shortRows(s, buf[:])
		for i := range rows {
			if i+1 < len(rows) && rows[i+1].Addr == rows[i].Addr {
				continue // the last one counts
			}
			if !yield(wasm.CodeOffset(rows[i].Addr), rows[i].Line != 0 && u.path(uint64(rows[i].File)) != "") {
				return
			}
		}
	}
}

// shortRows returns the rows of a sequence, which may be in buf.
func (f *File) shortRows(s Sequence, buf []dwarf.ShortRow) []dwarf.ShortRow {
	if s.Fate == Live {
		if body, _ := f.bodies.find(s.Start); body >= 0 {
			r := f.resolve(body)
			if k := find(r.seqs, s.Start); k >= 0 && r.seqs[k] == s.seq {
				return r.rows[k]
			}
		}
	}
	u := f.units[s.seq.unit]
	return u.program.ShortRows(uint64(u.seqs[s.seq.index].off), buf)
}

// each calls yield for rows of the unit until that returns false.
func (u *unit) each(rows []dwarf.ShortRow, yield func(Row) bool) bool {
	for i := range rows {
		at := &rows[i]
		if !yield(Row{wasm.CodeOffset(at.Addr), u.path(uint64(at.File)), at.Line, at.Column}) {
			return false
		}
	}
	return true
}

// BodyRows iterates over the live rows of body i, by offset. It indexes what it
// needs and works without Build.
func (f *File) BodyRows(i int) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		r := f.resolve(i)
		for k := range r.seqs {
			if !f.units[r.seqs[k].unit].each(r.rows[k], yield) {
				return
			}
		}
	}
}

// BodyLive returns what is live in body i: how many functions and sequences, and
// how many of the body's bytes the functions and the sequences cover.
func (f *File) BodyLive(i int) (functions, sequences int, functionBytes, lineBytes uint32) {
	r := f.resolve(i)
	for _, c := range r.claims {
		functionBytes += uint32(c.End - c.Start)
	}
	for _, s := range r.seqs {
		lineBytes += uint32(s.End - s.Start)
	}
	return len(r.claims), len(r.seqs), functionBytes, lineBytes
}

// NestingProblem is an inlined call with code outside of what it was inlined
// into. No answer shows it there.
type NestingProblem struct {
	Unit     int
	Offset   uint64 // of the call's entry in .debug_info
	Code     Extent // from the call's first to its last byte
	Function uint64 // offset of the function's entry
}

// NestingProblems iterates over the inlined calls that leave their parent, by
// unit.
func (f *File) NestingProblems() iter.Seq[NestingProblem] {
	return func(yield func(NestingProblem) bool) {
		if f.full.Load() == nil {
			return
		}
		for _, u := range f.units {
			if u.fns == nil {
				continue
			}
			for _, c := range u.fns.Outside {
				p := NestingProblem{Unit: u.number, Offset: c.Off, Function: u.fns.Funcs[c.Func].Off}
				start, ok := wasm.CodeOffsetFromAddress(c.Code.Start)
				end, ok2 := wasm.CodeOffsetFromAddress(c.Code.End)
				if ok && ok2 {
					p.Code = Extent{start, end}
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
