package buildid

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"lukechampine.com/blake3"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

const benchSize = 64 << 20

func bench(b *testing.B, run func(data []byte, o Options)) {
	data := noise(benchSize, 9)
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", w), func(b *testing.B) {
			b.SetBytes(benchSize)
			b.ReportAllocs()
			for b.Loop() {
				run(data, Options{Workers: w})
			}
		})
	}
}

func BenchmarkSum(b *testing.B) {
	bench(b, func(data []byte, o Options) {
		if _, err := Sum(context.Background(), bytes.NewReader(data), 0, int64(len(data)), o); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkHasher is the BLAKE3 module's own hasher on memory, for comparison.
func BenchmarkHasher(b *testing.B) {
	data := noise(benchSize, 9)
	b.SetBytes(benchSize)
	b.ReportAllocs()
	for b.Loop() {
		blake3.Sum256(data)
	}
}

func BenchmarkFast(b *testing.B) {
	bench(b, func(data []byte, o Options) {
		if _, err := lldFast(context.Background(), bytes.NewReader(data), int64(len(data)), int64(len(data))-16, 16, o); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkSHA1(b *testing.B) {
	bench(b, func(data []byte, o Options) {
		if _, err := lldSHA1(context.Background(), bytes.NewReader(data), int64(len(data)), int64(len(data))-20, 20, o); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkMeasureSmall is the price of a content ID for a small module.
func BenchmarkMeasureSmall(b *testing.B) {
	module := corpus(b, "cpp/bid-fast.wasm")
	f := open(b, module)
	b.SetBytes(int64(len(module)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := Measure(context.Background(), f, Options{})
		if err != nil {
			b.Fatal(err)
		}
		m.ContentOf(f)
	}
}

func BenchmarkMeasureBig(b *testing.B) {
	big, err := testwasm.BigModule{CodeBytes: 8 << 20, DebugBytes: 40 << 20, Funcs: 20_000, Names: true, Sparse: true}.Open()
	if err != nil {
		b.Fatal(err)
	}
	name := b.TempDir() + "/big.wasm"
	if err := big.WriteFile(name); err != nil {
		b.Fatal(err)
	}
	f, err := wasm.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.SetBytes(f.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Measure(context.Background(), f, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
