package debugid

import (
	"context"
	"fmt"
	"maps"

	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// ConformOptions say what Conform runs.
type ConformOptions struct {
	// Options steer the run; Original is set from the path of the same name.
	conformance.Options

	Path        string   // the production module, or one that is not split
	Companion   string   // its companion; empty if it is to be looked for as Check does
	Original    string   // the input that the pair was split from; may be empty
	SearchDebug []string // companions, and directories with companions
}

// ConformResult is the outcome of a run.
type ConformResult struct {
	Report *report.Report
	Run    *conformance.Result
}

// Conform runs a production module in an engine and holds every offset that the
// engine reports against the companion. What is wrong with the pair is in the
// report; the error is for files that cannot be read or are no modules.
//
// The module is executed, within the limits of the options: see package
// conformance.
func Conform(ctx context.Context, o ConformOptions) (*ConformResult, error) {
	r, err := o.run(ctx)
	if err != nil {
		return nil, err
	}
	return &ConformResult{Run: r, Report: &report.Report{Tool: "wasm-debugid", Command: "conform",
		Rules: conformance.Rules(), Subjects: []report.Subject{r.Subject}}}, nil
}

func (o *ConformOptions) run(ctx context.Context) (*conformance.Result, error) {
	if err := o.Debug.Available(); err != nil {
		return nil, err
	}
	p, err := openModule(o.Path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	companion, err := o.companion(ctx, &p.Module)
	if err != nil {
		return nil, err
	}
	if err := o.checkOriginal(companion); err != nil {
		return nil, err
	}
	run := o.Options
	if o.Original != "" {
		in, err := openModule(o.Original)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		run.Original = (*conformance.Module)(&in.Module)
	}
	var c *conformance.Module
	if companion != "" {
		m, err := openModule(companion)
		if err != nil {
			return nil, err
		}
		defer m.Close()
		c = (*conformance.Module)(&m.Module)
	}
	ref, _ := p.File.ExternalDebugInfo()
	missing := companion == "" && ref.Section != nil && !p.File.HasDebug()
	if missing {
		// Nothing is held against the companion: that frames do not resolve is no fault
		// of the pair.
		rules := map[string]report.Severity{}
		maps.Copy(rules, run.Rules)
		rules[conformance.FrameUnresolved], rules[conformance.RowsNotCovered] = report.Off, report.Off
		run.Rules = rules
	}
	r, err := conformance.Run(ctx, (*conformance.Module)(&p.Module), c, run)
	if err != nil {
		return nil, fileError(o.Path, err)
	}
	r.Subject.BuildID = buildIDOf(p.File).String()
	if missing {
		r.Subject.NotChecked = append(r.Subject.NotChecked, fmt.Sprintf("what offsets resolve to: the module was split before and points to %q, and %s", ref.URL, notAtHand(o.Path, ref.URL)))
		r.Acceptable = false
		if r.Subject.Verdict == report.Pass {
			r.Subject.Verdict = report.CouldNotCheck
		}
	}
	return r, nil
}

// checkOriginal refuses to compare a file with itself, which would prove nothing.
func (o *ConformOptions) checkOriginal(companion string) error {
	what := ""
	switch {
	case sameFile(o.Original, companion):
		what = "companion"
	case sameFile(o.Original, o.Path):
		what = "production module"
	default:
		return nil
	}
	return &rewrite.UsageError{Msg: fmt.Sprintf("%s is the %s itself and not what was split; name the module that the linker wrote as the original, or leave it out", o.Original, what)}
}

// companion returns the path of the companion, or none for a module that holds its
// debug information itself.
func (o *ConformOptions) companion(ctx context.Context, p *symcheck.Module) (string, error) {
	if o.Companion != "" || p.File.HasDebug() {
		return o.Companion, nil
	}
	debug, err := newDebugFiles(ctx, o.SearchDebug)
	if err != nil {
		return "", err
	}
	check := CheckOptions{Path: o.Path, SearchDebug: o.SearchDebug}
	return check.find(ctx, p, nil, debug)
}
