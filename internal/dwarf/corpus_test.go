package dwarf_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// customSections returns the custom sections of a module by name.
func customSections(module []byte) map[string][]byte {
	out := map[string][]byte{}
	for rest := module[min(8, len(module)):]; len(rest) > 1; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return out
		}
		body := rest[1+n:][:size]
		rest = rest[1+n+int(size):]
		if nameLen, n := binary.Uvarint(body); id == 0 && n > 0 && nameLen <= uint64(len(body)-n) {
			out[string(body[n:][:nameLen])] = body[n+int(nameLen):]
		}
	}
	return out
}

// load splits a module's sections into those of the file itself and those of
// split DWARF.
func load(tb testing.TB, path string) (sections map[string][]byte, main, dwo dwarf.Sections) {
	tb.Helper()
	module, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	sections = customSections(module)
	dwo.DWO = true
	for name, data := range sections {
		main.Set(name, data)
		dwo.Set(name, data)
	}
	return sections, main, dwo
}

const corpusDir = "../../testdata/corpus"

// corpus returns the modules that have DWARF. WASM_DEBUGID_CORPUS may name
// further directories, separated as in PATH.
func corpus(tb testing.TB) []string {
	tb.Helper()
	dirs := append([]string{corpusDir}, filepath.SplitList(os.Getenv("WASM_DEBUGID_CORPUS"))...)
	var paths []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(path, ".wasm") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	var with []string
	for _, path := range paths {
		if _, main, _ := load(tb, path); len(main.Info)+len(main.Line) > 0 {
			with = append(with, path)
		}
	}
	return with
}

// file returns a file of the corpus.
func file(name string) string { return filepath.Join(corpusDir, filepath.FromSlash(name)) }
