package debugid

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// TestInfoJudgesThePair: the ID of a split module is judged with its companion, where
// that is at hand.
func TestInfoJudgesThePair(t *testing.T) {
	for _, c := range []struct {
		input, policy string
		fresh, alone  string // with and without the companion
	}{
		{"c/O0-dw4.wasm", "content", "fresh", "cannot tell"},
		{"c/bid-fast.wasm", "auto", "fresh", "changed"},
		{"c/bid-sha1.wasm", "auto", "fresh", "cannot tell"},
		{"c/bid-uuid.wasm", "auto", "cannot tell", "cannot tell"},
	} {
		t.Run(c.input, func(t *testing.T) {
			dir := t.TempDir()
			policy, err := buildid.ParsePolicy(c.policy)
			if err != nil {
				t.Fatal(err)
			}
			o := SplitOptions{Options: rewrite.Options{BuildID: policy}, Input: checkCorpus + c.input, Output: filepath.Join(dir, "app.wasm")}
			r, err := Split(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			freshness := func() (string, string) {
				t.Helper()
				m, err := Info(context.Background(), InfoOptions{Input: o.Output})
				if err != nil {
					t.Fatal(err)
				}
				return m.BuildID.Freshness, m.BuildID.Reason
			}
			if got, why := freshness(); got != c.fresh || !strings.Contains(why, "app.debug.wasm") {
				t.Errorf("with the companion: %s, %s; want %s", got, why, c.fresh)
			}
			b, err := os.ReadFile(r.Companion)
			if err != nil {
				t.Fatal(err)
			}
			if c.fresh == "fresh" {
				at := strings.Index(string(b), ".debug_str") + len(".debug_str") + 3
				b[at] ^= 1
				if err := os.WriteFile(r.Companion, b, 0o644); err != nil {
					t.Fatal(err)
				}
				if got, why := freshness(); got == "fresh" {
					t.Errorf("with a companion that was changed: %s, %s", got, why)
				}
			}
			if err := os.Remove(r.Companion); err != nil {
				t.Fatal(err)
			}
			if got, why := freshness(); got != c.alone {
				t.Errorf("alone: %s, %s; want %s", got, why, c.alone)
			}
		})
	}
}
