package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// Run runs a production module and holds what its engines report against the
// companion. A nil companion stands for a module that holds its own debug
// information. What is wrong with the pair is in the result; the error is for
// files that cannot be read and for a context that ended.
func Run(ctx context.Context, production, companion *Module, o Options) (*Result, error) {
	r := &run{o: o, limits: o.Limits.withDefaults(), found: newFindings(o.Rules), frames: newCollector(), result: &Result{}}
	r.result.Subject.Production = production.Path
	if companion != nil {
		r.result.Subject.Companion = companion.Path
	} else {
		companion = production
	}
	if err := r.run(ctx, production, companion); err != nil {
		return nil, err
	}
	r.finish()
	return r.result, nil
}

// run is the state of Run.
type run struct {
	o      Options
	limits Limits
	found  *findings
	frames *collector
	result *Result
	m      *module // nil if the code cannot be decoded
	judge  *judge
	input  *module // nil if it is not given
	driven [2]*driven
}

func (r *run) run(ctx context.Context, production, companion *Module) error {
	var err error
	if r.m, err = readModule(production.Path, production.File, &r.limits); err != nil && !r.cannotRun(production, err) {
		return err
	}
	if r.m == nil {
		return nil
	}
	closeFiles, err := r.open(ctx, production, companion)
	if err != nil {
		return err
	}
	defer closeFiles()
	if len(r.result.Unrunnable) == 0 {
		if err := r.engines(ctx); err != nil && !r.cannotRun(production, err) {
			return err
		}
	}
	if len(r.result.Unrunnable) > 0 {
		r.static()
	} else {
		r.verdicts()
	}
	return r.withInput(ctx)
}

// cannotRun records that the module cannot be run, if that is what the error says.
func (r *run) cannotRun(production *Module, err error) bool {
	var not *UnrunnableError
	if !errors.As(err, &not) {
		return false
	}
	r.result.Unrunnable = not.Why
	for _, why := range not.Why {
		r.result.Subject.NotChecked = append(r.result.Subject.NotChecked, "it was not run: "+why)
		r.found.add(CannotRun, why, "the module cannot be run: "+why, report.Location{Path: production.Path})
	}
	return true
}

// engines runs everything in each engine.
func (r *run) engines(ctx context.Context) error {
	image, err := r.m.copyModule(copyOptions{tableMax: uint64(r.limits.TableElements)})
	if err != nil {
		return err
	}
	list := r.o.Engines
	if len(list) == 0 {
		list = []Engine{Interpreter, Compiler}
	}
	for _, e := range list {
		stats := EngineStats{Engine: e, Functions: len(r.m.code.bodies)}
		err := r.engine(ctx, e, image, &stats, slices.Contains(list, Interpreter))
		r.result.Engines = append(r.result.Engines, stats)
		if err != nil {
			return err
		}
	}
	r.unheld()
	switch a, b := r.driven[Interpreter], r.driven[Compiler]; {
	case a != nil && b != nil:
		r.judge.engines(a, b)
	case a == nil && b == nil:
		for _, e := range r.result.Engines {
			r.result.Subject.NotChecked = append(r.result.Subject.NotChecked, fmt.Sprintf("calls in the %s: %s", e.Engine, or(e.NoCalls, e.Skipped)))
		}
	}
	return nil
}

func (r *run) engine(ctx context.Context, e Engine, image []byte, stats *EngineStats, hasInterpreter bool) error {
	if e == Compiler {
		switch {
		case !compilerAvailable(ctx):
			stats.Skipped = "there is none for this kind of machine"
		case len(r.m.code.payload) > int(r.limits.CompilerBytes):
			stats.Skipped = fmt.Sprintf("its code has %d bytes, which takes too long to compile; the limit is %d", len(r.m.code.payload), r.limits.CompilerBytes)
		case int64(r.m.code.largest) > r.limits.CompilerBody:
			stats.Skipped = fmt.Sprintf("a function of %d bytes takes too long to compile; the limit is %d", r.m.code.largest, r.limits.CompilerBody)
		}
		if stats.Skipped != "" {
			return r.skipped(stats, hasInterpreter)
		}
	}
	if e == Interpreter && r.m.code.circles {
		stats.NoCalls = "tail calls may go in circles, and nothing would end them there"
	} else if err := r.calls(ctx, e, image, stats); err != nil || stats.Skipped != "" {
		if err != nil {
			return err
		}
		return r.skipped(stats, hasInterpreter)
	}
	if r.o.NoSweep {
		return nil
	}
	s, err := r.m.sweep(ctx, e, &r.limits, r.frames)
	if err != nil {
		return err
	}
	r.swept(e, s, stats)
	return nil
}

