package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// open makes the judge.
func (r *run) open(ctx context.Context, production, companion *Module) (func(), error) {
	j := &judge{m: r.m, found: r.found, path: companion.Path, bodies: map[uint32]bool{}, held: map[int]bool{}}
	r.judge = j
	options := r.o.Debug
	options.Path = companion.Path
	span, hasCode := companion.File.CodeSpan()
	if !hasCode {
		span = r.m.span
		options.Production, options.ProductionPath = production.File, production.Path
	}
	j.client = span
	if hasCode && companion != production {
		imported, err := companion.File.ImportedFunctions()
		if err != nil {
			return nil, err
		}
		if j.other, err = readCode(companion.File, span, imported, &r.limits); err != nil {
			r.found.add(BodyDiffers, "code", fmt.Sprintf("the companion's code cannot be read: %v", err), report.Location{Path: companion.Path})
			j.other = nil
		}
		if record, err := rewrite.ReadRecord(companion.File); err == nil && record != nil {
			if j.blanked = record.Kind == rewrite.CompanionSymbols.String(); j.blanked {
				if err := r.blanked(ctx, record, companion); err != nil {
					return nil, err
				}
			}
		}
	}
	var err error
	if j.debug, err = debugfile.New(companion.File, companion.Source, options); err != nil {
		return nil, err
	}
	r.result.Subject.Tier = j.debug.Tier().String()
	if in := r.o.Original; in != nil {
		if err := r.openInput(in); err != nil {
			return nil, err
		}
	}
	return func() {
		_ = j.debug.Close()
		if j.input != nil {
			_ = j.input.Close()
		}
	}, nil
}

// blanked compares the code with a companion whose bodies are blanked: by the digest of
// the code that it was made with.
func (r *run) blanked(ctx context.Context, record *rewrite.Record, companion *Module) error {
	if record.Code == nil {
		r.result.Subject.NotChecked = append(r.result.Subject.NotChecked, "the code: the companion's bodies are blanked, and its record has no digest of what they were")
		return nil
	}
	same, err := record.Code.Holds(ctx, r.m.code.payload)
	if err != nil {
		return err
	}
	if !same {
		r.judge.foreign = true
		r.found.add(BodyDiffers, "code", "the companion was made with other code: its bodies are blanked, and the digest of what they were is not that of this code", report.Location{Path: companion.Path})
	}
	return nil
}

// openInput opens the input, if it is one that can be compared with.
func (r *run) openInput(in *Module) error {
	var err error
	r.input, err = readModule(in.Path, in.File, &r.limits)
	var not *UnrunnableError
	if err != nil && !errors.As(err, &not) {
		return err
	}
	if r.input == nil || !slices.Equal(r.input.code.payload, r.m.code.payload) {
		r.found.add(InputOtherCode, "", fmt.Sprintf("the code of %s is not that of %s", in.Path, r.m.path), report.Location{Path: in.Path})
		return nil
	}
	options := r.o.Debug
	options.Path = in.Path
	r.judge.inPath = in.Path
	r.judge.input, err = debugfile.New(in.File, in.Source, options)
	return err
}
