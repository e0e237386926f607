//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// errLoop is the system's error for too many symbolic links.
const errLoop = syscall.ELOOP

// noSuchCall reports whether err says that the file system lacks an operation, not that it failed.
func noSuchCall(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) ||
		errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// linkCount returns the number of names of the file described by fi.
func linkCount(_ string, fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// copyOwner gives f the owner and group of the file described by like, and reports whether it has
// both now. Only root can give files away; a member may give them to a group.
func copyOwner(f *os.File, like fs.FileInfo) bool {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	have, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	if have.Uid == want.Uid && have.Gid == want.Gid {
		return true
	}
	if f.Chown(int(want.Uid), int(want.Gid)) == nil {
		return true
	}
	groupKept := have.Gid == want.Gid || f.Chown(-1, int(want.Gid)) == nil
	return groupKept && have.Uid == want.Uid
}

// replace renames a temporary onto its target.
func replace(from, to string) error { return os.Rename(from, to) }

// syncDir makes the names in dir durable. A directory that may not be read, or a file system without
// such a call, is no error: then nothing more can be done.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return cause(err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !noSuchCall(err) {
		return cause(err)
	}
	return nil
}
