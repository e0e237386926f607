package buildid

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// corpus reads a module of testdata/corpus.
func corpus(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", "corpus", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, b []byte) *wasm.File {
	t.Helper()
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t testing.TB, f *wasm.File) Found {
	t.Helper()
	found, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// idSection is a build_id section with the given payload.
func idSection(payload []byte) testwasm.Section { return testwasm.Custom(wasm.CustomBuildID, payload) }

// add appends sections to a module.
func add(module []byte, sections ...testwasm.Section) []byte {
	out := bytes.Clone(module)
	for _, s := range sections {
		out = s.Append(out)
	}
	return out
}

// without returns the module without the sections that drop selects.
func without(t testing.TB, module []byte, drop func(*wasm.Section) bool) []byte {
	t.Helper()
	f := open(t, module)
	out := bytes.Clone(module[:8])
	for i := range f.Sections {
		if s := &f.Sections[i]; !drop(s) {
			out = append(out, module[s.Offset:s.End()]...)
		}
	}
	return out
}

func isDebug(s *wasm.Section) bool { return s.IsDebug() }

func isCustom(s *wasm.Section) bool { return s.ID == wasm.SectionCustom }

func isBuildID(s *wasm.Section) bool { return s.IsCustom(wasm.CustomBuildID) }

// patch returns the module with the byte at off inverted.
func patch(module []byte, off wasm.FileOffset) []byte {
	out := bytes.Clone(module)
	out[off] ^= 0xff
	return out
}
