package debugid

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// belongs reports whether the companion at one path was made for the production
// module at the other: by the digest that a companion of this tool records, or
// by the build IDs when it has no record. A file that is not a module belongs to
// nothing.
func belongs(ctx context.Context, production, companion string) (bool, error) {
	err := matches(ctx, production, companion)
	var mismatch *MismatchError
	var format *wasm.FormatError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &mismatch), errors.As(err, &format), errors.Is(err, wasm.ErrNotModule):
		return false, nil
	}
	return false, err
}

// matches returns nil if the two files are a pair, a *MismatchError if they are
// not, and another error if one of them cannot be read.
func matches(ctx context.Context, production, companion string) error {
	p, err := wasm.Open(production)
	if err != nil {
		return fileError(production, err)
	}
	defer p.Close()
	c, err := wasm.Open(companion)
	if err != nil {
		return fileError(companion, err)
	}
	defer c.Close()
	mismatch := func(format string, args ...any) error {
		return &MismatchError{Production: production, Companion: companion, Msg: fmt.Sprintf(format, args...)}
	}
	ids := [2]buildid.Found{}
	for i, f := range []*wasm.File{p, c} {
		if ids[i], err = buildid.Read(f); err != nil {
			return fileError([]string{production, companion}[i], err)
		}
		if ids[i].Status == buildid.StatusAbsent {
			return mismatch("%s has no build ID", []string{production, companion}[i])
		}
	}
	if !ids[0].ID.Equal(ids[1].ID) {
		return mismatch("their build IDs are %v and %v", ids[0].ID, ids[1].ID)
	}
	err = sameBuild(ctx, p, c, production, companion)
	var other *MismatchError
	if errors.As(err, &other) {
		other.sameID, other.recorded = c.HasDebug(), c.Custom(wasm.CustomWasmDebugID) != nil
	}
	return err
}

// sameBuild is the part of matches that looks behind the IDs: tools that rewrite code
// keep an ID, so that an equal one proves nothing.
func sameBuild(ctx context.Context, p, c *wasm.File, production, companion string) error {
	mismatch := func(format string, args ...any) error {
		return &MismatchError{Production: production, Companion: companion, Msg: fmt.Sprintf(format, args...)}
	}
	record, err := rewrite.ReadRecord(c)
	if err != nil {
		return fileError(companion, err)
	}
	if record == nil {
		if !c.HasDebug() {
			return mismatch("%s has this build ID but is no companion: it has neither DWARF nor a record of a split; perhaps it is the production module itself", companion)
		}
		return sameCode(ctx, p, c, production, companion)
	}
	if record.Production.Size != p.Size() {
		return mismatch("the companion was made for a module of %d bytes, this one has %d", record.Production.Size, p.Size())
	}
	sum, err := buildid.Sum(ctx, p, 0, p.Size(), buildid.Options{})
	if err != nil {
		return fileError(production, err)
	}
	if sum.String() != record.Production.BLAKE3 {
		return mismatch("the module was changed after the split: its digest is not the one that the companion records")
	}
	return nil
}

// sameCode compares the code of a pair that another tool made. A companion without code
// has nothing to compare.
func sameCode(ctx context.Context, p, c *wasm.File, production, companion string) error {
	mine, ok := p.CodeSpan()
	theirs, has := c.CodeSpan()
	if !ok || !has {
		return nil
	}
	different := &MismatchError{Production: production, Companion: companion,
		Msg: "they have one build ID and different code: a tool rewrote the code of one of them and kept the ID"}
	if mine.Size != theirs.Size {
		return different
	}
	var sums [2]string
	for i, f := range []*wasm.File{p, c} {
		var err error
		if sums[i], err = codeOf(ctx, []string{production, companion}[i], f, buildid.Options{}); err != nil {
			return err
		}
	}
	if sums[0] != sums[1] {
		return different
	}
	if mine.Start != theirs.Start {
		return &MismatchError{Production: production, Companion: companion, hint: "wasm-debugid check --fix lays the companion out again",
			Msg: fmt.Sprintf("the code is the same and starts at %v in the one and at %v in the other, so that clients would look crashes up beside the place", mine.Start, theirs.Start)}
	}
	return nil
}

// exists reports whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
