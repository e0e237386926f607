package symcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxSamples is the number of places that a finding about many lists.
const maxSamples = 10

// checker is one check. Its methods add to the subject; they are called from one
// goroutine.
type checker struct {
	ctx      context.Context
	o        *Options
	prod     *Module
	comp     *Module // nil: prod is one unsplit module
	s        *report.Subject
	findings []*report.Finding

	ids      [2]buildid.Found     // of prod and comp
	record   *rewrite.Record      // of comp; nil without one
	hashed   *buildid.Measurement // of the debug data; nil until it is needed
	same     bool                 // comp holds prod's code, byte for byte
	stranger bool                 // comp is of another build by its ID: nothing else of the pair says anything
	split    bool                 // prod's code was compared with comp by digest: comp's bodies are blank
}

// debug returns the module that holds the debug information.
func (c *checker) debug() *Module {
	if c.comp != nil {
		return c.comp
	}
	return c.prod
}

// Check checks a pair, or one unsplit module for a nil companion. What is wrong
// with the files is in the subject; the error is for files that cannot be read
// and for a context that ended.
func Check(ctx context.Context, production, companion *Module, o Options) (*report.Subject, error) {
	if o.For == "" {
		o.For = Generic
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	c := &checker{ctx: ctx, o: &o, prod: production, comp: companion, s: &report.Subject{Production: production.Path}}
	if companion != nil {
		c.s.Companion = companion.Path
	}
	steps := []func() error{c.kind, c.identity, c.readRecord, c.code, c.shape, c.pointer, c.clients}
	if !o.PairOnly {
		steps = append(steps, c.freshness, c.debugData, c.functionNames, c.leaks, c.dwarf)
	}
	for _, step := range steps {
		if c.stranger {
			break
		}
		// A mapped file that shrinks is an error here as well; see internal/mapped.
		var err error
		if shrunk := mapped.Guard(func() { err = step() }); shrunk != nil {
			err = shrunk
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	c.finish()
	return c.s, nil
}

// finish puts the findings in order, worst first, and draws the verdict.
func (c *checker) finish() {
	slices.SortStableFunc(c.findings, func(a, b *report.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Rule, b.Rule))
	})
	c.advise()
	for _, f := range c.findings {
		c.s.Findings = append(c.s.Findings, *f)
	}
	c.s.Verdict = VerdictOf(c.s)
}

// VerdictOf draws the verdict from what a subject holds: an error fails it, and
// what could not be checked keeps it from passing.
func VerdictOf(s *report.Subject) report.Verdict {
	v := report.Pass
	if len(s.NotChecked) > 0 {
		v = report.CouldNotCheck
	}
	for i := range s.Findings {
		if s.Findings[i].Severity == report.Error {
			v = report.Fail
		}
	}
	return v
}

// find adds a finding with its rule's severity. It returns nil when the rule is
// off.
func (c *checker) find(code string, at report.Location, format string, args ...any) *report.Finding {
	rule, _ := FindRule(code)
	return c.findAs(rule.Default, code, at, format, args...)
}

// findAs is find with another severity than the rule's, for what matters more or
// less in the case at hand. What the user has set wins.
func (c *checker) findAs(severity report.Severity, code string, at report.Location, format string, args ...any) *report.Finding {
	if severity = c.o.severity(code, severity); severity == report.Off {
		return nil
	}
	f := &report.Finding{Rule: code, Severity: severity, Message: fmt.Sprintf(format, args...), Location: at}
	c.findings = append(c.findings, f)
	return f
}

// off reports whether a rule is switched off.
func (c *checker) off(code string) bool { return c.o.severity(code, report.Info) == report.Off }

// checked notes what was checked.
func (c *checker) checked(format string, args ...any) {
	c.s.Checked = append(c.s.Checked, fmt.Sprintf(format, args...))
}

// couldNot notes what could not be checked, and why.
func (c *checker) couldNot(format string, args ...any) {
	c.s.NotChecked = append(c.s.NotChecked, fmt.Sprintf(format, args...))
}

func (c *checker) fact(name, format string, args ...any) {
	c.s.Facts = append(c.s.Facts, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
}

// in returns the location of a module, or of one of its sections.
func in(m *Module, s *wasm.Section) report.Location {
	l := report.Location{Path: m.Path}
	if s != nil {
		l.Section = s.Label()
		at := s.Offset
		l.File = &at
	}
	return l
}

// atError returns the location that an error of package wasm names.
func atError(m *Module, err error) report.Location {
	l := report.Location{Path: m.Path}
	var f *wasm.FormatError
	if errors.As(err, &f) {
		l.Section = f.Section
		at := f.Off
		l.File = &at
	}
	return l
}

// many sets the count and the samples of a finding, which may be nil.
func many(f *report.Finding, count int, samples []report.Location) {
	if f == nil {
		return
	}
	f.Count = count
	if count > 1 {
		f.Samples = samples[:min(len(samples), maxSamples)]
	}
}

// parallel calls do for 0 to n−1 from the check's workers, each of which has a
// number. The first error, by the order of the calls, is returned.
func (c *checker) parallel(n int, do func(worker, i int) error) error {
	workers := max(1, min(c.o.Workers, n))
	errs := make([]error, workers)
	var next atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			shrunk := mapped.Guard(func() {
				for !stop.Load() && c.ctx.Err() == nil {
					i := int(next.Add(1)) - 1
					if i >= n {
						return
					}
					if errs[w] = do(w, i); errs[w] != nil {
						stop.Store(true)
						return
					}
				}
			})
			if shrunk != nil {
				errs[w] = shrunk
				stop.Store(true)
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, c.ctx.Err())...)
}
