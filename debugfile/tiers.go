package debugfile

import "github.com/wasm-debugid/wasm-debugid/wasm"

// lowerTiers completes an answer for which DWARF has neither a line nor a name.
func (f *File) lowerTiers(a *Answer, _ wasm.CodeOffset) {
	frame := Frame{Source: TierIndex}
	if len(a.Frames) > 0 {
		frame = a.Frames[len(a.Frames)-1]
		a.Frames = a.Frames[:len(a.Frames)-1]
	}
	if name := f.names.function(f, a.Index); name != "" {
		frame.Function = name
		if frame.Source == TierIndex {
			frame.Source = TierNames
		}
	}
	a.Frames = append(a.Frames, frame)
}

// lookupWithoutBodies answers from DWARF alone, for a file without code.
func (f *File) lookupWithoutBodies(c wasm.CodeOffset, buf []Frame) Answer {
	a := Answer{Frames: buf[:0], Reason: ReasonNoDebugInfo}
	if c == 0 {
		a.Reason = ReasonFunctionCount
		return a
	}
	r := &resolved{}
	for _, i := range f.candidates(nil, Extent{c, c + 1}) {
		u := f.units[i]
		f.build(u)
		r.skeleton = r.skeleton || u.skeleton
		for k := range u.claims {
			if u.claims[k].Contains(c) {
				r.claims = append(r.claims, ref{u.claims[k].Extent, u, uint32(k)})
			}
		}
		for k := range u.seqs {
			if u.seqs[k].Contains(c) {
				r.seqs = append(r.seqs, ref{u.seqs[k].Extent, u, uint32(k)})
			}
		}
	}
	a.Reason = ReasonNone
	f.frames(&a, r, c)
	return a
}