// calls makes the calls in one engine.
func (r *run) calls(ctx context.Context, e Engine, image []byte, stats *EngineStats) error {
	watch := newWatch(e, r.m, &r.limits, r.frames)
	runner, err := newRunner(ctx, e, r.m, image, r.o.Scenario, &r.limits, watch)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		stats.Skipped = fmt.Sprintf("it refuses the module: %s", firstLine(err))
		return nil
	}
	d, err := runner.drive(ctx, r.frames)
	runner.close(ctx)
	if err != nil {
		return err
	}
	r.driven[e] = d
	stats.Calls, stats.Traps, stats.Exits = len(d.results), d.count(trapped, overflowed, overLimit), d.count(exited)
	stats.HostCalls, stats.Entered = watch.hostCalls, len(watch.entered)
	for i := range d.results {
		if x := &d.results[i]; x.err == nil {
			r.result.Calls = append(r.result.Calls, CallReport{e, x.call, x.outcome.ended.String(), x.outcome.text, places(x.outcome.frames)})
		}
	}
	for _, what := range d.limits {
		r.limit(what)
	}
	if d.broken != nil {
		r.result.Subject.NotChecked = append(r.result.Subject.NotChecked, d.broken.Error())
	}
	r.judge.expectations(e, d)
	return nil
}

// unheld notes the named calls that no engine came to, or whose end it could not be
// held against: what was asked for was not run.
func (r *run) unheld() {
	s := r.o.Scenario
	if s == nil || r.driven[Interpreter] == nil && r.driven[Compiler] == nil {
		return // that is noted for all calls together
	}
	n, first := 0, ""
	for i, call := range s.Calls {
		if r.judge.held[i+1] {
			continue
		}
		if n++; n == 1 {
			first = call.String()
		}
	}
	if n > 0 {
		r.result.Subject.NotChecked = append(r.result.Subject.NotChecked,
			fmt.Sprintf("%s of %d (the first is %s): no engine made them, or what became of them cannot be told (of a stack that overflowed the compiler has no frames)", count(n, "named call"), len(s.Calls), first))
	}
}

// skipped records that an engine was not used. Without another that was, the
// module cannot be run.
func (r *run) skipped(stats *EngineStats, hasInterpreter bool) error {
	if stats.Engine == Compiler && hasInterpreter {
		return nil
	}
	return &UnrunnableError{Why: []string{fmt.Sprintf("in the %s: %s", stats.Engine, stats.Skipped)}}
}

// swept reads the outcome of a sweep.
func (r *run) swept(e Engine, s *swept, stats *EngineStats) {
	stats.Points, stats.Trapped, stats.Returned, stats.Blanked, stats.Empty = s.points, s.trapped, s.returned, s.blanked, len(s.empty)
	stats.Uncalled = len(s.uncalled)
	at := report.Location{Path: r.m.path}
	if s.refused != nil {
		r.found.add(SweepRefused, "", fmt.Sprintf("the %s refuses the copy with probes: %s", e, firstLine(s.refused)), at)
	}
	if s.broken != nil {
		r.result.Subject.NotChecked = append(r.result.Subject.NotChecked, s.broken.Error())
	}
	if s.limit != "" {
		r.limit(s.limit)
	}
	for _, x := range s.elsewhere {
		b, _ := r.m.code.body(x.index)
		r.found.add(SweepElsewhere, e.String(), fmt.Sprintf("the probe in function %d was reported by the %s as %s", x.index, e, x.saw),
			location(r.m.path, r.m.span, Frame{x.index, b.Start}))
	}
	if n := len(s.slow); n > 0 {
		r.limit(fmt.Sprintf("%s with probes came to no end in the %s, the first is function %d", count(n, "function"), e, s.slow[0]))
	}
}

func (r *run) limit(what string) {
	r.found.add(LimitReached, what, what, report.Location{Path: r.m.path})
}

// verdicts judges all that was reported.
func (r *run) verdicts() {
	bad := 0
	for _, s := range r.frames.sorted() {
		if !r.judge.frame(s.Frame, s.kind().String()) {
			bad++
		}
	}
	r.result.Offsets, r.result.Reports, r.result.Mismatches = len(r.frames.seen), r.frames.total, bad
	r.resolved("place that was reported")
	if len(r.frames.seen) == 0 {
		r.found.add(NothingReported, "", "the run ended without one offset", report.Location{Path: r.m.path})
		r.result.Subject.NotChecked = append(r.result.Subject.NotChecked, "offsets: the engine reported none")
	}
}

