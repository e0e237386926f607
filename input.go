package debugid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Stdio as a path means standard input or standard output.
const Stdio = "-"

// input is an open module and what is needed to notice that it changes while it
// is read.
type input struct {
	*wasm.File
	path  string
	file  *source
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

// openInput opens the module at path. Standard input is first copied to a
// temporary file, because a module is read in more than one pass.
func openInput(ctx context.Context, path string, stdin io.Reader) (*input, error) {
	in := &input{path: path, mode: 0o666}
	var err error
	if path == Stdio {
		in.path = "standard input"
		in.file, err = spool(ctx, stdin)
	} else {
		in.file, err = openSource(path)
	}
	if err != nil {
		return nil, err
	}
	in.size, in.mtime = in.file.info.Size(), in.file.info.ModTime()
	if path != Stdio {
		in.mode = in.file.info.Mode().Perm()
	}
	if in.File, err = wasm.NewFile(in.file, in.size); err != nil {
		in.file.Close()
		return nil, fileError(in.path, err)
	}
	return in, nil
}

// Close closes the file. It may be called again.
func (in *input) Close() error {
	return in.file.Close()
}

// memory gives the file as memory: mapped again by its name, or what standard input
// was copied to, which has none.
func (in *input) memory() (*mapped.File, error) {
	if in.file.path != "" {
		return mapped.Open(in.file.path)
	}
	f, err := in.file.OSFile()
	if err != nil {
		return nil, err
	}
	return mapped.Of(f)
}

// unchanged returns an error if the file is no longer what was opened.
func (in *input) unchanged() error {
	info, err := in.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != in.size || !info.ModTime().Equal(in.mtime) {
		return fileError(in.path, &fs.PathError{Op: "read", Path: in.path, Err: errChanged})
	}
	return nil
}

// spool copies r to a temporary file that is gone when it is closed.
func spool(ctx context.Context, r io.Reader) (*source, error) {
	if r == nil {
		return nil, errors.New("there is no standard input to read")
	}
	f, err := os.CreateTemp("", "wasm-debugid-*.wasm")
	if err != nil {
		return nil, fmt.Errorf("storing standard input in the system's temporary folder (TMPDIR, or TMP on Windows, names another): %w", err)
	}
	// Where an open file cannot be removed, the system's temporary folder keeps
	// it until it is cleaned.
	_ = os.Remove(f.Name())
	buf := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			f.Close()
			return nil, err
		}
		n, err := r.Read(buf)
		if _, werr := f.Write(buf[:n]); werr != nil {
			f.Close()
			return nil, fmt.Errorf("storing standard input: %w", werr)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &source{info: info, f: f}, nil
}
