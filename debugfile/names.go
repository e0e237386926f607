package debugfile

import (
	"sync"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxNames bounds the size in bytes of the function names that are loaded.
const maxNames = 1 << 30

// nameTier gives functions names by their index, from the name section of the
// companion or else of the production module.
type nameTier struct {
	once  sync.Once
	table *wasm.FunctionNames
	err   error
}

func (t *nameTier) load(f *File) {
	t.once.Do(func() {
		for _, m := range []*wasm.File{f.module, f.opt.Production} {
			if m == nil || t.table != nil {
				continue
			}
			sec := m.Custom(wasm.CustomName)
			if sec == nil {
				continue
			}
			names, err := wasm.ReadNames(sec)
			if err == nil {
				t.table, err = names.Functions(maxNames)
			}
			if err != nil && t.err == nil {
				t.err = err
			}
		}
	})
}

// function returns the name of a function, or an empty string.
func (t *nameTier) function(f *File, index uint32) string {
	t.load(f)
	if t.table == nil {
		return ""
	}
	s, _ := t.table.Name(index)
	return s
}

// FunctionName returns the name of a function by its index, imports counted, as
// the name section has it.
func (f *File) FunctionName(index uint32) (string, bool) {
	s := f.names.function(f, index)
	return s, s != ""
}

// NamesError returns what was wrong with the name section, or nil.
func (f *File) NamesError() error {
	f.names.load(f)
	return f.names.err
}
