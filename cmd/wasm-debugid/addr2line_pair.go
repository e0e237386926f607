package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// compare finds out whether the production module and the companion belong
// together. Equal IDs alone do not say so: tools that rewrite code keep the ID.
func (l *addr2line) compare() error {
	companion := l.file.Module()
	a, err := buildid.Read(l.production)
	if err != nil {
		return namedError(l.module, err)
	}
	b, err := buildid.Read(companion)
	if err != nil {
		return namedError(l.exe, err)
	}
	ids := len(a.ID) > 0 && len(b.ID) > 0
	if ids && !bytes.Equal(a.ID, b.ID) {
		l.stranger = fmt.Sprintf("the build IDs differ: %v and %v", a.ID, b.ID)
		return nil
	}
	same, known, err := l.sameCode(companion)
	switch {
	case err != nil:
		return err
	case known && !same:
		l.stranger = "the code differs: one of them was rewritten since they were made"
	case !known && !ids:
		l.note(true, "nothing tells whether it belongs to %s: neither a build ID in both files nor code that can be compared", l.module)
	}
	return nil
}

// sameCode compares the code of the two files, or the production module's with
// what the companion has on record where its own is blanked.
func (l *addr2line) sameCode(companion *wasm.File) (same, known bool, err error) {
	span, ok := l.production.CodeSpan()
	own, have := companion.CodeSpan()
	record, err := rewrite.ReadRecord(companion)
	if err != nil {
		l.note(true, "%v", err)
	}
	if record != nil && record.Code != nil {
		if !ok || int64(span.Size) != record.Code.Size {
			return false, true, nil
		}
		sum, err := buildid.Sum(l.c.ctx(), l.production, int64(span.Start), int64(span.Size), buildid.Options{})
		return sum.String() == record.Code.BLAKE3, true, namedError(l.module, err)
	}
	if !ok || !have {
		return false, false, nil
	}
	if span.Size != own.Size {
		return false, true, nil
	}
	const block = 1 << 20
	x, y := make([]byte, block), make([]byte, block)
	for at := int64(0); at < int64(span.Size); at += block {
		n := min(block, int64(span.Size)-at)
		if _, err := l.production.ReadAt(x[:n], int64(span.Start)+at); err != nil {
			return false, false, namedError(l.module, err)
		}
		if _, err := companion.ReadAt(y[:n], int64(own.Start)+at); err != nil {
			return false, false, namedError(l.exe, err)
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, true, nil
		}
	}
	return true, true, nil
}

// mismatch returns the error for files that do not belong together.
func (l *addr2line) mismatch() error {
	if l.stranger == "" {
		return nil
	}
	return &debugid.MismatchError{Production: l.module, Companion: l.exe, Msg: l.stranger}
}

// namedError gives an error the path of its file, unless it has it.
func namedError(path string, err error) error {
	var p *fs.PathError
	if err == nil || errors.As(err, &p) {
		return err
	}
	return &debugid.FileError{Path: path, Err: err}
}
