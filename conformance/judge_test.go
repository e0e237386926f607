package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// newJudge returns a judge over a pair.
func newJudge(t *testing.T, p *pair) *judge {
	t.Helper()
	m := outline(t, "p", p.production)
	c := open(t, "c", p.companion)
	d, err := debugfile.New(c.File, nil, debugfile.Options{Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	span, _ := c.File.CodeSpan()
	return &judge{m: m, found: newFindings(nil), debug: d, path: "c", client: span, bodies: map[uint32]bool{}}
}

// TestWrongFrames: what an engine that is wrong would report is noticed.
func TestWrongFrames(t *testing.T) {
	p := corpusPair(t, "c/O0-dw4.wasm")
	j := newJudge(t, p)
	b := j.m.code.bodies[1]
	var call, other place
	for _, x := range j.m.code.places(b.Index) {
		if x.reportable && x.length > 1 {
			call = x
		} else if !x.reportable {
			other = x
		}
	}
	for _, c := range []struct {
		frame Frame
		want  string // empty: sound
	}{
		{Frame{b.Index, call.at}, ""},
		{Frame{b.Index + 1, call.at}, FrameOutside},
		{Frame{99999, call.at}, FrameOutside},
		{Frame{b.Index, call.at + 1}, FrameOffInstruction},
		{Frame{b.Index, b.Start}, FrameOffInstruction},
		{Frame{b.Index, other.at}, FrameNotReportable},
		{Frame{b.Index, 0}, FrameOutside},
		{Frame{b.Index, b.End}, FrameOutside},
		{Frame{b.Index, ^wasm.CodeOffset(0)}, FrameOutside},
	} {
		j.found = newFindings(nil)
		ok := j.frame(c.frame, "trap")
		var got []string
		for _, f := range j.found.list {
			got = append(got, f.Rule)
		}
		if ok != (c.want == "") || c.want != "" && !slices.Equal(got, []string{c.want}) {
			t.Errorf("%+v: %v, want %q", c.frame, got, c.want)
		}
	}
}

// TestNothingToResolve: a companion without names or DWARF resolves nothing.
func TestNothingToResolve(t *testing.T) {
	p := built(t, testwasm.Types(testwasm.FuncType{}), testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0)))
	r := p.run(t, Options{}, false)
	if r.Subject.Verdict != report.Fail || !slices.Equal(codes(r, report.Error), []string{FrameUnresolved}) || r.Mismatches == 0 {
		t.Errorf("%v, %d mismatches%s", r.Subject.Verdict, r.Mismatches, messages(r))
	}
}

// TestNothingReported: a module that does nothing proves nothing.
func TestNothingReported(t *testing.T) {
	p := built(t, testwasm.Types(testwasm.FuncType{}), testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn()), names("f"))
	r := p.run(t, Options{AllowUnrunnable: true}, false)
	if r.Subject.Verdict != report.CouldNotCheck || r.Acceptable || !slices.Equal(codes(r, report.Warning), []string{NothingReported}) || r.Engines[0].Empty != 1 {
		t.Errorf("%v, %+v%s", r.Subject.Verdict, r.Engines, messages(r))
	}
}

// TestSeverities: rules can be set.
func TestSeverities(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	p.companion = slices.Concat(p.companion[:8], wasm.AppendCustom(nil, "x", nil), p.companion[8:])
	for severity, want := range map[report.Severity]report.Verdict{report.Off: report.Pass, report.Warning: report.Pass, report.Error: report.Fail} {
		r := p.run(t, Options{Rules: map[string]report.Severity{ClientElsewhere: severity, FrameUnresolved: severity}}, false)
		if r.Subject.Verdict != want {
			t.Errorf("%v: %v%s", severity, r.Subject.Verdict, messages(r))
		}
	}
}

// TestEnginesDisagree: two engines that report different frames are noticed, but
// not where the difference is known.
func TestEnginesDisagree(t *testing.T) {
	result := func(how ended, at wasm.CodeOffset) callResult {
		return callResult{call: Call{Export: "f"}, outcome: outcome{ended: how, frames: []textFrame{{Frame: Frame{1, at}, hasOffset: true}}}}
	}
	for _, c := range []struct {
		a, b callResult
		want int
	}{
		{result(trapped, 5), result(trapped, 5), 0},
		{result(trapped, 5), result(trapped, 6), 1},
		{result(trapped, 5), result(returned, 5), 1},
		{result(overflowed, 5), result(overflowed, 6), 0},
		{result(overLimit, 5), result(trapped, 6), 0},
	} {
		j := &judge{m: &module{}, found: newFindings(nil)}
		j.engines(&driven{results: []callResult{c.a}}, &driven{results: []callResult{c.b}})
		if len(j.found.list) != c.want {
			t.Errorf("%+v: %+v", c, j.found.list)
		}
	}
}

