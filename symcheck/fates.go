package symcheck

import (
	"slices"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// fates tells shadowed definitions from damage.
//
// The linker moves the DWARF of a definition that lost onto the winner's code.
// Such a range starts exactly where a body does, and its rows start a few bytes
// behind that; both have the length of the definition that is gone, so that they
// do not fit together. What starts elsewhere, and a range whose unit has rows that
// do fit the body (or the other way round), was not moved by a linker: it is
// damage, or describes other code.
func (x *dwarfCheck) fates() error {
	workers := make([]fates, max(1, x.o.Workers))
	var next batches
	n := x.f.NumBodies()
	err := x.parallel(len(workers), func(w, _ int) error {
		for lo, hi := next.take(x, n); lo < hi && x.ctx.Err() == nil; lo, hi = next.take(x, n) {
			for i := lo; i < hi; i++ {
				workers[w].body(x, i)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	sum := &workers[0]
	for i := range workers[1:] {
		sum.merge(&workers[1+i])
	}
	sum.report(x)
	return nil
}

// fates is what has become of the ranges and sequences of a number of bodies.
type fates struct {
	outside, off, other, unclaimed, overlap places

	shadowed    int // ranges and sequences
	alone, live int // bodies that have nothing but shadowed ones, and such with some that answer
	misfit      int // bodies with none that answers, those of alone among them
}

// merge adds what is known of other bodies.
func (f *fates) merge(o *fates) {
	f.outside.merge(&o.outside)
	f.off.merge(&o.off)
	f.other.merge(&o.other)
	f.unclaimed.merge(&o.unclaimed)
	f.overlap.merge(&o.overlap)
	f.shadowed, f.alone, f.live, f.misfit = f.shadowed+o.shadowed, f.alone+o.alone, f.live+o.live, f.misfit+o.misfit
}

// body adds what starts in body i.
func (f *fates) body(x *dwarfCheck, i int) {
	_, e := x.f.Body(i)
	claim, claimEnd := x.claimsOf(i)
	seq, seqEnd := x.seqsOf(i)
	if claim == claimEnd && seq == seqEnd {
		return
	}
	fits := x.fitting(i)
	answered, moved := false, false
	for ; claim < claimEnd; claim++ {
		switch c := x.f.FunctionRange(claim); c.Fate {
		case debugfile.Live:
			answered = true
		case debugfile.NoBody:
			f.outside.add(c.Start)
		case debugfile.Unclaimed:
			f.unclaimed.add(c.Start)
		case debugfile.Lost:
			if fits.sameName(x, c) {
				f.shadowed, moved = f.shadowed+1, true
			} else {
				f.overlap.add(c.Start)
			}
		default:
			switch {
			case c.Start == e.Start && !fits.seqs[c.Unit]:
				f.shadowed, moved = f.shadowed+1, true
			case c.Fate == debugfile.OffBoundary && c.Start != e.Start:
				f.off.add(c.Start)
			default:
				f.other.add(c.Start)
			}
		}
	}
	for ; seq < seqEnd; seq++ {
		switch s := x.f.Sequence(seq); s.Fate {
		case debugfile.Live:
			answered = true
		case debugfile.NoBody:
			f.outside.add(s.Start)
		case debugfile.Unclaimed:
			f.unclaimed.add(s.Start)
		case debugfile.Lost:
			f.shadowed, moved = f.shadowed+1, true
		default:
			switch {
			case s.Start-e.Start <= maxLocals && !fits.claims[s.Unit]:
				f.shadowed, moved = f.shadowed+1, true
			case s.Fate == debugfile.OffBoundary && s.Start-e.Start > maxLocals:
				f.off.add(s.Start)
			default:
				f.other.add(s.Start)
			}
		}
	}
	if answered {
		f.live++
		return
	}
	f.misfit++
	if moved {
		f.alone++
	}
}

func (f *fates) report(x *dwarfCheck) {
	x.beforeFirst(&f.outside)
	x.outside(&f.outside)
	many(x.findPlaces(&f.off, OffInstruction, "%d ranges or line sequences begin inside of a function, where no instruction starts"), f.off.n, f.off.samples(x))
	many(x.findPlaces(&f.other, OtherCode, "%d ranges or line sequences do not end where their function does"), f.other.n, f.other.samples(x))
	many(x.findPlaces(&f.unclaimed, Unclaimed, "%d ranges or line sequences belong to units that do not claim the code"), f.unclaimed.n, f.unclaimed.samples(x))
	many(x.findPlaces(&f.overlap, Overlapping, "%d functions claim code that is another function's"), f.overlap.n, f.overlap.samples(x))
	at := report.Location{Path: x.debug().Path, Section: ".debug_info"}
	switch {
	case f.misfit > f.live && x.shiftedByWalrus(at, f.shadowed):
		// They did not lose at link time.
	case f.alone > f.live: // a linker does not let most definitions lose
		x.find(OtherCode, at, "for %d of %d functions the DWARF has nothing but ranges and rows that do not fit: it describes other code", f.alone, f.alone+f.live)
	case f.shadowed > 0:
		if found := x.find(Shadowed, at, "%d ranges and line sequences are of definitions that lost at link time; for %d functions there is nothing else", f.shadowed, f.alone); found != nil {
			found.Count = f.shadowed
		}
	}
	x.checked("%d ranges of functions and %d line sequences are held against the function bodies", x.f.NumFunctionRanges(), x.f.NumSequences())
}

// maxLocals is how many bytes behind the start of its function a line sequence
// begins at most: clang lets it begin with the first instruction, behind the
// declarations of locals.
const maxLocals = 32

// maxRivals bounds with how many winners a loser's name is compared. A body has one
// function, unless its DWARF is damaged.
const maxRivals = 4

// fitting knows what of one body fits it.
type fitting struct {
	live         []debugfile.FunctionRange // by start; no more than maxRivals
	names        []debugfile.FunctionNames // of live, once they have been needed
	claims, seqs map[int]bool              // units that have a function, or rows, that end where the body does; nil where nothing is out of order
}

// fitting looks at body i.
func (x *dwarfCheck) fitting(i int) (f fitting) {
	_, e := x.f.Body(i)
	claim, claimEnd := x.claimsOf(i)
	seq, seqEnd := x.seqsOf(i)
	order := true
	for k := claim; k < claimEnd && order; k++ {
		order = x.f.FunctionRange(k).Fate == debugfile.Live
	}
	for k := seq; k < seqEnd && order; k++ {
		order = x.f.Sequence(k).Fate == debugfile.Live
	}
	if order {
		return f // as in nearly all bodies
	}
	f.claims, f.seqs = map[int]bool{}, map[int]bool{}
	for ; claim < claimEnd; claim++ {
		c := x.f.FunctionRange(claim)
		if c.Fate == debugfile.Live && len(f.live) < maxRivals {
			f.live = append(f.live, c)
		}
		if c.End == e.End && (c.Fate == debugfile.Live || c.Fate == debugfile.Lost) {
			f.claims[c.Unit] = true
		}
	}
	for ; seq < seqEnd; seq++ {
		if s := x.f.Sequence(seq); s.End == e.End && (s.Fate == debugfile.Live || s.Fate == debugfile.Lost) {
			f.seqs[s.Unit] = true
		}
	}
	return f
}

// sameName reports whether a function that lost has the name of one that won.
func (f *fitting) sameName(x *dwarfCheck, loser debugfile.FunctionRange) bool {
	if f.names == nil {
		for _, c := range f.live {
			f.names = append(f.names, x.f.FunctionNames(c))
		}
	}
	name := x.f.FunctionNames(loser)
	return slices.ContainsFunc(f.names, name.Same)
}

// places are offsets of the code at which there is one kind of defect.
type places struct {
	n     int
	first []wasm.CodeOffset // the lowest ones, in order
}

func (p *places) add(c wasm.CodeOffset) {
	p.n++
	p.keep(c)
}

// keep keeps a place if it is one of the lowest, so that it does not matter in
// which order they are found.
func (p *places) keep(c wasm.CodeOffset) {
	k, have := slices.BinarySearch(p.first, c)
	if have || k == maxSamples {
		return
	}
	p.first = slices.Insert(p.first, k, c)
	p.first = p.first[:min(len(p.first), maxSamples)]
}

// merge adds the places of o.
func (p *places) merge(o *places) {
	p.n += o.n
	for _, c := range o.first {
		p.keep(c)
	}
}

func (p *places) samples(x *dwarfCheck) []report.Location {
	if len(p.first) < 2 {
		return nil
	}
	var out []report.Location
	for _, c := range p.first {
		out = append(out, x.at(c))
	}
	return out
}

// findPlaces adds a finding if there are places; the format takes their number.
func (x *dwarfCheck) findPlaces(p *places, code, format string) *report.Finding {
	if p.n == 0 {
		return nil
	}
	return x.find(code, x.at(p.first[0]), format, p.n)
}

// beforeFirst adds what starts before the first body.
func (x *dwarfCheck) beforeFirst(outside *places) {
	n, q := x.f.NumFunctionRanges(), x.f.NumSequences()
	if x.f.NumBodies() > 0 {
		n, _ = x.claimsOf(0)
		q, _ = x.seqsOf(0)
	}
	for k := range n {
		outside.add(x.f.FunctionRange(k).Start)
	}
	for k := range q {
		outside.add(x.f.Sequence(k).Start)
	}
}

// outside reports what starts where no body is.
func (x *dwarfCheck) outside(p *places) {
	size := "there is no code"
	if span, ok := x.f.CodeSpan(); ok {
		size = "the code ends at C " + wasm.CodeOffset(span.Size).String()
	}
	if p.n > 0 {
		many(x.find(OutsideCode, x.at(p.first[0]), "%d ranges or line sequences start at addresses where no function is, such as C %v; %s", p.n, p.first[0], size), p.n, p.samples(x))
	}
	if h := x.stats.HighAddresses; h > 0 {
		f := x.find(OutsideCode, report.Location{Path: x.debug().Path, Section: ".debug_info"}, "%d addresses lie above 4 GiB, where no code can be; %s", h, size)
		if f != nil {
			f.Count = h
		}
	}
}
