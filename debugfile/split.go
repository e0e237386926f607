package debugfile

import (
	"errors"
	"fmt"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// splitFiles are the places where the split unit of a skeleton may be: the module
// itself (-gsplit-dwarf=single), a .dwp, and .dwo files.
type splitFiles struct {
	opt  Options
	own  *dwarf.Data // of the module itself; nil without .dwo sections
	once sync.Once
	pack *dwarf.Package
	dwos []*dwarf.Data
	open []*mapped.File
	errs []error
}

func newSplitFiles(o Options, own dwarf.Sections) *splitFiles {
	s := &splitFiles{opt: o}
	if own.Info != nil {
		s.own = dwarf.New(own, dwarf.Options{ZeroIsDead: true})
	}
	return s
}

// load opens the files that the options name, once. One that cannot be read
// leaves its units incomplete and is reported.
func (s *splitFiles) load() {
	s.once.Do(func() {
		if s.opt.DWP != "" {
			sections, err := s.sections(s.opt.DWP)
			if err == nil {
				s.pack, err = dwarf.OpenPackage(sections, dwarf.Options{ZeroIsDead: true})
			}
			if err != nil {
				s.errs = append(s.errs, fmt.Errorf("%s: %w", s.opt.DWP, err))
			}
		}
		for _, path := range s.opt.DWO {
			sections, err := s.sections(path)
			if err != nil {
				s.errs = append(s.errs, fmt.Errorf("%s: %w", path, err))
				continue
			}
			s.dwos = append(s.dwos, dwarf.New(sections, dwarf.Options{ZeroIsDead: true}))
		}
	})
}

// sections maps a file and returns its split DWARF.
func (s *splitFiles) sections(path string) (dwarf.Sections, error) {
	m, err := mapped.Open(path)
	if err != nil {
		return dwarf.Sections{}, err
	}
	s.open = append(s.open, m)
	module, err := wasm.NewFile(m, m.Size())
	if err != nil {
		return dwarf.Sections{}, err
	}
	_, split, err := debugSections(module, m)
	if err == nil && split.Info == nil {
		err = errors.New("it holds no split DWARF (.debug_info.dwo)")
	}
	return split, err
}

func (s *splitFiles) close() []error {
	var errs []error
	for _, m := range s.open {
		errs = append(errs, m.Close())
	}
	return errs
}

// attach returns the unit to index: for a skeleton the split unit that belongs to
// it, where it is at hand.
func (f *File) attach(u *unit) *dwarf.Unit {
	if !u.skel.IsSkeleton() {
		return u.skel
	}
	s := f.split
	if s.own != nil {
		full, err := dwarf.AttachDWO(u.skel, s.own)
		if err == nil {
			return full
		}
		if !errors.Is(err, dwarf.ErrNoSplitUnit) {
			u.problem(err)
		}
	}
	s.load()
	if s.pack != nil {
		full, err := s.pack.Attach(u.skel)
		if err == nil {
			return full
		}
		if !errors.Is(err, dwarf.ErrNoSplitUnit) {
			u.problem(err)
		}
	}
	for _, d := range s.dwos {
		if full, err := dwarf.AttachDWO(u.skel, d); err == nil {
			return full
		}
	}
	u.skeleton = true
	return u.skel
}

// SplitErrors returns what was wrong with the .dwo and .dwp files that were to be
// read. They are opened when the first skeleton is met.
func (f *File) SplitErrors() []error { return f.split.errs }
