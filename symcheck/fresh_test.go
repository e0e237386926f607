package symcheck_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// TestFreshnessOfAStrippedCopy: where a tool stripped a copy, and the companion is what
// the linker wrote, the linker's ID is recomputed from that. A companion that is
// anything else tells nothing.
func TestFreshnessOfAStrippedCopy(t *testing.T) {
	for _, name := range []string{"c/bid-fast.wasm", "c/bid-sha1.wasm"} {
		linked := readFile(t, filepath.Join(corpusDir, name))
		f := parse(t, linked)
		var debug []string
		for i := range f.Sections {
			if n := f.Sections[i].Name; strings.HasPrefix(n, ".debug_") {
				debug = append(debug, n)
			}
		}
		p := pair{production: edit(t, linked, drop(debug...)), companion: linked}
		for _, c := range []struct {
			p    pair
			want string
		}{
			{p, "fresh: the companion is what the linker wrote: "},
			{pair{p.production, flip(t, linked, ".debug_str", -3)}, "cannot tell: the pair was made by another tool"},
		} {
			s := c.p.check(t, "app", symcheck.Options{})
			got := ""
			for _, fact := range s.Facts {
				if fact.Name == "freshness" {
					got = fact.Value
				}
			}
			if s.Verdict != report.Pass || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %v, %q, want %q\n%s", name, s.Verdict, got, c.want, list(s))
			}
		}
	}
}
