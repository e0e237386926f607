package debugid

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
)

// source is an open file whose descriptor can be given back for a while: the next
// read opens the file again, if it is still the same.
type source struct {
	path string      // empty for a file without a name, which stays open
	info fs.FileInfo // when it was opened first

	mu     sync.Mutex
	f      *os.File // nil while it is set aside
	closed bool
}

// openSource opens a regular file.
func openSource(path string) (*source, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	return &source{path: path, info: info, f: f}, nil
}

// errChanged is the cause for a file that is no longer what was opened.
var errChanged = errors.New("the file changed while it was read; run again when it is complete")

// OSFile returns the file, opened again if need be. It stays the source's.
func (s *source) OSFile() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, &fs.PathError{Op: "read", Path: s.path, Err: os.ErrClosed}
	case s.f != nil:
		return s.f, nil
	}
	f, info, err := regular.Open(s.path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(info, s.info) || info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: s.path, Err: errChanged}
	}
	s.f = f
	return f, nil
}

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	f, err := s.OSFile()
	if err != nil {
		return 0, err
	}
	return f.ReadAt(p, off)
}

// Stat describes the file as it is now.
func (s *source) Stat() (fs.FileInfo, error) {
	f, err := s.OSFile()
	if err != nil {
		return nil, err
	}
	return f.Stat()
}

// setAside gives the descriptor back. No read may be at work.
func (s *source) setAside() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil || s.path == "" {
		return nil
	}
	err := s.f.Close()
	s.f = nil
	return err
}

// Close closes the file. It may be called again.
func (s *source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	s.f = nil
	return err
}
