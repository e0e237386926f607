package main

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/hook/doctor"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// A code or a name means one thing, whichever command reports it: people look them
// up, and set them with --rule, without saying which command it was. The codes of
// each table begin with a digit of its own.
func TestCodesAreOfOneTable(t *testing.T) {
	seen := map[string]string{}
	for _, table := range []struct {
		name   string
		prefix string
		rules  []report.Rule
	}{
		{"symcheck", "WD1", symcheck.Rules()},
		{"conformance", "WD2", conformance.Rules()},
		{"hook/doctor", "WD3", doctor.Rules()},
	} {
		if len(table.rules) == 0 {
			t.Errorf("%s has no rules", table.name)
		}
		for _, r := range table.rules {
			if r.Code[:len(table.prefix)] != table.prefix {
				t.Errorf("%s of %s does not begin with %s", r.Code, table.name, table.prefix)
			}
			for _, key := range []string{r.Code, r.Name} {
				if other := seen[key]; other != "" {
					t.Errorf("%s is used by %s and %s", key, other, table.name)
				}
				seen[key] = table.name
			}
		}
	}
}
