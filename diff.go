package debugid

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// DiffOptions say which two builds Diff compares.
type DiffOptions struct {
	symcheck.Options
	Old, New DiffSide
}

// DiffSide names the files of one build.
type DiffSide struct {
	Path        string   // production module or unsplit module
	Companion   string   // empty: it is looked for as Check does
	SearchDebug []string // companions, and directories with companions
}

// Difference is what changed from one build to another.
type Difference struct {
	Old, New  DiffBuild
	Files     []Change // source files, the largest change first; those that did not change are left out
	Functions []Change // functions, in the same way
	Appeared  []report.Finding
	Vanished  []report.Finding
}

// DiffBuild is one of the two builds.
type DiffBuild struct {
	Subject        report.Subject
	ProductionSize int64  // bytes of the file
	CompanionSize  int64  // bytes of the file; 0 without one
	CodeSize       int64  // bytes of function bodies; 0 where there is no coverage
	Uncomparable   string // why its code could not be compared; empty if it was
}

// Counts returns the coverage of the class user, or of everything where there are
// no classes.
func (b *DiffBuild) Counts() report.Counts {
	if b.Subject.Coverage == nil {
		return report.Counts{}
	}
	for i := range b.Subject.Coverage.Classes {
		if g := &b.Subject.Coverage.Classes[i]; g.Name == symcheck.ClassUser {
			return g.Counts
		}
	}
	return b.Subject.Coverage.Total
}

// Change is the change of one file or function.
type Change struct {
	Name      string
	File      string        // of a function
	Old, New  int64         // bytes of code; 0: it is not there
	OldPoints report.Counts // its reportable points
	NewPoints report.Counts
}

// Delta returns by how many bytes it grew.
func (c *Change) Delta() int64 { return c.New - c.Old }

// Diff checks both builds and compares them: size by file and function, coverage,
// build ID, and findings that appeared or vanished. Where the code of one could not be
// looked at, because its companion is not at hand, only files and build IDs are
// compared; see DiffBuild.Uncomparable.
func Diff(ctx context.Context, o DiffOptions) (*Difference, error) {
	d := &Difference{}
	for _, side := range []struct {
		DiffSide
		to *DiffBuild
	}{{o.Old, &d.Old}, {o.New, &d.New}} {
		if info, err := os.Stat(side.Path); err == nil && info.IsDir() {
			return nil, &fs.PathError{Op: "open", Path: side.Path, Err: errIsDirectory}
		}
		r, err := Check(ctx, CheckOptions{Options: o.Options, Path: side.Path, Companion: side.Companion, SearchDebug: side.SearchDebug})
		if err != nil {
			return nil, err
		}
		if err := side.to.take(&r.Subjects[0]); err != nil {
			return nil, err
		}
	}
	d.Old.against(&d.New)
	d.New.against(&d.Old)
	if d.Old.Uncomparable != "" || d.New.Uncomparable != "" {
		return d, nil // to take what was not looked at for deleted would be a lie
	}
	d.Files = changes(&d.Old.Subject, &d.New.Subject, func(c *report.Coverage) []report.Group { return c.Files }, false)
	d.Functions = changes(&d.Old.Subject, &d.New.Subject, func(c *report.Coverage) []report.Group { return c.Functions }, true)
	d.Appeared = without(&d.New.Subject, &d.Old.Subject)
	d.Vanished = without(&d.Old.Subject, &d.New.Subject)
	return d, nil
}

// take fills the build in from its subject.
func (b *DiffBuild) take(s *report.Subject) error {
	b.Subject = *s
	info, err := os.Stat(s.Production)
	if err != nil {
		return err
	}
	b.ProductionSize = info.Size()
	if s.Companion != "" {
		if info, err = os.Stat(s.Companion); err != nil {
			return err
		}
		b.CompanionSize = info.Size()
	}
	if s.Coverage != nil {
		for i := range s.Coverage.Functions {
			b.CodeSize += s.Coverage.Functions[i].Size
		}
		return nil
	}
	b.Uncomparable = "its code could not be looked at"
	if len(s.NotChecked) > 0 {
		b.Uncomparable = s.NotChecked[0]
	}
	return nil
}

// against sees whether the code can be compared with that of the other build: with
// debug information on one side only, every function would have moved to another file.
func (b *DiffBuild) against(other *DiffBuild) {
	if b.Uncomparable == "" && !b.hasFiles() && other.hasFiles() {
		b.Uncomparable = "it has no debug information, unlike the other build, and no companion of it is at hand"
	}
}

// hasFiles reports whether the build's functions are known by their source files.
func (b *DiffBuild) hasFiles() bool {
	t := b.Subject.Tier
	return t == debugfile.TierDWARF.String() || t == debugfile.TierSourceMap.String()
}

// changes compares the groups of two builds by name; functions by file and name,
// because many files have functions of one name.
func changes(older, newer *report.Subject, groups func(*report.Coverage) []report.Group, functions bool) []Change {
	type key struct{ name, file string }
	all := map[key]*Change{}
	for _, s := range []*report.Subject{older, newer} {
		if s.Coverage == nil {
			continue
		}
		for _, g := range groups(s.Coverage) {
			k := key{name: g.Name}
			if functions {
				k.file = g.Parent
			}
			c := all[k]
			if c == nil {
				c = &Change{Name: k.name, File: k.file}
				all[k] = c
			}
			if s == older {
				c.Old += g.Size
				c.OldPoints.Add(g.Counts)
			} else {
				c.New += g.Size
				c.NewPoints.Add(g.Counts)
			}
		}
	}
	var out []Change
	for _, c := range all {
		if c.Old != c.New || c.OldPoints != c.NewPoints {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(abs(b.Delta()), abs(a.Delta())), cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func abs(n int64) int64 { return max(n, -n) }

// without returns the findings of a that b does not have. A finding is told by its
// rule, the kind of file and the place in the source; numbers in its text change
// from build to build.
func without(a, b *report.Subject) []report.Finding {
	type key struct{ rule, role, section, function, source string }
	of := func(s *report.Subject, f *report.Finding) key {
		role := "production"
		if s.Companion != "" && f.Location.Path == s.Companion {
			role = "companion"
		}
		return key{f.Rule, role, f.Location.Section, f.Location.Function, filepath.Base(f.Location.Source)}
	}
	have := map[key]bool{}
	for i := range b.Findings {
		have[of(b, &b.Findings[i])] = true
	}
	var out []report.Finding
	for i := range a.Findings {
		if !have[of(a, &a.Findings[i])] {
			out = append(out, a.Findings[i])
		}
	}
	return out
}

// Languages returns the languages of both builds with the share of their points
// that resolve to a line, old and new.
func (d *Difference) Languages() []Change {
	all := map[string]*Change{}
	for _, b := range []*DiffBuild{&d.Old, &d.New} {
		if b.Subject.Coverage == nil {
			continue
		}
		for _, g := range b.Subject.Coverage.Languages {
			if all[g.Name] == nil {
				all[g.Name] = &Change{Name: g.Name}
			}
			if b == &d.Old {
				all[g.Name].Old, all[g.Name].OldPoints = g.Size, g.Counts
			} else {
				all[g.Name].New, all[g.Name].NewPoints = g.Size, g.Counts
			}
		}
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, *all[name])
	}
	return out
}
