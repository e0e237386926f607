package debugfile

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Options say what else to read.
type Options struct {
	// Production is the production module. Its code is used where the companion
	// has none, or blanked bodies.
	Production *wasm.File
	// DWO are paths of .dwo files with split DWARF.
	DWO []string
	// DWP is the path of a .dwp file with split DWARF.
	DWP string
	// CheckScopes makes the index also check the ranges of lexical blocks, for
	// reports about damage. Lookups do not need it.
	CheckScopes bool
}

// File is an open companion, or an unsplit module.
type File struct {
	opt     Options
	module  *wasm.File
	src     Source
	closers []func() error

	code     *wasm.File // where bodies are read from; nil without any
	codeSrc  Source     // of code; nil where it gives no views
	bodies   *bodyTable
	bodyErr  error
	data     *dwarf.Data
	units    []*unit // compile units with a root entry that can be read
	skipped  []Problem
	split    *splitFiles
	unranged []int // units whose root entry names no range
	coarse   []coarseRange
	names    nameTier

	answers []bodyAnswer
	mu      sync.Mutex
	full    atomic.Pointer[fullIndex]
}

// Open opens the module at path. Its DWARF is mapped and not read ahead.
func Open(path string, o Options) (*File, error) {
	m, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	module, err := wasm.NewFile(m, m.Size())
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := New(module, m, o)
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.closers = append(f.closers, m.Close)
	return f, nil
}

// New returns a File for a module whose bytes src gives. With a nil src the
// module's reader is used, and the DWARF sections are read into memory.
func New(module *wasm.File, src Source, o Options) (*File, error) {
	if src == nil {
		src = readerSource{module.Reader(), module.Size()}
	}
	f := &File{opt: o, module: module, src: src}
	var err error
	shrunk := mapped.Guard(func() {
		f.openCode()
		err = f.openDWARF()
	})
	if err = errors.Join(err, shrunk); err != nil {
		return nil, err
	}
	return f, nil
}

// openCode lists the bodies, of the companion or else of the production module.
func (f *File) openCode() {
	f.code, f.codeSrc = f.module, f.src
	if p := f.opt.Production; p != nil && p.Code() != nil {
		f.code = p
		f.codeSrc = readerSource{p.Reader(), p.Size()}
	}
	f.bodies, f.bodyErr = readBodies(f.code)
	f.answers = make([]bodyAnswer, f.bodies.len())
}

// openDWARF reads unit headers and root entries.
func (f *File) openDWARF() error {
	main, split, err := debugSections(f.module, f.src)
	if err != nil {
		return err
	}
	f.data = dwarf.New(main, dwarf.Options{ZeroIsDead: true})
	f.split = newSplitFiles(f.opt, split)
	for _, e := range f.data.Problems().List {
		f.skipped = append(f.skipped, problemOf(-1, e))
	}
	for i := range f.data.NumUnits() {
		du := f.data.Unit(i)
		if du.Section != dwarf.SecInfo || du.Type == dwarf.UnitTypes || du.Type == dwarf.UnitSplitType {
			continue
		}
		root, err := du.Root()
		if err != nil {
			f.skipped = append(f.skipped, problemOf(i, err))
			continue
		}
		if root.Tag == dwarf.TagPartialUnit || root.Tag == dwarf.TagTypeUnit {
			continue
		}
		f.units = append(f.units, &unit{number: len(f.units), skel: du})
	}
	f.coarse = f.coarseRanges()
	return nil
}

// Close releases the files that Open and lookups opened.
func (f *File) Close() error {
	var errs []error
	for i := len(f.closers) - 1; i >= 0; i-- {
		errs = append(errs, f.closers[i]())
	}
	return errors.Join(append(errs, f.split.close()...)...)
}

// Module returns the module that the debug information was read from.
func (f *File) Module() *wasm.File { return f.module }

// HasDWARF reports whether there is DWARF that names code: at least one compile
// unit that can be read. .debug_ sections without .debug_info are of no use.
func (f *File) HasDWARF() bool { return len(f.units) > 0 }

// CodeSpan returns where the Code payload lies in the module whose bodies are
// used. It reports false without code.
func (f *File) CodeSpan() (wasm.CodeSpan, bool) { return f.code.CodeSpan() }

// BodyError returns why function bodies could not be listed, or nil.
func (f *File) BodyError() error { return f.bodyErr }

// NumBodies returns the number of function bodies.
func (f *File) NumBodies() int { return f.bodies.len() }

// Body returns a body by its number, which is the function's index less the
// number of imported functions.
func (f *File) Body(i int) (index uint32, e Extent) {
	return f.bodies.imported + uint32(i), f.bodies.extent(i)
}

// NumUnits returns the number of compile units.
func (f *File) NumUnits() int { return len(f.units) }
