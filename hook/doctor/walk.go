package doctor

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// Limits of one run.
const (
	maxFiles = 1 << 19 // entries of folders that are looked at
	maxText  = 1 << 20 // bytes of a build file
)

// textFile is a file that describes a build, or a page.
type textFile struct {
	path string
	name string // its last element
	text string
	ends []int // offsets of the ends of lines, from the first use on
}

// at returns the place of a byte of the file.
func (f *textFile) at(offset int) report.Location {
	if f.ends == nil {
		f.ends = []int{}
		for i := range len(f.text) {
			if f.text[i] == '\n' {
				f.ends = append(f.ends, i)
			}
		}
	}
	n, _ := slices.BinarySearch(f.ends, offset) // ends before the offset
	return report.Location{Path: f.path, Line: uint32(1 + n)}
}

// find returns the place of the first match of a pattern, or else of the file.
func (f *textFile) find(pattern *regexp.Regexp) report.Location {
	if m := pattern.FindStringIndex(f.text); m != nil {
		return f.at(m[0])
	}
	return report.Location{Path: f.path}
}

// skipped are folders that hold nothing of the project's own.
var skipped = []string{".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".fingerprint", "incremental", "CMakeFiles", "bower_components"}

// walk collects the build files and the modules of the project and of the folders
// that will be shipped.
func (e *examiner) walk() error {
	seen := map[string]bool{}
	left := maxFiles
	for _, root := range append([]string{e.o.Dir}, e.o.Dist...) {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if e.ctx.Err() != nil {
				return e.ctx.Err()
			}
			if err != nil {
				e.add(Unreadable, report.Location{Path: path}, "%v", errors.Unwrap(err))
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if left--; left == 0 {
				e.s.NotChecked = append(e.s.NotChecked, "what lies behind the first half a million files of "+root+"; name a smaller folder")
				return fs.SkipAll
			}
			if d.IsDir() {
				inCargo := filepath.Base(filepath.Dir(filepath.Dir(path))) == "target" || filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path)))) == "target"
				if path != root && (slices.Contains(skipped, d.Name()) || inCargo && (d.Name() == "deps" || d.Name() == "build" || d.Name() == "examples")) {
					return fs.SkipDir
				}
				return nil
			}
			if key := filepath.Clean(path); !d.Type().IsRegular() || seen[key] {
				return nil
			} else {
				seen[key] = true
			}
			return e.file(filepath.Clean(path), d.Name())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// file reads a file if it is of interest.
func (e *examiner) file(path, name string) error {
	if strings.HasSuffix(strings.ToLower(name), ".wasm") {
		return e.module(path)
	}
	if !isBuildFile(path, name) {
		return nil
	}
	f, info, err := regular.Open(path)
	if err != nil {
		e.add(Unreadable, report.Location{Path: path}, "%v", err)
		return nil
	}
	defer f.Close()
	if info.Size() > maxText {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxText))
	if err != nil {
		e.add(Unreadable, report.Location{Path: path}, "%v", err)
		return nil
	}
	e.texts = append(e.texts, &textFile{path: path, name: name, text: string(b)})
	return nil
}

// isBuildFile reports whether a file says how something is built, or is a page.
func isBuildFile(path, name string) bool {
	switch name {
	case "Cargo.toml", "Cargo.lock", "Trunk.toml", "package.json", "CMakeLists.txt", "CMakePresets.json", "meson.build", "rust-toolchain", "rust-toolchain.toml",
		"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Makefile.toml", "Taskfile.yml", "BUILD", "BUILD.bazel":
		return true
	case "config.toml", "config":
		return filepath.Base(filepath.Dir(path)) == ".cargo"
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".cmake", ".mk", ".sh", ".html", ".htm":
		return true
	case ".yml", ".yaml":
		return filepath.Base(filepath.Dir(path)) == "workflows" || strings.HasPrefix(name, ".gitlab-ci")
	}
	return false
}

// named returns the build files with a name.
func (e *examiner) named(names ...string) []*textFile {
	var out []*textFile
	for _, f := range e.texts {
		if slices.Contains(names, f.name) {
			out = append(out, f)
		}
	}
	return out
}

// isPage reports whether a file is a page.
func (f *textFile) isPage() bool {
	ext := strings.ToLower(filepath.Ext(f.name))
	return ext == ".html" || ext == ".htm"
}

// below reports whether a path lies in a folder.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
