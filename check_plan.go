package debugid

import (
	"context"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// planRules are the rules that every planned pair has to keep, whatever was asked
// for. A plan that breaks one is a defect of this program.
var planRules = []string{
	symcheck.CodeStartDiffers, symcheck.CodeBytesDiffer, symcheck.IDMissing, symcheck.IDDuplicate, symcheck.IDConflict, symcheck.IDMismatch,
	symcheck.CompanionNoCode, symcheck.CompanionPointer, symcheck.RecordDisagrees, symcheck.ProductionChanged, symcheck.ImportsDiffer,
}

// provePlan runs the pair part of the check on planned outputs. Nothing has been
// written yet; the pair is read through its layouts.
func (o *SplitOptions) provePlan(ctx context.Context, plan *rewrite.Plan) error {
	if plan.Companion == nil {
		return nil
	}
	s, err := symcheck.Check(ctx,
		&symcheck.Module{Path: o.Output, File: plan.ProductionFile},
		&symcheck.Module{Path: o.DebugOut, File: plan.CompanionFile},
		symcheck.Options{PairOnly: true, Planned: true, Workers: o.Hash.Workers})
	if err != nil {
		return err
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		for _, code := range planRules {
			if f.Rule == code && f.Severity == report.Error {
				return &rewrite.InternalError{Msg: fmt.Sprintf("the planned pair breaks %s: %s; nothing was written", f.Rule, f.Message)}
			}
		}
	}
	return nil
}

// checkPlan runs the whole check on planned outputs. The input is mapped for it, or
// the copy of standard input.
func (o *SplitOptions) checkPlan(ctx context.Context, in *input, plan *rewrite.Plan) (*report.Report, error) {
	if err := o.Check.Debug.Available(); err != nil {
		return nil, err
	}
	r := &report.Report{Tool: "wasm-debugid", Command: "check", Rules: symcheck.Rules()}
	production := symcheck.Module{Path: o.home(), File: plan.ProductionFile}
	companion := symcheck.Module{Path: o.DebugOut, File: plan.CompanionFile}
	m, err := in.memory()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	production.Source = &layoutSource{plan.Production, m}
	if plan.Companion != nil {
		companion.Source = &layoutSource{plan.Companion, m}
	}
	opt := *o.Check
	opt.Planned = true
	var s *report.Subject
	if plan.Companion != nil {
		s, err = symcheck.Check(ctx, &production, &companion, opt)
	} else {
		s, err = symcheck.Check(ctx, &production, nil, opt)
	}
	if err != nil {
		return nil, err
	}
	r.Subjects = []report.Subject{*s}
	return r, in.unchanged()
}

// checkExisting checks the pair that an earlier split made.
func (o *SplitOptions) checkExisting(ctx context.Context, p *Prepared) error {
	r, err := Check(ctx, CheckOptions{Options: *o.Check, Path: o.Input, Companion: p.Result.Companion})
	if err != nil {
		return err
	}
	if p.Result.Report = r; r.Verdict() != report.Pass {
		return fileError(o.Input, &CheckError{r})
	}
	return nil
}

// layoutSource gives a planned file as memory: views of the mapped input where the
// plan copies it, which are all large sections, and copies of the rest.
type layoutSource struct {
	*rewrite.Layout
	input *mapped.File
}

var _ debugfile.Source = (*layoutSource)(nil)

// Mapped reports that views cost nothing.
func (s *layoutSource) Mapped() bool { return s.input.Mapped() }

// maxCopied bounds the size in bytes of what is put together in memory because it
// does not lie in one piece of the input.
const maxCopied = 1 << 30

// Bytes returns n bytes from offset off of the planned file.
func (s *layoutSource) Bytes(off, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if off < 0 || n < 0 || off > s.Size() || n > s.Size()-off {
		return nil, fmt.Errorf("%d bytes at 0x%x are not in the planned file of %d bytes", n, off, s.Size())
	}
	for _, e := range s.Extents() {
		if e.Kind == rewrite.ExtentSource && int64(e.Offset) <= off && off+n <= int64(e.End()) {
			return s.input.Bytes(int64(e.Source)+off-int64(e.Offset), n)
		}
	}
	if n > maxCopied {
		return nil, fmt.Errorf("%d bytes at 0x%x of the planned file are too many to be read into memory", n, off)
	}
	b := make([]byte, n)
	if _, err := s.ReadAt(b, off); err != nil {
		return nil, err
	}
	return b, nil
}
