package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// maxLinks is the number of symbolic links followed before a chain counts as a loop.
const maxLinks = 40

// target is a File with everything that a run knows about it.
type target struct {
	spec *File
	// path is the file to be replaced, dir and base its parts; no symbolic links are left in path.
	path, dir, base string
	// info describes the existing file; nil if there is none.
	info fs.FileInfo
	// same holds the answer of spec.Unchanged for the existing file described by asked.
	same  bool
	asked fs.FileInfo
	lock  *lockFile
	tmp   *temp
}

// newTarget resolves the links of spec.Path; op is for the error.
func newTarget(spec *File, op string) (*target, error) {
	path, info, err := resolve(spec.Path)
	if err != nil {
		return nil, fail(op, spec.Path, err)
	}
	return &target{spec: spec, path: path, dir: filepath.Dir(path), base: filepath.Base(path), info: info}, nil
}

// resolve follows symbolic links until it finds a regular file or a name that is free; info is nil
// for the latter. Anything that cannot be replaced by a regular file is an error.
func resolve(path string) (real string, info fs.FileInfo, err error) {
	if path == "" {
		return "", nil, errors.New("the path is empty")
	}
	for range maxLinks {
		dir, base := filepath.Split(path)
		if base == "" || base == "." || base == ".." {
			return "", nil, fmt.Errorf("%q is a directory, a file name is needed: %w", path, syscall.EISDIR)
		}
		if dir == "" {
			dir = "."
		}
		// The links of the directory part are resolved first: only then does ".." in a link's
		// text mean what the system takes it for.
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", nil, fmt.Errorf("its directory cannot be used: %w", err)
		}
		full := filepath.Join(dir, base)
		fi, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return full, nil, nil
		case err != nil:
			return "", nil, cause(err)
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(full)
			if err != nil {
				return "", nil, cause(err)
			}
			if filepath.IsAbs(to) {
				path = to
			} else {
				path = dir + string(filepath.Separator) + to
			}
		case fi.IsDir():
			return "", nil, fmt.Errorf("%s is a directory, a file name is needed: %w", full, syscall.EISDIR)
		case !fi.Mode().IsRegular():
			return "", nil, fmt.Errorf("%s is not a regular file (%s) and cannot be replaced by one", full, fi.Mode().Type())
		default:
			return full, fi, nil
		}
	}
	return "", nil, fmt.Errorf("its symbolic links form a loop: %w", errLoop)
}

// Key returns a text that is the same for two paths at which Commit would replace or make the same
// file, links included, as far as that can be told from names. A path that Commit would refuse is
// only made absolute.
func Key(path string) string {
	if real, _, err := resolve(path); err == nil {
		path = real
	}
	if !filepath.IsAbs(path) {
		// The shell's name of the working directory may lead through links, behind which ".." is
		// another directory than in front of them.
		if cwd, err := os.Getwd(); err == nil {
			if real, err := filepath.EvalSymlinks(cwd); err == nil {
				cwd = real
			}
			path = filepath.Join(cwd, path)
		}
	}
	if foldsCase {
		path = strings.ToLower(path)
	}
	return path
}

// refresh looks at the existing file again.
func (t *target) refresh() error {
	fi, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.info = nil
		return nil
	case err != nil:
		return fail("look at", t.spec.Path, cause(err))
	case !fi.Mode().IsRegular():
		return fail("write", t.spec.Path, fmt.Errorf("%s has just become something else than a regular file", t.path))
	}
	t.info = fi
	return nil
}

// isUnchanged asks spec.Unchanged, once for each state of the existing file.
func (t *target) isUnchanged() (bool, error) {
	if t.info == nil || t.spec.Unchanged == nil {
		return false, nil
	}
	if t.asked != nil && os.SameFile(t.asked, t.info) && idOf(t.asked) == idOf(t.info) {
		return t.same, nil
	}
	same, err := t.spec.Unchanged(t.path)
	if err != nil {
		return false, fail("compare", t.spec.Path, err)
	}
	t.same, t.asked = same, t.info
	return same, nil
}

// sameTarget reports whether a and b are one file, or would be.
func sameTarget(a, b *target) bool {
	if a.info != nil && b.info != nil {
		return os.SameFile(a.info, b.info)
	}
	if a.info != nil || b.info != nil {
		return false
	}
	if a.base != b.base && !(foldsCase && strings.EqualFold(a.base, b.base)) {
		return false
	}
	da, errA := os.Stat(a.dir)
	db, errB := os.Stat(b.dir)
	return errA == nil && errB == nil && os.SameFile(da, db)
}

// foldsCase says whether the system's file systems usually treat A and a as one name.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// identity recognises a file again after a link or a rename, in another process too.
type identity struct {
	size, mtime int64
}

// idOf returns the identity of the file that fi describes.
func idOf(fi fs.FileInfo) identity { return identity{fi.Size(), fi.ModTime().UnixNano()} }
