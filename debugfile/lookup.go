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
	if err := mapped.Guard(func() { a = f.lookup(c, buf) }); err != nil {
		return Answer{Frames: buf[:0], Reason: ReasonUnavailable}
	}
	return a
}

func (f *File) lookup(c wasm.CodeOffset, buf []Frame) Answer {
	body, reason := f.bodies.find(c)
	if body < 0 {
		if f.bodies.len() == 0 {
			return f.lookupWithoutBodies(c, buf)
		}
		return Answer{Frames: buf[:0], Reason: reason}
	}
	a := Answer{Frames: buf[:0], Index: f.bodies.imported + uint32(body), HasIndex: true, Body: f.bodies.extent(body)}
	r := f.resolve(body)
	f.frames(&a, r, c)
	if len(a.Frames) == 0 || a.Frames[0].Line == 0 && a.Frames[0].Function == "" {
		f.lowerTiers(&a, c)
	} else if last := &a.Frames[len(a.Frames)-1]; last.Function == "" {
		// Line tables alone name no function.
		last.Function = f.names.function(f, a.Index)
	}
	return a
}

// frames appends what DWARF says about c in a body, and sets the reason when
// there is no line.
func (f *File) frames(a *Answer, r *resolved, c wasm.CodeOffset) {
	fn, hasFn := find(r.claims, c)
	seq, hasSeq := find(r.seqs, c)
	var at row
	hasRow := false
	if hasSeq {
		at, hasRow = seq.unit.rowAt(seq.index, c)
	}
	switch {
	case hasRow && at.line == 0:
		a.Reason = ReasonLineZero
	case hasRow:
	case hasFn:
		a.Reason = ReasonNoRow
	case r.skeleton:
		a.Reason = ReasonSkeleton
	case r.shadowed:
		a.Reason = ReasonShadowed
	case r.damaged:
		a.Reason = ReasonDamaged
	case len(r.claims)+len(r.seqs) > 0:
		a.Reason = ReasonNoRow
	default:
		a.Reason = ReasonNoDebugInfo
	}
	if r.skeleton && hasRow && !hasFn {
		a.Reason = ReasonSkeleton // the line is right, but inlined frames are missing
	}
	if !hasFn && !hasRow {
		return
	}
	var pos Frame
	pos.Source = TierDWARF
	if hasRow {
		pos.File, pos.Line, pos.Column = seq.unit.path(uint64(at.file)), at.line, at.column
	}
	if !hasFn {
		a.Frames = append(a.Frames, pos)
		return
	}
	f.inlineFrames(a, fn, c, pos, hasRow)
}

// inlineFrames appends the calls inlined at c, innermost first, and the function.
func (f *File) inlineFrames(a *Answer, fn ref, c wasm.CodeOffset, pos Frame, hasRow bool) {
	u := fn.unit
	function := &u.fns.Funcs[u.claims[fn.index].fn]
	for i := innermost(u.fns, function, c); i >= 0; i = u.fns.Inlines[i].Parent {
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
	d := f.decl(u, function.Origin)
	pos.Function, pos.Linkage = d.name, d.linkage
	if !hasRow && c == fn.Start {
		// Where a stack overflow points, before the first row: the declaration.
		pos.File, pos.Line = d.file, d.line
		if pos.Line != 0 && pos.File != "" {
			a.Reason = ReasonNone
		}
	}
	a.Frames = append(a.Frames, pos)
}

// innermost returns the index of the innermost call inlined at c, or −1.
func innermost(fns *dwarf.Functions, function *dwarf.Func, c wasm.CodeOffset) int32 {
	found := int32(-1)
	for i := function.Inlines.Lo; i < function.Inlines.Hi; {
		in := &fns.Inlines[i]
		if covers(fns.Ranges[in.Ranges.Lo:in.Ranges.Hi], uint64(c)) {
			found = int32(i)
			i++ // the calls inside come next
			continue
		}
		i = max(in.End, i+1)
		if found >= 0 && i >= fns.Inlines[found].End {
			break
		}
	}
	return found
}

func covers(ranges []dwarf.Range, addr uint64) bool {
	for i := range ranges {
		if ranges[i].Contains(addr) {
			return true
		}
	}
	return false
}

// find returns the one of a few live extents that holds c.
func find(list []ref, c wasm.CodeOffset) (ref, bool) {
	for i := range list {
		if list[i].Contains(c) {
			return list[i], true
		}
	}
	return ref{}, false
}

// rowAt returns the last row of a sequence at or before c.
func (u *unit) rowAt(seq uint32, c wasm.CodeOffset) (row, bool) {
	s := &u.seqs[seq]
	lo, hi := int(s.lo), int(s.hi)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if u.rows[mid].addr <= c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == int(s.lo) {
		return row{}, false
	}
	return u.rows[lo-1], true
}
