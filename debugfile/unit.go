package debugfile

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// unit is one compile unit and, once built, what it says about code.
type unit struct {
	number int
	skel   *dwarf.Unit // as it stands in the file
	texts  *textBudget // of the file

	// From the root entry, once it has been read; see File.rootsUpTo.
	bad       error     // why it cannot be read; nil mostly
	partial   bool      // what other units import; it has no code of its own
	lineOwner *unit     // the first unit with the same line program, which has its rows; nil without one
	twin      int       // how many skeletons before this one have the same id
	code      []Extent  // what it claims; sorted and disjoint once there is an index of all
	unranged  bool      // it names no range that can be read, and may have code anywhere
	early     []Problem // found in it

	// Of a unit that owns its line program, once there is an index of all: the
	// same for all units with the program together.
	lineCode     []Extent
	lineUnranged bool

	once  sync.Once
	built atomic.Bool

	u        *dwarf.Unit      // the unit that was indexed: skel, or the split unit attached to it
	fns      *dwarf.Functions // nil if the entries cannot be read
	claims   []claim          // of functions, by start
	decls    declTable
	skeleton bool // its split unit is not at hand
	high     int  // addresses that do not fit 32 bits
	problems []Problem

	// Of a unit that owns its line program:
	files   fileNames
	program *dwarf.LineProgram
	seqs    []sequence // by start
	rows    rowPieces  // of those that are likely to be live
	lines   dwarf.LineStats
}

// sequence is a run of rows of a line table. The rows of those that are live are
// kept with the body that they are live in; all others are read again from the
// program when they are asked for.
type sequence struct {
	Extent
	off   uint32 // in .debug_line, which as a section of a module has less than 4 GiB
	rows  uint32 // how many
	kept  rowPlace
	flags dwarf.SeqFlags
}

// claim is one range of one function.
type claim struct {
	Extent
	fn uint32 // in fns.Funcs
}

// build indexes the unit once.
func (f *File) build(u *unit) {
	u.once.Do(func() {
		if u.bad == nil && !u.partial {
			u.u = f.attach(u)
			m := f.scratches.get()
			f.buildFunctions(u, m)
			if u.lineOwner == u {
				f.buildLines(u, m)
			}
			f.scratches.put(m)
		}
		u.built.Store(true)
	})
	if o := u.lineOwner; o != nil && o != u {
		f.build(o)
	}
}

// note records a defect that is known before the unit is built.
func (u *unit) note(p Problem) { u.early = append(u.early, p) }

// problem records a defect that costs a part of the unit.
func (u *unit) problem(err error) {
	u.problems = append(u.problems, problemOf(u.number, err))
}

func (u *unit) addAll(p dwarf.Problems) {
	for _, e := range p.List {
		u.problem(e)
	}
	if more := p.Total - len(p.List); more > 0 {
		u.problems = append(u.problems, Problem{Unit: u.number, Msg: "more defects of the same unit", Count: more})
	}
}

func (f *File) buildFunctions(u *unit, m *scratch) {
	m.claims, m.lean = m.claims[:0], m.lean[:0]
	fns, err := u.u.Functions(dwarf.FuncOptions{CheckScopes: f.opt.CheckScopes, Shadowed: f.winners.Load().shadowed(u, m)})
	if err != nil {
		u.problem(err)
		return
	}
	u.fns = fns
	u.addAll(u.u.Problems())
	if u.u != u.skel {
		u.addAll(u.skel.Problems())
	}
	u.addAll(fns.Problems)
	lean := m.lean
	for i := range fns.Funcs {
		fn := &fns.Funcs[i]
		if fn.Origin == dwarf.NoOrigin {
			m.claims = append(m.claims, claim{lean[0], uint32(i)})
			lean = lean[1:]
			continue
		}
		for _, r := range fns.Ranges[fn.Ranges.Lo:fn.Ranges.Hi] {
			if e, ok := u.extent(r.Start, r.End); ok && e.End > e.Start {
				m.claims = append(m.claims, claim{e, uint32(i)})
			}
		}
	}
	u.claims = sortedCopy(&m.sorter, m.claims, func(c *claim) wasm.CodeOffset { return c.Start })
}

// extent converts a range of addresses; one that does not fit is counted.
func (u *unit) extent(start, end uint64) (Extent, bool) {
	s, ok := wasm.CodeOffsetFromAddress(start)
	e, ok2 := wasm.CodeOffsetFromAddress(end)
	if !ok || !ok2 {
		u.high++
		return Extent{}, false
	}
	return Extent{s, e}, true
}

func (f *File) buildLines(u *unit, m *scratch) {
	p, err := u.u.LineProgram()
	if err != nil {
		u.problem(err)
		return
	}
	if p == nil {
		return
	}
	u.addAll(p.Problems())
	u.program = p
	files := p.HeaderFiles()
	high := u.high
	seqs, strangers := f.readSequences(u, m, files)
	if seqs.DefinesFiles() {
		files, u.high = p.Files(), high
		seqs, strangers = f.readSequences(u, m, files)
	}
	u.files.load(func() *dwarf.FileTable { return files })
	u.addAll(files.Problems())
	u.addAll(seqs.Problems())
	if strangers > 0 {
		u.problems = append(u.problems, Problem{Unit: u.number, Section: dwarf.SecLine.String(), Off: p.Off, Count: strangers,
			Msg: "rows name a file that the table of files does not have"})
	}
	u.lines = seqs.Stats()
	u.seqs = sortedCopy(&m.sorter, m.seqs, func(s *sequence) wasm.CodeOffset { return s.Start })
}

// readSequences lists the sequences of the unit's program and counts the rows that
// name a file which is not in the table.
func (f *File) readSequences(u *unit, m *scratch, files *dwarf.FileTable) (seqs dwarf.SequenceReader, strangers int) {
	m.seqs, u.rows = m.seqs[:0], rowPieces{}
	seqs = u.program.Sequences()
	seqs.Know(uint32(files.FirstFile()), uint32(min(files.NumFiles(), math.MaxInt32)))
	for keep := f.winners.Load().rows(u); seqs.NextCounted(keep); {
		s := seqs.Sequence()
		e, ok := u.extent(s.Start, s.End)
		if !ok || e.End <= e.Start {
			continue
		}
		strangers += seqs.Strangers()
		q := sequence{Extent: e, off: uint32(s.Off), rows: uint32(seqs.RowCount()), flags: s.Flags}
		if rows := seqs.ShortRows(); len(rows) > 0 {
			q.kept = u.rows.add(rows)
		}
		m.seqs = append(m.seqs, q)
	}
	return seqs, strangers
}

// memory returns the bytes that the unit's index takes.
func (u *unit) memory() int64 {
	if !u.built.Load() {
		return 0
	}
	n := int64(cap(u.claims))*int64(unsafe.Sizeof(claim{})) + int64(cap(u.seqs))*int64(unsafe.Sizeof(sequence{})) +
		u.rows.memory() + u.decls.memory() + u.files.memory.Load()
	if u.fns != nil {
		n += int64(cap(u.fns.Funcs))*int64(unsafe.Sizeof(dwarf.Func{})) + int64(cap(u.fns.Inlines))*int64(unsafe.Sizeof(dwarf.Inline{})) +
			int64(cap(u.fns.Ranges))*int64(unsafe.Sizeof(dwarf.Range{})) + int64(u.fns.NumOrigins())*16
	}
	return n
}
