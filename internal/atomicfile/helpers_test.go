package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	prodName = "app.wasm"
	compName = "app.debug.wasm"
	prevFile = compName + ".prev"
)

// contents makes the text of one half; both halves of a pair begin with a kind and share the ID.
func contents(kind, id string) []byte {
	return []byte(kind + " " + id + "\n" + strings.Repeat(id, 3000))
}

// belongs is the Belongs of all tests: same ID in the first line, right kinds.
func belongs(production, companion string) (bool, error) {
	p, err := os.ReadFile(production)
	if err != nil {
		return false, err
	}
	c, err := os.ReadFile(companion)
	if err != nil {
		return false, err
	}
	headP, _, _ := bytes.Cut(p, []byte("\n"))
	headC, _, _ := bytes.Cut(c, []byte("\n"))
	idP, okP := bytes.CutPrefix(headP, []byte("P "))
	idC, okC := bytes.CutPrefix(headC, []byte("C "))
	return okP && okC && bytes.Equal(idP, idC), nil
}

// fileOf describes path with the given contents; mid is called when half of it is written.
func fileOf(path string, data []byte, mid func() error) *File {
	return &File{
		Path: path,
		Mode: 0o644,
		Size: int64(len(data)),
		Write: func(ctx context.Context, w *os.File) error {
			if _, err := w.Write(data[:len(data)/2]); err != nil {
				return err
			}
			if mid != nil {
				if err := mid(); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			_, err := w.Write(data[len(data)/2:])
			return err
		},
		Unchanged: func(existing string) (bool, error) {
			have, err := os.ReadFile(existing)
			return bytes.Equal(have, data), err
		},
	}
}

// pairOf is the pair with the given ID in dir; step may be nil.
func pairOf(dir, id string, step func(string) error) *Pair {
	mid := func(role string) func() error {
		if step == nil {
			return nil
		}
		return func() error { return step("half of " + role) }
	}
	return &Pair{
		Companion:  fileOf(filepath.Join(dir, compName), contents("C", id), mid("companion")),
		Production: fileOf(filepath.Join(dir, prodName), contents("P", id), mid("production")),
		Belongs:    belongs,
		hooks:      hooks{step: step},
	}
}

// fastDir returns a temporary directory in memory where the system has one: tests that kill or stop
// hundreds of runs would otherwise wait for the disk most of the time.
func fastDir(t testing.TB) string {
	t.Helper()
	if dir, err := os.MkdirTemp("/dev/shm", "atomicfile-test-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}

// put writes a file as the outside world would.
func put(t *testing.T, path string, data []byte, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	// An old date shows whether a file was touched.
	old := time.Date(2020, 1, 2, 3, 4, 5, 6000, time.UTC)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// snapshot is a directory as far as a failed run must not change it.
type snapshot map[string]entry

type entry struct {
	Mode  fs.FileMode
	Time  time.Time
	Bytes string
}

func look(t *testing.T, dir string) snapshot {
	t.Helper()
	s := snapshot{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		fi, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		en := entry{Mode: fi.Mode(), Time: fi.ModTime()}
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			en.Bytes = short(data)
		case fi.Mode()&fs.ModeSymlink != 0:
			en.Bytes, _ = os.Readlink(path)
		}
		s[e.Name()] = en
	}
	return s
}

// short keeps differences readable: first line and length, as contents makes them.
func short(data []byte) string {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	if fields := strings.Fields(string(head)); len(fields) == 2 && bytes.Equal(data, contents(fields[0], fields[1])) {
		return string(head)
	}
	return fmt.Sprintf("%.40q (%d bytes)", data, len(data))
}

// wantFiles checks the whole directory: names and contents in the notation of short.
func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name, e := range look(t, dir) {
		got[name] = e.Bytes
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("directory differs (-want +got):\n%s", d)
	}
}

func wantSame(t *testing.T, dir string, before snapshot) {
	t.Helper()
	if d := cmp.Diff(before, look(t, dir)); d != "" {
		t.Errorf("existing files were changed (-before +after):\n%s", d)
	}
}

func mustCommit(t *testing.T, p *Pair) Result {
	t.Helper()
	r, err := p.Commit(context.Background())
	if err != nil {
		t.Fatalf("Commit: %v", err)
	}
	return r
}

// wantError checks type, cause and text of a failed Commit.
func wantError(t *testing.T, err, is error, text string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want an *Error", err, err)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("error %v does not wrap %v", err, is)
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("error %q does not say %q", err, text)
	}
	if strings.Contains(err.Error(), ".tmp") {
		t.Errorf("error %q names a temporary", err)
	}
}

// scenario is a state of the directory before a run, with what the run is and must lead to.
type scenario struct {
	name string
	// oldP and oldC are IDs of the existing halves, "" for none; newP, newC those to be written.
	oldP, oldC, newP, newC string
	// foreign puts somebody's own file at NAME.prev.
	foreign bool
	// noLinks makes hard links fail.
	noLinks bool
}

var scenarios = []scenario{
	{name: "both new", newP: "new", newC: "new"},
	{name: "old pair to new pair", oldP: "old", oldC: "old", newP: "new", newC: "new"},
	{name: "old pair to new pair without hard links", oldP: "old", oldC: "old", newP: "new", newC: "new", noLinks: true},
	{name: "in place without companion", oldP: "input", newP: "new", newC: "new"},
	{name: "in place with stale companion", oldP: "input", oldC: "stale", newP: "new", newC: "new"},
	{name: "stale companion without hard links", oldP: "input", oldC: "stale", newP: "new", newC: "new", noLinks: true},
	{name: "companion without production", oldC: "stale", newP: "new", newC: "new"},
	{name: "companion unchanged", oldP: "old", oldC: "new", newP: "new", newC: "new"},
	{name: "production unchanged", oldP: "new", oldC: "old", newP: "new", newC: "new"},
	{name: "somebody's own prev", oldP: "old", oldC: "old", newP: "new", newC: "new", foreign: true},
}

func (s scenario) prepare(t *testing.T, dir string) {
	t.Helper()
	if s.oldP != "" {
		put(t, filepath.Join(dir, prodName), contents("P", s.oldP), 0o640)
	}
	if s.oldC != "" {
		put(t, filepath.Join(dir, compName), contents("C", s.oldC), 0o600)
	}
	if s.foreign {
		put(t, filepath.Join(dir, prevFile), contents("C", "precious"), 0o644)
	}
}

func (s scenario) pair(dir string, step func(string) error) *Pair {
	p := pairOf(dir, s.newP, step)
	if s.noLinks {
		p.hooks.link = func(string, string) error { return errors.New("no hard links here") }
	}
	return p
}

// done is the directory after a successful run.
func (s scenario) done() map[string]string {
	want := map[string]string{prodName: "P " + s.newP, compName: "C " + s.newC}
	if s.foreign {
		want[prevFile] = "C precious"
	}
	return want
}
