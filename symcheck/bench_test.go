package symcheck_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// bigFixture is a module of many functions, each of which has DWARF and rows.
func bigFixture(functions int) *fixture {
	f := newFixture()
	f.fns = nil
	code := []byte{}
	for range 40 {
		code = append(code, testwasm.OpI32Const, 0, testwasm.OpI32Load, 2, 0, testwasm.OpDrop, testwasm.OpCall, 1)
	}
	body := testwasm.Fn(code...).With(1, testwasm.I32)
	for i := range functions {
		f.fns = append(f.fns, fn{name: fmt.Sprintf("function_%d", i), body: body})
	}
	f.dwarf = func(fns []fn) {
		for i := range fns {
			var rows []row
			for k := range 40 {
				rows = append(rows, row{uint64(k * 8), int64(10 + k)})
			}
			fns[i].rows = rows
			fns[i].children = []*testdwarf.DIE{}
		}
	}
	return f
}

// BenchmarkCheck checks a generated module by itself and as a pair. With
// WASM_DEBUGID_BENCH it checks that module as well.
func BenchmarkCheck(b *testing.B) {
	data := bigFixture(4000).build(b)
	run := func(name string, p pair) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				prod := module(b, "app.wasm", p.production)
				var comp *symcheck.Module
				if p.companion != nil {
					comp = module(b, "app.debug.wasm", p.companion)
				}
				if _, err := symcheck.Check(context.Background(), prod, comp, symcheck.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("module", pair{production: data})
	run("pair", split(b, data, rewrite.Options{}))
	name := os.Getenv("WASM_DEBUGID_BENCH")
	if name == "" {
		return
	}
	b.Run("file", func(b *testing.B) {
		m, err := mapped.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		b.ReportAllocs()
		b.SetBytes(m.Size())
		for b.Loop() {
			f, err := wasm.NewFile(m, m.Size())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := symcheck.Check(context.Background(), &symcheck.Module{Path: name, File: f, Source: m}, nil, symcheck.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
