package debugfile

import (
	"cmp"
	"slices"
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
	once   sync.Once
	built  atomic.Bool

	u        *dwarf.Unit      // the unit that was indexed: skel, or the split unit attached to it
	fns      *dwarf.Functions // nil if the entries cannot be read
	claims   []claim          // of functions, by start
	seqs     []sequence       // by start
	rows     []row
	files    *dwarf.FileTable // nil without a line program
	paths    []atomic.Pointer[string]
	decls    []atomic.Pointer[decl] // by origin
	skeleton bool                   // its split unit is not at hand
	lines    dwarf.LineStats
	high     int // addresses that do not fit 32 bits
	problems []Problem
}

// row is a line row in 16 bytes.
type row struct {
	addr   wasm.CodeOffset
	file   uint32
	line   uint32
	column uint32
}

// sequence is a run of rows of a line table.
type sequence struct {
	Extent
	lo, hi uint32 // rows
	off    uint64 // in .debug_line
	flags  dwarf.SeqFlags
}

// claim is one range of one function.
type claim struct {
	Extent
	fn uint32 // in fns.Funcs
}

// decl is the name of a function and where it is declared.
type decl struct {
	name, linkage string
	file          string
	line          uint32
}

// build indexes the unit once.
func (f *File) build(u *unit) {
	u.once.Do(func() {
		u.u = f.attach(u)
		f.buildFunctions(u)
		f.buildLines(u)
		u.built.Store(true)
	})
}

// problem notes a defect that costs a part of the unit.
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

func (f *File) buildFunctions(u *unit) {
	fns, err := u.u.Functions(dwarf.FuncOptions{CheckScopes: f.opt.CheckScopes})
	if err != nil {
		u.problem(err)
		return
	}
	u.fns = fns
	u.addAll(fns.Problems)
	u.decls = make([]atomic.Pointer[decl], len(fns.Origins))
	for i := range fns.Funcs {
		for _, r := range fns.Ranges[fns.Funcs[i].Ranges.Lo:fns.Funcs[i].Ranges.Hi] {
			if e, ok := u.extent(r.Start, r.End); ok && e.End > e.Start {
				u.claims = append(u.claims, claim{e, uint32(i)})
			}
		}
	}
	slices.SortStableFunc(u.claims, func(a, b claim) int { return cmp.Compare(a.Start, b.Start) })
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

func (f *File) buildLines(u *unit) {
	p, err := u.u.LineProgram()
	if err != nil {
		u.problem(err)
		return
	}
	if p == nil {
		return
	}
	u.addAll(p.Problems())
	u.files = p.Files()
	u.addAll(u.files.Problems())
	u.paths = make([]atomic.Pointer[string], uint64(u.files.NumFiles())+u.files.FirstFile())
	seqs := p.Sequences()
	for seqs.Next() {
		s := seqs.Sequence()
		e, ok := u.extent(s.Start, s.End)
		if !ok || e.End <= e.Start {
			continue
		}
		lo := uint32(len(u.rows))
		for _, r := range seqs.Rows() {
			u.rows = append(u.rows, row{wasm.CodeOffset(r.Addr), r.File, r.Line, r.Column})
		}
		u.seqs = append(u.seqs, sequence{e, lo, uint32(len(u.rows)), s.Off, s.Flags})
	}
	u.addAll(seqs.Problems())
	u.lines = seqs.Stats()
	u.rows = slices.Clip(u.rows)
	slices.SortStableFunc(u.seqs, func(a, b sequence) int { return cmp.Compare(a.Start, b.Start) })
}

// memory returns the bytes that the unit's index takes.
func (u *unit) memory() int64 {
	if !u.built.Load() {
		return 0
	}
	n := int64(len(u.claims))*int64(unsafe.Sizeof(claim{})) + int64(len(u.seqs))*int64(unsafe.Sizeof(sequence{})) +
		int64(cap(u.rows))*int64(unsafe.Sizeof(row{})) + int64(len(u.paths)+len(u.decls))*8
	if u.fns != nil {
		n += int64(len(u.fns.Funcs))*int64(unsafe.Sizeof(dwarf.Func{})) + int64(len(u.fns.Inlines))*int64(unsafe.Sizeof(dwarf.Inline{})) +
			int64(len(u.fns.Ranges))*int64(unsafe.Sizeof(dwarf.Range{})) + int64(len(u.fns.Origins))*int64(unsafe.Sizeof(dwarf.Ref{}))
	}
	return n
}

// path returns the path of a file of the unit's line table, made once.
func (u *unit) path(file uint64) string {
	if u.files == nil {
		return ""
	}
	if file >= uint64(len(u.paths)) {
		return dwarf.UnknownFile
	}
	if s := u.paths[file].Load(); s != nil {
		return *s
	}
	s, _ := u.files.Path(file)
	u.paths[file].CompareAndSwap(nil, &s)
	return *u.paths[file].Load()
}

// decl returns the declaration of an origin, made once.
func (f *File) decl(u *unit, origin uint32) *decl {
	if d := u.decls[origin].Load(); d != nil {
		return d
	}
	from, _ := u.fns.Decl(origin) // what could be read of a damaged one is returned
	d := &decl{name: string(from.Name), linkage: string(from.LinkageName), line: from.Line}
	if from.FileUnit != nil && from.File != 0 || from.FileUnit != nil && from.FileUnit.Version >= 5 {
		d.file = f.declFile(u, from.FileUnit, from.File)
	}
	u.decls[origin].CompareAndSwap(nil, d)
	return u.decls[origin].Load()
}

// declFile returns the path of a file that another unit's table may hold.
func (f *File) declFile(u *unit, of *dwarf.Unit, file uint64) string {
	if of == u.u || of == u.skel {
		return u.path(file)
	}
	p, err := of.LineProgram()
	if err != nil || p == nil {
		return ""
	}
	s, ok := p.Files().Path(file)
	if !ok {
		return ""
	}
	return s
}
