package stacktrace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// StoreOptions name the files that traces are resolved with.
type StoreOptions struct {
	// Debug are companions, unsplit modules, and directories that are searched for
	// both, with everything below them.
	Debug []string
	// Modules are production modules.
	Modules []string
	// Files says how companions are opened. Its Production is set by the Store.
	Files debugfile.Options
}

// maxScanned is the number of files that a search of directories looks at. Of
// most of them it needs the name alone.
const maxScanned = 1 << 20

// Store holds the builds of modules that traces may come from. Opening it reads
// section headers and a few small sections; a companion is opened when a frame
// needs it. A Store is safe for concurrent use.
type Store struct {
	opt    StoreOptions
	builds []*Build
	notes  []string
	names  map[string]int // of modules, numbered
	// longest is the length of the longest of these names. Names in traces may be
	// of any length, and are not searched for what no module is called.
	longest int
}

// OpenStore looks at the files and searches the directories. A named file that is
// not a module is an error; in a directory such a file is passed over.
func OpenStore(ctx context.Context, o StoreOptions) (*Store, error) {
	s := &Store{opt: o, names: map[string]int{}}
	var found []*facts
	named := map[*facts]bool{}
	modules := map[*facts]bool{}
	var seen []os.FileInfo
	add := func(path string) (*facts, error) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		for i, old := range seen {
			if os.SameFile(old, info) {
				return found[i], nil
			}
		}
		f, err := readFacts(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if f.problem != nil {
			s.notes = append(s.notes, fmt.Sprintf("%s: %v", path, f.problem))
		}
		seen, found = append(seen, info), append(found, f)
		return f, nil
	}
	for _, path := range o.Modules {
		f, err := add(path)
		if err != nil {
			return nil, err
		}
		named[f], modules[f] = true, true
	}
	for _, path := range o.Debug {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			continue
		}
		f, err := add(path)
		if err != nil {
			return nil, err
		}
		named[f] = true
	}
	scanned := 0
	for _, path := range o.Debug {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			continue
		}
		modules, err := s.search(ctx, path, &scanned, &found)
		if err != nil {
			return nil, err
		}
		if modules == 0 {
			s.notes = append(s.notes, path+" holds no companion and no module; looked at are files called *.wasm and *.debug, and stores by build ID")
		}
	}
	s.builds = pair(found, named, modules)
	for _, b := range s.builds {
		b.store = s
		for _, f := range b.files() {
			if _, ok := s.names[f.name]; !ok && f.name != "" {
				s.names[f.name] = len(s.names)
				s.longest = max(s.longest, len(f.name))
			}
		}
	}
	s.noteStrangers(named, modules)
	if len(s.builds) > 1 && o.Files.SymbolMap+o.Files.SourceMap != "" {
		s.notes = append(s.notes, "symbol map and source map are not used, because there are several builds that they may belong to")
	}
	return s, nil
}

// search adds the modules below a directory. It returns their number, those that
// are known already included.
func (s *Store) search(ctx context.Context, root string, scanned *int, found *[]*facts) (modules int, err error) {
	known := map[string]bool{}
	for _, f := range *found {
		if abs, err := filepath.Abs(f.path); err == nil {
			known[abs] = true
		}
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if path == root {
				return err
			}
			s.notes = append(s.notes, err.Error())
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !mayBeModule(path) {
			return nil
		}
		if *scanned++; *scanned > maxScanned {
			return fmt.Errorf("%s: more than %d files; name a smaller directory", root, maxScanned)
		}
		// A pipe or a device would block for ever.
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if abs, err := filepath.Abs(path); err == nil {
			if known[abs] {
				modules++
				return nil
			}
			known[abs] = true
		}
		f, err := readFacts(path)
		switch {
		case errors.Is(err, wasm.ErrNotModule):
			return nil
		case err != nil:
			s.notes = append(s.notes, fmt.Sprintf("%s: %v", path, err))
			return nil
		}
		*found = append(*found, f)
		modules++
		return nil
	})
	return modules, err
}

// mayBeModule reports whether a file's name is one that modules and companions
// have, on disk or in a store of debug files.
func mayBeModule(path string) bool {
	name := filepath.Base(path)
	switch name {
	case "debuginfo", "executable": // the unified layout: ab/cdef.../debuginfo
		return true
	}
	for _, ext := range []string{".wasm", ".debug"} {
		if _, ok := cutSuffixFold(name, ext); ok {
			return true
		}
	}
	// ab/cdef..., the layouts that are made of the ID alone.
	dir := filepath.Base(filepath.Dir(path))
	return len(dir) == 2 && isHexText(dir) && len(name) >= 6 && isHexText(name)
}

func isHexText(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// Builds returns the builds at hand, in the order in which their files were
// named or found.
func (s *Store) Builds() []*Build { return s.builds }

// Notes returns what a person should know about the files: what of them could not
// be read, and modules without a companion.
func (s *Store) Notes() []string { return s.notes }

// Close closes all companions. The strings of resolved frames stay valid.
func (s *Store) Close() error {
	var errs []error
	for _, b := range s.builds {
		errs = append(errs, b.close())
	}
	return errors.Join(errs...)
}
