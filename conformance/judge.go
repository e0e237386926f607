package conformance

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// judge holds frames against the files.
type judge struct {
	m        *module
	found    *findings
	debug    *debugfile.File // the companion as its clients have it
	path     string          // of the companion
	client   wasm.CodeSpan   // the code start that the companion's clients use
	other    *code           // the companion's own code; nil without any
	blanked  bool            // its bodies are blanked
	foreign  bool            // and were others before, so that no function is the one that ran
	input    *debugfile.File // nil: not given
	inPath   string
	counts   report.Counts
	compared int64 // offsets that were answered by input and companion alike or not
	bodies   map[uint32]bool
	held     map[int]bool // calls that were held against what is expected of them, by their place among those to make
	rows     bool         // one of them expects a line
	buf      [4][]debugfile.Frame
}

// lookup answers an offset as the companion's clients do: F as a browser reports
// it, then C by the code start that the client has.
func (j *judge) lookup(c wasm.CodeOffset, buf int) (a debugfile.Answer, at wasm.CodeOffset, ok bool) {
	f, ok := j.m.span.File(c)
	if !ok {
		return a, 0, false
	}
	at, ok = j.client.Code(f)
	if !ok {
		return a, 0, false
	}
	return j.answer(j.debug, at, buf), at, true
}

// answer looks an offset up; buf is the number of the buffer that its frames are
// in.
func (j *judge) answer(d *debugfile.File, c wasm.CodeOffset, buf int) debugfile.Answer {
	a := d.Lookup(c, j.buf[buf][:0])
	j.buf[buf] = a.Frames
	return a
}

// frame judges one place that an engine reported. It reports whether the place is
// sound, resolves, and is answered alike by everybody.
func (j *judge) frame(f Frame, what string) bool {
	at := location(j.m.path, j.m.span, f)
	b, ok := j.m.code.body(f.Index)
	if !ok || !b.Contains(f.Code) {
		j.found.add(FrameOutside, "", fmt.Sprintf("a %s was reported at code offset %v of function %d, which is not in that function's body", what, f.Code, f.Index), at)
		return false
	}
	p, ok := j.m.code.find(f.Index, f.Code)
	if !ok {
		j.found.add(FrameOffInstruction, "", fmt.Sprintf("a %s was reported at code offset %v of function %d, where no instruction begins", what, f.Code, f.Index), at)
		return false
	}
	if !p.reportable {
		j.found.add(FrameNotReportable, "", fmt.Sprintf("a %s was reported at %s in function %d", what, p.op.Info().Name, f.Index), at)
		return false
	}
	sound := j.body(f)
	return j.resolves(f, what) && sound
}

// resolves judges what the files answer for a place.
func (j *judge) resolves(f Frame, what string) bool {
	at := location(j.path, j.m.span, f)
	sound := true
	a, clientAt, ok := j.lookup(f.Code, 0)
	if clientAt != f.Code || !ok {
		sound = false
		place := "outside of its code"
		if ok {
			place = "at " + describe(&a)
		}
		j.found.add(ClientElsewhere, "", fmt.Sprintf(
			"the code starts at %v in the production module and at %v in the companion: a %s in function %d at file offset %v is looked up %s instead of %s",
			j.m.span.Start, j.client.Start, what, f.Index, *at.File, place, describeAnswer(j, f.Code)), at)
	}
	if !ok {
		return false
	}
	at.Function, at.Source, at.Line, at.Column = top(&a)
	switch {
	case !a.HasIndex:
		sound = false
		j.counts.Nothing++
		j.found.add(FrameUnresolved, "", fmt.Sprintf("a %s in function %d at code offset %v: the companion has no function there (%s)", what, f.Index, f.Code, a.Reason), at)
	case a.Index != f.Index:
		sound = false
		j.counts.Nothing++
		j.found.add(FrameUnresolved, "", fmt.Sprintf("a %s in function %d at code offset %v: the companion has function %d there", what, f.Index, f.Code, a.Index), at)
	case a.HasLine():
		j.counts.Line++
	case a.Tier() != debugfile.TierIndex && a.Tier() != debugfile.TierNone:
		j.counts.Function++
	default:
		j.counts.Nothing++
	}
	return j.alike(f.Code) && sound
}

