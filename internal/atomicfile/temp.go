package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// temp is the temporary file that becomes the target.
type temp struct {
	path string
	f    *os.File // nil once closed
	info fs.FileInfo
}

// createTemp makes the temporary beside the target and takes its disk space.
func (t *target) createTemp() error {
	mode := t.spec.Mode.Perm()
	switch {
	case t.info != nil:
		// Never more open than the file it replaces; finish sets the final mode.
		mode = 0o600
	case mode == 0:
		mode = 0o666
	}
	for range 100 {
		path := filepath.Join(t.dir, randomName(t.base, ".tmp"))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fail("write", t.spec.Path, fmt.Errorf("no file can be created in %s: %w", t.dir, cause(err)))
		}
		t.tmp = &temp{path: path, f: f}
		if t.spec.Size > 0 {
			if err := preallocate(f, t.spec.Size); err != nil {
				return fail("write", t.spec.Path, fmt.Errorf("the disk does not take its %d bytes: %w", t.spec.Size, cause(err)))
			}
		}
		return nil
	}
	return fail("write", t.spec.Path, fmt.Errorf("no free name for a temporary file in %s", t.dir))
}

// fill lets the caller write the contents and checks their size.
func (t *target) fill(ctx context.Context) error {
	if t.spec.Write == nil {
		return fail("write", t.spec.Path, errors.New("there is no function that writes it"))
	}
	if err := t.spec.Write(ctx, t.tmp.f); err != nil {
		if e, ok := err.(*fs.PathError); ok && e.Path == t.tmp.path {
			err = e.Err
		}
		return fail("write", t.spec.Path, err)
	}
	fi, err := t.tmp.f.Stat()
	if err != nil {
		return fail("write", t.spec.Path, cause(err))
	}
	if t.spec.Size >= 0 && fi.Size() != t.spec.Size {
		return fail("write", t.spec.Path, fmt.Errorf("%d bytes were written where %d were planned", fi.Size(), t.spec.Size))
	}
	return nil
}

// finish gives the temporary its owner and mode, and puts it on the disk.
func (t *target) finish() error {
	f := t.tmp.f
	if t.info != nil {
		mode := t.info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		if !copyOwner(f, t.info) {
			// These bits were meant for the other owner.
			mode &^= fs.ModeSetuid | fs.ModeSetgid
		}
		if err := setMode(f, mode); err != nil {
			return fail("write", t.spec.Path, fmt.Errorf("its mode %s cannot be set: %w", mode, cause(err)))
		}
	}
	if err := f.Sync(); err != nil {
		return fail("write", t.spec.Path, fmt.Errorf("the disk does not store it: %w", cause(err)))
	}
	info, err := f.Stat()
	if err != nil {
		return fail("write", t.spec.Path, cause(err))
	}
	t.tmp.info = info
	t.tmp.f = nil
	if err := f.Close(); err != nil {
		return fail("write", t.spec.Path, cause(err))
	}
	return nil
}

// setMode changes the mode of f unless it is right already: file systems without modes refuse even
// that.
func setMode(f *os.File, mode fs.FileMode) error {
	const bits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if fi, err := f.Stat(); err == nil && fi.Mode()&bits == mode {
		return nil
	}
	if err := f.Chmod(mode); err != nil && !noSuchCall(err) {
		return err
	}
	return nil
}

// discard removes a temporary that was not renamed.
func (t *target) discard() {
	if t == nil || t.tmp == nil {
		return
	}
	if t.tmp.f != nil {
		t.tmp.f.Close()
	}
	os.Remove(t.tmp.path)
	t.tmp = nil
}
