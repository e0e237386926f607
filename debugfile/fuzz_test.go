package debugfile_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// seeds are modules of every form of DWARF that is small.
var seeds = []string{"c/O2-dw4.wasm", "c/O2-dw5.wasm", "cpp/O2-dw4.wasm", "cpp/types-dw5.wasm", "weak/w22-ab.wasm", "c/split-single.wasm",
	"c/lineonly-dw5.wasm", "c/mem64.wasm", "emscripten/g-O2.wasm", "emscripten/srcmap.wasm", "c/dw2.wasm"}

// FuzzLookup damages modules at up to three places and looks everything up:
// nothing panics or hangs, answers do not depend on the order, and what is an
// answer lies in a body.
func FuzzLookup(f *testing.F) {
	var modules [][]byte
	for i, name := range seeds {
		b := readAll(f, corpus+"/"+name)
		modules = append(modules, b)
		for k := range 4 {
			f.Add(uint8(i), uint32(len(b)*k/4+13), byte(0xff), uint32(len(b)-40*k-7), byte(k), uint32(len(b)/2+k), byte(0x80))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, at1 uint32, v1 byte, at2 uint32, v2 byte, at3 uint32, v3 byte) {
		b := bytes.Clone(modules[int(which)%len(modules)])
		for _, m := range []struct {
			at uint32
			v  byte
		}{{at1, v1}, {at2, v2}, {at3, v3}} {
			b[int(m.at)%len(b)] ^= m.v
		}
		lookEverywhere(t, b)
	})
}

// FuzzModule takes the bytes of DWARF sections as they come.
func FuzzModule(f *testing.F) {
	for _, name := range []string{"c/O2-dw4.wasm", "c/dw2.wasm"} {
		m := moduleOf(f, readAll(f, corpus+"/"+name))
		section := func(name string) []byte {
			b, err := m.Custom(name).Bytes(1 << 20)
			if err != nil {
				f.Fatal(err)
			}
			return b
		}
		f.Add(section(".debug_info"), section(".debug_abbrev"), section(".debug_line"), section(".debug_ranges"))
	}
	f.Fuzz(func(t *testing.T, info, abbrev, line, ranges []byte) {
		w := newWorld(30, 20, 40, 100)
		w.dwarf = td.Sections{".debug_info": info, ".debug_abbrev": abbrev, ".debug_line": line, ".debug_ranges": ranges}
		lookEverywhere(t, w.module())
	})
}

func lookEverywhere(t *testing.T, b []byte) {
	m, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return
	}
	lazy, err := debugfile.New(m, nil, debugfile.Options{Alone: true, CheckScopes: true})
	if err != nil {
		return
	}
	full, err := debugfile.New(m, nil, debugfile.Options{Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := full.Build(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	span, _ := lazy.CodeSpan()
	limit := min(span.Size, 4096) + 2
	for c := range limit {
		a, other := lazy.Lookup(wasm.CodeOffset(c), nil), full.Lookup(wasm.CodeOffset(c), nil)
		if raw(a) != raw(other) {
			t.Fatalf("0x%x: %q lazily, %q from the full index", c, raw(a), raw(other))
		}
		if a.HasIndex && !a.Body.Contains(wasm.CodeOffset(c)) {
			t.Fatalf("0x%x: body %v", c, a.Body)
		}
	}
	rows := 0
	for i := range full.NumBodies() {
		for range full.BodyRows(i) {
			rows++
		}
	}
	s, _ := full.Stats()
	if rows > s.Rows.Total() {
		t.Fatalf("%d live rows of %d", rows, s.Rows.Total())
	}
	full.Problems()
	full.Memory()
}

// FuzzSourceMap takes any text for a source map.
func FuzzSourceMap(f *testing.F) {
	f.Add([]byte(simpleMap(30)))
	f.Add(readAll(f, corpus+"/emscripten/srcmap.wasm.map"))
	f.Add([]byte(`{"version":3,"sections":[{"offset":{"line":0,"column":9},"map":{"version":3,"sources":["a"],"mappings":"AAAA,CACC"}}]}`))
	w := newWorld(30, 20)
	w.dwarf = td.Sections{}
	b := w.module()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := t.TempDir() + "/m"
		write(t, path, text)
		file := openBytes(t, b, debugfile.Options{SourceMap: path})
		for c := range 60 {
			file.Lookup(wasm.CodeOffset(c), nil)
		}
	})
}
