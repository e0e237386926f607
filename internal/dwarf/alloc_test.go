package dwarf_test

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// TestNoAllocations: neither entries nor rows, names or paths cost memory.
func TestNoAllocations(t *testing.T) {
	for _, name := range []string{"cpp/O2-dw4.wasm", "cpp/types-dw5.wasm"} {
		_, main, _ := load(t, file(name))
		d := dwarf.New(main, wasmOptions)
		u := d.Unit(0)
		for i := range d.NumUnits() {
			if root, err := d.Unit(i).Root(); err == nil && root.Tag == dwarf.TagCompileUnit {
				u = d.Unit(i)
				break
			}
		}
		f := functions(t, u)
		p, err := u.LineProgram()
		if err != nil {
			t.Fatal(err)
		}
		files := p.Files()
		buf := make([]byte, 0, 1024)
		var seqs dwarf.SequenceReader
		var ranges []dwarf.RangeEntry
		for what, do := range map[string]func(){
			"entries": func() {
				c, err := u.Cursor()
				for err == nil && c.Next() {
					if v, ok := c.Attr(dwarf.AttrName); ok {
						_, err = u.String(v)
					}
				}
			},
			"ranges": func() {
				ranges = ranges[:0]
				c, err := u.Cursor()
				var e dwarf.RangeEntry
				for err == nil && c.Next() {
					for it := c.EntryRanges(); it.Next(&e); {
						ranges = append(ranges, e)
					}
				}
			},
			"rows": func() {
				for seqs.Reset(p); seqs.Next(); {
				}
			},
			"names": func() {
				for i := range f.NumOrigins() {
					_, _ = f.Decl(uint32(i))
				}
			},
			"paths": func() { buf, _ = files.AppendPath(buf[:0], 1) },
		} {
			if n := testing.AllocsPerRun(10, do); n != 0 {
				t.Errorf("%s: %s cost %v allocations", name, what, n)
			}
		}
		if len(ranges) == 0 || seqs.Stats().Rows == 0 || len(buf) == 0 {
			t.Errorf("%s: nothing was read", name)
		}
		// The results of a walk: a slice for each kind, whatever the number of
		// entries (some 500), and what the race detector makes the pool drop.
		if n := testing.AllocsPerRun(20, func() { _, _ = u.Functions(dwarf.FuncOptions{}) }); n > 40 {
			t.Errorf("%s: a walk cost %v allocations", name, n)
		}
		if f.Size() < 48*len(f.Inlines) {
			t.Errorf("%s: size %d", name, f.Size())
		}
		seqs.Reset(nil)
		if seqs.Next() {
			t.Error("there is a sequence in no program")
		}
	}
}
