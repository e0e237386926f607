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
func (x *dwarfCheck) fates() {
	var outside, off, other, unclaimed, overlap places
	shadowed, alone, live := 0, 0, 0
	for i := range x.f.NumBodies() {
		_, e := x.f.Body(i)
		claim, claimEnd := x.claimsOf(i)
		seq, seqEnd := x.seqsOf(i)
		if claim == claimEnd && seq == seqEnd {
			continue
		}
		fits := x.fitting(i)
		answered, moved := false, false
		for ; claim < claimEnd; claim++ {
			switch c := x.f.FunctionRange(claim); c.Fate {
			case debugfile.Live:
				answered = true
			case debugfile.NoBody:
				outside.add(c.Start)
			case debugfile.Unclaimed:
				unclaimed.add(c.Start)
			case debugfile.Lost:
				if x.sameName(fits.live, &c) {
					shadowed, moved = shadowed+1, true
				} else {
					overlap.add(c.Start)
				}
			default:
				switch {
				case c.Start == e.Start && !fits.seqs[c.Unit]:
					shadowed, moved = shadowed+1, true
				case c.Fate == debugfile.OffBoundary && c.Start != e.Start:
					off.add(c.Start)
				default:
					other.add(c.Start)
				}
			}
		}
		for ; seq < seqEnd; seq++ {
			switch s := x.f.Sequence(seq); s.Fate {
			case debugfile.Live:
				answered = true
			case debugfile.NoBody:
				outside.add(s.Start)
			case debugfile.Unclaimed:
				unclaimed.add(s.Start)
			case debugfile.Lost:
				shadowed, moved = shadowed+1, true
			default:
				switch {
				case s.Start-e.Start <= maxLocals && !fits.claims[s.Unit]:
					shadowed, moved = shadowed+1, true
				case s.Fate == debugfile.OffBoundary && s.Start-e.Start > maxLocals:
					off.add(s.Start)
				default:
					other.add(s.Start)
				}
			}
		}
		switch {
		case answered:
			live++
		case moved:
			alone++
		}
	}
	x.beforeFirst(&outside)
	x.outside(&outside)
	many(x.findPlaces(&off, OffInstruction, "%d ranges or line sequences begin inside of a function, where no instruction starts"), off.n, off.samples(x))
	many(x.findPlaces(&other, OtherCode, "%d ranges or line sequences do not end where their function does"), other.n, other.samples(x))
	many(x.findPlaces(&unclaimed, Unclaimed, "%d ranges or line sequences belong to units that do not claim the code"), unclaimed.n, unclaimed.samples(x))
	many(x.findPlaces(&overlap, Overlapping, "%d functions claim code that is another function's"), overlap.n, overlap.samples(x))
	at := report.Location{Path: x.debug().Path, Section: ".debug_info"}
	switch {
	case alone > live && other.n+off.n+outside.n == 0:
		x.find(OtherCode, at, "for %d of %d functions the DWARF has nothing but ranges and rows that do not fit: it describes other code", alone, alone+live)
	case shadowed > 0:
		f := x.find(Shadowed, at, "%d ranges and line sequences are of definitions that lost at link time; for %d functions there is nothing else", shadowed, alone)
		if f != nil {
			f.Count = shadowed
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

// sameName reports whether a function that lost has the name of the one that won.
func (x *dwarfCheck) sameName(live []debugfile.FunctionRange, loser *debugfile.FunctionRange) bool {
	for k := range live {
		if x.f.SameName(live[k], *loser) {
			return true
		}
	}
	return false
}

// places are offsets of the code at which there is one kind of defect.
type places struct {
	n     int
	first []wasm.CodeOffset
}

func (p *places) add(c wasm.CodeOffset) {
	if p.n++; len(p.first) < maxSamples && !slices.Contains(p.first, c) {
		p.first = append(p.first, c)
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
