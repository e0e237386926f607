//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// tryLock opens and locks the file at path, or returns errBusy. The name can be guessed, so a link
// that somebody planted there is not followed.
func tryLock(path string) (*lockFile, error) {
	for range 100 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666)
		if err != nil {
			return nil, cause(err)
		}
		held, err := flock(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		opened, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, cause(err)
		}
		named, err := os.Lstat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.Close()
			return nil, cause(err)
		}
		if err != nil || !os.SameFile(opened, named) {
			// The holder before us removed the file between our open and our lock.
			f.Close()
			continue
		}
		if !opened.Mode().IsRegular() || linkCount(path, opened) > 1 {
			f.Close()
			return nil, fmt.Errorf("%s is not a lock file, move it away", path)
		}
		return &lockFile{path: path, f: f, held: held}, nil
	}
	return nil, errBusy
}

// flock locks f; held is false if the file system has no locks.
func flock(f *os.File) (held bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, errBusy
		case noSuchCall(err), errors.Is(err, syscall.ENOLCK):
			return false, nil
		}
		return false, err
	}
}

// release unlocks. The file goes, unless it holds a journal that the next run needs; it goes before
// the lock does, so that nobody can lock a file that is about to vanish without noticing.
func (l *lockFile) release() {
	if l.empty() {
		os.Remove(l.path)
	}
	l.f.Close()
}
