package symcheck_test

import (
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// TestAdvice: what to do depends on what else is wrong. Nobody is sent to a repair that
// repairs nothing, or told to give a new ID to a file whose companion has one.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t testing.TB) pair
		rule string
		want string
		not  string
	}{
		{"another start", func(t testing.TB) pair { return find(t, "shifted-padding").make(t) }, symcheck.CodeStartDiffers, "", ""},
		{"another start and other code", func(t testing.TB) pair {
			p := find(t, "shifted-padding").make(t)
			p.production = flip(t, p.production, "code", 6)
			return p
		}, symcheck.CodeStartDiffers, "different code", "--fix"},
		{"a stripped module", func(t testing.TB) pair { return find(t, "id-none").make(t) }, symcheck.IDMissing, "ship the file that the split wrote", "inject"},
		{"a stripped companion", companion(drop("build_id")), symcheck.IDMissing, "check --fix", "inject"},
		{"a stripped companion of other code", func(t testing.TB) pair {
			p := good(t)
			return pair{flip(t, p.production, "code", 6), edit(t, p.companion, drop("build_id"))}
		}, symcheck.IDMissing, "different code", "--fix"},
		{"DWARF of other code", func(t testing.TB) pair { return find(t, "code-longer").make(t) }, symcheck.CodeBytesDiffer, "", ""},
		{"DWARF of other code", func(t testing.TB) pair {
			p := damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].high += 6 } })(t)
			p.production = flip(t, p.production, "code", 6)
			return p
		}, symcheck.OtherCode, "WD102", ""},
		{"a byte that changed after the split", func(t testing.TB) pair { return find(t, "id-stale-content").make(t) }, symcheck.IDNotFresh, "let no tool change", "--build-id"},
		{"the ID of a linker", func(t testing.TB) pair { return find(t, "id-stale").make(t) }, symcheck.IDNotFresh, "", ""},
		{"a stripped companion", func(t testing.TB) pair { return find(t, "no-debug").make(t) }, symcheck.NoDebugInfo, "the companion that the split wrote", "-g"},
		{"a companion that never had DWARF", func(t testing.TB) pair {
			f := newFixture()
			f.sections = drop(".debug_info", ".debug_abbrev", ".debug_line")
			return split(t, f.build(t), rewrite.Options{})
		}, symcheck.NoDebugInfo, "name the file that holds the DWARF", ""},
		{"no ID in either", func(t testing.TB) pair { return find(t, "id-none-both").make(t) }, symcheck.IDMissing, "", ""},
	} {
		s := c.make(t).check(t, "good", symcheck.Options{})
		seen := false
		for _, f := range s.Findings {
			if f.Rule != c.rule {
				continue
			}
			seen = true
			if (c.want == "") != (f.Remedy == "") || !strings.Contains(f.Remedy, c.want) || c.not != "" && strings.Contains(f.Remedy, c.not) {
				t.Errorf("%s: what to do about %q is %q", c.name, f.Message, f.Remedy)
			}
		}
		if !seen || s.Verdict != report.Fail {
			t.Errorf("%s: %v, without %s\n%s", c.name, s.Verdict, c.rule, list(s))
		}
	}
}

// find returns an entry of the catalogue.
func find(t testing.TB, name string) *broken {
	t.Helper()
	for i := range catalogue {
		if catalogue[i].name == name {
			return &catalogue[i]
		}
	}
	t.Fatalf("no pair is called %s", name)
	return nil
}
