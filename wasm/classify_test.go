package wasm_test

import (
	"errors"
	"path/filepath"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestClassifyToolchains classifies what real compilers and linkers wrote.
func TestClassifyToolchains(t *testing.T) {
	object := wasm.Classification{Object: true}
	kept := wasm.Classification{KeptRelocations: true}
	for name, want := range map[string]wasm.Classification{
		"objects/clang14.o":               object,
		"objects/clang19.o":               object,
		"objects/clang22.o":               object,
		"objects/clang22-64.o":            object,
		"objects/rust.o":                  object,
		"objects/relinked14.wasm":         object,
		"objects/relinked22.wasm":         object,
		"corpus/c/reloc-r.wasm":           object,
		"objects/kept-import-memory.wasm": kept,
		"objects/kept-no-exports.wasm":    kept,
		"objects/kept-shared.wasm":        {KeptRelocations: true, Dynamic: true},
		"corpus/c/emit-relocs.wasm":       kept,
		"corpus/cpp/emit-relocs-dw5.wasm": kept,
		"corpus/c/pic-shared.wasm":        {Dynamic: true},
		"corpus/c/split-dw5.trap.dwo":     {SplitDWARF: true},
		"corpus/c/O2-dw5.wasm":            {},
		"corpus/zig/small.wasm":           {},
		"corpus/emscripten/sep2.wasm":     {},
		"corpus/feat/gc-multimem.wasm":    {},
	} {
		f, err := wasm.Open(filepath.Join("..", "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := wasm.Classify(f); got != want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
		f.Close()
	}
}

func TestClassify(t *testing.T) {
	linking := tw.Custom("linking", []byte{2})
	memory := func(module, name string) tw.Section {
		return tw.Imports(
			tw.Import{Module: "env", Name: "__linear_memory", Kind: tw.KindFunc},
			tw.Import{Module: module, Name: name, Kind: tw.KindMemory, Limits: tw.Limits{Min: 1}})
	}
	object, kept := wasm.Classification{Object: true}, wasm.Classification{KeptRelocations: true}
	for _, c := range []struct {
		name string
		s    []tw.Section
		want wasm.Classification
	}{
		{"nothing", nil, wasm.Classification{}},
		{"sample", tw.Sample(), wasm.Classification{}},
		{"no linking section", []tw.Section{memory("env", "__linear_memory")}, wasm.Classification{}},
		{"object", []tw.Section{memory("env", "__linear_memory"), linking}, object},
		{"object with only relocations left", []tw.Section{memory("env", "__linear_memory"), tw.Custom("reloc.CODE", []byte{1, 0})}, object},
		{"memory of that name from elsewhere", []tw.Section{memory("other", "__linear_memory"), linking}, kept},
		{"relinked", []tw.Section{tw.Memories(tw.Limits{}), linking}, object},
		{"relinked with an empty export section", []tw.Section{tw.Memories(tw.Limits{}), tw.Exports(), linking}, object},
		{"exports", []tw.Section{tw.Memories(tw.Limits{}), tw.Exports(tw.Export{Name: "memory", Kind: tw.KindMemory}), linking}, kept},
		{"start", []tw.Section{tw.Start(0), linking}, kept},
		{"dynamic", []tw.Section{tw.Custom("dylink.0", nil), linking}, wasm.Classification{KeptRelocations: true, Dynamic: true}},
		{"legacy dynamic", []tw.Section{tw.Custom("dylink", nil)}, wasm.Classification{Dynamic: true}},
		{"bindgen", append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte("x"))), wasm.Classification{AwaitsBindgen: true}},
		{"component", append(tw.Sample(), tw.Custom("component-type:app", nil)), wasm.Classification{AwaitsComponent: true}},
		{"dwo", []tw.Section{tw.Custom(".debug_info.dwo", nil)}, wasm.Classification{SplitDWARF: true}},
		{"dwo inside of a module", append(tw.Sample(), tw.Custom(".debug_info.dwo", nil)), wasm.Classification{}},
	} {
		if got, err := wasm.Classify(open(t, tw.Build(c.s...))); got != c.want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
	for name, s := range map[string]tw.Section{
		"imports": {ID: wasm.SectionImport, Payload: []byte{5, 1}},
		"exports": {ID: wasm.SectionExport, Payload: []byte{0x80}},
	} {
		_, err := wasm.Classify(open(t, tw.Build(s, linking)))
		var fe *wasm.FormatError
		if !errors.As(err, &fe) {
			t.Errorf("malformed %s: %v", name, err)
		}
		if _, err := wasm.Classify(open(t, tw.Build(s))); err != nil {
			t.Errorf("malformed %s matter to a linked module: %v", name, err)
		}
	}
}
