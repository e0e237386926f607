package debugid

import (
	"context"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// judgePair judges the ID of a split module again, on the pair, where its companion is
// at hand. What the ID was made for is not all in this file, so that the file alone
// looks changed or cannot be told.
func (m *ModuleInfo) judgePair(ctx context.Context, in *input, o *InfoOptions) error {
	b := &m.BuildID
	if o.Input == Stdio || b.Verdict == nil || b.Verdict.Freshness == buildid.Fresh || m.ExternalDebugInfo == nil || m.ExternalDebugInfo.Found == "unusable" || m.Record != nil || in.HasDebug() {
		return nil
	}
	path, err := (&CheckOptions{}).find(ctx, &symcheck.Module{Path: o.Input, File: in.File}, nil, &debugFiles{})
	if path == "" || err != nil {
		m.problem("the companion", err)
		return nil
	}
	c, err := wasm.Open(path)
	if err != nil {
		m.problem("the companion", fileError(path, err))
		return nil
	}
	defer c.Close()
	if !buildIDOf(c).Equal(b.Found.ID) {
		return nil
	}
	r, err := rewrite.ReadRecord(c)
	if err != nil {
		m.problem("the companion", fileError(path, err))
		return nil
	}
	v, err := (&rewrite.Pair{Production: in.File, Companion: c, Record: r}).Judge(ctx, b.Found.ID, o.Hash)
	if err != nil {
		return err
	}
	v.Reason = fmt.Sprintf("%s (with %s)", v.Reason, path)
	b.Verdict, b.Freshness, b.Reason = &v, v.Freshness.String(), v.Reason
	return nil
}