// body compares a function that ran with the companion's, once.
func (j *judge) body(f Frame) bool {
	if j.other == nil {
		return true
	}
	if j.foreign {
		return false
	}
	if sound, ok := j.bodies[f.Index]; ok {
		return sound
	}
	mine, _ := j.m.code.body(f.Index)
	theirs, ok := j.other.body(f.Index)
	at := location(j.path, j.m.span, Frame{f.Index, mine.Start})
	sound := true
	switch {
	case !ok:
		sound = false
		j.found.add(BodyDiffers, "", fmt.Sprintf("function %d ran; the companion has no such function", f.Index), at)
	case mine.Start != theirs.Start || mine.End != theirs.End:
		sound = false
		j.found.add(BodyDiffers, "", fmt.Sprintf("function %d ran; its code is from %v to %v, in the companion from %v to %v", f.Index, mine.Start, mine.End, theirs.Start, theirs.End), at)
	case !j.blanked && !bytes.Equal(j.m.code.bytes(mine), j.other.bytes(theirs)):
		sound = false
		j.found.add(BodyDiffers, "", fmt.Sprintf("function %d ran; its code has other bytes in the companion", f.Index), at)
	}
	j.bodies[f.Index] = sound
	return sound
}

// alike reports whether input and companion answer an offset alike. Both are asked
// for the code offset itself: a code start that moved is another rule's matter.
func (j *judge) alike(c wasm.CodeOffset) bool {
	if j.input == nil {
		return true
	}
	j.compared++
	want := j.answer(j.input, c, 2)
	have := j.answer(j.debug, c, 3)
	if sameAnswer(&want, &have) {
		return true
	}
	f := Frame{Code: c, Index: want.Index}
	at := location(j.path, j.m.span, f)
	at.Function, at.Source, at.Line, at.Column = top(&have)
	j.found.add(AnswerDiffers, "", fmt.Sprintf("code offset %v in function %d is %s by the input, and %s by the companion", c, want.Index, describe(&want), describe(&have))+difference(&want, &have), at)
	return false
}

// everyPoint compares input and companion at every place of the code that can be
// reported, whether it was or not.
func (j *judge) everyPoint(skip map[Frame]*seenFrame) {
	for _, b := range j.m.code.bodies {
		j.alike(b.Start)
		it := b.Instructions(j.m.code.bytes(b))
		for it.Next() {
			if !it.Instr().Reportable() {
				continue
			}
			if _, ok := skip[Frame{b.Index, it.At()}]; !ok {
				j.alike(it.At())
			}
		}
	}
}

// sameAnswer reports whether two answers say the same.
func sameAnswer(a, b *debugfile.Answer) bool {
	return a.HasIndex == b.HasIndex && a.Index == b.Index && slices.EqualFunc(a.Frames, b.Frames, func(x, y debugfile.Frame) bool {
		return x.Function == y.Function && x.Linkage == y.Linkage && x.File == y.File && x.Line == y.Line && x.Column == y.Column && x.Inlined == y.Inlined
	})
}

// top returns the innermost frame of an answer.
func top(a *debugfile.Answer) (function, source string, line, column uint32) {
	if len(a.Frames) == 0 {
		return "", "", 0, 0
	}
	f := &a.Frames[0]
	return f.Name(), f.File, f.Line, f.Column
}

// describe says in words what an answer is.
func describe(a *debugfile.Answer) string {
	name, source, line, _ := top(a)
	switch {
	case len(a.Frames) == 0 && !a.HasIndex:
		return "no code"
	case name == "":
		name = fmt.Sprintf("function %d", a.Index)
	}
	if source == "" || line == 0 {
		return name
	}
	more := ""
	if n := len(a.Frames); n > 1 {
		more = fmt.Sprintf(", inlined %d deep", n-1)
	}
	return fmt.Sprintf("%s (%s:%d%s)", name, baseName(source), line, more)
}

// difference says how two answers differ, where that does not show in what
// describe says of them.
func difference(want, have *debugfile.Answer) string {
	if have.Reason != want.Reason && have.Reason != debugfile.ReasonNone {
		return ": " + have.Reason.String()
	}
	for i := range min(len(want.Frames), len(have.Frames)) {
		x, y := want.Frames[i], have.Frames[i]
		for _, field := range [...]struct {
			name string
			x, y any
		}{
			{"function", x.Function, y.Function}, {"linkage name", x.Linkage, y.Linkage}, {"file", x.File, y.File},
			{"line", x.Line, y.Line}, {"column", x.Column, y.Column}, {"inlined", x.Inlined, y.Inlined},
		} {
			if field.x != field.y {
				return fmt.Sprintf(": frame %d has the %s %v in the input, and %v in the companion", i, field.name, field.x, field.y)
			}
		}
	}
	return ""
}

// describeAnswer says what stands at an offset of the companion.
func describeAnswer(j *judge, c wasm.CodeOffset) string {
	a := j.answer(j.debug, c, 1)
	return describe(&a)
}

// baseName returns the last element of a path of either kind.
func baseName(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }

