package debugfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// splitFiles are the places where the split unit of a skeleton may be: a .dwp,
// .dwo files, and the module itself (-gsplit-dwarf=single). Files are opened when
// the first skeleton is met.
type splitFiles struct {
	opt   *Options
	texts *textBudget
	own   *dwarf.Data // of the module itself; nil without .dwo sections
	once  sync.Once
	pack  *dwarf.Package
	dwos  []*dwarf.Data // that the options name

	mu     sync.Mutex
	beside map[string]*dwarf.Data // by path; nil for files that are not there
	open   []*mapped.File
	errs   []error
}

// maxTwins bounds how many skeletons share one split unit, as they do where an
// object is linked several times. Each has an index of its own.
const maxTwins = 64

func newSplitFiles(o *Options, own dwarf.Sections, texts *textBudget) *splitFiles {
	s := &splitFiles{opt: o, texts: texts, beside: map[string]*dwarf.Data{}}
	if own.Info != nil {
		texts.allow(&own)
		s.own = dwarf.New(own, dwarf.Options{ZeroIsDead: true})
	}
	return s
}

// load opens the files that the options name, and a .dwp beside the companion.
func (s *splitFiles) load() {
	s.once.Do(func() {
		if s.opt.DWP != "" {
			s.openPack(s.opt.DWP)
		} else if !s.opt.Alone {
			for _, path := range s.packNames() {
				if s.pack == nil && isFile(path) {
					s.openPack(path)
				}
			}
		}
		for _, path := range s.opt.DWO {
			if d, err := s.data(path); err != nil {
				s.fail(err)
			} else {
				s.dwos = append(s.dwos, d)
			}
		}
	})
}

// packNames lists where a .dwp of the companion lies by the names that tools
// give: behind the whole name, and in place of the extension.
func (s *splitFiles) packNames() []string {
	var names []string
	for _, path := range []string{s.opt.Path, s.opt.ProductionPath} {
		if path == "" {
			continue
		}
		names = append(names, path+".dwp")
		for _, ext := range []string{".debug.wasm", ".wasm.debug.wasm", ".wasm"} {
			if base, ok := strings.CutSuffix(path, ext); ok && filepath.Base(base) != "." && base != "" {
				names = append(names, base+".dwp", base+".wasm.dwp")
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *splitFiles) openPack(path string) {
	sections, err := s.sections(path)
	if err == nil {
		s.pack, err = dwarf.OpenPackage(sections, dwarf.Options{ZeroIsDead: true})
	}
	if err != nil {
		s.fail(fmt.Errorf("%s: %w", path, err))
	}
}

func (s *splitFiles) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
}

// data opens a .dwo file, or an object with split DWARF.
func (s *splitFiles) data(path string) (*dwarf.Data, error) {
	sections, err := s.sections(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return dwarf.New(sections, dwarf.Options{ZeroIsDead: true}), nil
}

// sections maps a file and returns its split DWARF.
func (s *splitFiles) sections(path string) (dwarf.Sections, error) {
	m, err := mapped.Open(path)
	if err != nil {
		return dwarf.Sections{}, err
	}
	s.mu.Lock()
	s.open = append(s.open, m)
	s.mu.Unlock()
	module, err := wasm.NewFile(m, m.Size())
	if err != nil {
		return dwarf.Sections{}, err
	}
	_, split, err := debugSections(module, m)
	if err == nil && split.Info == nil {
		err = errors.New("it holds no split DWARF (.debug_info.dwo)")
	}
	s.texts.allow(&split)
	return split, err
}

// find returns the .dwo file that a skeleton names, looked for where the compiler
// left it and beside the companion; nil if there is none.
func (s *splitFiles) find(name, compDir string) *dwarf.Data {
	if s.opt.Alone || name == "" {
		return nil
	}
	name, compDir = filepath.FromSlash(name), filepath.FromSlash(compDir)
	dir := filepath.Dir(s.opt.Path)
	var paths []string
	if filepath.IsAbs(name) {
		paths = append(paths, name)
	} else if filepath.IsAbs(compDir) {
		paths = append(paths, filepath.Join(compDir, name))
	}
	if s.opt.Path != "" {
		if !filepath.IsAbs(name) {
			if !filepath.IsAbs(compDir) {
				paths = append(paths, filepath.Join(dir, compDir, name))
			}
			paths = append(paths, filepath.Join(dir, name))
		}
		paths = append(paths, filepath.Join(dir, filepath.Base(name)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		d, tried := s.beside[path]
		if !tried {
			if isFile(path) {
				s.mu.Unlock()
				var err error
				d, err = s.data(path)
				s.mu.Lock()
				if err != nil {
					s.errs = append(s.errs, err)
				}
			}
			if have := s.beside[path]; have != nil {
				d = have
			}
			s.beside[path] = d
		}
		if d != nil {
			return d
		}
	}
	return nil
}

func (s *splitFiles) close() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, m := range s.open {
		errs = append(errs, m.Close())
	}
	s.open = nil
	return errs
}

// attach returns the unit to index: for a skeleton the split unit that belongs to
// it, where it is at hand.
func (f *File) attach(u *unit) *dwarf.Unit {
	if !u.skel.IsSkeleton() {
		return u.skel
	}
	if u.twin >= maxTwins {
		u.skeleton = true
		u.problems = append(u.problems, Problem{Unit: u.number, Section: dwarf.SecInfo.String(), Off: u.skel.Off,
			Msg: fmt.Sprintf("more than %d skeletons have the id of this one; its split unit is not read", maxTwins)})
		return u.skel
	}
	s := f.split
	s.load()
	if s.pack != nil {
		if full, ok := u.accept(s.pack.Attach(u.skel)); ok {
			return full
		}
	}
	for _, d := range s.dwos {
		if full, ok := u.accept(dwarf.AttachDWO(u.skel, d)); ok {
			return full
		}
	}
	if root, err := u.skel.Root(); err == nil {
		if d := s.find(string(root.DWOName), string(root.CompDir)); d != nil {
			full, err := dwarf.AttachDWO(u.skel, d)
			if errors.Is(err, dwarf.ErrNoSplitUnit) {
				err = fmt.Errorf("%s belongs to another build: it has %w", root.DWOName, err)
			}
			if full, ok := u.accept(full, err); ok {
				return full
			}
		}
	}
	if s.own != nil {
		if full, ok := u.accept(dwarf.AttachDWO(u.skel, s.own)); ok {
			return full
		}
	}
	u.skeleton = true
	return u.skel
}

// accept takes a unit that was attached, or notes why it could not be.
func (u *unit) accept(full *dwarf.Unit, err error) (*dwarf.Unit, bool) {
	if err != nil && err != dwarf.ErrNoSplitUnit {
		u.problem(err)
	}
	return full, err == nil
}

// SplitErrors returns what was wrong with the .dwo and .dwp files that were to be
// read. They are opened when the first skeleton is met.
func (f *File) SplitErrors() []error {
	f.split.mu.Lock()
	defer f.split.mu.Unlock()
	return slices.Clone(f.split.errs)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
