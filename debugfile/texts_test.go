package debugfile

import (
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// TestTextBudget: names that entries share are kept once, and what is longer in all
// than the sections is cut.
func TestTextBudget(t *testing.T) {
	var b textBudget
	section := []byte(strings.Repeat("n", 1<<20))
	b.allow(&dwarf.Sections{Str: section})
	for range 1000 {
		if got := b.keep(section); len(got) != len(section) {
			t.Fatalf("%d bytes of %d", len(got), len(section))
		}
	}
	kept := 0
	for i := range 1000 {
		kept += len(b.keep(section[i:]))
	}
	if most := textFactor*len(section) + textSlack + 1000*shortText; kept > most || !b.cut.Load() {
		t.Errorf("%d bytes are kept, %d at most; cut %v", kept, most, b.cut.Load())
	}
	if got := b.keep([]byte("short")); got != "short" {
		t.Errorf("%q", got)
	}
}
