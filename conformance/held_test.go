package conformance

import (
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// TestRowsNeedLines: frames that are expected without lines say nothing about rows.
func TestRowsNeedLines(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	for _, c := range []struct {
		frames  []ExpectedFrame
		covered bool
	}{
		{[]ExpectedFrame{{Line: 17}}, true},
		{[]ExpectedFrame{{Function: "level3", Line: 17}, {Function: "level2"}}, true},
		{[]ExpectedFrame{{Function: "level3", File: "trap.c"}}, false},
		{[]ExpectedFrame{{}}, false}, // any
		{nil, false},
	} {
		call := Call{Export: "run", Args: []Arg{"0", "20"}, Expect: &Expect{Outcome: "trap", Frames: c.frames}}
		r := p.run(t, Options{Scenario: &Scenario{Calls: []Call{call}}, NoSweep: true}, false)
		uncovered := len(codes(r, report.Info)) > 0
		if r.Subject.Verdict != report.Pass || uncovered == c.covered {
			t.Errorf("%v: %v%s", c.frames, r.Subject.Verdict, messages(r))
		}
	}
}

// TestNamedCallsNotMade: what was asked for and was not run is no pass, even if the
// probes were.
func TestNamedCallsNotMade(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	run := Call{Export: "run", Args: []Arg{"0", "20"}, Expect: &Expect{Frames: []ExpectedFrame{{Function: "nobody", Line: 1}}}}
	for _, o := range []Options{
		{Scenario: &Scenario{Calls: []Call{run, run}}},
		{Scenario: &Scenario{Calls: []Call{{Export: "run", Args: []Arg{"0", "20"}}}}},
	} {
		o.Limits = quick
		o.Limits.Time = -1 // over before the first call, and before the first probe
		o.NoSweep = true
		r := p.run(t, o, true)
		if text := messages(r); r.Subject.Verdict != report.CouldNotCheck || !strings.Contains(text, "(the first is run:0,20)") {
			t.Errorf("%v%s", r.Subject.Verdict, text)
		}
	}
}

// TestOverflowInTheCompilerAlone: it has no frames of an overflowed stack, so that what
// is expected of them is held against the interpreter's, or could not be checked.
func TestOverflowInTheCompilerAlone(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	m := open(t, "p.wasm", p.production)
	call := Call{Export: "recurse", Expect: &Expect{Outcome: "trap"}}
	for _, c := range []struct {
		engines []Engine
		checked bool
	}{{[]Engine{Compiler}, false}, {[]Engine{Interpreter}, true}, {[]Engine{Interpreter, Compiler}, true}} {
		r := &run{o: Options{Scenario: &Scenario{Calls: []Call{call}}}, found: newFindings(nil), result: &Result{}}
		r.judge = &judge{m: &module{path: m.Path}, found: r.found, held: map[int]bool{}}
		for _, e := range c.engines {
			r.driven[e] = &driven{results: []callResult{{call: call, planned: 1, outcome: outcome{ended: overflowed}}}}
			r.judge.expectations(e, r.driven[e])
		}
		r.unheld()
		if checked := len(r.result.Subject.NotChecked) == 0; checked != c.checked || len(r.found.list) > 0 {
			t.Errorf("%v: %v, %v", c.engines, r.result.Subject.NotChecked, r.found.list)
		}
	}
}

// TestProbesNotMade: a function that the probes cannot call is counted in the report.
func TestProbesNotMade(t *testing.T) {
	const exnref = 0x69
	p := built(t,
		testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{Params: []byte{exnref}}),
		testwasm.Functions(0, 1),
		testwasm.Exports(testwasm.Export{Name: "f", Kind: testwasm.KindFunc, Index: 0}),
		testwasm.Code(testwasm.Fn(opUnreachable), testwasm.Fn(opUnreachable)),
		names("f", "g"),
	)
	r := p.run(t, Options{Engines: []Engine{Interpreter}}, false)
	if len(r.Engines) != 1 || r.Engines[0].Trapped != 1 || r.Engines[0].Uncalled != 1 {
		t.Fatalf("%+v%s", r.Engines, messages(r))
	}
	text := ""
	for _, f := range r.Subject.Facts {
		text += f.Value + "\n"
	}
	if !strings.Contains(text, "; 1 not called, because a parameter has no zero") {
		t.Error(text)
	}
}
