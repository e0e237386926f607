package stacktrace

import (
	"bytes"
	"context"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// CodeDiffers says in messages what is wrong with a module and a companion that
// have one build ID and not one code. Optimisers keep the ID that they find.
const CodeDiffers = "the code differs: one of them was rewritten since they were made"

// SameCode reports whether a production module and a companion have the same code.
// It compares with what the companion has on record, where its own code may be
// blanked, and without a record (nil) byte by byte. Known is false where there is
// no code to compare. Code is read and hashed as a whole.
func SameCode(ctx context.Context, production, companion *wasm.File, record *rewrite.Record) (same, known bool, err error) {
	span, ok := production.CodeSpan()
	if record != nil && record.Code != nil {
		if !ok || int64(span.Size) != record.Code.Size {
			return false, true, nil
		}
		sum, err := buildid.Sum(ctx, production, int64(span.Start), int64(span.Size), buildid.Options{})
		if err != nil {
			return false, false, fmt.Errorf("reading the production module: %w", err)
		}
		return sum.String() == record.Code.BLAKE3, true, nil
	}
	own, have := companion.CodeSpan()
	if !ok || !have {
		return false, false, nil
	}
	if span.Size != own.Size {
		return false, true, nil
	}
	const block = 1 << 20
	x, y := make([]byte, min(block, span.Size)), make([]byte, min(block, span.Size))
	for at := int64(0); at < int64(span.Size); at += block {
		if err := ctx.Err(); err != nil {
			return false, false, err
		}
		n := min(block, int64(span.Size)-at)
		if _, err := production.ReadAt(x[:n], int64(span.Start)+at); err != nil {
			return false, false, fmt.Errorf("reading the production module: %w", err)
		}
		if _, err := companion.ReadAt(y[:n], int64(own.Start)+at); err != nil {
			return false, false, fmt.Errorf("reading the companion: %w", err)
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, true, nil
		}
	}
	return true, true, nil
}
