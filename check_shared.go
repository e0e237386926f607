package debugid

import (
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
// and a module with what it was split from. A file without code, such as another tool's
// companion, has no crashes.
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
			if code[i], err = codeOfFile(ctx, modules[i].path, buildid.Options{Workers: o.Workers}); err != nil {
				return err
			}
		}
		for _, i := range group {
			other := slices.IndexFunc(group, func(k int) bool { return code[k] != code[i] && code[k] != "" && code[i] != "" })
			if other < 0 {
				continue
			}
			o.addTo(&subjects[i], symcheck.IDShared, report.Error, fmt.Sprintf("its build ID %s is that of %s as well, whose code is another", f.id, modules[group[other]].path), "")
		}
	}
	return nil
}

// codeOfFile returns what codeOf does of the module at a path.
func codeOfFile(ctx context.Context, path string, o buildid.Options) (string, error) {
	m, err := wasm.Open(path)
	if err != nil {
		return "", fileError(path, err)
	}
	defer m.Close()
	return codeOf(ctx, path, m, o)
}

// codeOf returns the digest of a module's code, which tells it from that of others;
// empty if it has none.
func codeOf(ctx context.Context, path string, m *wasm.File, o buildid.Options) (string, error) {
	span, ok := m.CodeSpan()
	if !ok {
		return "", nil
	}
	sum, err := buildid.Sum(ctx, m, int64(span.Start), int64(span.Size), o)
	if err != nil {
		return "", fileError(path, err)
	}
	return sum.String(), nil
}
