package debugfile

import (
	"path/filepath"
	"testing"
)

func TestIsGhost(t *testing.T) {
	for path, want := range map[string]bool{
		"post/c-O0-dw4.ghost108.wasm": true, // wasm-opt 108 -O2 without -g: every address is 0
		"post/c-O0-dw4.opt108.wasm":   false,
		"post/c-O0-dw4.rt108.wasm":    false, // rewritten with the code
		"post/c-O0-dw4.opt132.wasm":   false, // untouched, and wrong: not to be seen from the roots
		"c/O2-dw5.wasm":               false,
		"c/dw2.wasm":                  false,
		"c/split-dw5.wasm":            false,
		"zig/small.wasm":              false,
		"emscripten/srcmap.wasm":      false, // no DWARF at all
	} {
		f, err := Open(filepath.Join("..", "testdata", "corpus", path), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.IsGhost(); got != want {
			t.Errorf("%s: IsGhost() = %v, want %v", path, got, want)
		}
		f.Close()
	}
}
