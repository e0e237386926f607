package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// copyBuffer is the size of the buffer that CopyRange makes if it is given none.
	copyBuffer = 1 << 20
	// copyDirect is the length from which letting the system copy is worth opening a descriptor.
	copyDirect = 256 << 10
)

// CopyRange appends the n bytes of src from offset off to dst, at dst's own file position. If src is
// an *os.File, or gives one by a method OSFile, Linux copies inside the kernel; src's file position is neither used nor moved, so
// several copies may read one file at a time. buf is used for everything else, one of 1 MiB is made
// if it is empty. progress, if not nil, is given the number of bytes copied since its last call. A
// source that ends early is an error that names the offset and wraps [io.ErrUnexpectedEOF].
func CopyRange(ctx context.Context, dst *os.File, src io.ReaderAt, off, n int64, buf []byte, progress func(int64)) error {
	if off < 0 || n < 0 {
		return fmt.Errorf("copy: negative offset %d or length %d", off, n)
	}
	if f := systemFile(src); f != nil && n >= copyDirect {
		done, err := copyInKernel(ctx, dst, f, off, n, progress)
		if err != nil {
			return err
		}
		off, n = off+done, n-done
	}
	if n > 0 && len(buf) == 0 {
		buf = make([]byte, min(n, copyBuffer))
	}
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := buf[:min(n, int64(len(buf)))]
		got, err := src.ReadAt(part, off)
		if got < len(part) {
			if err == nil || errors.Is(err, io.EOF) {
				return endsEarly(off+int64(got), n-int64(got))
			}
			return fmt.Errorf("reading at offset %#x: %w", off+int64(got), err)
		}
		if _, err := dst.Write(part); err != nil {
			return err
		}
		off, n = off+int64(got), n-int64(got)
		if progress != nil {
			progress(int64(got))
		}
	}
	return nil
}

// systemFile returns the file that src is or reads from, or nil.
func systemFile(src io.ReaderAt) *os.File {
	switch src := src.(type) {
	case *os.File:
		return src
	case interface{ OSFile() (*os.File, error) }:
		if f, err := src.OSFile(); err == nil { // else ReadAt says what is wrong
			return f
		}
	}
	return nil
}

// endsEarly is the error for a source that has become shorter.
func endsEarly(off, missing int64) error {
	return fmt.Errorf("the source ends at offset %#x, %d bytes early; was it changed meanwhile? %w", off, missing, io.ErrUnexpectedEOF)
}
