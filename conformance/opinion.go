package conformance

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// The second opinion: the engine has a reader of DWARF 4 of its own. It is given
// the input with its DWARF, and what it prints is held against our answers. It
// takes shortcuts that explain most disagreements; each is named.

// opinionTime bounds the second opinion: for each frame the engine walks all
// entries of the DWARF from the start.
const opinionTime = 5 * time.Second

// Reasons for which the engine has another line, or none.
const (
	whyDWARF5     = "it does not read DWARF 5"
	whyUnclaimed  = "it found no unit with rows for the place"
	whyNoLine     = "we say that no line is responsible, where it takes the last row before"
	whySameRow    = "of several rows at one offset it takes another than the last"
	whyShadowed   = "it takes rows of a definition that lost at link time"
	whyBeforeRows = "the place lies before the function's first row, where it takes the row of another function"
	whyNoEnd      = "no row covers the place, and it does not stop at the end of a run of rows"
)

// opinion is the outcome of the second opinion.
type opinion struct {
	asked   int            // frames
	agreed  int            // same file and line
	reasons map[string]int // explained disagreements
	skipped string         // why it was not asked
}

// String sums the opinion up.
func (o *opinion) String() string {
	if o.skipped != "" {
		return "not asked: " + o.skipped
	}
	s := fmt.Sprintf("%d of %d frames have the same file and line", o.agreed, o.asked)
	for _, why := range sortedKeys(o.reasons) {
		s += fmt.Sprintf("; %d differ because %s", o.reasons[why], why)
	}
	return s
}

// secondOpinion runs calls and probes on the input with its own DWARF, in the
// interpreter, and compares the engine's lines with ours.
func (j *judge) secondOpinion(ctx context.Context, input *module, s *Scenario, l *Limits) (*opinion, error) {
	o := &opinion{reasons: map[string]int{}}
	old, newer := false, false
	for i := range j.input.NumUnits() {
		switch u := j.input.Unit(i); {
		case u.Version >= 5:
			newer = true
		case u.Version >= 2:
			old = true
		}
	}
	if !old {
		o.skipped = "the input has no DWARF"
		if newer {
			o.skipped = whyDWARF5
		}
		return o, nil
	}
	ctxOpinion, cancel := context.WithTimeout(ctx, opinionTime)
	defer cancel()
	limits := *l
	limits.Time = opinionTime
	for _, c := range []copyOptions{{ownDWARF: true}, {ownDWARF: true, exportAll: true, payload: input.code.patched()}} {
		if input.code.circles && !c.exportAll {
			continue
		}
		c.tableMax = uint64(l.TableElements)
		image, err := input.copyModule(c)
		if err != nil {
			return o, err
		}
		w := newWatch(Interpreter, input, &limits, newCollector())
		r, err := newRunner(ctxOpinion, Interpreter, input, image, s, &limits, w)
		if err != nil {
			if ctx.Err() != nil {
				return o, ctx.Err()
			}
			continue
		}
		var frames []textFrame
		if c.exportAll {
			swept := &swept{}
			err = swept.each(ctxOpinion, r, input.indices(), time.Now().Add(opinionTime), func(_ uint32, out outcome) { frames = append(frames, out.frames...) })
		} else {
			var d *driven
			if d, err = r.drive(ctxOpinion, newCollector()); d != nil {
				for i := range d.results {
					if out := &d.results[i].outcome; !out.unsure {
						frames = append(frames, out.frames...)
					}
				}
			}
		}
		r.close(ctx)
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		_ = err // the time is over: what there is so far is compared
		seen := map[Frame]bool{}
		for _, f := range frames {
			switch {
			case !f.hasOffset:
				o.asked++
				o.reasons[whyUnclaimed]++
			case !seen[f.Frame]:
				seen[f.Frame] = true
				j.compareOpinion(ctx, o, f)
			}
		}
	}
	return o, nil
}

// compareOpinion compares the engine's line for one frame with ours.
func (j *judge) compareOpinion(ctx context.Context, o *opinion, f textFrame) {
	o.asked++
	file, line := parsePosition(f.lines[0])
	a := j.answer(j.input, f.Code, 2)
	_, source, ours, _ := top(&a)
	if baseName(source) == baseName(file) && ours == line {
		o.agreed++
		return
	}
	if why := j.explain(ctx, f.Code, &a, file, line); why != "" {
		o.reasons[why]++
		return
	}
	at := location(j.inPath, j.m.span, f.Frame)
	at.Source, at.Line = source, ours
	j.found.add(OpinionDiffers, "", fmt.Sprintf("code offset %v in function %d is at %s:%d for %s, and %s for this program", f.Code, f.Index, baseName(file), line, engineName, describe(&a)), at)
}

// explain returns the known reason for which the engine has another line at an
// offset, or an empty string.
func (j *judge) explain(ctx context.Context, c wasm.CodeOffset, a *debugfile.Answer, file string, line uint32) string {
	if !a.HasIndex || a.Index < j.input.ImportedFunctions() {
		return ""
	}
	body := int(a.Index - j.input.ImportedFunctions())
	first, last, any := wasm.CodeOffset(0), wasm.CodeOffset(0), false
	for r := range j.input.BodyRows(body) {
		if !any {
			first, any = r.Offset, true
		}
		if r.Offset <= c {
			last = r.Offset
		}
	}
	for r := range j.input.BodyRows(body) {
		if r.Offset == last && baseName(r.File) == baseName(file) && r.Line == line {
			return whySameRow
		}
	}
	switch {
	case a.Reason == debugfile.ReasonLineZero:
		return whyNoLine
	case !any || c < first:
		return whyBeforeRows
	}
	// Which runs of rows are there is known once everything is indexed.
	if err := j.input.Build(ctx, 1); err != nil {
		return ""
	}
	for s := range j.input.Sequences() {
		if s.Fate != debugfile.Live && s.Start <= c && (c < s.End || a.Body.Contains(s.Start)) {
			return whyShadowed
		}
	}
	if a.Reason == debugfile.ReasonNoRow || a.Reason == debugfile.ReasonNoDebugInfo {
		return whyNoEnd
	}
	return ""
}

// parsePosition takes what the engine prints behind an offset apart:
// "dir/trap.c:17:5 (inlined)".
func parsePosition(text string) (file string, line uint32) {
	text = strings.TrimSuffix(text, " (inlined)")
	var numbers []uint32
	for len(numbers) < 2 {
		i := strings.LastIndexByte(text, ':')
		if i < 0 {
			break
		}
		n, err := strconv.ParseUint(text[i+1:], 10, 32)
		if err != nil {
			break
		}
		numbers = append(numbers, uint32(n))
		text = text[:i]
	}
	if len(numbers) > 0 {
		line = numbers[len(numbers)-1]
	}
	return text, line
}
