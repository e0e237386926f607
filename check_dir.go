package debugid

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// found is a module of a directory.
type found struct {
	path      string
	info      fs.FileInfo
	link      bool
	others    []string // further names of the same file
	companion bool     // by its record, or by its name
	used      bool     // as the companion of a module
	debug     bool     // it holds DWARF
	pointed   bool     // it has a pointer to a companion
	id        string   // build ID
	err       error    // why it is not looked at
}

// directory checks every module below a directory, or of those that are named:
// pairs together, unsplit modules by themselves, and reports companions that are
// left over, and links that are not followed. A file with several names is checked
// once.
func (o *CheckOptions) directory(ctx context.Context, debug *debugFiles) ([]report.Subject, error) {
	var all []*found
	var out []report.Subject
	var same identities
	err := o.each(ctx, func(e entry) error {
		if e.info == nil {
			if s, ok := o.unfollowed(e); ok {
				out = append(out, s)
			}
			return nil
		}
		f, err := lookAt(e)
		if err != nil {
			return err
		}
		if g := same.of(e.info); g != nil {
			g.alias(f)
			return nil
		}
		same.add(f)
		all = append(all, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.companion && f.id != "" {
			debug.byID[f.id] = append(debug.byID[f.id], f.path)
		}
	}
	pairs := map[string]*report.Subject{} // by build ID
	var modules []*found
	first := len(out) // where their subjects begin
	for _, f := range all {
		if f.companion || f.err != nil {
			continue
		}
		s, err := o.inDirectory(ctx, f, debug)
		if err != nil {
			return nil, err
		}
		if s.Companion != "" {
			if info, err := os.Stat(s.Companion); err == nil {
				if c := same.of(info); c != nil {
					c.used = true
				}
			}
		}
		if f.id != "" && (pairs[f.id] == nil || s.Companion != "") {
			pairs[f.id] = s
		}
		out = append(out, f.named(*s))
		modules = append(modules, f)
	}
	if err := o.sharedIDs(ctx, modules, out[first:]); err != nil {
		return nil, err
	}
	for _, f := range all {
		switch {
		case f.err != nil:
			out = append(out, f.named(o.unread(f)))
		case f.companion && o.forbidsCompanion():
			out = append(out, f.named(o.shipped(f)))
		case f.companion && !f.used:
			out = append(out, f.named(o.orphan(f, pairs[f.id])))
		}
	}
	slices.SortStableFunc(out, func(a, b report.Subject) int {
		return strings.Compare(a.Production+a.Companion, b.Production+b.Companion)
	})
	nothingProven(out)
	return out, nil
}

// nothingProven makes of subjects for which nothing was proven some that could not be
// checked, where there is none for which anything was: a folder whose only module has
// been stripped of everything must not look like one that passes.
func nothingProven(all []report.Subject) {
	if (&report.Report{Subjects: all}).Unproven() < len(all) {
		return
	}
	for i := range all {
		s := &all[i]
		text := "whether its crash reports resolve: the module has no debug information, no build ID and no pointer to a companion, and no other module here could be checked"
		if s.Production == "" {
			text = "whether crash reports resolve with it: no module here is checked with this companion"
		}
		s.NotChecked = append(s.NotChecked, text)
		s.Verdict = report.CouldNotCheck
	}
}

// partnerless draws the verdict of a companion without a module: no crash report is
// proven to resolve with it.
func partnerless(s *report.Subject) {
	if s.Verdict = symcheck.VerdictOf(s); s.Verdict == report.Pass {
		s.Verdict = report.NotProven
	}
}

// each calls do with every module that is named, or lies below the directory.
func (o *CheckOptions) each(ctx context.Context, do func(entry) error) error {
	if len(o.Each) == 0 {
		return eachModule(ctx, o.Path, do)
	}
	for _, path := range o.Each {
		info, err := os.Stat(path)
		if err == nil {
			err = do(entry{path: path, info: info})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// alias notes a further name of the file; it is checked under the one of them that
// people know it by.
func (f *found) alias(g *found) {
	others := append(f.others, g.path)
	if g.err == nil && g.better(f) {
		others[len(others)-1] = f.path
		*f = *g
	}
	f.others = others
}

// better reports whether f has a better name for the file than g: one that says that
// it is a module and no companion, then its own rather than that of a link, then one
// further up (cargo links release/deps/app.wasm to release/app.wasm), then a shorter
// one.
func (f *found) better(g *found) bool {
	if f.companion != g.companion {
		return !f.companion
	}
	if f.link != g.link {
		return !f.link
	}
	depth := func(path string) int { return strings.Count(filepath.Clean(path), string(filepath.Separator)) }
	return cmp.Or(cmp.Compare(depth(f.path), depth(g.path)), cmp.Compare(len(f.path), len(g.path))) < 0
}

// named notes the further names of the file in its subject.
func (f *found) named(s report.Subject) report.Subject {
	if len(f.others) > 0 {
		s.Checked = append(s.Checked, "the same file is there as "+strings.Join(f.others, ", "))
	}
	return s
}

// lookAt reads the section headers of a file.
func lookAt(e entry) (*found, error) {
	f := &found{path: e.path, info: e.info, link: e.link}
	m, err := wasm.Open(e.path)
	var kind *regular.KindError
	if err != nil {
		if errors.Is(err, wasm.ErrNotModule) || isFormat(err) || errors.As(err, &kind) {
			f.err = err
			return f, nil
		}
		return nil, fileError(e.path, err)
	}
	defer m.Close()
	f.debug = m.HasDebug()
	name := strings.ToLower(filepath.Base(e.path))
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
	nothing := !f.debug && !f.pointed && f.id == ""
	if nothing && !o.RequireCompanion {
		if _, set := o.Rules[symcheck.NoDebugInfo]; !set {
			one.Rules = symcheck.Settings{symcheck.NoDebugInfo: report.Warning}
			for code, severity := range o.Rules {
				one.Rules[code] = severity
			}
		}
	}
	s, err := one.file(ctx, f.path, f.others, debug)
	if err == nil && nothing && s.Companion == "" && o.Debug.SourceMap == "" && s.Verdict == report.Pass {
		s.Verdict = report.NotProven
	}
	return s, err
}

// unread is the subject for a file that is no module, whatever its name says.
func (o *CheckOptions) unread(f *found) report.Subject {
	s := report.Subject{Production: f.path}
	var module *wasm.NotModuleError
	var kind *regular.KindError
	switch {
	case errors.As(f.err, &module):
		s.NotChecked = append(s.NotChecked, module.Error())
		o.addTo(&s, symcheck.WrongKind, report.Warning, module.Error(), module.Hint())
	case errors.As(f.err, &kind):
		s.NotChecked = append(s.NotChecked, kind.Error())
		o.addTo(&s, symcheck.WrongKind, report.Warning, kind.Error(), "")
	default:
		o.addTo(&s, symcheck.CodeDamaged, report.Error, f.err.Error(), "")
		s.NotChecked = append(s.NotChecked, "the file, whose sections cannot be read")
	}
	s.Verdict = symcheck.VerdictOf(&s)
	return s
}

// unfollowed is the subject for a link that is not followed. There is none where the
// rule is off: then such links are none of the check's business.
func (o *CheckOptions) unfollowed(e entry) (report.Subject, bool) {
	s := report.Subject{Production: e.path}
	code, text := symcheck.LinkOutside, "the link leads to "+e.away+", outside of the directory; what is there was not checked"
	if e.dead != nil {
		code, text = symcheck.LinkBroken, "the link leads nowhere: "+reasonOf(e.dead)
	}
	if o.Rules[code] == report.Off {
		if _, set := o.Rules[code]; set {
			return s, false
		}
	}
	s.NotChecked = append(s.NotChecked, text)
	o.addTo(&s, code, report.Warning, text, "")
	s.Verdict = symcheck.VerdictOf(&s)
	return s, true
}

// reasonOf returns an error of the file system without the name that it is about.
func reasonOf(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// orphan is the subject for a companion that no module was checked with. A pair with
// its build ID may have been checked all the same.
func (o *CheckOptions) orphan(f *found, pair *report.Subject) report.Subject {
	s := report.Subject{Companion: f.path, BuildID: f.id}
	severity, text, remedy := report.Warning, "no module that is checked with it has its build ID "+f.id, ""
	switch {
	case f.id == "":
		text = "it has no build ID, and no module beside it has its name"
	case pair != nil && pair.Companion == "":
		text = "it has the build ID of " + pair.Production + ", which holds its own debug information or was checked without a companion"
		remedy = "see which of the two is shipped: a module that was split is checked with its companion, and the linker's output needs none"
	case pair != nil:
		text = "it has the build ID of " + pair.Production + ", which was checked with another companion, " + pair.Companion + "; this one was not needed"
		remedy = "keep one of the two: compare them, and see that uploads take the one that was checked"
	}
	if o.inStore(f.path) {
		severity = report.Info
		remedy = "nothing, if this is where companions of other releases are kept"
	}
	o.addTo(&s, symcheck.CompanionOrphan, severity, text, remedy)
	partnerless(&s)
	return s
}

// inStore reports whether a file lies in a directory that was named as one with
// companions: those of other releases belong there.
func (o *CheckOptions) inStore(path string) bool {
	file, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for _, dir := range o.SearchDebug {
		if abs, err := filepath.Abs(dir); err == nil && inside(abs, file) {
			return true
		}
	}
	return false
}

// forbidsCompanion reports whether a companion in the directory is a finding.
func (o *CheckOptions) forbidsCompanion() bool {
	set, ok := o.Rules[symcheck.CompanionShipped]
	return o.ForbidCompanion && (!ok || set != report.Off)
}

// shipped is the subject for a companion where none must be.
func (o *CheckOptions) shipped(f *found) report.Subject {
	s := report.Subject{Companion: f.path, BuildID: f.id}
	o.addTo(&s, symcheck.CompanionShipped, report.Error, "the directory must hold no companion", "")
	partnerless(&s)
	return s
}

// addTo adds a finding about the whole of a subject's file, in the order of symcheck,
// worst first. An error fails the subject. What to do is as the rule says if it is
// empty here.
func (o *CheckOptions) addTo(s *report.Subject, code string, severity report.Severity, text, remedy string) {
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
	s.Findings = append(s.Findings, report.Finding{Rule: code, Severity: severity, Message: text, Remedy: remedy, Location: report.Location{Path: path}})
	slices.SortStableFunc(s.Findings, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Rule, b.Rule))
	})
	if severity == report.Error {
		s.Verdict = report.Fail
	}
}
