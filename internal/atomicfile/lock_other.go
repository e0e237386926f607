//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package atomicfile

import "os"

// tryLock opens the journal at path. There are no locks here; two runs onto the same names at the
// same time are not kept apart.
func tryLock(path string) (*lockFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, cause(err)
	}
	return &lockFile{path: path, f: f}, nil
}

// release removes the file, unless it holds a journal that the next run needs.
func (l *lockFile) release() {
	empty := l.empty()
	l.f.Close()
	if empty {
		os.Remove(l.path)
	}
}
