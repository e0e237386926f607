package debugid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// FixOptions say what Fix may change.
type FixOptions struct {
	CheckOptions
	Production bool // the production module as well, of which not a byte of code is changed
	DryRun     bool // find out what would be done, and write nothing
}

// FixResult says what Fix did.
type FixResult struct {
	Production string
	Companion  string   // where the companion is now
	Fixed      []string // what was repaired, a sentence each
	Left       []string // what could be repaired, and why it was not
	Written    []string // paths of the files that were written
}

// Fix repairs what can be repaired about a pair without touching code: a companion
// whose code starts elsewhere is laid out again, a build ID is encoded as the
// convention has it, a pointer in the companion is dropped, and a stale pointer is
// replaced. Files are written as Split writes them, all or nothing.
//
// The production module is left alone unless Production is set. A stale pointer is
// then mended by writing the companion to where it leads, if nothing is there.
func Fix(ctx context.Context, o FixOptions) (*FixResult, error) {
	p, err := openInput(ctx, o.Path, nil)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	companion := o.Companion
	if companion == "" && !p.HasDebug() {
		debug, err := newDebugFiles(ctx, o.SearchDebug)
		if err != nil {
			return nil, err
		}
		if companion, err = o.find(ctx, &symcheck.Module{Path: o.Path, File: p.File}, nil, debug); err != nil {
			return nil, err
		}
	}
	r := &FixResult{Production: o.Path, Companion: companion}
	if companion == "" {
		r.Left = append(r.Left, "only a pair can be repaired, and there is no companion")
		return r, nil
	}
	if sameFile(o.Path, companion) {
		return nil, &rewrite.UsageError{Msg: fmt.Sprintf("%s and %s are the same file; a pair has two", o.Path, companion)}
	}
	c, err := openInput(ctx, companion, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	opt := o.Options
	opt.PairOnly = true
	// What is switched off is repaired all the same; IDs that differ do not keep the rest
	// from being looked at.
	opt.Rules = symcheck.Settings{symcheck.IDMismatch: report.Warning}
	s, err := symcheck.Check(ctx, &symcheck.Module{Path: o.Path, File: p.File}, &symcheck.Module{Path: companion, File: c.File}, opt)
	if err != nil {
		return nil, err
	}
	f := &fixer{o: &o, r: r, p: p, c: c, s: s}
	if err := f.plan(ctx); err != nil {
		return nil, err
	}
	if o.DryRun {
		return r, nil
	}
	return r, f.write(ctx)
}

// fixer is one repair.
type fixer struct {
	o    *FixOptions
	r    *FixResult
	p, c *input
	s    *report.Subject

	production, companion *rewrite.Layout // nil: stays as it is
	companionPath         string          // where the companion is written
}

// has reports whether a rule was broken in the file at path, or in either for "".
func (f *fixer) has(code, path string) bool {
	for i := range f.s.Findings {
		if x := &f.s.Findings[i]; x.Rule == code && (path == "" || x.Location.Path == path) {
			return true
		}
	}
	return false
}

func (f *fixer) fixed(format string, args ...any) {
	f.r.Fixed = append(f.r.Fixed, fmt.Sprintf(format, args...))
}

func (f *fixer) left(format string, args ...any) {
	f.r.Left = append(f.r.Left, fmt.Sprintf(format, args...))
}

// plan finds out what is to be done. The production module comes first, because
// the companion follows its layout.
func (f *fixer) plan(ctx context.Context) error {
	f.companionPath = f.r.Companion
	if f.has(symcheck.CodeBytesDiffer, "") || f.has(symcheck.CompanionNoCode, "") || f.has(symcheck.ImportsDiffer, "") {
		f.left("the two files do not hold the same code; nothing but making both from one build repairs that")
		return nil
	}
	prod, err := f.planProduction()
	if err != nil {
		return err
	}
	return f.planCompanion(ctx, prod)
}

// badID reports whether the build ID of a file can and should be encoded again.
func (f *fixer) badID(in *input) (buildid.ID, bool, error) {
	found, err := buildid.Read(in.File)
	if err != nil {
		return nil, false, fileError(in.path, err)
	}
	switch found.Status {
	case buildid.StatusLegacy, buildid.StatusDuplicate:
		return found.ID, true, nil
	case buildid.StatusOK:
		return found.ID, false, nil
	}
	return nil, false, nil
}

// planProduction plans the production module and returns it as it will be.
func (f *fixer) planProduction() (*wasm.File, error) {
	id, bad, err := f.badID(f.p)
	if err != nil {
		return nil, err
	}
	repair := rewrite.Repair{}
	broken := f.has(symcheck.PointerBroken, f.p.path) || f.has(symcheck.PointerRepeated, f.p.path)
	if bad {
		repair.BuildID = id
	}
	if broken {
		if repair.Pointer, err = pointerTo(f.p.path, f.r.Companion, ""); err != nil {
			return nil, err
		}
	}
	if !bad && !broken {
		return f.p.File, nil
	}
	if !f.o.Production {
		if bad {
			f.left("the build ID of %s is not as the convention has it; --fix=production may encode it again", f.p.path)
		}
		if broken && !f.moveCompanion() {
			f.left("the pointer of %s does not lead to %s; --fix=production may replace it", f.p.path, f.r.Companion)
		}
		return f.p.File, nil
	}
	if bad {
		f.fixed("the build ID %v of %s stands once, in the convention's encoding", id, f.p.path)
	}
	if broken {
		f.fixed("the pointer of %s is %q", f.p.path, repair.Pointer)
	}
	if f.production, err = rewrite.Repaired(f.p.File, repair); err != nil {
		return nil, fileError(f.p.path, err)
	}
	return wasm.NewFile(f.production, f.production.Size())
}

// sameContents reports whether a production module differs from a full companion in
// the encoding of sizes and in sections that every split writes, and in nothing
// else: its sections are the companion's.
func (f *fixer) sameContents(prod *wasm.File) bool {
	have := map[string][]*wasm.Section{}
	for i := range f.c.Sections {
		s := &f.c.Sections[i]
		have[s.Label()] = append(have[s.Label()], s)
	}
	for i := range prod.Sections {
		s := &prod.Sections[i]
		switch s.Name {
		case wasm.CustomBuildID, wasm.CustomExternalDebugInfo:
			continue
		}
		list := have[s.Label()]
		if len(list) == 0 || !equalSections(s, list[0]) {
			return false
		}
		have[s.Label()] = list[1:]
	}
	for _, list := range have {
		if len(list) > 0 && list[0].ID != wasm.SectionCustom {
			return false
		}
	}
	return true
}

// equalSections compares the contents of two sections.
func equalSections(a, b *wasm.Section) bool {
	if a.DataSize() != b.DataSize() {
		return false
	}
	ra, rb := a.Open(), b.Open()
	const chunk = 1 << 20
	x, y := make([]byte, min(chunk, a.DataSize())), make([]byte, min(chunk, a.DataSize()))
	for {
		n, errA := io.ReadFull(ra, x)
		m, errB := io.ReadFull(rb, y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if errA != nil || errB != nil || n == 0 {
			return (errA == nil || errA == io.EOF || errA == io.ErrUnexpectedEOF) && (errB == nil || errB == io.EOF || errB == io.ErrUnexpectedEOF)
		}
	}
}

// moveCompanion writes the companion to where the pointer leads, if that is a free
// place.
func (f *fixer) moveCompanion() bool {
	ref, err := f.p.ExternalDebugInfo()
	if err != nil || ref.Count != 1 {
		return false
	}
	// A module does not choose where files are written: only beside itself or below.
	if !filepath.IsLocal(filepath.FromSlash(ref.URL)) || !strings.HasSuffix(ref.URL, ".wasm") {
		return false
	}
	path, ok := symcheck.PointerPath(f.p.path, ref.URL)
	if !ok {
		return false
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
		return false
	}
	f.companionPath = path
	f.fixed("the companion is at %s, where the pointer of %s leads; the file %s can be removed", path, f.p.path, f.r.Companion)
	return true
}

// planCompanion plans the companion for the production module as it will be.
func (f *fixer) planCompanion(ctx context.Context, prod *wasm.File) error {
	id, bad, err := f.badID(f.c)
	if err != nil {
		return err
	}
	repair := rewrite.Repair{DropPointer: f.has(symcheck.CompanionPointer, f.c.path)}
	change := repair.DropPointer
	if repair.DropPointer {
		f.fixed("%s no longer points to other debug information", f.companionPath)
	}
	wanted := buildIDOf(prod)
	switch {
	case bad && (f.production != nil || !f.badProduction()):
		repair.BuildID, change = id, true
		f.fixed("the build ID %v of %s stands once, in the convention's encoding", id, f.companionPath)
	case bad:
		f.left("the build ID of %s is encoded like the production module's; both have to be changed together, with --fix=production", f.c.path)
	case f.has(symcheck.IDMissing, f.c.path) && len(wanted) > 0:
		repair.BuildID, change = wanted, true
		f.fixed("%s has the build ID of its production module, %v", f.companionPath, wanted)
	}
	p, okP := prod.CodeSpan()
	k, okK := f.c.CodeSpan()
	if okP && okK && p.Start != k.Start {
		repair.CodeStart, change = p.Start, true
		f.fixed("the code of %s starts at %v, as in the production module; it was at %v", f.companionPath, p.Start, k.Start)
	}
	if !change && f.companionPath == f.r.Companion && f.production == nil {
		return nil
	}
	if repair.Record, err = f.record(ctx, prod, p); err != nil {
		return err
	}
	f.companion, err = rewrite.Repaired(f.c.File, repair)
	return fileError(f.c.path, err)
}

// badProduction reports whether the production module's own ID is encoded in
// another form than the convention's.
func (f *fixer) badProduction() bool {
	_, bad, err := f.badID(f.p)
	return bad || err != nil
}

// record returns the companion's record for the production module as it will be;
// nil for a companion without one.
func (f *fixer) record(ctx context.Context, prod *wasm.File, span wasm.CodeSpan) (*rewrite.Record, error) {
	r, err := rewrite.ReadRecord(f.c.File)
	if r == nil || err != nil {
		return nil, fileError(f.c.path, err)
	}
	sum, err := buildid.Sum(ctx, prod, 0, prod.Size(), buildid.Options{Workers: f.o.Workers})
	if err != nil {
		return nil, fileError(f.p.path, err)
	}
	if f.has(symcheck.ProductionChanged, "") && !f.sameContents(prod) {
		// Somebody changed the production module, and not only its layout: what the
		// record says of it goes on saying so.
		f.left("%s was changed after the split, which stays a finding: split the module that the linker wrote again", f.p.path)
	} else {
		r.Production = rewrite.RecordProduction{Size: prod.Size(), BLAKE3: sum.String()}
	}
	r.BuildID = buildIDOf(prod).String()
	if r.Code != nil {
		r.Code.Start = span.Start
	}
	return r, nil
}

// write writes what was planned, companion first.
func (f *fixer) write(ctx context.Context) error {
	if f.companion == nil && f.production == nil {
		return nil
	}
	pair := atomicfile.Pair{Belongs: func(p, c string) (bool, error) { return belongs(ctx, p, c) }}
	if f.companion != nil {
		pair.Companion = f.file(ctx, f.c, f.companionPath, f.companion)
	}
	if f.production != nil {
		pair.Production = f.file(ctx, f.p, f.p.path, f.production)
	}
	done, err := pair.Commit(ctx)
	if err != nil {
		return err
	}
	if done.WroteCompanion {
		f.r.Written = append(f.r.Written, f.companionPath)
	}
	if done.WroteProduction {
		f.r.Written = append(f.r.Written, f.p.path)
	}
	f.r.Left = append(f.r.Left, done.Notes...)
	f.r.Companion = f.companionPath
	return nil
}

func (f *fixer) file(ctx context.Context, in *input, path string, l *rewrite.Layout) *atomicfile.File {
	return &atomicfile.File{
		Path: path, Mode: in.mode, Size: l.Size(),
		Write: func(ctx context.Context, w *os.File) error {
			if err := l.WriteFile(ctx, w, nil); err != nil {
				return err
			}
			return in.unchanged()
		},
		Unchanged: func(existing string) (bool, error) { return l.EqualFile(ctx, existing) },
	}
}
