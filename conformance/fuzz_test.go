package conformance

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// FuzzRun: whatever the bytes, a run ends, within limits, and does not panic.
func FuzzRun(f *testing.F) {
	f.Add(testwasm.Build(testwasm.Sample()...))
	for _, name := range []string{"c/O2-dw4.wasm", "c/threads-dw5.wasm", "eh/eh-new-4.wasm", "zig/small.wasm", "emscripten/sep2.wasm"} {
		b, err := os.ReadFile(corpus + "/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(testwasm.Build(testwasm.Types(testwasm.FuncType{}), testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0x12, 0))))
	limits := Limits{CallTime: 20 * time.Millisecond, Time: 100 * time.Millisecond, MemoryPages: 16, TableElements: 1000, Depth: 100, HostCalls: 100, Output: 100,
		CodeBytes: 1 << 16, DataBytes: 1 << 16, Locals: 500, AllLocals: 5000}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		x := &Module{Path: "m", File: m}
		_, _ = Run(context.Background(), x, nil, Options{Limits: limits, Original: x})
	})
}

// FuzzFrames: any text is read without a panic, and frames are in it.
func FuzzFrames(f *testing.F) {
	f.Add("wasm error: unreachable\nwasm stack trace:\n\t.$3(i32)\n\t\t0x25: @shim:1\n\t.$4()\n\t\t0x30: a.c:1:2 (inlined)\n\t\t      b.c:3")
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range parseFrames(text) {
			if x.hasOffset != (len(x.lines) > 0) {
				t.Errorf("%q: %+v", text, x)
			}
		}
	})
}

// BenchmarkSweep measures the probes in every function, instantiation included.
func BenchmarkSweep(b *testing.B) {
	m := outline(b, "m", corpusPair(b, "rust/nostd-O0-dw4.wasm").production)
	l := quick.withDefaults()
	b.ReportAllocs()
	b.SetBytes(int64(len(m.code.payload)))
	for b.Loop() {
		s, err := m.sweep(context.Background(), Interpreter, &l, newCollector())
		if err != nil || s.trapped == 0 {
			b.Fatal(err, s)
		}
	}
}