// TestSweepSeesTheDecoder: a decoder that takes the wrong bytes for instructions is
// caught, because the engine refuses what it makes of the code, or traps elsewhere.
func TestSweepSeesTheDecoder(t *testing.T) {
	m := outline(t, "m", corpusPair(t, "c/O0-dw4.wasm").production)
	l := quick.withDefaults()
	wrong := slices.Clone(m.code.patched())
	b := m.code.bodies[2]
	for _, p := range m.code.places(b.Index) {
		if p.length > 2 && !p.reportable {
			wrong[p.at+1] = 0x0b // an end in the middle of an instruction
			wrong[p.at] = 0x1a
			break
		}
	}
	image, err := m.copyModule(copyOptions{payload: wrong, exportAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := newRunner(context.Background(), Interpreter, m, image, nil, &l, nil); err == nil {
		r.close(context.Background())
		t.Error("the engine takes any code")
	}
	for _, out := range []outcome{
		{ended: trapped, frames: []textFrame{{Frame: Frame{Index: 5, Code: 9}, hasOffset: true}}},
		{ended: trapped, frames: []textFrame{{Frame: Frame{Index: 4}}}},
		{ended: trapped}, {ended: exited},
	} {
		s := &swept{}
		if _, ok := s.inPlace(4, out); ok || len(s.elsewhere) != 1 {
			t.Errorf("%+v: %+v", out, s)
		}
	}
}

func TestTailCalls(t *testing.T) {
	call := func(to uint32) wasm.Instr { return wasm.Instr{Op: 0x12, Arg: to} }
	for _, c := range []struct {
		calls map[uint32][]wasm.Instr
		want  bool
	}{
		{nil, false},
		{map[uint32][]wasm.Instr{1: {call(2), call(3)}, 2: {call(3)}}, false},
		{map[uint32][]wasm.Instr{1: {call(1)}}, true},
		{map[uint32][]wasm.Instr{1: {call(2)}, 2: {call(4), call(3)}, 3: {call(2)}}, true},
		{map[uint32][]wasm.Instr{1: {{Op: 0x13}}}, true},
		{map[uint32][]wasm.Instr{1: {{Op: 0x10, Arg: 1}}}, false},
	} {
		g := tailCalls{}
		for f, list := range c.calls {
			for _, in := range list {
				g.add(f, in)
			}
		}
		if got := g.circle(); got != c.want {
			t.Errorf("%v: %v", c.calls, got)
		}
	}
}

func TestRules(t *testing.T) {
	for i, r := range Rules() {
		if r.Title == "" || r.Meaning == "" || r.Remedy == "" || r.Name == "" || i > 0 && r.Code <= rules[i-1].Code {
			t.Errorf("%+v", r)
		}
		if a, ok := FindRule(r.Name); !ok || a.Code != r.Code {
			t.Errorf("%s is not found", r.Name)
		}
	}
}

// TestBelowTheCompilersLimit: above a size the interpreter runs alone, and the report
// says so.
func TestBelowTheCompilersLimit(t *testing.T) {
	needsCompiler(t)
	p := corpusPair(t, "c/O2-dw4.wasm")
	for _, l := range []Limits{{CompilerBytes: 10}, {CompilerBody: 10}} {
		r := p.run(t, Options{Limits: l}, true)
		if r.Subject.Verdict != report.Pass || len(r.Engines) != 2 || r.Engines[1].Skipped == "" || r.Engines[0].Trapped == 0 {
			t.Errorf("%v, %+v", r.Subject.Verdict, r.Engines)
		}
	}
	r := p.run(t, Options{Limits: Limits{CodeBytes: 10}}, true)
	if r.Subject.Verdict != report.CouldNotCheck {
		t.Errorf("%v%s", r.Subject.Verdict, messages(r))
	}
}

// TestSameAnswer: a difference in any field is one.
func TestSameAnswer(t *testing.T) {
	base := func() *debugfile.Answer {
		return &debugfile.Answer{Index: 3, HasIndex: true, Frames: []debugfile.Frame{
			{Function: "f", Linkage: "_f", File: "a.c", Line: 1, Column: 2, Inlined: true}, {Function: "g"}}}
	}
	if !sameAnswer(base(), base()) || difference(base(), base()) != "" {
		t.Error("an answer differs from itself")
	}
	for i, change := range []func(a *debugfile.Answer){
		func(a *debugfile.Answer) { a.Frames[0].Function = "x" },
		func(a *debugfile.Answer) { a.Frames[0].Linkage = "x" },
		func(a *debugfile.Answer) { a.Frames[0].File = "x" },
		func(a *debugfile.Answer) { a.Frames[0].Line = 9 },
		func(a *debugfile.Answer) { a.Frames[0].Column = 9 },
		func(a *debugfile.Answer) { a.Frames[0].Inlined = false },
		func(a *debugfile.Answer) { a.Frames[1].Line = 9 },
		func(a *debugfile.Answer) { a.Frames = a.Frames[:1] },
		func(a *debugfile.Answer) { a.Index = 4 },
		func(a *debugfile.Answer) { a.HasIndex = false },
	} {
		b := base()
		if change(b); sameAnswer(base(), b) || sameAnswer(b, base()) {
			t.Errorf("change %d is not noticed", i)
		}
		if i < 7 && difference(base(), b) == "" {
			t.Errorf("change %d is not described", i)
		}
	}
}

// TestOtherIndices: a companion that counts functions otherwise.
func TestOtherIndices(t *testing.T) {
	const dir = "../testdata/broken/"
	p := pair{path: "imports.wasm", production: read(t, dir+"imports.wasm"), companion: read(t, dir+"imports.debug.wasm")}
	if r := p.run(t, Options{}, false); r.Subject.Verdict != report.Fail || !slices.Contains(codes(r, report.Error), FrameUnresolved) {
		t.Errorf("%v%s", r.Subject.Verdict, messages(r))
	}
}

// TestSecondOpinion: agreements are counted, known differences are explained, and
// any other is a finding.
func TestSecondOpinion(t *testing.T) {
	fact := func(r *Result) string {
		for _, f := range r.Subject.Facts {
			if strings.HasPrefix(f.Name, "second opinion") {
				return f.Value
			}
		}
		return ""
	}
	for name, want := range map[string]string{
		"c/O0-dw4.wasm":               "17 of 17 frames have the same file and line",
		"weak/w22-ab.wasm":            "2 of 7 frames have the same file and line; 5 differ because " + whyShadowed,
		"c/O2-dw5.wasm":               "not asked: " + whyDWARF5,
		"assemblyscript/inc.wasm":     "not asked: the input has no DWARF",
		"post/c-O0-dw4.opt132.wasm":   "3 of 6 frames have the same file and line; 3 differ because " + whyShadowed,
		"post/c-O0-dw4.ghost108.wasm": "0 of 12 frames have the same file and line; 12 differ because " + whyUnclaimed,
	} {
		r := corpusPair(t, name).run(t, Options{}, true)
		if got := fact(r); got != want || slices.Contains(codes(r, report.Warning), OpinionDiffers) {
			t.Errorf("%s: %s%s", name, got, messages(r))
		}
	}
	p := corpusPair(t, "c/O0-dw4.wasm")
	j := newJudge(t, p)
	j.input = j.debug
	var point place
	for _, x := range j.m.code.places(j.m.code.bodies[1].Index) {
		if x.reportable {
			point = x
		}
	}
	a := j.input.Lookup(point.at, nil)
	for text, want := range map[string]int{fmt.Sprintf("/x/%s:%d:1 (inlined)", a.Frames[0].File, a.Frames[0].Line): 0, "trap.c:9999": 1} {
		j.found = newFindings(nil)
		o := &opinion{reasons: map[string]int{}}
		j.compareOpinion(context.Background(), o, textFrame{Frame: Frame{a.Index, point.at}, hasOffset: true, lines: []string{text}})
		if len(j.found.list) != want || o.agreed != 1-want {
			t.Errorf("%s: %+v, %v", text, o, j.found.list)
		}
	}
}

func TestParsePosition(t *testing.T) {
	for text, want := range map[string]string{
		"a.c:1:2 (inlined)": "a.c 1", "dir/a.c:17": "dir/a.c 17", "a.c": "a.c 0", "C:/x/a.c:3:4": "C:/x/a.c 3", "": " 0", "a:b": "a:b 0",
	} {
		file, line := parsePosition(text)
		if got := fmt.Sprintf("%s %d", file, line); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
