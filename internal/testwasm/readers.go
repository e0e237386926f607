package testwasm

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Counting is an io.ReaderAt that counts what is read through it.
type Counting struct {
	R     io.ReaderAt
	Bytes atomic.Int64
	Calls atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (c *Counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.R.ReadAt(p, off)
	c.Bytes.Add(int64(n))
	c.Calls.Add(1)
	return n, err
}

// Shrunk is an io.ReaderAt over a file that was cut to Size bytes after it had
// been opened.
type Shrunk struct {
	R    io.ReaderAt
	Size int64
}

// ReadAt implements io.ReaderAt.
func (s Shrunk) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.Size {
		return 0, io.EOF
	}
	if left := s.Size - off; int64(len(p)) > left {
		n, err := s.R.ReadAt(p[:left], off)
		if err == nil {
			err = io.EOF
		}
		return n, err
	}
	return s.R.ReadAt(p, off)
}

// Failing is an io.ReaderAt that fails with Err when a read touches the byte
// at At.
type Failing struct {
	R   io.ReaderAt
	At  int64
	Err error
}

// ReadAt implements io.ReaderAt.
func (f Failing) ReadAt(p []byte, off int64) (int, error) {
	if off > f.At || off+int64(len(p)) <= f.At {
		return f.R.ReadAt(p, off)
	}
	n, err := f.R.ReadAt(p[:f.At-off], off)
	if err == nil || err == io.EOF {
		err = fmt.Errorf("reading at 0x%x: %w", f.At, f.Err)
	}
	return n, err
}
