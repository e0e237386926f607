package symcheck_test

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// TestRowless: what became of the rows of one function decides with how many of its
// unit that happened: the only one is an error, one of several a warning.
func TestRowless(t *testing.T) {
	dead := func(at uint64) func(n *fn) { return func(n *fn) { n.rowsAt, n.rowsEnd = at, at+bodySize } }
	for _, tt := range []struct {
		name string
		hurt func(n *fn)
	}{
		{"0", dead(0)}, {"-1", dead(1<<32 - 1)}, {"-2", dead(1<<32 - 2)}, {"none", func(n *fn) { n.rows = nil }},
	} {
		for _, own := range []bool{true, false} {
			f := newFixture()
			f.fns[2].own = own
			f.dwarf = func(fns []fn) { tt.hurt(&fns[2]) }
			s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
			want, verdict := report.Warning, report.Pass
			if own {
				want, verdict = report.Error, report.Fail
			}
			if got := severityOf(s, symcheck.RowsMissing); got != want || s.Verdict != verdict {
				t.Errorf("rows at %s, own unit %v: %v, %v\n%s", tt.name, own, got, s.Verdict, list(s))
			}
		}
	}
}

// TestRowlessWithoutPlaces: a function that no stack trace can be in, but by a stack
// overflow, needs no rows.
func TestRowlessWithoutPlaces(t *testing.T) {
	f := newFixture()
	f.fns[2].own = true
	f.fns[2].body = testwasm.Fn(testwasm.OpI32Const, 0, testwasm.OpDrop)
	f.dwarf = func(fns []fn) { fns[2].rows = nil }
	s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
	if has(s, symcheck.RowsMissing) || s.Verdict != report.Pass {
		t.Errorf("%v\n%s", s.Verdict, list(s))
	}
}

// TestUnusedLines: a line table that no unit leads to is an error only where nothing
// else describes the code.
func TestUnusedLines(t *testing.T) {
	for _, described := range []bool{true, false} {
		p := pairOf(t, "lines-unused")
		want := report.Error
		if described {
			b := newFixture()
			b.second = addLinesOf(0)
			p = pair{production: b.build(t)}
			want = report.Warning
		}
		s := p.check(t, "app", symcheck.Options{})
		if got := severityOf(s, symcheck.LinesUnused); got != want {
			t.Errorf("described %v: %v\n%s", described, got, list(s))
		}
	}
}

// TestNameless: a name that is gone is an error; a function that says nothing of a
// name is one too if nothing else names it, and what a compiler made is none.
func TestNameless(t *testing.T) {
	for _, tt := range []struct {
		name     string
		dwarf    string // what is left of the entry: lost, undeclared, none
		unlisted bool   // the name section has no name either
		want     report.Severity
	}{
		{"an empty name", "lost", false, report.Error},
		{"no name, but a declaration", "none", false, report.Warning},
		{"likewise, and no name section", "none", true, report.Error},
		{"neither name nor declaration", "undeclared", false, report.Off},
	} {
		f := newFixture()
		f.dwarf = func(fns []fn) { fns[1].entry = tt.dwarf }
		if tt.unlisted {
			f.sections = drop("name")
		}
		s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
		if got := severityOf(s, symcheck.FunctionUnnamed); got != tt.want {
			t.Errorf("%s: %v, want %v\n%s", tt.name, got, tt.want, list(s))
		}
	}
}

// TestRowsWithoutEntry: rows of a function without an entry are damage, but in units
// that hold little more than lines.
func TestRowsWithoutEntry(t *testing.T) {
	for _, variables := range []bool{true, false} {
		f := newFixture()
		removedEntry(variables)(f)
		s := (pair{production: f.build(t)}).check(t, "app", symcheck.Options{})
		if has(s, symcheck.FunctionUnnamed) != variables {
			t.Errorf("variables %v: %v\n%s", variables, s.Verdict, list(s))
		}
	}
}

// severityOf returns the severity of a rule's first finding, or Off.
func severityOf(s *report.Subject, rule string) report.Severity {
	for i := range s.Findings {
		if s.Findings[i].Rule == rule {
			return s.Findings[i].Severity
		}
	}
	return report.Off
}

// pairOf makes an entry of the catalogue.
func pairOf(t *testing.T, name string) pair {
	t.Helper()
	for i := range catalogue {
		if catalogue[i].name == name {
			return catalogue[i].make(t)
		}
	}
	t.Fatalf("the catalogue has no %s", name)
	return pair{}
}
