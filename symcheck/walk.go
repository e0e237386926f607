package symcheck

import (
	"errors"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Classes of functions in one byte.
const (
	userClass uint8 = iota
	runtimeClass
	glueClass
)

// bodyResult is what the walk found out about one body.
type bodyResult struct {
	counts       report.Counts // reportable points
	instructions int64
	unit         int32 // −1: none
	class        uint8
	defects      uint16
	place        wasm.CodeOffset // of the first defect
	name, file   string
}

// Defects of a body.
const (
	rowOff     uint16 = 1 << iota // a row is not on an instruction
	rangeOff                      // the function's range is not the body
	undecoded                     // the code cannot be decoded
	unknown                       // there is an instruction that the table does not hold
	misnamed                      // the name section and the DWARF disagree
	renamed                       // both have a name: it could be compared
	tooLarge                      // the body is larger than engines accept
	nameless                      // the DWARF has no name for its function
	nameLost                      // likewise: it has one, which is empty or cannot be read
	unnamed                       // likewise: and the name section has none either
	noEntry                       // the function has rows, and no entry
	rowless                       // the function has no row in the line table of its unit
	rowful                        // no defect: it has rows
	numDefects = iota
)

// bodyWalker is what one worker keeps from body to body.
type bodyWalker struct {
	buf    []byte
	frames []debugfile.Frame
	result bodyResult
	sum    *tally
}

// Bodies are handed to workers in batches, by number and by bytes.
const (
	batchBodies = 256
	batchBytes  = 1 << 20
)

// walk decodes every body once, and walks over its rows in step. What is found out
// about a body is summed up and forgotten.
func (x *dwarfCheck) walk() error {
	n := x.f.NumBodies()
	span, ok := x.codeSpan()
	if !ok {
		if n > 0 {
			x.couldNot("reportable points: the production module has no code")
		}
		return nil
	}
	x.listed = make([]report.Group, min(n, max(listedAlways, int(span.Size)/listedBytes)))
	workers := make([]bodyWalker, max(1, x.o.Workers))
	for i := range workers {
		workers[i].sum = newTally()
	}
	var next batches
	err := x.parallel(len(workers), func(w, _ int) error {
		for lo, hi := next.take(x, n); lo < hi && x.ctx.Err() == nil; lo, hi = next.take(x, n) {
			for i := lo; i < hi; i++ {
				r := &workers[w].result
				*r = bodyResult{unit: -1}
				if err := x.body(&workers[w], r, i, span); err != nil {
					return x.prod.fail(err)
				}
				x.record(workers[w].sum, r, i)
			}
		}
		return nil
	})
	for i := range workers {
		x.sum.add(workers[i].sum)
	}
	return err
}

// batches hands out runs of bodies.
type batches struct {
	mu sync.Mutex
	at int
}

// take returns the next run, which is empty at the end.
func (b *batches) take(x *dwarfCheck, n int) (lo, hi int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lo, hi = b.at, b.at
	for size := wasm.CodeOffset(0); hi < n && hi-lo < batchBodies && size < batchBytes; hi++ {
		_, e := x.f.Body(hi)
		size += e.End - e.Start
	}
	b.at = hi
	return lo, hi
}

// codeSpan returns where the code lies that is decoded: the production module's.
func (x *dwarfCheck) codeSpan() (wasm.CodeSpan, bool) { return x.prod.File.CodeSpan() }

// body checks one body.
func (x *dwarfCheck) body(w *bodyWalker, r *bodyResult, i int, span wasm.CodeSpan) error {
	index, e := x.f.Body(i)
	if e.End-e.Start > maxBody {
		r.defect(tooLarge, e.Start)
	}
	if e.End-e.Start > wasm.MaxBody {
		r.defect(undecoded, e.Start)
		return nil
	}
	code, err := x.prod.bytes(int64(span.Start)+int64(e.Start), int64(e.End-e.Start), &w.buf)
	if err != nil {
		return err
	}
	a := x.f.Lookup(e.Start, w.frames[:0])
	w.frames = a.Frames
	x.describe(r, &a, index, i)
	r.counts.Add(pointCounts[x.classify(&a)])

	body := wasm.NewBody(index, e.Start, e.End, span)
	s := stepper{x: x, w: w, r: r, it: body.Instructions(code)}
	s.more = s.it.Next()
	first := e.Start
	if s.more {
		first = s.it.At()
	}
	for k, end := x.seqsOf(i); k < end; k++ {
		q := x.f.Sequence(k)
		if q.Fate != debugfile.Live {
			continue
		}
		for at, line := range x.f.SequenceMarks(q) {
			if s.to(at); at != e.Start && at != e.End && !(s.more && s.it.At() == at) {
				r.defect(rowOff, at)
			}
			s.line = line
		}
		s.to(q.End)
		s.line = false
	}
	s.to(e.End)
	if err := s.it.Err(); err != nil {
		if errors.Is(err, wasm.ErrUnknownOpcode) || errors.Is(err, wasm.ErrUnknownType) {
			r.defect(unknown, e.Start)
			r.defects &^= rowOff // not known behind the instruction
		} else {
			r.defect(undecoded, e.Start)
		}
		return nil
	}
	claims, claimsEnd := x.claimsOf(i)
	for k := claims; k < claimsEnd; k++ {
		if c := x.f.FunctionRange(k); c.Fate == debugfile.Live && (c.Start > first || c.End != e.End && c.End != e.End-1) {
			r.defect(rangeOff, c.Start)
		}
	}
	x.function(r, i)
	r.class = x.class(r, &s.shape, a.Reason, i)
	return nil
}

// stepper walks over the instructions of a body, as far as the rows have come.
type stepper struct {
	x     *dwarfCheck
	w     *bodyWalker
	r     *bodyResult
	it    wasm.Instructions
	more  bool // it stands on an instruction
	line  bool // the row that counts names a file and a line
	shape bodyShape
}

// to counts the instructions before c.
func (s *stepper) to(c wasm.CodeOffset) {
	for ; s.more && s.it.At() < c; s.more = s.it.Next() {
		op := s.it.Instr()
		s.r.instructions++
		s.shape.add(&op)
		if !op.Flags.Reportable() && !(s.x.o.Loops && op.Flags&wasm.OpLoop != 0) {
			continue
		}
		switch {
		case s.x.sourceMap:
			a := s.x.f.Lookup(s.it.At(), s.w.frames[:0])
			s.w.frames = a.Frames
			s.r.counts.Add(pointCounts[s.x.classify(&a)])
		case s.line:
			s.r.counts.Line++
		case s.r.name != "":
			s.r.counts.Function++
		default:
			s.r.counts.Nothing++
		}
	}
}

// point is how far a reportable point resolves.
type point uint8

const (
	pointNothing point = iota
	pointFunction
	pointLine
)

// classify says how far an answer goes.
func (x *dwarfCheck) classify(a *debugfile.Answer) point {
	if a.HasLine() {
		return pointLine
	}
	for i := range a.Frames {
		if a.Frames[i].Function != "" || a.Frames[i].Linkage != "" {
			return pointFunction
		}
	}
	return pointNothing
}

var pointCounts = [...]report.Counts{pointNothing: {Nothing: 1}, pointFunction: {Function: 1}, pointLine: {Line: 1}}

func (r *bodyResult) defect(d uint16, at wasm.CodeOffset) {
	if r.defects&(rowOff|rangeOff|undecoded|unknown|tooLarge) == 0 {
		r.place = at
	}
	r.defects |= d
}

// describe notes what the function is called and where it stands, and compares
// its two names.
func (x *dwarfCheck) describe(r *bodyResult, a *debugfile.Answer, index uint32, i int) {
	if u, ok := x.f.BodyUnit(i); ok {
		r.unit = int32(u)
	}
	listed, has := x.f.FunctionName(index)
	r.name = listed
	if len(a.Frames) == 0 {
		return
	}
	f := &a.Frames[len(a.Frames)-1]
	r.file = f.File
	if !has {
		r.name = f.Name()
	}
	if r.unit < 0 || !has || f.Source != debugfile.TierDWARF || f.Function == "" && f.Linkage == "" || !x.claimed(i) {
		return
	}
	r.defects |= renamed
	if !sameFunction(listed, f.Function, f.Linkage) {
		r.defects |= misnamed
	}
}

// bodyFindings reports the defects of bodies.
func (x *dwarfCheck) bodyFindings() {
	sum := &x.sum
	points := sum.total().Total()
	x.fact("instructions", "%d", sum.instructions)
	x.fact("reportable points", "%d", points)
	x.checked("%d instructions of %d functions are decoded, and %d reportable points looked up", sum.instructions, sum.bodies, points)
	rows, ranges, broken, strange, large := sum.of(rowOff), sum.of(rangeOff), sum.of(undecoded), sum.of(unknown), sum.of(tooLarge)
	many(x.findPlaces(rows, OffInstruction, "in %d functions line rows stand where no instruction starts"), rows.n, rows.samples(x))
	many(x.findPlaces(ranges, OtherCode, "%d functions have DWARF for a part of their body only"), ranges.n, ranges.samples(x))
	many(x.findPlaces(broken, CodeDamaged, "%d function bodies cannot be decoded"), broken.n, broken.samples(x))
	if large.n > 0 {
		many(x.findAs(report.Error, SizeLimit, x.at(large.first[0]), "%d function bodies are larger than the %d bytes that engines accept", large.n, maxBody), large.n, large.samples(x))
	}
	if strange.n > 0 { // whatever the rule is set to: what was not checked is no pass
		many(x.findPlaces(strange, InstructionUnknown, "%d functions hold instructions that this release does not know"), strange.n, strange.samples(x))
		x.couldNot("%d functions with instructions that this release does not know", strange.n)
	}
	x.disagreeing(sum.of(misnamed), sum.of(renamed).n)
	x.incomplete()
}
