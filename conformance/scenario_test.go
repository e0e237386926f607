package conformance

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasm-debugid/wasm-debugid/report"
)

func TestParseInvoke(t *testing.T) {
	for text, want := range map[string]Call{
		"run":          {Export: "run"},
		"run:1,2":      {Export: "run", Args: []Arg{"1", "2"}},
		"run:-1, 0x10": {Export: "run", Args: []Arg{"-1", "0x10"}},
		"f:1.5,null":   {Export: "f", Args: []Arg{"1.5", "null"}},
		"ns::f:7":      {Export: "ns::f", Args: []Arg{"7"}},
	} {
		got, err := ParseInvoke(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", ":1", "run:x", "run:", "run:1,,2"} {
		if c, err := ParseInvoke(text); err == nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

func TestReadScenario(t *testing.T) {
	s, err := ReadScenario(strings.NewReader(`{"args": ["a"], "env": {"K": "v"}, "stdin": "x", "dirs": {"/d": "sub", "/e": "`+filepath.ToSlash(t.TempDir())+`"},
		"calls": [{"export": "run", "args": [0, -20, "0x1f", 1.5], "expect": {"outcome": "trap", "frames": [{"function": "f", "file": "a.c", "line": 3}]}}]}`), "base")
	if err != nil {
		t.Fatal(err)
	}
	if s.Dirs["/d"] != filepath.Join("base", "sub") || !filepath.IsAbs(s.Dirs["/e"]) || s.Calls[0].String() != "run:0,-20,0x1f,1.5" || s.Calls[0].Expect.Frames[0].Line != 3 {
		t.Errorf("%+v", s)
	}
	for _, text := range []string{``, `[]`, `{"call": []}`, `{"calls": [{}]}`, `{"calls": [{"export": "f", "args": [true]}]}`, `{"calls": [{"export": "f", "expect": {"outcome": "crash"}}]}`,
		`{"calls": [{"export": "f", "expect": {"outcome": "return", "frames": [{"line": 1}]}}]}`, `{"calls": [{"export": "f", "expect": {"outcome": "trap", "exit": 1}}]}`, `{} {}`} {
		if s, err := ReadScenario(strings.NewReader(text), ""); err == nil {
			t.Errorf("%s: %+v", text, s)
		}
	}
}

func TestEncodeArg(t *testing.T) {
	for _, c := range []struct {
		word string
		typ  api.ValueType
		want uint64
	}{
		{"-1", api.ValueTypeI32, 0xffffffff}, {"4294967295", api.ValueTypeI32, 0xffffffff}, {"0x7f", api.ValueTypeI32, 127},
		{"-1", api.ValueTypeI64, math.MaxUint64}, {"18446744073709551615", api.ValueTypeI64, math.MaxUint64},
		{"1.5", api.ValueTypeF32, uint64(math.Float32bits(1.5))}, {"-Inf", api.ValueTypeF64, math.Float64bits(math.Inf(-1))},
		{"null", api.ValueTypeExternref, 0}, {"null", typeFuncRef, 0},
	} {
		if got, err := encodeArg(c.word, c.typ); err != nil || got != c.want {
			t.Errorf("%s: %x, %v", c.word, got, err)
		}
	}
	for word, typ := range map[string]api.ValueType{"4294967296": api.ValueTypeI32, "-2147483649": api.ValueTypeI32, "1.5": api.ValueTypeI64, "null": api.ValueTypeI32, "1": typeV128, "0": typeFuncRef, "x": api.ValueTypeF64} {
		if v, err := encodeArg(word, typ); err == nil {
			t.Errorf("%s as 0x%x: %x", word, typ, v)
		}
	}
}

func TestExplorations(t *testing.T) {
	i32, f64 := api.ValueTypeI32, api.ValueTypeF64
	for _, c := range []struct {
		types []api.ValueType
		least int
		has   []string
	}{
		{nil, 1, []string{"f"}},
		{[]api.ValueType{i32}, 7, []string{"f:0", "f:-1", "f:-2147483648", "f:5"}},
		{[]api.ValueType{i32, i32}, 20, []string{"f:0,0", "f:3,20", "f:5,1"}},
		{[]api.ValueType{i32, f64, typeFuncRef}, 7, []string{"f:-1,-1,null", "f:20,0.5,null"}},
		{[]api.ValueType{typeV128}, 0, nil},
	} {
		var got []string
		for _, call := range explorations("f", c.types) {
			if _, err := encodeArgs(call.Args, c.types); err != nil {
				t.Errorf("%v: %v", call, err)
			}
			got = append(got, call.String())
		}
		if len(got) < c.least || c.least == 0 && len(got) > 0 {
			t.Errorf("%v: %v", c.types, got)
		}
		for _, want := range c.has {
			if !slices.Contains(got, want) {
				t.Errorf("%v: no %s in %v", c.types, want, got)
			}
		}
	}
}

// TestImpossibleCalls: what was asked for and cannot be run is an error.
func TestImpossibleCalls(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	for _, c := range []Call{{Export: "nothing"}, {Export: "run"}, {Export: "run", Args: []Arg{"1", "x"}}, {Export: "memory"}} {
		r := p.run(t, Options{Scenario: &Scenario{Calls: []Call{c}}}, true)
		if r.Subject.Verdict != report.Fail || !slices.Contains(codes(r, report.Error), CallImpossible) {
			t.Errorf("%v: %v%s", c, r.Subject.Verdict, messages(r))
		}
	}
}

// TestExpectations: each way in which a call can come to something else.
func TestExpectations(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	trap, back := []Arg{"0", "20"}, []Arg{"9", "1"}
	five := uint32(5)
	frame := expected(t, "src/trap.c.expect.json")["0"]
	for _, c := range []struct {
		args   []Arg
		expect Expect
		ok     bool
	}{
		{trap, Expect{}, true}, {trap, Expect{Outcome: "trap"}, true}, {trap, Expect{Outcome: "return"}, false}, {trap, Expect{Outcome: "exit"}, false},
		{back, Expect{Outcome: "return"}, true}, {back, Expect{Outcome: "trap"}, false}, {back, Expect{Exit: &five}, false},
		{trap, Expect{Frames: frame}, true}, {trap, Expect{Frames: frame[:2]}, true}, {back, Expect{Frames: frame}, false},
		{trap, Expect{Frames: frame[1:]}, false}, {trap, Expect{Frames: append(slices.Clone(frame), ExpectedFrame{Function: "main"})}, false},
		{trap, Expect{Frames: []ExpectedFrame{{Line: 17}}}, true}, {trap, Expect{Frames: []ExpectedFrame{{File: "other.c"}}}, false}, {trap, Expect{Frames: []ExpectedFrame{{Function: "level2"}}}, false},
	} {
		r := p.run(t, Options{Scenario: &Scenario{Calls: []Call{{Export: "run", Args: c.args, Expect: &c.expect}}}, NoSweep: true}, true)
		failed := slices.Contains(codes(r, report.Error), ExpectationFailed)
		if c.ok == failed || c.ok && r.Subject.Verdict == report.Fail {
			t.Errorf("%v, %+v: %v%s", c.args, c.expect, r.Subject.Verdict, messages(r))
		}
	}
}
