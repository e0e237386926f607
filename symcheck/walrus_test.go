package symcheck_test

import (
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// shifted is a module whose DWARF is off by a number of bytes, and that walrus has
// processed, if a version is given.
func shifted(t *testing.T, by uint64, walrus string) pair {
	f := newFixture()
	f.dwarf = func(fns []fn) {
		for i := range fns {
			fns[i].low, fns[i].high = fns[i].low+by, fns[i].high+by
			fns[i].rowsAt, fns[i].rowsEnd = fns[i].rowsAt+by, fns[i].rowsEnd+by
		}
	}
	if walrus != "" {
		f.sections = add(testwasm.Producers(testwasm.Producer{Field: "processed-by", Name: "walrus", Version: walrus}))
	}
	return pair{production: f.build(t)}
}

// TestWalrus: DWARF that walrus shifted has findings that say what helps; no other
// DWARF is explained so. Shifted DWARF is never called that of definitions that lost
// at link time.
func TestWalrus(t *testing.T) {
	for _, c := range []struct {
		name, version string
		by            uint64
		blamed        bool
	}{
		{"shifted by walrus", "0.27.2", 1, true},
		{"shifted by something else", "", 1, false},
		{"shifted, and walrus was mended", "0.28.0", 1, false},
		{"not shifted", "0.27.2", 0, false},
	} {
		s := shifted(t, c.by, c.version).check(t, "app", symcheck.Options{})
		if want := c.by > 0; (s.Verdict == report.Fail) != want || has(s, symcheck.Shadowed) {
			t.Errorf("%s: %v\n%s", c.name, s.Verdict, list(s))
		}
		said := false
		for _, f := range s.Findings {
			said = said || strings.HasPrefix(f.Message, "walrus "+c.version)
			if f.Severity == report.Error && strings.Contains(f.Remedy, "walrus 0.28") != c.blamed {
				t.Errorf("%s: what to do about %s (%s) is %q", c.name, f.Rule, f.Message, f.Remedy)
			}
		}
		if said != c.blamed {
			t.Errorf("%s: walrus is named: %v\n%s", c.name, said, list(s))
		}
	}
}
