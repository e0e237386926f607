package symcheck_test

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// TestClassOfBareCode: a function without debug information is the user's if it has
// a name that no library has, and is held against the coverage.
func TestClassOfBareCode(t *testing.T) {
	for _, tt := range []struct {
		name, class string
		noNames     bool
		verdict     report.Verdict
		severity    report.Severity // of WD167
	}{
		{name: "work", class: symcheck.ClassUser, verdict: report.Fail, severity: report.Warning},
		{name: "app::work(int)", class: symcheck.ClassUser, verdict: report.Fail, severity: report.Warning},
		{name: "malloc", class: symcheck.ClassRuntime, severity: report.Info},
		{name: "std::terminate()", class: symcheck.ClassRuntime, severity: report.Info},
		{name: "__multi3", class: symcheck.ClassRuntime, severity: report.Info},
		{name: "work", class: symcheck.ClassRuntime, noNames: true, severity: report.Warning}, // nobody knows
		{name: "__wasm_call_ctors", class: symcheck.ClassGlue},
	} {
		f := newFixture()
		f.fns = append(f.fns, fn{name: "delta", body: plainBody(1)})
		for i := range f.fns[1:] {
			f.fns[i+1].name = tt.name
		}
		f.dwarf = func(fns []fn) {
			for i := range fns[1:] {
				fns[i+1].noDWARF = true
			}
		}
		if tt.noNames {
			f.sections = drop("name")
		}
		s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
		if got := s.Coverage.Functions[1].Class; got != tt.class || s.Verdict != tt.verdict || severityOf(s, symcheck.CodeWithoutDebug) != tt.severity {
			t.Errorf("%s, no names %v: class %s, verdict %v\n%s", tt.name, tt.noNames, got, s.Verdict, list(s))
		}
	}
}

// TestLibraryDoesNotCoverForTheProgram: a library with debug information does not
// make up for a program without.
func TestLibraryDoesNotCoverForTheProgram(t *testing.T) {
	f := newFixture()
	f.fns[1].name, f.fns[2].name = "printf", "std::terminate()"
	f.dwarf = func(fns []fn) { fns[0].noDWARF = true }
	s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
	if s.Verdict != report.Fail || severityOf(s, symcheck.CoverageLow) != report.Error || severityOf(s, symcheck.CodeWithoutDebug) != report.Warning {
		t.Errorf("%v\n%s", s.Verdict, list(s))
	}
}

// TestLibraryAlone: a module that is nothing but a library is held against the
// threshold of the class user.
func TestLibraryAlone(t *testing.T) {
	for _, lines := range []bool{true, false} {
		f := newFixture()
		f.fns[0].name, f.fns[1].name, f.fns[2].name = "printf", "malloc", "free"
		f.dwarf = func(fns []fn) {
			for i := range fns {
				for k := range fns[i].rows {
					if !lines {
						fns[i].rows[k].line = 0
					}
				}
			}
		}
		s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
		if lines != (s.Verdict == report.Pass) || lines == has(s, symcheck.CoverageLow) {
			t.Errorf("lines %v: %v\n%s", lines, s.Verdict, list(s))
		}
	}
}
