package debugid

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// sharedIDs adds to the subjects of modules, which stand in the same order, that others
// with other code have their build ID. Modules with the same code may share one: copies,
// and a module with what it was split from.
func (o *CheckOptions) sharedIDs(ctx context.Context, modules []*found, subjects []report.Subject) error {
	byID := map[string][]int{}
	for i, f := range modules {
		if f.id != "" {
			byID[f.id] = append(byID[f.id], i)
		}
	}
	for first, f := range modules {
		group := byID[f.id]
		if len(group) < 2 || group[0] != first {
			continue
		}
		code := map[int]string{}
		for _, i := range group {
			var err error
			if code[i], err = codeOf(ctx, modules[i].path, o.Workers); err != nil {
				return err
			}
		}
		for _, i := range group {
			other := slices.IndexFunc(group, func(k int) bool { return code[k] != code[i] })
			if other < 0 {
				break
			}
			s := &subjects[i]
			o.addTo(s, symcheck.IDShared, report.Error, fmt.Sprintf("its build ID %s is that of %s as well, whose code is another", f.id, modules[group[other]].path), "")
			slices.SortStableFunc(s.Findings, func(a, b report.Finding) int {
				return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Rule, b.Rule))
			})
			s.Verdict = s.Verdict.Worse(symcheck.VerdictOf(s))
		}
	}
	return nil
}

// codeOf returns what tells the code of a module from that of others: its size and
// digest; empty if it has none.
func codeOf(ctx context.Context, path string, workers int) (string, error) {
	m, err := wasm.Open(path)
	if err != nil {
		return "", fileError(path, err)
	}
	defer m.Close()
	span, ok := m.CodeSpan()
	if !ok {
		return "", nil
	}
	sum, err := buildid.Sum(ctx, m, int64(span.Start), int64(span.Size), buildid.Options{Workers: workers})
	if err != nil {
		return "", fileError(path, err)
	}
	return fmt.Sprintf("%d %v", span.Size, sum), nil
}
