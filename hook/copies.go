package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// copies returns those of the copies that hold what the file holds: links to it,
// or files with the same bytes, where a file system has no links.
func (j *Job) copies() ([]string, error) {
	var out []string
	for _, c := range j.Copies {
		same, err := sameContents(j.Path, c)
		if err != nil {
			return nil, err
		}
		if same && filepath.Clean(c) != filepath.Clean(j.Path) {
			out = append(out, c)
		}
	}
	return out, nil
}

// fetchCompanion links the companion of a module that was split before from
// beside a copy, where a build tool has linked the module alone to its place.
func (j *Job) fetchCompanion(ctx context.Context, l looked, copies []string) error {
	if l.dwarf || l.pointer == "" {
		return nil
	}
	here, ok := symcheck.PointerPath(j.Path, l.pointer)
	if !ok || exists(here) {
		return nil
	}
	for _, c := range copies {
		if there, ok := symcheck.PointerPath(c, l.pointer); ok && exists(there) {
			return place(ctx, there, here)
		}
	}
	return nil
}

// spread puts companion and note beside each place of the module, and the module
// at each copy: the companion first, so that no module is seen without it.
func (o *Options) spread(ctx context.Context, j Job, copies []string, r *Result) error {
	companion := r.Split.Companion
	beside := companion != "" && filepath.Dir(companion) == filepath.Dir(j.Path)
	places := slices.Clone(copies)
	if filepath.Clean(j.Home) != filepath.Clean(j.Path) && !slices.Contains(places, j.Home) {
		places = append(places, j.Home)
	}
	for _, path := range places {
		if beside {
			if err := r.place(ctx, companion, filepath.Join(filepath.Dir(path), filepath.Base(companion))); err != nil {
				return err
			}
		}
		if !slices.Contains(copies, path) {
			continue
		}
		if err := r.place(ctx, j.Path, path); err != nil {
			return err
		}
	}
	for _, path := range append([]string{j.Path}, places...) {
		n := *r.Note
		if beside {
			companion = filepath.Join(filepath.Dir(path), filepath.Base(companion))
		}
		wrote, err := n.write(ctx, path, companion)
		if err != nil {
			return err
		}
		r.Changed = r.Changed || wrote
	}
	return nil
}

// place is place, and notes down whether anything changed.
func (r *Result) place(ctx context.Context, from, to string) error {
	if isSame(from, to) {
		return nil
	}
	r.Changed = true
	return place(ctx, from, to)
}

// place makes one file appear under another name as well: by a hard link, or by
// a copy where there are no links. What had the name is replaced at once.
func place(ctx context.Context, from, to string) error {
	if isSame(from, to) {
		return nil
	}
	// A name that only this run can have, of the form that internal/atomicfile clears
	// away should this run be killed right here.
	temporary := filepath.Join(filepath.Dir(to), fmt.Sprintf(".%s.wasm-debugid-%x.tmp", filepath.Base(to), rand.Uint64()))
	if os.Link(from, temporary) == nil {
		if os.Rename(temporary, to) == nil {
			return nil
		}
		os.Remove(temporary)
	}
	return copyFile(ctx, from, to)
}

// copyFile copies a file with its modification time.
func copyFile(ctx context.Context, from, to string) error {
	in, info, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	pair := atomicfile.Pair{Production: &atomicfile.File{Path: to, Mode: info.Mode().Perm(), Size: info.Size(),
		Write: func(ctx context.Context, w *os.File) error {
			return atomicfile.CopyRange(ctx, w, in, 0, info.Size(), nil, nil)
		}}}
	if _, err := pair.Commit(ctx); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// isSame reports whether two names stand for one file.
func isSame(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// samePath reports whether two names lead to one place, be there anything or not.
func samePath(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y || isSame(a, b)
}

// sameContents reports whether two names stand for one file, or for two with the
// same bytes. A file that is not there is different.
func sameContents(a, b string) (bool, error) {
	if isSame(a, b) {
		return true, nil
	}
	x, xInfo, err := regular.Open(a)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, yInfo, err := regular.Open(b)
	var kind *regular.KindError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &kind) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer y.Close()
	if xInfo.Size() != yInfo.Size() {
		return false, nil
	}
	var p, q [64 << 10]byte
	for {
		n, err := io.ReadFull(x, p[:])
		m, errY := io.ReadFull(y, q[:])
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		for _, err := range []error{err, errY} {
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return false, err
			}
		}
		if n < len(p) {
			return true, nil
		}
	}
}
