// Package mapped gives files as memory, mapped where the system can and read
// where it cannot, and turns the fault of a file that shrinks while it is mapped
// into an error.
package mapped

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
)

// ErrShrunk: a mapped file became shorter than it was when it was opened, and
// bytes that it no longer has were needed.
var ErrShrunk = errors.New("the file became shorter while it was in use")

// File is an open file whose bytes can be used as memory.
type File struct {
	f      *os.File
	data   mmap.MMap // nil where the file could not be mapped
	size   int64
	shared bool // f is the caller's and stays open
}

// Open maps the named file, which must be a regular one.
func Open(name string) (*File, error) {
	f, info, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	return of(f, info, false), nil
}

// Of maps a file that is open, which goes on being the caller's and must not be closed
// before the File. It serves for temporary files, which have no name any more.
func Of(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return of(f, info, true), nil
}

func of(f *os.File, info fs.FileInfo, shared bool) *File {
	m := &File{f: f, size: info.Size(), shared: shared}
	if m.size > 0 && m.size == int64(int(m.size)) {
		// Without a mapping (a file system that has none, no address space left)
		// Bytes reads instead.
		if data, err := mmap.Map(f, mmap.RDONLY, 0); err == nil {
			m.data = data
		}
	}
	return m
}

// Size returns the file's length in bytes when it was opened.
func (m *File) Size() int64 { return m.size }

// Mapped reports whether Bytes gives views of a mapping and not copies.
func (m *File) Mapped() bool { return m.data != nil }

// ReadAt reads from the file; it implements io.ReaderAt.
func (m *File) ReadAt(p []byte, off int64) (int, error) { return m.f.ReadAt(p, off) }

// Bytes returns n bytes from offset off. They must not be changed, are valid
// until Close, and where the file is mapped must only be used inside Guard.
func (m *File) Bytes(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > m.size || n > m.size-off {
		return nil, fmt.Errorf("bytes %#x to %#x of a file of %#x: %w", off, off+n, m.size, io.ErrUnexpectedEOF)
	}
	if m.data != nil {
		return m.data[off : off+n : off+n], nil
	}
	b := make([]byte, n)
	if got, err := m.f.ReadAt(b, off); int64(got) < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = ErrShrunk
		}
		return nil, err
	}
	return b, nil
}

// Close unmaps the file, and closes it unless it is the caller's.
func (m *File) Close() error {
	var err error
	if m.data != nil {
		err = m.data.Unmap()
	}
	if m.shared {
		return err
	}
	return errors.Join(err, m.f.Close())
}

// Guard calls f and returns ErrShrunk if it touched a page of a mapping that its
// file no longer has. Other panics go through. It guards the calling goroutine
// only.
func Guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			err = ErrShrunk
		default:
			panic(p)
		}
	}()
	f()
	return nil
}
