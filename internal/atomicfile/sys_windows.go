//go:build windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// errLoop stands for too many symbolic links; Windows has several codes for it.
const errLoop = syscall.ELOOP

// noSuchCall reports whether err says that the system lacks an operation, not that it failed.
func noSuchCall(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EWINDOWS)
}

// linkCount returns the number of names of the file at path, 1 if that cannot be found out.
func linkCount(path string, _ fs.FileInfo) uint64 {
	f, err := os.Open(path)
	if err != nil {
		return 1
	}
	defer f.Close()
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

// copyOwner does nothing: a new file inherits its access rights from the directory.
func copyOwner(*os.File, fs.FileInfo) bool { return true }

// replace renames a temporary onto its target. Scanners and indexers open fresh files for a moment,
// so a refusal is tried again for about a second. A read-only target has to be made writable first.
func replace(from, to string) error {
	wait := 4 * time.Millisecond
	for {
		err := os.Rename(from, to)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errorSharingViolation) && !errors.Is(err, errorAccessDenied) {
			return err
		}
		if fi, statErr := os.Lstat(to); statErr == nil && fi.Mode().Perm()&0o200 == 0 {
			if os.Chmod(to, 0o666) == nil {
				err := os.Rename(from, to)
				if err == nil {
					return nil
				}
				os.Chmod(to, fi.Mode().Perm())
			}
		}
		if wait > 512*time.Millisecond {
			return err
		}
		time.Sleep(wait)
		wait *= 2
	}
}

// syncDir does nothing: Windows has no such call, NTFS keeps a log of names.
func syncDir(string) error { return nil }
