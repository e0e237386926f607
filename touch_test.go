package debugid

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// Build tools that go by times run a step again and again whose output is older
// than its input, and a split leaves what is right alone unless it is told.
func TestSplitTouches(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "out.wasm")
	if err := os.WriteFile(in, testwasm.Build(testwasm.Sample()...), 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Unix(1_700_000_000, 0)
	for i, touch := range []bool{false, false, true} {
		r, err := Split(t.Context(), SplitOptions{Input: in, Output: out, Touch: touch})
		if err != nil || r.Changed != (i == 0) {
			t.Fatalf("%v, changed %v", err, r.Changed)
		}
		for _, path := range []string{out, r.Companion} {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && info.ModTime().Equal(old) == touch {
				t.Errorf("%s, touch %v: %v", path, touch, info.ModTime())
			}
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
}
