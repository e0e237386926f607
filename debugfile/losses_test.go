package debugfile

import (
	"context"
	"testing"
)

// TestLossesOfGoodFiles: modules that compilers made lack nothing, and what needs an
// index of everything gives nothing before.
func TestLossesOfGoodFiles(t *testing.T) {
	for _, name := range []string{"cpp/O2-dw4.wasm", "cpp/O2-dw5.wasm", "rust/nostd-O2-dw4.wasm", "zig/small.wasm", "cpp/types-dw4.wasm", "c/lineonly-dw5.wasm"} {
		f, err := Open("../testdata/corpus/"+name, Options{Alone: true})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, built := range []bool{false, true} {
			if built {
				if err := f.Build(context.Background(), 2); err != nil {
					t.Fatal(err)
				}
			}
			l, err := f.Losses(context.Background(), 2)
			if err != nil || len(l.References) > 0 || l.Ranges.Entries > 0 || l.Names.Entries > 0 {
				t.Errorf("%s: %+v, %v", name, l, err)
			}
			if u, err := f.UnusedLines(); err != nil || u.Programs > 0 {
				t.Errorf("%s: %+v, %v", name, u, err)
			}
		}
		for r := range f.Functions() {
			if r.Fate == Live && f.NameFate(r) != NameGood {
				t.Errorf("%s: the name of the function at %v has the fate %d", name, r.Start, f.NameFate(r))
			}
		}
	}
}
