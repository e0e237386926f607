package wasm

import (
	"bytes"
	"io"
	"slices"
	"testing"
)

// benchPayload joins the bodies of the modules in testdata to one Code payload
// of several megabytes: code as compilers write it.
func benchPayload(b *testing.B) []byte {
	b.Helper()
	modules := codeModules(b, "corpus/c", "corpus/cpp", "corpus/rust", "corpus/zig", "corpus/emscripten", "corpus/assemblyscript")
	var paths []string
	for p := range modules {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var bodies []byte
	count := uint32(0)
	for _, p := range paths {
		r, err := NewBodyReader(modules[p])
		if err != nil {
			b.Fatal(err)
		}
		for {
			body, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			code, err := r.Bytes(body, nil)
			if err != nil {
				b.Fatal(err)
			}
			bodies = append(AppendUint32(bodies, body.Size()), code...)
			count++
		}
	}
	times := max(1, 4<<20/len(bodies))
	return append(AppendUint32(nil, count*uint32(times)), bytes.Repeat(bodies, times)...)
}

func BenchmarkInstructions(b *testing.B) {
	payload := benchPayload(b)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		l, err := NewBodies(payload, 0, 0)
		if err != nil {
			b.Fatal(err)
		}
		points := 0
		for {
			body, code, err := l.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			it := body.Instructions(code)
			for it.Next() {
				if it.Instr().Reportable() {
					points++
				}
			}
			if it.Err() != nil {
				b.Fatal(it.Err())
			}
		}
		if points == 0 {
			b.Fatal("no reportable points")
		}
	}
}

func BenchmarkBodyReader(b *testing.B) {
	payload := benchPayload(b)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewBodyReaderAt(bytes.NewReader(payload), CodeSpan{Size: uint32(len(payload))}, 0)
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}

func BenchmarkImports(b *testing.B) {
	payload := AppendUint32(nil, 10_000)
	for range 10_000 {
		payload = append(payload, "\x03env\x0ea_longer_name_\x00\x05"...)
	}
	data := importModule(payload)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := openRaw(b, data).ImportedFunctions(); n != 10_000 || err != nil {
			b.Fatal(n, err)
		}
	}
}
