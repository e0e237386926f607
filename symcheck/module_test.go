package symcheck

import (
	"context"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestPlannedSymbolsReadOnce: the blanked code of a planned companion is made from the
// input each time that it is read. To look at many small bodies reads the input a few
// times, and not once more for each of them.
func TestPlannedSymbolsReadOnce(t *testing.T) {
	big, err := testwasm.BigModule{CodeBytes: 4 << 20, Funcs: 10_000, DebugBytes: 64 << 10, Names: true, Seed: 1}.Open()
	if err != nil {
		t.Fatal(err)
	}
	input := &testwasm.Counting{R: big}
	f, err := wasm.NewFile(input, big.Size())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rewrite.Split(context.Background(), f, rewrite.Options{Companion: rewrite.CompanionSymbols})
	if err != nil {
		t.Fatal(err)
	}
	input.Bytes.Store(0)
	s, err := Check(context.Background(), &Module{Path: "a.wasm", File: plan.ProductionFile}, &Module{Path: "a.debug.wasm", File: plan.CompanionFile},
		Options{PairOnly: true, Planned: true})
	if err != nil || s.Verdict != report.Pass {
		t.Fatalf("%v, %+v", err, s)
	}
	if read := input.Bytes.Load(); read > 20*big.Size() {
		t.Errorf("%d bytes of a file of %d were read", read, big.Size())
	}
}
