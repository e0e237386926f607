package debugfile

import (
	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Lookup answers what stands at c. The answer's frames are appended to buf, which
// may be nil; with room in buf, and once what it needs is indexed, a lookup
// allocates nothing.
func (f *File) Lookup(c wasm.CodeOffset, buf []Frame) Answer {
	var a Answer
	if f.shrunk.Load() {
		return Answer{Frames: buf[:0], Reason: ReasonUnavailable}
	}
	if err := mapped.Guard(func() { a = f.lookup(c, buf) }); err != nil {
		// What was being indexed is half done, and nothing says how far.
		f.shrunk.Store(true)
		return Answer{Frames: buf[:0], Reason: ReasonUnavailable}
	}
	return a
}

// LookupFunction answers for a function by its index, imports counted, where no
// offset is known: its name and where it is declared. It reports false for an
// index without a body.
func (f *File) LookupFunction(index uint32, buf []Frame) (Answer, bool) {
	i := int64(index) - int64(f.bodies.imported)
	if i < 0 || i >= int64(f.bodies.len()) {
		return Answer{Frames: buf[:0]}, false
	}
	c := f.bodies.starts[i]
	a := f.Lookup(c, buf)
	if len(a.Frames) > 1 {
		// A call inlined at the very start says nothing about the function.
		a.Frames = append(a.Frames[:0], a.Frames[len(a.Frames)-1])
	}
	return a, true
}

func (f *File) lookup(c wasm.CodeOffset, buf []Frame) Answer {
	body, reason := f.bodies.find(c)
	if body < 0 {
		if f.bodies.len() == 0 && f.code.Code() == nil || reason == ReasonCodeDamaged {
			return f.lookupWithoutBodies(c, buf, reason)
		}
		return Answer{Frames: buf[:0], Reason: reason}
	}
	a := Answer{Frames: buf[:0], Index: f.bodies.imported + uint32(body), HasIndex: true, Body: f.bodies.extent(body)}
	f.frames(&a, f.resolve(body), c)
	f.lowerTiers(&a, c)
	return a
}

// frames appends what DWARF says about c in a body, and sets the reason when
// there is no line.
func (f *File) frames(a *Answer, r *resolved, c wasm.CodeOffset) {
	fn, seq := find(r.claims, c), find(r.seqs, c)
	var at dwarf.ShortRow
	hasRow := false
	if seq >= 0 {
		at, hasRow = rowAt(r.rows[seq], c)
	}
	if !hasRow && fn < 0 {
		a.Reason = r.nothing()
		if c == a.Body.Start && a.HasIndex {
			f.firstRow(a, r)
		}
		return
	}
	pos := Frame{Source: TierDWARF}
	switch {
	case !hasRow:
		a.Reason = ReasonNoRow
	case at.Line == 0:
		a.Reason = ReasonLineZero
	case r.skeleton && fn < 0:
		a.Reason = ReasonSkeleton // the line is right, but names and inlined frames are missing
	}
	if hasRow {
		pos.File, pos.Line, pos.Column = f.units[r.seqs[seq].unit].path(uint64(at.File)), at.Line, at.Column
		if pos.File == "" && a.Reason == ReasonNone {
			a.Reason = ReasonNoFile
		}
	}
	if fn < 0 {
		a.Frames = append(a.Frames, pos)
		return
	}
	f.callFrames(a, r, fn, c, pos, hasRow)
}

// nothing says why there is neither a function nor a row.
func (r *resolved) nothing() Reason {
	switch {
	case r.skeleton:
		return ReasonSkeleton
	case r.shadowed:
		return ReasonShadowed
	case r.damaged:
		return ReasonDamaged
	case !r.empty():
		return ReasonNoRow
	}
	return ReasonNoDebugInfo
}

// callFrames appends the calls inlined at c, innermost first, and the function.
func (f *File) callFrames(a *Answer, r *resolved, claim int, c wasm.CodeOffset, pos Frame, hasRow bool) {
	u := f.units[r.claims[claim].unit]
	number := u.claims[r.claims[claim].index].fn
	function := &u.fns.Funcs[number]
	for i := f.innermost(r, claim, u.fns, function, c); i >= 0; i = u.fns.Inlines[i].Parent {
		in := &u.fns.Inlines[i]
		d := f.decl(u, in.Origin)
		pos.Function, pos.Linkage, pos.Inlined = d.name, d.linkage, true
		a.Frames = append(a.Frames, pos)
		pos = Frame{Source: TierDWARF, File: u.path(uint64(in.CallFile)), Line: in.CallLine, Column: in.CallColumn}
		if in.CallLine == 0 {
			pos.File = ""
		}
		hasRow = true
	}
	d := f.funcDecl(u, number)
	pos.Function, pos.Linkage = d.name, d.linkage
	if !hasRow && c == a.Body.Start {
		// Where a stack overflow points, before the first row: the declaration.
		if pos.File, pos.Line = d.file, d.line; pos.File != "" && pos.Line != 0 {
			a.Reason = ReasonNone
		} else {
			f.firstRow(a, r)
			if len(a.Frames) > 0 {
				first := &a.Frames[len(a.Frames)-1]
				first.Function, first.Linkage = d.name, d.linkage
				return
			}
			pos.File, pos.Line = "", 0
		}
	}
	a.Frames = append(a.Frames, pos)
}

// firstRow answers for the start of a body with the position of its first row.
func (f *File) firstRow(a *Answer, r *resolved) {
	if len(r.seqs) == 0 {
		return
	}
	u := f.units[r.seqs[0].unit]
	for _, at := range r.rows[0] {
		if at.Line == 0 {
			continue
		}
		file := u.path(uint64(at.File))
		if file == "" {
			return
		}
		a.Frames = append(a.Frames, Frame{Source: TierDWARF, File: file, Line: at.Line, Column: at.Column})
		a.Reason = ReasonNone
		if r.skeleton && len(r.claims) == 0 {
			a.Reason = ReasonSkeleton
		}
		return
	}
}

// lookupWithoutBodies answers from DWARF alone: for a file without code, and for
// places behind a defect of the Code section. Nothing can be said there about
// which of several definitions is live.
func (f *File) lookupWithoutBodies(c wasm.CodeOffset, buf []Frame, reason Reason) Answer {
	a := Answer{Frames: buf[:0], Reason: reason}
	if c == 0 {
		a.Reason = ReasonFunctionCount
		return a
	}
	r := &resolved{}
	for _, i := range f.coarse().candidates(Extent{c, c + 1}) {
		u := f.units[i]
		f.build(u)
		r.doubt(u)
		for k := range u.claims {
			if u.claims[k].Contains(c) && len(r.claims) == 0 {
				r.claims = append(r.claims, ref{u.claims[k].Extent, i, uint32(k)})
			}
		}
		o := u.lineOwner
		for k := 0; o != nil && k < len(o.seqs); k++ {
			if o.seqs[k].Contains(c) && len(r.seqs) == 0 {
				r.seqs = append(r.seqs, ref{o.seqs[k].Extent, int32(o.number), uint32(k)})
			}
		}
	}
	s := settler{f: f}
	r.rows = s.readRows(r.seqs)
	r.calls = s.calls.take(len(r.claims))
	a.Reason = ReasonNone
	f.frames(&a, r, c)
	if len(a.Frames) == 0 && reason == ReasonCodeDamaged {
		a.Reason = reason
	}
	return a
}

// rowAt returns the last row of a sequence at or before c.
func rowAt(rows []dwarf.ShortRow, c wasm.CodeOffset) (dwarf.ShortRow, bool) {
	i := lowerBound(rows, c+1, func(r *dwarf.ShortRow) wasm.CodeOffset { return wasm.CodeOffset(r.Addr) })
	if i == 0 {
		return dwarf.ShortRow{}, false
	}
	return rows[i-1], true
}
