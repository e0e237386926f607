package stacktrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// PathMap says that what was recorded below From is found below To.
type PathMap struct{ From, To string }

// ParsePathMap reads FROM=TO.
func ParsePathMap(s string) (PathMap, error) {
	from, to, ok := strings.Cut(s, "=")
	if !ok || from == "" || to == "" {
		return PathMap{}, fmt.Errorf("a path map has the form FROM=TO, not %q", s)
	}
	return PathMap{from, to}, nil
}

// cut returns the part of a clean path below From. A From of "." stands for all
// relative paths.
func (m PathMap) cut(name string) (string, bool) {
	from := path.Clean(strings.ReplaceAll(m.From, `\`, "/"))
	if from == "." {
		return name, !path.IsAbs(name)
	}
	rest, ok := strings.CutPrefix(name, from)
	if !ok || rest != "" && rest[0] != '/' && !strings.HasSuffix(from, "/") {
		return "", false
	}
	return strings.TrimLeft(rest, "/"), true
}

// SourceOptions say where source files are.
type SourceOptions struct {
	// Roots are directories that hold source files. A recorded path is looked for
	// in full below each, then without its first folder, and so on.
	Roots []string
	// Maps are tried first; of several that fit the longest wins.
	Maps []PathMap
}

const (
	maxSource  = 16 << 20 // bytes of a source file that is read
	maxSources = 256      // files that are held
	maxFolders = 64       // folders of a path that are left out in turn
)

// Sources reads lines of source files. Paths come from debug information, which
// may name any file, so only files below the roots and the targets of the maps
// are ever opened; symbolic links that lead out of them are not followed.
//
// A Sources is not safe for concurrent use.
type Sources struct {
	opt   SourceOptions
	roots map[string]*os.Root
	known map[string][][]byte // nil for a file that was not found
}

// NewSources returns a Sources. The error is that of a root that cannot be opened.
func NewSources(o SourceOptions) (*Sources, error) {
	s := &Sources{opt: o, roots: map[string]*os.Root{}, known: map[string][][]byte{}}
	dirs := append([]string(nil), o.Roots...)
	for _, m := range o.Maps {
		dirs = append(dirs, m.To)
	}
	for _, dir := range dirs {
		if s.roots[dir] != nil {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.roots[dir] = root
	}
	return s, nil
}

// Close closes the roots.
func (s *Sources) Close() error {
	var errs []error
	for _, r := range s.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Context returns the source lines from line−n to line+n, as far as the file has
// them, and the number of the first. It returns none if the file is not found or
// has no such line.
func (s *Sources) Context(file string, line uint32, n int) (lines [][]byte, first uint32) {
	all, ok := s.known[file]
	if !ok {
		all = s.read(file)
		if len(s.known) >= maxSources {
			clear(s.known)
		}
		s.known[file] = all
	}
	if line == 0 || int64(line) > int64(len(all)) || n < 0 {
		return nil, 0
	}
	lo := max(0, int64(line)-1-int64(n))
	hi := min(int64(len(all)), int64(line)+int64(n))
	return all[lo:hi], uint32(lo) + 1
}

// read finds and reads a file and returns its lines.
func (s *Sources) read(file string) [][]byte {
	name := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	best, below := -1, ""
	for i, m := range s.opt.Maps {
		rest, ok := m.cut(name)
		if ok && (best < 0 || len(m.From) > len(s.opt.Maps[best].From)) {
			best, below = i, rest
		}
	}
	if best >= 0 {
		if lines := readLines(s.roots[s.opt.Maps[best].To], below); lines != nil {
			return lines
		}
	}
	if len(name) > 1 && name[1] == ':' {
		name = name[2:] // a drive
	}
	name = strings.TrimLeft(name, "/")
	for range maxFolders {
		for _, dir := range s.opt.Roots {
			if lines := readLines(s.roots[dir], name); lines != nil {
				return lines
			}
		}
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			break
		}
		name = rest
	}
	return nil
}

// readLines reads a file below a root; it returns nil where there is none.
func readLines(root *os.Root, name string) [][]byte {
	if name == "" || name == "." {
		return nil
	}
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return nil
	}
	lines := bytes.Split(text, []byte{'\n'})
	for i := range lines {
		lines[i] = bytes.TrimSuffix(lines[i], []byte{'\r'})
	}
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	if lines == nil {
		return [][]byte{}
	}
	return lines
}
