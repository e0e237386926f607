package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/stacktrace"
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
	same, known, err := stacktrace.SameCode(l.c.ctx(), l.production, companion, l.record)
	switch {
	case err != nil:
		return namedError(l.module, err)
	case known && !same:
		l.stranger = stacktrace.CodeDiffers
	case !known && !ids:
		l.note(true, "nothing tells whether it belongs to %s: neither a build ID in both files nor code that can be compared", l.module)
	}
	return nil
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
