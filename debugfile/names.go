package debugfile

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxNames bounds the size in bytes of the function names that are loaded.
const maxNames = 1 << 30

// nameTier gives functions names by their index: from a symbol map, else from the
// name section of the companion, else from that of the production module.
type nameTier struct {
	once    sync.Once
	table   *wasm.FunctionNames      // nil without a name section
	symbols map[uint32]string        // nil without a symbol map
	cache   []atomic.Pointer[string] // names of the table by index, made when they are asked for
	memory  atomic.Int64
	err     error
}

func (t *nameTier) load(f *File) {
	t.once.Do(func() {
		var errs []error
		if f.opt.SymbolMap != "" {
			var err error
			if t.symbols, err = readSymbolMap(f.opt.SymbolMap); err != nil {
				errs = append(errs, err)
			}
			for _, name := range t.symbols {
				t.memory.Add(int64(len(name)) + 48)
			}
		}
		for _, m := range []*wasm.File{f.module, f.opt.Production} {
			if m == nil || t.table != nil && t.table.Len() > 0 {
				continue
			}
			sec := m.Custom(wasm.CustomName)
			if sec == nil {
				continue
			}
			names, err := wasm.ReadNames(sec)
			if err == nil || names != nil {
				var err2 error
				t.table, err2 = names.Functions(maxNames)
				err = errors.Join(err, err2)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("function names: %w", err))
			}
		}
		if t.table != nil {
			n := uint64(f.bodies.imported) + uint64(f.bodies.len())
			t.cache = make([]atomic.Pointer[string], n)
			t.memory.Add(int64(n) * 8)
		}
		t.err = errors.Join(errs...)
	})
}

// function returns the name of a function, or an empty string.
func (t *nameTier) function(f *File, index uint32) string {
	t.load(f)
	if s, ok := t.symbols[index]; ok {
		return s
	}
	if t.table == nil {
		return ""
	}
	if int64(index) >= int64(len(t.cache)) {
		s, _ := t.table.Name(index)
		return s
	}
	if s := t.cache[index].Load(); s != nil {
		return *s
	}
	s, _ := t.table.Name(index)
	if t.cache[index].CompareAndSwap(nil, &s) {
		t.memory.Add(int64(len(s)) + 16)
	}
	return s
}

// any reports whether any function has a name.
func (t *nameTier) any(f *File) bool {
	t.load(f)
	return len(t.symbols) > 0 || t.table != nil && t.table.Len() > 0
}

// FunctionName returns the name of a function by its index, imports counted, as
// the symbol map or the name section has it. DWARF is not asked.
func (f *File) FunctionName(index uint32) (string, bool) {
	s := f.names.function(f, index)
	return s, s != ""
}

// NamesError returns what was wrong with the symbol map or the name section, or
// nil. What could be read of them is used.
func (f *File) NamesError() error {
	f.names.load(f)
	return f.names.err
}
