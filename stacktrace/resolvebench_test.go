package stacktrace

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// resolvableLog is a log of about n frames of a module of the corpus, with what
// stands between traces in real logs. One in ten frames is of another build.
func resolvableLog(n int) ([]byte, int) {
	var b bytes.Buffer
	frames := 0
	for i := 0; frames < n; i++ {
		fmt.Fprintf(&b, "2026-05-01T12:00:%02d.%03dZ ERROR request{id=%d path=/api/v1/items} failed after %d ms\nRuntimeError: unreachable\n", i%60, i%1000, i, i%77)
		for range 4 {
			b.WriteString("    at outer (https://cdn.example/pkg/app.wasm?v=7:wasm-function[1]:0x193)\n    at run (https://cdn.example/pkg/app.wasm?v=7:wasm-function[0]:0xae)\n")
		}
		fmt.Fprintf(&b, "    at https://cdn.example/pkg/app.wasm?v=7:wasm-function[2]:0x%x\n    at https://cdn.example/pkg/app.wasm?v=7:wasm-function[0]:0xc4\n", 0x1c6+i%50)
		b.WriteString("    at main (https://app.example/boot.js:17:31)\n    at async https://app.example/boot.js:40:5\n")
		frames += 10
	}
	return b.Bytes(), frames
}

func benchmarkLog(b *testing.B, frames int, run func(r *Resolver, log io.Reader) (Summary, error)) {
	log, n := resolvableLog(frames)
	f := split(b, "c/O0-dw4.wasm", b.TempDir(), "app", rewrite.Options{})
	r := resolver(b, filepath.Dir(f.companion))
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		sum, err := run(r, bytes.NewReader(log))
		if err != nil || sum.Frames != int64(n) {
			b.Fatalf("%+v, %v", sum, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkAnnotate annotates a log with a million frames.
func BenchmarkAnnotate(b *testing.B) {
	benchmarkLog(b, 1_000_000, func(r *Resolver, log io.Reader) (Summary, error) {
		return Annotate(io.Discard, log, r, AnnotateOptions{})
	})
}

// BenchmarkWriteJSON writes the frames of a log as JSON.
func BenchmarkWriteJSON(b *testing.B) {
	benchmarkLog(b, 100_000, func(r *Resolver, log io.Reader) (Summary, error) {
		return WriteJSON(io.Discard, log, r, JSONOptions{})
	})
}

// TestTraceAllocations: a trace that was resolved before costs no memory, whatever
// the indices and the engine are.
func TestTraceAllocations(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	for _, trace := range []string{
		"    at outer (http://x/app.wasm:wasm-function[1]:0x193)\n    at run (http://x/app.wasm:wasm-function[0]:0xae)\n",
		"    at outer (wasm://wasm/O0-dw4.wasm-623d96e2:wasm-function[0]:0x193)\n", // Deno
		"#00: 0x0193 - $f1\n#01: 0x00ae - $f0\n",
	} {
		var frames []*Frame
		for line := range strings.Lines(trace) {
			frame, ok := ParseLine([]byte(strings.TrimSuffix(line, "\n")))
			if !ok {
				t.Fatalf("%q is no frame", line)
			}
			frames = append(frames, &frame)
		}
		var m traceMemory
		n := testing.AllocsPerRun(10, func() {
			for i, res := range r.trace(frames, nil, &m) {
				if !res.HasLine() {
					t.Fatalf("%q: frame %d: %s", trace, i, brief(res))
				}
			}
		})
		if n > 0 {
			t.Errorf("%q: %v allocations", trace, n)
		}
	}
}
