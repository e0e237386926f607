package symcheck

import (
	"errors"
	"slices"

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
	line, function, nothing uint32 // reportable points
	instructions            uint32
	unit                    int32 // −1: none
	class                   uint8
	defects                 uint8
	place                   wasm.CodeOffset // of the first defect
	name, file              string
}

// Defects of a body.
const (
	rowOff    uint8 = 1 << iota // a row is not on an instruction
	rangeOff                    // the function's range is not the body
	undecoded                   // the code cannot be decoded
	unknown                     // there is an instruction that the table does not hold
	misnamed                    // the name section and the DWARF disagree
	renamed                     // both have a name: it could be compared
	tooLarge                    // the body is larger than engines accept
)

// mark is a row of the line table, or the end of a sequence.
type mark struct {
	at   wasm.CodeOffset
	line bool // it names a file and a line
	end  bool
}

// bodyWalker is what one worker keeps from body to body.
type bodyWalker struct {
	marks  []mark
	buf    []byte
	frames []debugfile.Frame
}

// Bodies are handed to workers in batches, by number and by bytes.
const (
	batchBodies = 256
	batchBytes  = 1 << 20
)

// batch is a run of bodies.
type batch struct{ lo, hi int }

// walk decodes every body once, and walks over its rows in step.
func (x *dwarfCheck) walk() error {
	n := x.f.NumBodies()
	x.bodies = make([]bodyResult, n)
	var batches []batch
	var size wasm.CodeOffset
	for i := range n {
		_, e := x.f.Body(i)
		if len(batches) == 0 || i-batches[len(batches)-1].lo >= batchBodies || size >= batchBytes {
			batches = append(batches, batch{i, i})
			size = 0
		}
		batches[len(batches)-1].hi = i + 1
		size += e.End - e.Start
	}
	span, ok := x.codeSpan()
	if !ok {
		if x.bodies = nil; n > 0 {
			x.couldNot("reportable points: the production module has no code")
		}
		return nil
	}
	workers := make([]bodyWalker, max(1, x.o.Workers))
	return x.parallel(len(batches), func(w, k int) error {
		for i := batches[k].lo; i < batches[k].hi; i++ {
			if err := x.body(&workers[w], i, span); err != nil {
				return x.prod.fail(err)
			}
		}
		return nil
	})
}

// codeSpan returns where the code lies that is decoded: the production module's.
func (x *dwarfCheck) codeSpan() (wasm.CodeSpan, bool) { return x.prod.File.CodeSpan() }

// body checks one body.
func (x *dwarfCheck) body(w *bodyWalker, i int, span wasm.CodeSpan) error {
	r := &x.bodies[i]
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
	x.rows(w, i)

	x.count(r, x.classify(&a))
	reason := a.Reason
	var shape bodyShape
	byLookup := x.sourceMap
	k, has := 0, false
	first := wasm.CodeOffset(0)
	body := wasm.NewBody(index, e.Start, e.End, span)
	it := body.Instructions(code)
	for it.Next() {
		at, op := it.At(), it.Instr()
		if r.instructions == 0 {
			first = at
		}
		r.instructions++
		for ; k < len(w.marks) && w.marks[k].at <= at; k++ {
			m := &w.marks[k]
			if has = m.line; m.at != at && !m.end && m.at != e.Start {
				r.defect(rowOff, m.at)
			}
		}
		shape.add(&op)
		if !op.Flags.Reportable() && !(x.o.Loops && op.Flags&wasm.OpLoop != 0) {
			continue
		}
		switch {
		case byLookup:
			a = x.f.Lookup(at, w.frames[:0])
			w.frames = a.Frames
			x.count(r, x.classify(&a))
		case has:
			r.line++
		case r.name != "":
			r.function++
		default:
			r.nothing++
		}
	}
	for ; k < len(w.marks); k++ {
		if m := &w.marks[k]; !m.end && m.at != e.End {
			r.defect(rowOff, m.at)
		}
	}
	if err := it.Err(); err != nil {
		if errors.Is(err, wasm.ErrUnknownOpcode) || errors.Is(err, wasm.ErrUnknownType) {
			r.defect(unknown, e.Start)
			r.defects &^= rowOff // not known behind the instruction
		} else {
			r.defect(undecoded, e.Start)
		}
		return nil
	}
	for _, c := range live(x.claimsOf(i)) {
		if c.Start > first || c.End != e.End && c.End != e.End-1 {
			r.defect(rangeOff, c.Start)
		}
	}
	r.class = x.class(r, &shape, reason, i)
	return nil
}

