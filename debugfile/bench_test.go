package debugfile_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// benchFile is the companion that benchmarks read: one of the corpus, or a large
// one that scripts/bench-index makes, named by WASM_DEBUGID_BENCH.
func benchFile() string {
	if path := os.Getenv("WASM_DEBUGID_BENCH"); path != "" {
		return path
	}
	return corpus + "/cpp/O2-dw4.wasm"
}

func dwarfSize(f *debugfile.File) (n int64) {
	for _, name := range []string{".debug_info", ".debug_line"} {
		if s := f.Module().Custom(name); s != nil {
			n += s.DataSize()
		}
	}
	return n
}

// BenchmarkFirstAnswer opens a companion and answers one offset.
func BenchmarkFirstAnswer(b *testing.B) {
	path := benchFile()
	b.ReportAllocs()
	for b.Loop() {
		f, err := debugfile.Open(path, debugfile.Options{})
		if err != nil {
			b.Fatal(err)
		}
		_, e := f.Body(f.NumBodies() / 2)
		f.Lookup(e.Start+8, nil)
		f.Close()
	}
}

// build opens and indexes a file, and returns how long that took: elapsed, and the
// processor time of the whole process.
func build(b *testing.B, path string, workers int) (elapsed, processor time.Duration, f *debugfile.File) {
	start, used := time.Now(), processorTime()
	f, err := debugfile.Open(path, debugfile.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Build(context.Background(), workers); err != nil {
		b.Fatal(err)
	}
	return time.Since(start), processorTime() - used, f
}

// benchmarkBuild reports besides, of the fastest of its runs, milliseconds for each
// MB of .debug_info and .debug_line: elapsed ones and those of the processor.
func benchmarkBuild(b *testing.B, workers int) {
	path := benchFile()
	b.ReportAllocs()
	best, least := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var memory, size int64
	for b.Loop() {
		elapsed, processor, f := build(b, path, workers)
		best, least = min(best, elapsed), min(least, processor)
		memory, size = f.Memory(), dwarfSize(f)
		f.Close()
	}
	b.SetBytes(size)
	b.ReportMetric(float64(memory)/1e6, "MB-index")
	b.ReportMetric(best.Seconds()*1e9/float64(size), "ms/MB")
	b.ReportMetric(least.Seconds()*1e9/float64(size), "cpu-ms/MB")
}

func BenchmarkBuild1(b *testing.B) { benchmarkBuild(b, 1) }
func BenchmarkBuild2(b *testing.B) { benchmarkBuild(b, 2) }

// BenchmarkBuildScaling indexes with one worker and with two in turn, and reports
// how many times faster two are, each at its best.
func BenchmarkBuildScaling(b *testing.B) {
	path := benchFile()
	best := [3]time.Duration{1: math.MaxInt64, 2: math.MaxInt64}
	for b.Loop() {
		for workers := 1; workers <= 2; workers++ {
			elapsed, _, f := build(b, path, workers)
			best[workers] = min(best[workers], elapsed)
			f.Close()
		}
	}
	b.ReportMetric(best[1].Seconds()/best[2].Seconds(), "times")
}

// BenchmarkLookup answers random offsets of an indexed file.
func BenchmarkLookup(b *testing.B) {
	f, err := debugfile.Open(benchFile(), debugfile.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := f.Build(context.Background(), 0); err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	offsets := make([]wasm.CodeOffset, 1<<16)
	for i := range offsets {
		_, e := f.Body(r.IntN(f.NumBodies()))
		offsets[i] = e.Start + wasm.CodeOffset(r.Uint32N(uint32(e.End-e.Start)))
	}
	buf := make([]debugfile.Frame, 0, 64)
	for _, c := range offsets { // names and paths are made once
		f.Lookup(c, buf)
	}
	b.ReportAllocs()
	b.ResetTimer()
	i := 0
	for b.Loop() {
		f.Lookup(offsets[i&(len(offsets)-1)], buf)
		i++
	}
}