// static looks up every place that could be reported, for a module that cannot be
// run: what the code and the companion say by themselves.
func (r *run) static() {
	before := r.found.count(report.Error)
	points := 0
	for _, b := range r.m.code.bodies {
		r.judge.body(Frame{b.Index, b.Start})
		for _, p := range r.m.code.places(b.Index) {
			if p.reportable {
				points++
				r.judge.resolves(Frame{b.Index, p.at}, "reportable place")
			}
		}
		delete(r.m.code.walked, b.Index)
	}
	r.resolved("reportable place")
	if r.found.count(report.Error) == before {
		r.checked("without an engine: %s decoded from the code, which is the companion's, and looked up there as clients do", count(points, "reportable place"))
	}
}

// resolved looks at what all places together resolve to.
func (r *run) resolved(what string) {
	c := r.judge.counts
	r.result.Resolved = c
	if c.Total() > 0 && c.Line+c.Function == 0 {
		r.found.add(FrameUnresolved, "nothing", fmt.Sprintf("no %s resolves to more than the index of its function", what), report.Location{Path: r.judge.path})
		r.result.Mismatches = max(r.result.Mismatches, int(c.Nothing))
	}
}

// withInput compares the companion with the input, if that is given.
func (r *run) withInput(ctx context.Context) error {
	in := r.o.Original
	if in == nil {
		if !r.judge.rows {
			r.found.add(RowsNotCovered, "", "no frame was held against an expected line, and the input was not given, so that damage to line rows was not looked for", report.Location{Path: r.judge.path})
		}
		return nil
	}
	if r.judge.input == nil {
		return nil // that is a finding already
	}
	before := r.found.count(report.Error)
	r.judge.everyPoint(r.frames.seen)
	r.result.Compared = r.judge.compared
	if r.found.count(report.Error) == before {
		r.checked("input and companion answer alike at all of %s", count(int(r.result.Compared), "offset"))
	}
	if len(r.result.Unrunnable) > 0 {
		return nil
	}
	o, err := r.judge.secondOpinion(ctx, r.input, r.o.Scenario, &r.limits)
	if err != nil {
		return err
	}
	r.fact("second opinion, "+engineName+"'s own", o.String())
	return nil
}

// finish fills in the subject.
func (r *run) finish() {
	s := &r.result.Subject
	s.Findings = r.found.list
	ran := false
	for _, e := range r.result.Engines {
		name := e.Engine.String()
		if e.Skipped != "" {
			r.fact(name, "not used: "+e.Skipped)
			continue
		}
		ran = true
		if e.NoCalls != "" {
			r.fact(name, "no calls: "+e.NoCalls)
		} else {
			r.fact(name, fmt.Sprintf("%s, of which %d trapped and %d exited; %d of %s entered; %s of the host",
				count(e.Calls, "call"), e.Traps, e.Exits, e.Entered, count(e.Functions, "function"), count(int(e.HostCalls), "call")))
		}
		if e.Points > 0 {
			text := fmt.Sprintf("%s; %d of %s trapped in place, %d returned, of which %d trapped once blanked and %d are empty",
				count(e.Points, "probe"), e.Trapped, count(e.Functions, "function"), e.Returned, e.Blanked, e.Empty)
			if e.Uncalled > 0 {
				text += fmt.Sprintf("; %d not called, because a parameter has no zero", e.Uncalled)
			}
			r.fact(name+", probes", text)
		}
	}
	if ran && len(r.result.Unrunnable) == 0 {
		s.Checked = append([]string{
			"ran " + r.m.mode(r.o.Scenario) + " in " + engineName,
			fmt.Sprintf("%s reported by the engine, at %s: each in the function that the engine names, at an instruction that can be reported, and resolved as the companion's clients do",
				count(int(r.result.Reports), "frame"), count(r.result.Offsets, "offset")),
		}, s.Checked...)
		r.fact("offsets", fmt.Sprintf("%d compared, %d mismatches; %d resolve to a line, %d to a function, %d to neither",
			r.result.Offsets, r.result.Mismatches, r.result.Resolved.Line, r.result.Resolved.Function, r.result.Resolved.Nothing))
	}
	switch {
	case r.found.count(report.Error) > 0:
		s.Verdict = report.Fail
	case len(s.NotChecked) > 0:
		s.Verdict = report.CouldNotCheck
	default:
		s.Verdict = report.Pass
	}
	onlyUnrunnable := len(r.result.Unrunnable) > 0 && len(s.NotChecked) == len(r.result.Unrunnable)
	r.result.Acceptable = s.Verdict == report.Pass || s.Verdict == report.CouldNotCheck && onlyUnrunnable && r.o.AllowUnrunnable
}

func (r *run) fact(name, value string) {
	r.result.Subject.Facts = append(r.result.Subject.Facts, report.Fact{Name: name, Value: value})
}

func (r *run) checked(format string, args ...any) {
	r.result.Subject.Checked = append(r.result.Subject.Checked, fmt.Sprintf(format, args...))
}

func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