// rows collects the live rows of a body with the ends of their sequences.
func (x *dwarfCheck) rows(w *bodyWalker, i int) {
	w.marks = w.marks[:0]
	seqs := x.seqsOf(i)
	for k := range seqs {
		if seqs[k].Fate != debugfile.Live {
			continue
		}
		for row := range x.f.SequenceRows(seqs[k]) {
			w.marks = append(w.marks, mark{at: row.Offset, line: row.Line != 0 && row.File != ""})
		}
		w.marks = append(w.marks, mark{at: seqs[k].End, end: true})
	}
}

// live returns the ranges that answer for a body.
func live(claims []debugfile.FunctionRange) []debugfile.FunctionRange {
	all := true
	for k := range claims {
		all = all && claims[k].Fate == debugfile.Live
	}
	if all {
		return claims
	}
	return slices.DeleteFunc(slices.Clone(claims), func(c debugfile.FunctionRange) bool { return c.Fate != debugfile.Live })
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

func (x *dwarfCheck) count(r *bodyResult, p point) {
	switch p {
	case pointLine:
		r.line++
	case pointFunction:
		r.function++
	default:
		r.nothing++
	}
}

func (r *bodyResult) defect(d uint8, at wasm.CodeOffset) {
	if r.defects&(rowOff|rangeOff|undecoded|unknown|tooLarge) == 0 {
		r.place = at
	}
	r.defects |= d
}

// describe notes what the function is called and where it stands, and compares
// its two names.
func (x *dwarfCheck) describe(r *bodyResult, a *debugfile.Answer, index uint32, i int) {
	r.unit = -1
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
	if r.unit < 0 || !has || f.Source != debugfile.TierDWARF || f.Function == "" && f.Linkage == "" || len(x.claimsOf(i)) == 0 {
		return
	}
	r.defects |= renamed
	if !sameFunction(listed, f.Function, f.Linkage) {
		r.defects |= misnamed
	}
}

// bodyFindings reports the defects of bodies.
func (x *dwarfCheck) bodyFindings() {
	var instructions, points int64
	compared := 0
	var rows, ranges, broken, strange, large, names places
	for i := range x.bodies {
		r := &x.bodies[i]
		instructions += int64(r.instructions)
		points += int64(r.line) + int64(r.function) + int64(r.nothing)
		_, e := x.f.Body(i)
		for _, d := range []struct {
			bit uint8
			to  *places
			at  wasm.CodeOffset
		}{{rowOff, &rows, r.place}, {rangeOff, &ranges, r.place}, {undecoded, &broken, e.Start}, {unknown, &strange, e.Start}, {tooLarge, &large, e.Start}, {misnamed, &names, e.Start}} {
			if r.defects&d.bit != 0 {
				d.to.add(d.at)
			}
		}
		if r.defects&renamed != 0 {
			compared++
		}
	}
	x.fact("instructions", "%d", instructions)
	x.fact("reportable points", "%d", points)
	x.checked("%d instructions of %d functions are decoded, and %d reportable points looked up", instructions, len(x.bodies), points)
	many(x.findPlaces(&rows, OffInstruction, "in %d functions line rows stand where no instruction starts"), rows.n, rows.samples(x))
	many(x.findPlaces(&ranges, OtherCode, "%d functions have DWARF for a part of their body only"), ranges.n, ranges.samples(x))
	many(x.findPlaces(&broken, CodeDamaged, "%d function bodies cannot be decoded"), broken.n, broken.samples(x))
	if large.n > 0 {
		many(x.findAs(report.Error, SizeLimit, x.at(large.first[0]), "%d function bodies are larger than the %d bytes that engines accept", large.n, maxBody), large.n, large.samples(x))
	}
	if strange.n > 0 { // whatever the rule is set to: what was not checked is no pass
		many(x.findPlaces(&strange, InstructionUnknown, "%d functions hold instructions that this release does not know"), strange.n, strange.samples(x))
		x.couldNot("%d functions with instructions that this release does not know", strange.n)
	}
	x.disagreeing(&names, compared)
}
