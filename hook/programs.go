package hook

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// errSelf says that a name leads to this program and to no other.
var errSelf = errors.New("it is wasm-debugid itself")

// findProgram returns the path of the program that a name stands for: one with a
// folder is taken as it is, another is looked for in the folders of PATH, in their
// order. This program, whose path is self, may lie there under the name of the one
// that it stands in for, and is passed over. The error wraps exec.ErrNotFound,
// exec.ErrDot or errSelf.
func findProgram(name, self string) (string, error) {
	if filepath.Base(name) != name {
		path, err := exec.LookPath(name)
		if err == nil && isSelf(path, self) {
			return "", errSelf
		}
		return path, err
	}
	missing := exec.ErrNotFound
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir == "" {
			dir = "."
		}
		// Not filepath.Join, which makes "./clang" a name to look for.
		path, err := exec.LookPath(strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) + name)
		switch {
		case err != nil:
		case isSelf(path, self):
			missing = errSelf
		case !filepath.IsAbs(dir):
			return "", &hinted{&exec.Error{Name: name, Err: exec.ErrDot},
				fmt.Sprintf("PATH holds the relative folder %q, whose programs depend on where one stands and are not run; make it absolute, or name the program with its path", dir)}
		default:
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: missing}
}

// findVersions returns the programs on PATH that are called as name and the number
// of a version, such as clang-19, the newest first. Distributions install several
// versions of LLVM in this way, often without a plain name.
func findVersions(name string) []string {
	numbered := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `-([0-9]{1,4})(\.exe)?$`)
	found := map[int]string{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		entries, _ := os.ReadDir(dir) // as a shell passes over a folder that cannot be read
		for _, e := range entries {
			m := numbered.FindStringSubmatch(e.Name())
			if m == nil {
				continue
			}
			number, _ := strconv.Atoi(m[1])
			if _, err := exec.LookPath(filepath.Join(dir, e.Name())); err == nil {
				found[number] = fmt.Sprintf("%s-%s", name, m[1])
			}
		}
	}
	numbers := make([]int, 0, len(found))
	for n := range found {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = found[n]
	}
	return names
}

// nameVersions gives the error for a program that is not there the hint which
// versions of it are.
func nameVersions(err error, name string) error {
	if !errors.Is(err, exec.ErrNotFound) || filepath.Base(name) != name {
		return err
	}
	names := findVersions(name)
	if len(names) == 0 {
		return err
	}
	return &hinted{err, "there is no plain " + name + " on PATH, but " + strings.Join(names, ", ") + ": name one of them"}
}
