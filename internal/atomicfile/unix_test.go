//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() {
	children["readonly"] = childReadOnly
	children["filesize"] = childFileSize
}

func TestModes(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o444, 0o000, 0o666, 0o755 | fs.ModeSetgid} {
		t.Run(mode.String(), func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, prodName), contents("P", "old"), mode)
			before := look(t, dir)
			if before[prodName].Mode != mode {
				t.Skipf("the system does not give a file the mode %s", mode)
			}
			p := pairOf(dir, "new", nil)
			p.Production.Unchanged = nil // need not be readable
			p.Companion.Mode = 0
			mustCommit(t, p)
			after := look(t, dir)
			if after[prodName].Mode != mode {
				t.Errorf("mode %s became %s", mode, after[prodName].Mode)
			}
			if after[compName].Mode != 0o640 {
				t.Errorf("new file has mode %s, the umask was 027", after[compName].Mode)
			}
		})
	}
	dir := t.TempDir()
	p := pairOf(dir, "new", nil)
	p.Production.Mode = 0o711
	mustCommit(t, p)
	if got := look(t, dir)[prodName].Mode; got != 0o710 {
		t.Errorf("new file has mode %s, 0711 was asked for, the umask was 027", got)
	}
}

func TestOwnerKept(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, prodName)
	put(t, path, contents("P", "old"), 0o644)
	if err := os.Chown(path, 12345, 54321); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, pairOf(dir, "new", nil))
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := fi.Sys().(*syscall.Stat_t); st.Uid != 12345 || st.Gid != 54321 {
		t.Errorf("owner became %d:%d", st.Uid, st.Gid)
	}
}

