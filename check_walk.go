package debugid

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSearched is the number of files that a search for companions looks at.
const maxSearched = 1 << 20

// entry is a file of a directory whose name is one of a module or a companion, or
// a link that was not followed.
type entry struct {
	path string
	info fs.FileInfo // of the file itself, where path is a link; nil for links that are not followed
	link bool        // path is a symbolic link
	dead error       // the link leads nowhere, and why
	away string      // the link leads to this directory, which is outside
}

// dirWalk lists the modules below a directory, which may be a link itself. Links to
// files are followed wherever they lead. Links to directories need not be followed
// where they stay inside, because all that is there is met as itself, and are not
// followed where they leave it; so no link can lead in a circle.
type dirWalk struct {
	ctx   context.Context
	root  string // as it was given
	real  string // without links
	files int
	do    func(entry) error
}

// eachModule calls do for every file below a directory whose name is one that
// modules and companions have, and for every link that is not followed.
func eachModule(ctx context.Context, root string, do func(entry) error) error {
	real, err := filepath.EvalSymlinks(root)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return err
	}
	w := &dirWalk{ctx: ctx, root: root, real: real, do: do}
	return w.walk(root)
}

func (w *dirWalk) walk(dir string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			err = w.walk(path)
		case e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // irregular: other links of Windows
			err = w.follow(path)
		case moduleName(path):
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				err = w.found(entry{path: path, info: info})
			} else if errors.Is(err, fs.ErrNotExist) {
				err = nil // it has just been removed
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// follow looks where a link leads.
func (w *dirWalk) follow(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		// Where it led may have been a directory, unless its name says otherwise.
		if moduleName(path) || filepath.Ext(path) == "" {
			return w.found(entry{path: path, link: true, dead: err})
		}
		return nil
	case info.IsDir():
		to, err := filepath.EvalSymlinks(path)
		if err == nil {
			to, err = filepath.Abs(to)
		}
		if err != nil {
			return w.found(entry{path: path, link: true, dead: err})
		}
		if !inside(w.real, to) {
			return w.found(entry{path: path, link: true, away: to})
		}
		return nil
	case moduleName(path):
		return w.found(entry{path: path, info: info, link: true})
	}
	return nil
}

// inside reports whether a directory is another one or lies below it.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (w *dirWalk) found(e entry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.files++; w.files > maxSearched {
		return fmt.Errorf("%s: more than %d files; name a smaller directory", w.root, maxSearched)
	}
	return w.do(e)
}

// moduleName reports whether a file's name is one of a module or a companion, on
// disk or in a store of debug files.
func moduleName(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".wasm") || strings.HasSuffix(name, ".debug") || name == "debuginfo" || name == "executable"
}

// identities tells files apart that have several names: links, hard links, and
// names that differ in case on some systems.
type identities struct {
	bySize map[int64][]*found
}

// of returns the file that is the same as the given one, or nil.
func (n *identities) of(info fs.FileInfo) *found {
	for _, f := range n.bySize[info.Size()] {
		if os.SameFile(f.info, info) {
			return f
		}
	}
	return nil
}

func (n *identities) add(f *found) {
	if n.bySize == nil {
		n.bySize = map[int64][]*found{}
	}
	n.bySize[f.info.Size()] = append(n.bySize[f.info.Size()], f)
}
