package debugid

import (
	"context"
	"io"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// InjectOptions say what Inject reads and writes.
type InjectOptions struct {
	BuildID          buildid.Policy
	NormalizeBuildID bool
	Hash             buildid.Options

	Input     string // path of the module; "-" reads Stdin
	Output    string // path of the module with the ID, may be Input's; "-" writes Stdout
	Stdin     io.Reader
	Stdout    io.Writer
	DryRun    bool
	OnWriting func(n int64)
}

// Inject writes a copy of a module that carries a build ID and is otherwise the
// same, DWARF included.
func Inject(ctx context.Context, o InjectOptions) (*SplitResult, error) {
	p, err := PrepareInject(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Result, p.Write(ctx)
}

// PrepareInject is Inject without the writing; see PrepareSplit.
func PrepareInject(ctx context.Context, o InjectOptions) (*Prepared, error) {
	if o.Input == "" || o.Output == "" {
		return nil, &rewrite.UsageError{Msg: "name the input and the output"}
	}
	if err := checkTarget(o.Output); err != nil {
		return nil, err
	}
	if err := refuseCompanion(o.Output, o.Input); err != nil {
		return nil, err
	}
	in, err := openInput(ctx, o.Input, o.Stdin)
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.Inject(ctx, in.File, rewrite.Options{BuildID: o.BuildID, NormalizeBuildID: o.NormalizeBuildID, Hash: o.Hash})
	if err != nil {
		in.Close()
		return nil, fileError(in.path, err)
	}
	p := &Prepared{in: in, Result: &SplitResult{ID: plan.ID(), Input: in.path, Production: o.Output, Plan: plan, Notes: plan.Notes,
		InputSize: in.size, ProductionSize: plan.Production.Size()}}
	if !o.DryRun {
		write := SplitOptions{Output: o.Output, Stdout: o.Stdout, OnWriting: o.OnWriting}
		p.write = func(ctx context.Context) error { return write.write(ctx, in, p.Result, plan.Production, nil) }
	}
	return p, nil
}
