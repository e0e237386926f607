//go:build windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

const (
	errorAccessDenied     = syscall.Errno(5)
	errorSharingViolation = syscall.Errno(32)
)

// tryLock opens the file at path for itself alone, or returns errBusy: sharing nothing is a lock
// that the system drops with the process.
func tryLock(path string) (*lockFile, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	switch {
	case errors.Is(err, errorSharingViolation):
		return nil, errBusy
	case err != nil:
		return nil, err
	}
	return &lockFile{path: path, f: os.NewFile(uintptr(h), path), held: true}, nil
}

// release unlocks. The file goes unless it holds a journal; it can only be removed once it is
// closed, and not if another run has opened it by then, which will remove it later.
func (l *lockFile) release() {
	empty := l.empty()
	l.f.Close()
	if empty {
		os.Remove(l.path)
	}
}