// expectations holds the results of calls against what the scenario expects.
func (j *judge) expectations(e Engine, d *driven) {
	for i := range d.results {
		r := &d.results[i]
		at := report.Location{Path: j.m.path}
		key := fmt.Sprintf("%d %s", i, e)
		if r.err != nil {
			j.found.add(CallImpossible, key, fmt.Sprintf("%s: %v", r.call, r.err), at)
			j.held[r.planned] = true
			continue
		}
		x := r.call.Expect
		if x != nil && r.outcome.ended == overflowed && e == Compiler {
			continue // it has no frames then; the interpreter is asked
		}
		j.held[r.planned] = true
		if x == nil {
			continue
		}
		fail := func(format string, args ...any) {
			j.found.add(ExpectationFailed, key, fmt.Sprintf("%s in the %s: ", r.call, e)+fmt.Sprintf(format, args...), at)
		}
		got := r.outcome.ended
		trap := got == trapped || got == overflowed
		switch {
		case x.Outcome == "return" && got != returned, x.Outcome == "trap" && !trap, x.Outcome == "exit" && got != exited,
			x.Exit != nil && got != exited, len(x.Frames) > 0 && !trap:
			fail("it ended with %q (%s)", got, r.outcome.text)
			continue
		case x.Exit != nil && r.outcome.exit != *x.Exit:
			fail("exit code %d, not %d", r.outcome.exit, *x.Exit)
			continue
		}
		if len(x.Frames) > 0 {
			j.rows = j.rows || slices.ContainsFunc(x.Frames, func(f ExpectedFrame) bool { return f.Line != 0 })
			if msg := j.expectFrames(x.Frames, places(r.outcome.frames)); msg != "" {
				fail("%s", msg)
			}
		}
	}
}

// expectFrames compares what frames resolve to, innermost first, with what is
// expected. It returns what differs.
func (j *judge) expectFrames(want []ExpectedFrame, frames []Frame) string {
	i := 0
	for _, f := range frames {
		a, _, ok := j.lookup(f.Code, 0)
		if !ok {
			return fmt.Sprintf("frame %d of function %d does not resolve", i, f.Index)
		}
		for k := range a.Frames {
			if i == len(want) {
				return ""
			}
			if have := &a.Frames[k]; !want[i].matches(have) {
				return fmt.Sprintf("frame %d is %s %s:%d, not %s", i, have.Name(), baseName(have.File), have.Line, want[i])
			}
			i++
		}
	}
	if i < len(want) {
		return fmt.Sprintf("there is no frame %d, expected %s", i, want[i])
	}
	return ""
}

// matches reports whether a frame is the expected one. A function's name is enough
// without its scope, arguments and template arguments.
func (e *ExpectedFrame) matches(f *debugfile.Frame) bool {
	name := e.Function == "" || e.Function == f.Function || e.Function == f.Linkage || e.Function == f.Name() || e.Function == shortName(f)
	file := e.File == "" || e.File == f.File || baseName(e.File) == baseName(f.File)
	return name && file && (e.Line == 0 || e.Line == f.Line)
}

// shortName returns a function's name without its scope and arguments.
func shortName(f *debugfile.Frame) string {
	name := f.Function
	if name == "" {
		name = f.Name()
	}
	if plain, ok := debugfile.Demangle(name); ok {
		name = plain
	}
	if strings.Contains(name, "operator()") {
		return "operator()"
	}
	name = strings.TrimPrefix(name, "(anonymous namespace)::")
	if i := strings.IndexAny(name, "<("); i > 0 {
		name = name[:i]
	}
	return name[strings.LastIndexAny(name, ": ")+1:]
}

// engines compares what two engines reported for the same calls.
func (j *judge) engines(a, b *driven) {
	for i := range min(len(a.results), len(b.results)) {
		x, y := &a.results[i], &b.results[i]
		if x.err != nil || y.err != nil {
			continue
		}
		if x.outcome.ended == overLimit || y.outcome.ended == overLimit || x.outcome.ended == overflowed || y.outcome.ended == overflowed {
			// Where a limit is noticed depends on the engine, and so does how much fits
			// on a stack. What follows may see another state.
			return
		}
		if x.outcome.ended != y.outcome.ended || x.outcome.exit != y.outcome.exit || !slices.Equal(places(x.outcome.frames), places(y.outcome.frames)) {
			j.found.add(EnginesDisagree, "", fmt.Sprintf("%s: %s in the interpreter, %s in the compiler", x.call, x.outcome.summary(), y.outcome.summary()), report.Location{Path: j.m.path})
		}
	}
}

// summary says in words what became of a call.
func (o *outcome) summary() string {
	s := o.ended.String()
	for i, f := range places(o.frames) {
		if i == 3 {
			return s + ", ..."
		}
		s += fmt.Sprintf(", %d at %v", f.Index, f.Code)
	}
	return s
}
