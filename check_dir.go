package debugid

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// found is a module of a directory.
type found struct {
	path      string
	companion bool   // by its record, or by its name and its DWARF
	used      bool   // as the companion of a module
	debug     bool   // it holds DWARF
	pointed   bool   // it has a pointer to a companion
	id        string // build ID
	err       error  // why it is not looked at
}

// directory checks every module below a directory, or of those that are named:
// pairs together, unsplit modules by themselves, and reports companions that are
// left over.
func (o *CheckOptions) directory(ctx context.Context, debug *debugFiles) ([]report.Subject, error) {
	var all []*found
	err := o.each(ctx, func(path string) error {
		f, err := lookAt(path)
		if err == nil {
			all = append(all, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.companion && f.id != "" {
			debug.byID[f.id] = append(debug.byID[f.id], f.path)
		}
	}
	var out []report.Subject
	for _, f := range all {
		if f.companion || f.err != nil {
			continue
		}
		s, err := o.inDirectory(ctx, f, debug)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			c.used = c.used || s.Companion != "" && sameFile(c.path, s.Companion)
		}
		out = append(out, *s)
	}
	for _, f := range all {
		switch {
		case f.err != nil:
			out = append(out, o.unread(f))
		case f.companion && !f.used:
			out = append(out, o.orphan(f))
		}
	}
	slices.SortStableFunc(out, func(a, b report.Subject) int {
		return strings.Compare(a.Production+a.Companion, b.Production+b.Companion)
	})
	return out, nil
}

// each calls do with every module that is named, or lies below the directory.
func (o *CheckOptions) each(ctx context.Context, do func(path string) error) error {
	if len(o.Each) == 0 {
		return eachModule(ctx, o.Path, do)
	}
	for _, path := range o.Each {
		if err := do(path); err != nil {
			return err
		}
	}
	return nil
}

// lookAt reads the section headers of a file.
func lookAt(path string) (*found, error) {
	f := &found{path: path}
	m, err := wasm.Open(path)
	if err != nil {
		if errors.Is(err, wasm.ErrNotModule) || isFormat(err) {
			f.err = err
			return f, nil
		}
		return nil, fileError(path, err)
	}
	defer m.Close()
	f.debug = m.HasDebug()
	name := strings.ToLower(filepath.Base(path))
	named := strings.HasSuffix(name, ".debug.wasm") || strings.HasSuffix(name, ".debug") || name == "debuginfo"
	f.companion = m.Custom(wasm.CustomWasmDebugID) != nil || named
	f.pointed = m.Custom(wasm.CustomExternalDebugInfo) != nil
	f.id = buildIDOf(m).String()
	return f, nil
}

// inDirectory checks one module of a directory. A module that nothing says was
// ever split (no pointer, no build ID), and that holds no debug information, is somebody else's as often as
// not: it is reported, but does not fail the directory unless that is asked for.
func (o *CheckOptions) inDirectory(ctx context.Context, f *found, debug *debugFiles) (*report.Subject, error) {
	one := *o
	one.Path, one.Companion = f.path, ""
	if !f.debug && !f.pointed && f.id == "" && !o.RequireCompanion {
		if _, set := o.Rules[symcheck.NoDebugInfo]; !set {
			one.Rules = symcheck.Settings{symcheck.NoDebugInfo: report.Warning}
			for code, severity := range o.Rules {
				one.Rules[code] = severity
			}
		}
	}
	return one.file(ctx, f.path, debug)
}

// unread is the subject for a file that is no module, whatever its name says.
func (o *CheckOptions) unread(f *found) report.Subject {
	s := report.Subject{Production: f.path}
	var kind *wasm.NotModuleError
	if errors.As(f.err, &kind) {
		s.NotChecked = append(s.NotChecked, kind.Error())
		o.addTo(&s, symcheck.WrongKind, report.Warning, kind.Error())
	} else {
		o.addTo(&s, symcheck.CodeDamaged, report.Error, f.err.Error())
		s.NotChecked = append(s.NotChecked, "the file, whose sections cannot be read")
	}
	s.Verdict = symcheck.VerdictOf(&s)
	return s
}

// orphan is the subject for a companion without a module.
func (o *CheckOptions) orphan(f *found) report.Subject {
	s := report.Subject{Companion: f.path, BuildID: f.id}
	text := "no module that is checked with it has its build ID " + f.id
	if f.id == "" {
		text = "it has no build ID, and no module beside it has its name"
	}
	o.addTo(&s, symcheck.CompanionOrphan, report.Warning, text)
	s.Verdict = symcheck.VerdictOf(&s)
	return s
}

// addTo adds a finding about the whole of a subject's file.
func (o *CheckOptions) addTo(s *report.Subject, code string, severity report.Severity, text string) {
	if set, ok := o.Rules[code]; ok {
		severity = set
	}
	if severity == report.Off {
		return
	}
	path := s.Production
	if path == "" {
		path = s.Companion
	}
	s.Findings = append(s.Findings, report.Finding{Rule: code, Severity: severity, Message: text, Location: report.Location{Path: path}})
}
