package debugfile

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Options say what else to read.
type Options struct {
	// Path is where the companion lies, for what is looked for beside it: .dwo and
	// .dwp files, source maps. Open sets it.
	Path string
	// Production is the production module, at ProductionPath. Its code is used
	// where it has some, and its names where the companion has none.
	Production     *wasm.File
	ProductionPath string
	// DWO are paths of .dwo files, or of objects with split DWARF in them, and DWP
	// is the path of a .dwp file.
	DWO []string
	DWP string
	// SymbolMap is the path of a symbol map as emscripten writes it: names of
	// functions by index. It comes before name sections.
	SymbolMap string
	// SourceMap is the path of a source map. Without it the file that the module's
	// sourceMappingURL names is used, if that is beside the module or in the URL
	// itself. Nothing is fetched from a network.
	SourceMap string
	// Alone makes the File read no other files than those that are named here.
	Alone bool
	// CheckScopes makes the index also check the ranges of lexical blocks, for
	// reports about damage. Lookups do not need it.
	CheckScopes bool
}

// Available returns an error unless all files that the options name can be opened. A
// File is not stopped by one that cannot, whose answers are then those of a lower
// tier; programs ask first, so that a typing error in a path is not such an answer.
func (o *Options) Available() error {
	type named struct{ what, path string }
	list := []named{{"the .dwp file", o.DWP}, {"the symbol map", o.SymbolMap}, {"the source map", o.SourceMap}}
	for _, path := range o.DWO {
		list = append(list, named{"the .dwo file", path})
	}
	for _, n := range list {
		if n.path == "" {
			continue
		}
		f, _, err := regular.Open(n.path)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", n.what, err)
		}
	}
	return nil
}

// File is an open companion, or an unsplit module. All methods but Close may be
// called from several goroutines at once.
type File struct {
	opt     Options
	module  *wasm.File
	src     Source
	closers []func() error

	code    *wasm.File // where bodies are read from
	codeSrc Source     // of code
	bodies  *bodyTable
	bodyErr error
	data    *dwarf.Data
	units   []*unit   // compile units, by offset
	headers []Problem // of unit headers
	split   *splitFiles
	roots   roots
	names   nameTier
	sources sourceTier
	texts   textBudget

	answers []bodyAnswer
	nothing [4]resolved  // see emptyHanded
	tables  atomic.Int64 // bytes of tables of inlined calls
	shrunk  atomic.Bool  // a mapped file became shorter
	full    atomic.Pointer[fullIndex]

	// Only while Build is at work:
	winners   atomic.Pointer[winners]
	scratches scratches
}

// Open opens the module at path. Its DWARF is mapped and not read ahead.
func Open(path string, o Options) (*File, error) {
	m, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	o.Path = path
	module, err := wasm.NewFile(m, m.Size())
	if err == nil {
		var f *File
		if f, err = New(module, m, o); err == nil {
			f.closers = append(f.closers, m.Close)
			return f, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", path, err), m.Close())
}

// New returns a File for a module whose bytes src gives. With a nil src the
// module's reader is used, and the DWARF sections are read into memory.
func New(module *wasm.File, src Source, o Options) (*File, error) {
	if src == nil {
		src = readerSource{module.Reader(), module.Size()}
	}
	f := &File{opt: o, module: module, src: src}
	f.nothing[1].damaged, f.nothing[2].skeleton = true, true
	f.nothing[3].damaged, f.nothing[3].skeleton = true, true
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

// openCode lists the bodies, of the production module or else of the companion.
func (f *File) openCode() {
	f.code, f.codeSrc = f.module, f.src
	if p := f.opt.Production; p != nil && p.Code() != nil {
		f.code = p
		f.codeSrc = readerSource{p.Reader(), p.Size()}
	}
	f.bodies, f.bodyErr = readBodies(f.code, f.codeSrc)
	f.answers = make([]bodyAnswer, f.bodies.len())
}

// openDWARF reads unit headers. Root entries are read when they are needed: in a
// large file they are far apart.
func (f *File) openDWARF() error {
	main, split, err := debugSections(f.module, f.src)
	if err != nil {
		return err
	}
	f.data = dwarf.New(main, dwarf.Options{ZeroIsDead: true})
	f.texts.allow(&main)
	f.split = newSplitFiles(&f.opt, split, &f.texts)
	for _, e := range f.data.Problems().List {
		f.headers = append(f.headers, problemOf(-1, e))
	}
	for i := range f.data.NumUnits() {
		du := f.data.Unit(i)
		if du.Section != dwarf.SecInfo {
			continue
		}
		switch du.Type {
		case dwarf.UnitCompile, dwarf.UnitSkeleton, dwarf.UnitSplitCompile:
			f.units = append(f.units, &unit{number: len(f.units), skel: du, texts: &f.texts})
		}
	}
	return nil
}

// Close releases the files that Open and lookups opened. Strings of answers are
// still good.
func (f *File) Close() error {
	var errs []error
	for i := len(f.closers) - 1; i >= 0; i-- {
		errs = append(errs, f.closers[i]())
	}
	return errors.Join(append(errs, f.split.close()...)...)
}

// Module returns the module that the debug information was read from.
func (f *File) Module() *wasm.File { return f.module }

// CodeSpan returns where the Code payload lies in the module whose bodies are
// used: the production module if there is one, else the companion. It reports
// false without code.
func (f *File) CodeSpan() (wasm.CodeSpan, bool) { return f.code.CodeSpan() }

// BodyError returns why function bodies could not be listed to the end, or nil.
func (f *File) BodyError() error { return f.bodyErr }

// NumBodies returns the number of function bodies.
func (f *File) NumBodies() int { return f.bodies.len() }

// Body returns a body by its number, which is the function's index less the
// number of imported functions.
func (f *File) Body(i int) (index uint32, e Extent) {
	return f.bodies.imported + uint32(i), f.bodies.extent(i)
}

// ImportedFunctions returns the number of imported functions, which is the index
// of the first body.
func (f *File) ImportedFunctions() uint32 { return f.bodies.imported }
