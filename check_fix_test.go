package debugid

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestFixKeepsTheDigest: a companion that is laid out again still records, and has, the
// debug data of the split; one whose debug data was damaged is not made good by a repair.
func TestFixKeepsTheDigest(t *testing.T) {
	for _, kind := range []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols} {
		t.Run(kind.String(), func(t *testing.T) {
			ctx := context.Background()
			o := SplitOptions{Input: checkCorpus + "cpp/O2-dw4.wasm", Output: filepath.Join(t.TempDir(), "app.wasm")}
			o.Companion, o.BuildID = kind, buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID("an id from a CI job")}
			split, err := Split(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			move := func() {
				t.Helper()
				rewriteFile(t, split.Companion, func(b []byte) []byte {
					f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
					if err != nil {
						t.Fatal(err)
					}
					span, _ := f.CodeSpan()
					l, err := rewrite.Repaired(f, rewrite.Repair{CodeStart: span.Start + 50})
					if err != nil {
						t.Fatal(err)
					}
					out := make([]byte, l.Size())
					if _, err := l.ReadAt(out, 0); err != nil {
						t.Fatal(err)
					}
					return out
				})
			}
			rules := func() []string {
				t.Helper()
				r, err := Check(ctx, CheckOptions{Path: o.Output})
				if err != nil {
					t.Fatal(err)
				}
				var out []string
				for _, f := range r.Subjects[0].Findings {
					if f.Severity == report.Error {
						out = append(out, f.Rule)
					}
				}
				return out
			}
			fix := func() {
				t.Helper()
				if r, err := Fix(ctx, FixOptions{CheckOptions: CheckOptions{Path: o.Output}}); err != nil || len(r.Written) != 1 {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			want := recordOf(t, split.Companion).Debug
			move()
			if got := rules(); !slices.Contains(got, symcheck.CodeStartDiffers) || slices.Contains(got, symcheck.DebugDataChanged) {
				t.Errorf("moved: %v", got)
			}
			fix()
			if got := rules(); len(got) > 0 {
				t.Errorf("repaired: %v", got)
			}
			if diff := cmp.Diff(want, recordOf(t, split.Companion).Debug); diff != "" || want == nil {
				t.Error(diff)
			}
			rewriteFile(t, split.Companion, func(b []byte) []byte {
				b[bytes.Index(b, []byte("trap.cpp"))] ^= 1
				return b
			})
			move()
			fix()
			if got := rules(); !slices.Equal(got, []string{symcheck.DebugDataChanged}) {
				t.Errorf("damaged, moved and repaired: %v", got)
			}
		})
	}
}

func rewriteFile(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o644); err != nil {
		t.Fatal(err)
	}
}

func recordOf(t *testing.T, path string) *rewrite.Record {
	t.Helper()
	f, err := wasm.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := rewrite.ReadRecord(f)
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	return r
}
