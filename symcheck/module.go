package symcheck

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Module is an open file of a pair, on disk or planned.
type Module struct {
	Path string // as the user named it
	File *wasm.File
	// Source gives the file's bytes as memory. Without one they are read through
	// File.
	Source debugfile.Source
}

// blockSize is how many bytes are read at a time where there are no views.
const blockSize = 1 << 20

// views reports whether the bytes of the module can be had without a copy.
func (m *Module) views() bool {
	v, ok := m.Source.(interface{ Mapped() bool })
	return ok && v.Mapped()
}

// bytes returns n bytes from off: a view, or a copy in buf.
func (m *Module) bytes(off, n int64, buf *[]byte) ([]byte, error) {
	if m.views() {
		return m.Source.Bytes(off, n)
	}
	if int64(cap(*buf)) < n {
		*buf = make([]byte, n)
	}
	b := (*buf)[:n]
	if got, err := m.File.ReadAt(b, off); int64(got) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// window reads pieces of a module from front to back, many at a time: to make the code
// of a planned companion costs as much for one body as for all that stand beside it.
type window struct {
	m   *Module
	end int64 // F up to which it reads
	off int64 // F of now
	now []byte
	buf []byte // the memory of now
}

// bytes returns n bytes from off, good until the next call.
func (w *window) bytes(off, n int64) ([]byte, error) {
	if at := off - w.off; at >= 0 && at+n <= int64(len(w.now)) {
		return w.now[at : at+n], nil
	}
	b, err := w.m.bytes(off, max(n, min(blockSize, w.end-off)), &w.buf)
	if err != nil {
		return nil, err
	}
	w.off, w.now = off, b
	return b[:n], nil
}

// each calls do for the bytes from off to off+n, in blocks that overlap by
// overlap bytes, until it reports false.
func (m *Module) each(ctx context.Context, off, n, overlap int64, do func(at int64, b []byte) bool) error {
	var buf []byte
	end := off + n
	for at := off; at < end; at += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := m.bytes(at, min(blockSize+overlap, end-at), &buf)
		if err != nil {
			return err
		}
		if !do(at, b) {
			return nil
		}
	}
	return nil
}

// fail adds the module's path to an error of reading it.
func (m *Module) fail(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", m.Path, err)
}

// isFormat reports whether an error is about what a file holds, and not about
// reading it. Only that is a finding.
func isFormat(err error) bool {
	var f *wasm.FormatError
	return errors.As(err, &f) && !errors.Is(err, wasm.ErrRead) && !errors.Is(err, mapped.ErrShrunk)
}
