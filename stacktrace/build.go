package stacktrace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Build is one build of a module, as far as its files are at hand: a production
// module, a companion, or both. For an unsplit module both are the same file.
type Build struct {
	store                 *Store
	production, companion *facts
	named                 bool      // a file of it was named, not found
	stranger              *notAPair // a companion with the ID of this production module, but not for its code

	once sync.Once
	open *openBuild
	err  error

	hashOnce sync.Once
	hash     uint32 // of a small file, as Node.js computes it
	hashed   bool
}

// Companion returns the path of the companion, or an empty string.
func (b *Build) Companion() string {
	if b.companion == nil {
		return ""
	}
	return b.companion.path
}

// Production returns the path of the production module, or an empty string.
func (b *Build) Production() string {
	if b.production == nil {
		return ""
	}
	return b.production.path
}

// Path returns the path of the file that answers: the companion's, or else the
// production module's.
func (b *Build) Path() string {
	if b.companion != nil {
		return b.companion.path
	}
	return b.production.path
}

// ID returns the build ID, which may be empty.
func (b *Build) ID() buildid.ID {
	for _, f := range b.files() {
		if len(f.id) > 0 {
			return f.id
		}
	}
	return nil
}

// Name returns the module's name from its name section; it may be empty.
func (b *Build) Name() string {
	for _, f := range b.files() {
		if f.name != "" {
			return f.name
		}
	}
	return ""
}

// files returns the files of the build, the production module first.
func (b *Build) files() []*facts {
	switch {
	case b.production == nil:
		return []*facts{b.companion}
	case b.companion == nil || b.companion == b.production:
		return []*facts{b.production}
	}
	return []*facts{b.production, b.companion}
}

// codeStart returns the code start of the module that ran, which turns F of a
// trace into C. It is the production module's; a companion of ours has it on
// record. Otherwise the companion's own is assumed to be equal, and an assumption
// says so. It reports false without any.
func (b *Build) codeStart() (span wasm.CodeSpan, assumption string, ok bool) {
	if p := b.production; p != nil && p.hasCode {
		return p.span, "", true
	}
	c := b.companion
	if c == nil {
		return wasm.CodeSpan{}, "", false
	}
	if r := c.record; r != nil && r.Code != nil && r.Code.Size >= 0 && r.Code.Size < 1<<32 {
		return wasm.CodeSpan{Start: r.Code.Start, Size: uint32(r.Code.Size)}, "", true
	}
	if !c.hasCode {
		return wasm.CodeSpan{}, "", false
	}
	return c.span, fmt.Sprintf("the code of the module that ran is taken to start where it starts in %s, at %v", c.path, c.span.Start), true
}

// openBuild holds the open files of a build.
type openBuild struct {
	debug      *debugfile.File
	production *wasm.File // nil if not at hand, or the same as debug
	stranger   *notAPair  // see Build
	calls      bodyIndex
	names      nameIndex
	importOnce sync.Once
	imports    []wasm.Import
	missOnce   sync.Once
	miss       string
}

// opened opens the files, once.
func (b *Build) opened() (*openBuild, error) {
	b.once.Do(func() {
		o := b.store.opt.Files
		o.Production = nil
		open := &openBuild{stranger: b.stranger}
		if b.production != nil && b.companion != nil && b.production != b.companion {
			if open.production, b.err = wasm.Open(b.production.path); b.err != nil {
				b.err = fmt.Errorf("%s: %w", b.production.path, b.err)
				return
			}
			o.Production, o.ProductionPath = open.production, b.production.path
		}
		if len(b.store.builds) > 1 {
			// Such files belong to one build, and nothing tells to which.
			o.SymbolMap, o.SourceMap = "", ""
		}
		if open.debug, b.err = debugfile.Open(b.Path(), o); b.err != nil {
			if open.production != nil {
				open.production.Close()
			}
			return
		}
		if open.production != nil {
			if b.err = b.compare(open); b.err != nil {
				open.debug.Close()
				open.production.Close()
				return
			}
		}
		open.calls.build, open.names.build = open, open
		b.open = open
	})
	return b.open, b.err
}

