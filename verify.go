package debugid

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// VerifyOptions say what Verify does. The paths are those of Check.
type VerifyOptions struct {
	Check    CheckOptions
	Original string              // the input that the pair was split from; may be empty
	Conform  conformance.Options // of the run
}

// Verify makes both proofs of one pair, that of Check and that of Conform, with one
// report and one verdict. It passes if both do; a module that cannot be run passes
// with the first alone if the options allow that, and the report says so.
func Verify(ctx context.Context, o VerifyOptions) (*report.Report, error) {
	if info, err := os.Stat(o.Check.Path); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: o.Check.Path, Err: errIsDirectory}
	}
	r, err := Check(ctx, o.Check)
	if err != nil {
		return nil, err
	}
	if len(r.Subjects) != 1 {
		return nil, errors.New("the check is not about one module")
	}
	s := &r.Subjects[0]
	o.Conform.Debug = o.Check.Debug
	run, err := Conform(ctx, ConformOptions{Options: o.Conform, Path: o.Check.Path, Companion: s.Companion, Original: o.Original, SearchDebug: o.Check.SearchDebug})
	if err != nil {
		return nil, err
	}
	merge(s, run.Run)
	r.Command = "verify"
	r.Rules = slices.Concat(symcheck.Rules(), conformance.Rules())
	return r, nil
}

// merge adds what running found to what the static check found.
func merge(s *report.Subject, run *conformance.Result) {
	x := &run.Subject
	s.Findings = append(s.Findings, x.Findings...)
	s.Checked = append(s.Checked, x.Checked...)
	s.NotChecked = append(s.NotChecked, x.NotChecked...)
	s.Facts = append(s.Facts, x.Facts...)
	if !run.Acceptable {
		s.Verdict = s.Verdict.Worse(x.Verdict)
	}
}