func TestHardLinks(t *testing.T) {
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	for _, name := range []string{prodName, compName} {
		if err := os.Link(filepath.Join(dir, name), filepath.Join(dir, "other-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	before := look(t, dir)
	r := mustCommit(t, pairOf(dir, "new", nil))
	want := scenarios[1].done()
	want["other-"+prodName], want["other-"+compName] = "P old", "C old"
	wantFiles(t, dir, want)
	if after := look(t, dir); after["other-"+prodName] != before["other-"+prodName] {
		t.Error("the other name's file was touched")
	}
	if notes := strings.Join(r.Notes, "\n"); strings.Count(notes, "another hard link, which keeps the old contents") != 2 {
		t.Errorf("notes: %q", notes)
	}

	// Production and companion as two names of one file.
	p := pairOf(dir, "newer", nil)
	p.Companion.Path = filepath.Join(dir, "twin")
	if err := os.Link(p.Production.Path, p.Companion.Path); err != nil {
		t.Fatal(err)
	}
	before = look(t, dir)
	_, err := p.Commit(context.Background())
	wantError(t, err, nil, "are the same file")
	wantSame(t, dir, before)
}

func TestSymbolicLinks(t *testing.T) {
	for _, tc := range []struct {
		name string
		// links are made as name, target, in this order; "sub" and "deep/er" are directories.
		links [][2]string
		path  string
		real  string
	}{
		{"one", [][2]string{{"a", prodName}}, "a", prodName},
		{"chain", [][2]string{{"a", "b"}, {"b", "sub/c"}, {"sub/c", "../" + prodName}}, "a", prodName},
		{"dangling", [][2]string{{"a", "sub/new"}}, "a", "sub/new"},
		{"absolute", [][2]string{{"a", "/DIR/sub/new"}}, "a", "sub/new"},
		{"linked directory", [][2]string{{"d", "sub"}}, "d/new", "sub/new"},
		{"dots behind a linked directory", [][2]string{{"d", "deep/er"}, {"a", "d/../new"}}, "a", "deep/new"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, sub := range []string{"sub", "deep/er"} {
				if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if tc.real == prodName {
				put(t, filepath.Join(dir, prodName), contents("P", "old"), 0o711)
			}
			for _, l := range tc.links {
				if err := os.Symlink(strings.Replace(l[1], "/DIR", dir, 1), filepath.Join(dir, l[0])); err != nil {
					t.Fatal(err)
				}
			}
			before := look(t, dir)
			p := pairOf(dir, "new", nil)
			p.Production.Path = dir + "/" + tc.path
			mustCommit(t, p)
			got := look(t, filepath.Dir(filepath.Join(dir, tc.real)))[filepath.Base(tc.real)]
			if got.Bytes != "P new" || got.Mode.Type() != 0 {
				t.Errorf("%s is %+v", tc.real, got)
			}
			after := look(t, dir)
			for name, e := range before {
				if e.Mode&fs.ModeSymlink != 0 && after[name] != e {
					t.Errorf("link %s became %+v", name, after[name])
				}
			}
			if p.Companion.Path = filepath.Join(dir, tc.real); true {
				_, err := p.Commit(context.Background())
				wantError(t, err, nil, "are the same file")
			}
		})
	}
}

func TestLinkLoopsAndSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	for _, l := range [][2]string{{"a", "b"}, {"b", "a"}, {"self", "self"}, {"null", "/dev/null"}, {"dir", "."}} {
		if err := os.Symlink(l[1], filepath.Join(dir, l[0])); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := look(t, dir)
	for name, want := range map[string]struct {
		is   error
		text string
	}{
		"a":    {syscall.ELOOP, "symbolic links form a loop"},
		"self": {syscall.ELOOP, "symbolic links form a loop"},
		"null": {nil, "/dev/null is not a regular file"},
		"pipe": {nil, "is not a regular file"},
		"dir":  {syscall.EISDIR, "is a directory"},
	} {
		p := pairOf(dir, "new", nil)
		p.Production.Path = filepath.Join(dir, name)
		_, err := p.Commit(context.Background())
		wantError(t, err, want.is, want.text)
		wantSame(t, dir, before)
	}
}

// A link planted at the lock's name must not lead us to write somewhere else.
func TestPlantedLockFile(t *testing.T) {
	for _, plant := range []func(old, new string) error{os.Symlink, os.Link} {
		dir := t.TempDir()
		scenarios[1].prepare(t, dir)
		victim := filepath.Join(dir, "victim")
		put(t, victim, nil, 0o644)
		if err := plant(victim, filepath.Join(dir, lockName(compName))); err != nil {
			t.Fatal(err)
		}
		before := look(t, dir)
		_, err := pairOf(dir, "new", nil).Commit(context.Background())
		wantError(t, err, nil, "cannot write")
		wantSame(t, dir, before)
	}
}

// asNobody lets a child run without root's rights; skips if that is not possible.
func asNobody(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	// The test binary lies where only its owner may look.
	data, err := os.ReadFile(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "test-binary")
	if err := os.WriteFile(copied, data, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{copied, dir} {
		for d := filepath.Dir(path); d != "/" && d != "." && d != filepath.Clean(os.TempDir()); d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Skipf("cannot open %s to other users: %v", d, err)
			}
		}
	}
	cmd.Path, cmd.Args[0] = copied, copied
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// childReadOnly expects that nothing can be written in dir, and that this is no error if nothing
// has to be.
func childReadOnly(dir, _ string) error {
	_, err := pairOf(dir, "new", nil).Commit(context.Background())
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "no file can be created in "+dir) ||
		!strings.Contains(err.Error(), "existing files are as they were") {
		return fmt.Errorf("writing into a read-only directory: %v", err)
	}
	r, err := pairOf(dir, "old", nil).Commit(context.Background())
	if err != nil || r.WroteCompanion || r.WroteProduction {
		return fmt.Errorf("writing the same again: %+v, %v", r, err)
	}
	return nil
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, prodName), contents("P", "old"), 0o644)
	put(t, filepath.Join(dir, compName), contents("C", "old"), 0o644)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	before := look(t, dir)
	cmd := child(t, "readonly", dir, "")
	asNobody(t, cmd, filepath.Join(dir, "x"))
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantSame(t, dir, before)
}

// childFileSize writes under a limit for the size of files, with the size known and unknown.
func childFileSize(dir, _ string) error {
	if err := limitFileSize(5000); err != nil {
		return err
	}
	for _, size := range []int64{int64(len(contents("P", "new"))), -1} {
		p := pairOf(dir, "new", nil)
		p.Companion.Size, p.Production.Size = size, size
		_, err := p.Commit(context.Background())
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "existing files are as they were") {
			return fmt.Errorf("size %d: %v", size, err)
		}
	}
	return nil
}

func TestFileSizeLimit(t *testing.T) {
	if limitFileSize == nil {
		t.Skip("no such limit known for this system")
	}
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	before := look(t, dir)
	if out, err := child(t, "filesize", dir, "").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantSame(t, dir, before)
}

// limitFileSize sets the largest size of a file that this process may write.
var limitFileSize func(int64) error
