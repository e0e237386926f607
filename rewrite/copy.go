package rewrite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Copy returns the Layout of the file as it is.
func Copy(f *wasm.File) *Layout {
	b := newBuilder(f)
	b.source(0, f.Size())
	return b.layout()
}

// EqualFile reports whether the file at path holds exactly what the layout
// describes. A file that does not exist is not equal.
func (l *Layout) EqualFile(ctx context.Context, path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != l.size {
		return false, err
	}
	a, b := make([]byte, copyChunk), make([]byte, copyChunk)
	// From the back: what differs between two builds, the ID, stands last.
	for end := l.size; end > 0; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := min(end, copyChunk)
		if _, err := l.ReadAt(a[:n], end-n); err != nil {
			return false, err
		}
		if _, err := f.ReadAt(b[:n], end-n); err != nil {
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			return false, err
		}
		if !bytes.Equal(a[:n], b[:n]) {
			return false, nil
		}
		end -= n
	}
	return true, nil
}
