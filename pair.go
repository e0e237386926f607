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
	record, err := rewrite.ReadRecord(c)
	if err != nil {
		return fileError(companion, err)
	}
	if record == nil {
		if !c.HasDebug() {
			return mismatch("%s has this build ID but is no companion: it has neither DWARF nor a record of a split; perhaps it is the production module itself", companion)
		}
		return nil
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

// exists reports whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
