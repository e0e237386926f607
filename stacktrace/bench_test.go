package stacktrace

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// mixedLog returns a log of about n frames of all engines, with the lines that
// stand between them in real ones.
func mixedLog(n int) (log []byte, frames int) {
	var b bytes.Buffer
	for i := 0; frames < n; i++ {
		off := 0x1000 + i*7%0xfffff
		fmt.Fprintf(&b, "2026-05-01T12:00:%02d.%03dZ INFO  request{id=%d path=/api/v1/items} took %d ms\n", i%60, i%1000, i, i%77)
		switch i % 5 {
		case 0:
			b.WriteString("RuntimeError: unreachable\n")
			for j := range 8 {
				fmt.Fprintf(&b, "    at core::fmt::write::h%x (https://cdn.example/pkg/calc_bg.wasm?v=7:wasm-function[%d]:0x%x)\n", off, j, off+j)
			}
			b.WriteString("    at run (https://app.example/boot.js:17:31)\n    at async main (https://app.example/boot.js:40:5)\n")
			frames += 8
		case 1:
			for j := range 8 {
				fmt.Fprintf(&b, "core::fmt::write@https://cdn.example/pkg/calc_bg.wasm?v=7:wasm-function[%d]:0x%x\n", j, off+j)
			}
			b.WriteString("run@https://app.example/boot.js:17:31\n\n")
			frames += 8
		case 2:
			b.WriteString("    0: error while executing at wasm backtrace:\n")
			for j := range 8 {
				fmt.Fprintf(&b, "          %2d: %#8x - <unknown>!<wasm function %d>\n", j, off+j, j)
			}
			b.WriteString("    1: wasm trap: unreachable\n")
			frames += 8
		case 3:
			b.WriteString("wasm error: unreachable\nwasm stack trace:\n")
			for j := range 4 {
				fmt.Fprintf(&b, "\tcalc.$%d(i32,i32) i32\n\t\t0x%x: src/lib.rs:%d:5\n", j, off+j, j+1)
			}
			b.WriteString("\n")
			frames += 8
		case 4:
			for j := range 4 {
				fmt.Fprintf(&b, "div_u@calc.wasm:wasm-function[%d]\n", j)
			}
			frames += 4
		}
	}
	return b.Bytes(), frames
}

// BenchmarkScanner streams a log with a million frames.
func BenchmarkScanner(b *testing.B) {
	log, frames := mixedLog(1_000_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(bytes.NewReader(log), 0)
		n := 0
		for s.Scan() {
			if s.Line().IsFrame {
				n++
			}
		}
		if n != frames {
			b.Fatalf("found %d frames of %d", n, frames)
		}
	}
}

// BenchmarkScannerPlain streams a log without a frame.
func BenchmarkScannerPlain(b *testing.B) {
	line := []byte("2026-05-01T12:00:00.123Z INFO  request{id=77 path=/api/v1/items?x=(1)} took 12 ms (cache: hit) [worker-3]\n")
	log := bytes.Repeat(line, 200_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(bytes.NewReader(log), 0)
		for s.Scan() {
			if s.Line().IsFrame {
				b.Fatal("a frame")
			}
		}
	}
}

func BenchmarkParseLine(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"v8", "    at core::fmt::write (https://cdn.example/pkg/calc_bg.wasm?v=7:wasm-function[41]:0x2f10)"},
		{"gecko", "core::fmt::write@https://cdn.example/pkg/calc_bg.wasm?v=7:wasm-function[41]:0x2f10"},
		{"javascript", "    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			line := []byte(c.line)
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				ParseLine(line)
			}
		})
	}
}

// TestScannerAllocations: memory is taken once, not per line.
func TestScannerAllocations(t *testing.T) {
	log, frames := mixedLog(5000)
	n := testing.AllocsPerRun(3, func() {
		s := NewScanner(bytes.NewReader(log), 0)
		for s.Scan() {
		}
		if err := s.Err(); err != nil && err != io.EOF {
			t.Fatal(err)
		}
	})
	if n > 20 {
		t.Errorf("%v allocations for %d frames", n, frames)
	}
}
