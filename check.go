package debugid

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// CheckOptions say what Check looks at.
type CheckOptions struct {
	symcheck.Options

	// Path is a production module, an unsplit module, or a directory, in which all
	// modules are checked with their companions.
	Path string
	// Each are modules to check instead of Path, as if they were all that a directory
	// holds: a companion among them is taken for one.
	Each []string
	// Companion is the path of the companion; empty if it is to be looked for: among
	// SearchDebug by build ID, where external_debug_info leads, and by the usual
	// names.
	Companion string
	// SearchDebug are companions, and directories with companions.
	SearchDebug []string
	// RequireCompanion makes it an error that a module without DWARF has no
	// companion.
	RequireCompanion bool
	// ForbidCompanion makes it an error that a companion lies in the directory.
	ForbidCompanion bool
}

// CheckError says that a check failed, or could not be made, where it had to pass.
type CheckError struct{ Report *report.Report }

// Error sums the report up.
func (e *CheckError) Error() string {
	switch n := e.Report.Count(report.Error); {
	case e.Report.Verdict() == report.CouldNotCheck:
		return "the check could not be made"
	case n == 1:
		return "the check failed with one error"
	case n == 0:
		return "the check failed: its warnings count as errors"
	default:
		return fmt.Sprintf("the check failed with %d errors", n)
	}
}

// errIsDirectory: a directory was named where one file is needed.
var errIsDirectory = errors.New("this is a directory; name one module")

// Check proves that every place a runtime can report in a module resolves, or says
// what stands in the way. What is wrong with the files is in the report; the error
// is for files that cannot be read or are no modules.
func Check(ctx context.Context, o CheckOptions) (*report.Report, error) {
	r := &report.Report{Tool: "wasm-debugid", Command: "check", Rules: symcheck.Rules()}
	if len(o.Each) > 0 && (o.Path != "" || o.Companion != "") {
		return nil, &rewrite.UsageError{Msg: "several modules are named, and one besides them"}
	}
	isDir, err := o.isDirectory()
	if err != nil {
		return nil, err
	}
	if err := o.Debug.Available(); err != nil {
		return nil, err
	}
	debug, err := newDebugFiles(ctx, o.SearchDebug)
	if err != nil {
		return nil, err
	}
	if isDir {
		if o.Companion != "" {
			return nil, &rewrite.UsageError{Msg: o.Path + " is a directory; a companion can be named for one module only"}
		}
		r.Subjects, err = o.directory(ctx, debug)
		return r, err
	}
	s, err := o.file(ctx, o.Path, nil, debug)
	if err != nil {
		return nil, err
	}
	r.Subjects = []report.Subject{*s}
	return r, nil
}

// isDirectory reports whether modules are to be checked as those of a directory.
func (o *CheckOptions) isDirectory() (bool, error) {
	if len(o.Each) > 0 {
		return true, nil
	}
	info, err := os.Stat(o.Path)
	return err == nil && info.IsDir(), err
}

// module is an open module of a check.
type module struct {
	symcheck.Module
	m *mapped.File
}

// openModule maps a module.
func openModule(path string) (*module, error) {
	m, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := wasm.NewFile(m, m.Size())
	if err != nil {
		return nil, errors.Join(fileError(path, err), m.Close())
	}
	return &module{symcheck.Module{Path: path, File: f, Source: m}, m}, nil
}

// Close closes the file.
func (m *module) Close() error { return m.m.Close() }

// file checks one module, with its companion if it has or should have one. Others are
// further names of the same file.
func (o *CheckOptions) file(ctx context.Context, path string, others []string, debug *debugFiles) (*report.Subject, error) {
	p, err := openModule(path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	companion := o.Companion
	if companion == "" && !p.File.HasDebug() {
		if companion, err = o.find(ctx, &p.Module, others, debug); err != nil {
			return nil, err
		}
	}
	if companion == "" {
		s, err := o.alone(ctx, p)
		if err == nil && p.File.Custom(wasm.CustomWasmDebugID) != nil {
			o.addTo(s, symcheck.CompanionOrphan, report.Warning, "this is a debug companion, which was checked by itself: the production module that ships was not",
				"name the production module")
		}
		return s, err
	}
	if sameFile(path, companion) {
		return nil, &rewrite.UsageError{Msg: fmt.Sprintf("%s and %s are the same file; a pair has two", path, companion)}
	}
	return o.pair(ctx, p, companion)
}

// pair checks a module with the companion at the given path.
func (o *CheckOptions) pair(ctx context.Context, p *module, companion string) (*report.Subject, error) {
	c, err := openModule(companion)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return o.run(ctx, &p.Module, &c.Module)
}

// run checks and adds the files' names to errors that lack them.
func (o *CheckOptions) run(ctx context.Context, p, c *symcheck.Module) (*report.Subject, error) {
	return symcheck.Check(ctx, p, c, o.Options)
}

// alone checks a module that no companion was found for. With a build ID, DWARF that
// must not ship is somewhere else; without one, nothing says that there ever was any.
func (o *CheckOptions) alone(ctx context.Context, p *module) (*report.Subject, error) {
	ref, _ := p.File.ExternalDebugInfo()
	split := ref.Section != nil || o.ForbidDWARF && len(buildIDOf(p.File)) > 0
	missing := !p.File.HasDebug() && (split || o.RequireCompanion || len(o.SearchDebug) > 0)
	if !missing {
		return o.run(ctx, &p.Module, nil)
	}
	base := o.Options
	base.Rules = symcheck.Settings{}
	for code, severity := range o.Rules {
		base.Rules[code] = severity
	}
	base.Rules[symcheck.NoDebugInfo] = report.Off // that is what the companion is for
	base.PairOnly = true
	s, err := symcheck.Check(ctx, &p.Module, nil, base)
	if err != nil {
		return nil, err
	}
	text := "the module has no DWARF, and no companion with its build ID is at hand"
	if ref.Section != nil {
		text = fmt.Sprintf("the module was split before and points to %q, and %s", ref.URL, notAtHand(p.Path, ref.URL))
	}
	o.companionMissing(s, text)
	return s, nil
}

// companionMissing notes that a companion is missing: what could not be checked,
// and an error where a companion is required.
func (o *CheckOptions) companionMissing(s *report.Subject, text string) {
	severity := report.Warning
	if o.RequireCompanion {
		severity = report.Error
	}
	s.NotChecked = append(s.NotChecked, "everything that needs the companion: "+text)
	o.addTo(s, symcheck.CompanionMissing, severity, text, "")
	s.Verdict = symcheck.VerdictOf(s)
}

// buildIDOf returns the one build ID of a module, or none.
func buildIDOf(f *wasm.File) buildid.ID {
	found, err := buildid.Read(f)
	if err != nil {
		return nil
	}
	return found.ID
}