// compare returns an error if the two files of the build do not have the same
// code, whatever their names and IDs say.
func (b *Build) compare(open *openBuild) error {
	same, known, err := SameCode(context.Background(), open.production, open.debug.Module(), b.companion.record)
	switch {
	case err != nil:
		return fmt.Errorf("comparing %s and %s: %w", b.production.path, b.companion.path, err)
	case known && !same:
		return &notAPair{b.production.path, b.companion.path, CodeDiffers}
	}
	return nil
}

func (b *Build) close() error {
	b.once.Do(func() { b.err = errors.New("the store is closed") })
	if b.open == nil {
		return nil
	}
	err := b.open.debug.Close()
	if b.open.production != nil {
		err = errors.Join(err, b.open.production.Close())
	}
	b.open, b.err = nil, errors.New("the store is closed")
	return err
}

// functions returns the number of imported functions and of those with a body.
func (o *openBuild) functions() (imported uint32, bodies int) {
	return o.debug.ImportedFunctions(), o.debug.NumBodies()
}

// missing says why there are no lines in a build without DWARF.
func (o *openBuild) missing() string {
	o.missOnce.Do(func() {
		if o.debug.HasDWARF() {
			return
		}
		if o.stranger != nil {
			o.miss = o.stranger.Error()
			return
		}
		for _, m := range []*wasm.File{o.production, o.debug.Module()} {
			if m == nil {
				continue
			}
			if ref, err := m.SourceMappingURL(); err == nil && ref.URL != "" {
				o.miss = "there is a source map and no DWARF, and the source map is not at hand"
				if !strings.HasPrefix(ref.URL, "data:") {
					o.miss = fmt.Sprintf("there is a source map (%s) and no DWARF", ref.URL)
				}
				if err := o.debug.SourceMapError(); err != nil {
					o.miss += fmt.Sprintf("; the source map cannot be used: %v", err)
				}
				return
			}
		}
	})
	return o.miss
}

// body returns the number of a function's body; ok is false for imports and for
// indices that are too large.
func (o *openBuild) body(index uint32) (number int, e debugfile.Extent, ok bool) {
	imported, bodies := o.functions()
	if index < imported || int64(index-imported) >= int64(bodies) {
		return 0, debugfile.Extent{}, false
	}
	_, e = o.debug.Body(int(index - imported))
	return int(index - imported), e, true
}

// function returns the index of the function whose body holds c. Unlike a lookup it
// reads no debug information and allocates nothing.
func (o *openBuild) function(c wasm.CodeOffset) (index uint32, ok bool) {
	_, bodies := o.functions()
	i := sort.Search(bodies, func(i int) bool {
		_, e := o.debug.Body(i)
		return c < e.End
	})
	if i == bodies {
		return 0, false
	}
	index, e := o.debug.Body(i)
	return index, e.Contains(c)
}

// importName returns "MODULE.NAME" of an imported function.
func (o *openBuild) importName(index uint32) string {
	o.importOnce.Do(func() {
		m := o.debug.Module()
		if o.production != nil {
			m = o.production
		}
		r, err := wasm.NewImportReader(m)
		for err == nil && len(o.imports) < 1<<16 {
			var i wasm.Import
			if i, err = r.Next(); err == nil && i.Kind == wasm.ExternFunc {
				o.imports = append(o.imports, i)
			}
		}
	})
	if int64(index) >= int64(len(o.imports)) {
		return ""
	}
	return o.imports[index].Module + "." + o.imports[index].Name
}

// smallHash returns the label that Node.js gives a file of up to 16,383 bytes.
func (b *Build) smallHash() (uint32, bool) {
	b.hashOnce.Do(func() {
		p := b.production
		if p == nil {
			p = b.companion
		}
		if p.size > v8HashedSize {
			return
		}
		m, err := wasm.Open(p.path)
		if err != nil {
			return
		}
		defer m.Close()
		b.hash, err = V8LabelHash(m.Size(), io.NewSectionReader(m, 0, m.Size()))
		b.hashed = err == nil
	})
	return b.hash, b.hashed
}
