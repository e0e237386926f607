//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	debugid "github.com/wasm-debugid/wasm-debugid"
)

// folder makes a folder with programs of these names; one with "self:" in front is
// a link to this program, and one with "plain:" cannot be run.
func folder(t *testing.T, self string, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		var err error
		if link, ok := strings.CutPrefix(name, "self:"); ok {
			err = os.Symlink(self, filepath.Join(dir, link))
		} else if plain, ok := strings.CutPrefix(name, "plain:"); ok {
			err = os.WriteFile(filepath.Join(dir, plain), nil, 0o644)
		} else {
			err = os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ours := folder(t, self, "self:wasm-ld", "self:only-us", "plain:tool")
	real := folder(t, self, "wasm-ld", "tool")
	t.Chdir(real)
	for _, c := range []struct {
		path, name, want string
		err              error
	}{
		{ours + ":" + real, "wasm-ld", filepath.Join(real, "wasm-ld"), nil},
		{ours + ":" + real, "tool", filepath.Join(real, "tool"), nil},
		{ours + "/:" + real + "/", "wasm-ld", filepath.Join(real, "wasm-ld"), nil},
		{ours, "wasm-ld", "", errSelf},
		{ours + ":" + real, "only-us", "", errSelf},
		{real, filepath.Join(ours, "wasm-ld"), "", errSelf},
		{ours, filepath.Join(real, "tool"), filepath.Join(real, "tool"), nil},
		{"", "./tool", "./tool", nil},
		{real, "missing", "", exec.ErrNotFound},
		{".:" + real, "tool", "", exec.ErrDot},
		{":" + real, "tool", "", exec.ErrDot},
		{"nothing-here:" + real, "tool", filepath.Join(real, "tool"), nil},
	} {
		t.Setenv("PATH", c.path)
		got, err := findProgram(c.name, self)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("PATH=%s %s: %q %v, want %q %v", c.path, c.name, got, err, c.want, c.err)
		}
		if c.err == exec.ErrDot && !strings.Contains(debugid.Hint(err), "relative folder") {
			t.Errorf("hint %q", debugid.Hint(err))
		}
	}
}

func TestFindVersions(t *testing.T) {
	dir := folder(t, "", "clang-14", "clang-9", "clang-cl-22", "plain:clang-23", "clang-22", "clang++-22")
	t.Setenv("PATH", dir+":"+dir+"/none:"+folder(t, "", "clang-19", "clang-22"))
	if diff := cmp.Diff([]string{"clang-22", "clang-19", "clang-14", "clang-9"}, findVersions("clang")); diff != "" {
		t.Error(diff)
	}
	c := Compiler{Command: []string{"clang", "a.c"}, Getenv: variables()}
	if _, err := c.Run(t.Context()); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(debugid.Hint(err), "clang-22, clang-19") {
		t.Errorf("%v, hint %q", err, debugid.Hint(err))
	}
}

// What lies in a relative folder of PATH is run by no hook, and each says why.
func TestProgramsInRelativeFolders(t *testing.T) {
	t.Chdir(folder(t, "", "clang", "cargo", "wasm-ld"))
	t.Setenv("PATH", ".")
	for name, run := range map[string]func() error{
		"compiler": func() error {
			c := Compiler{Command: []string{"clang", "a.c"}, Getenv: variables()}
			_, err := c.Run(t.Context())
			return err
		},
		"cargo": func() error {
			c := Cargo{Args: []string{"build"}, Getenv: variables()}
			_, err := c.Run(t.Context())
			return err
		},
		"linker": func() error {
			l := Linker{Args: []string{"-flavor", "wasm"}, Getenv: variables()}
			_, err := l.Run(t.Context())
			return err
		},
		"named linker": func() error {
			l := Linker{Args: []string{"-flavor", "wasm"}, Getenv: variables(VarRealLinker, "wasm-ld")}
			_, err := l.Run(t.Context())
			return err
		},
	} {
		if err := run(); !errors.Is(err, exec.ErrDot) || !strings.Contains(debugid.Hint(err), "make it absolute") {
			t.Errorf("%s: %v, hint %q", name, err, debugid.Hint(err))
		}
	}
}

// Another wasm-ld behind a link to this program is found, and so is one that is
// only there under the name of its version; a plain one goes first.
func TestLinkerLooksOn(t *testing.T) {
	l := newLinkerRun(t, sample)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l.self = folder(t, self, "wasm-debugid") + "/wasm-debugid"
	ours := folder(t, l.self, "self:rust-lld", "self:wasm-ld")
	bin := filepath.Join(l.dir, "bin")
	t.Setenv("PATH", ours+":"+bin)
	for _, name := range []string{"rust-lld", "wasm-ld-19", "wasm-ld"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
		run := Linker{Getenv: variables(), Self: l.self}
		got, err := run.find(linkerArgs{})
		if want := filepath.Join(bin, name); err != nil || got != want {
			t.Errorf("found %q %v, want %q", got, err, want)
		}
		if name == "rust-lld" {
			if err := os.Remove(filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLinkerWritesToNoFile(t *testing.T) {
	l := newLinkerRun(t, sample)
	l.env = append(l.env, "FAKE_MODULE=")
	if r, err := l.run(t.Context(), "-o", "/dev/null"); r != nil || err != nil {
		t.Errorf("%+v %v", r, err)
	}
}

// Code without debug information is not noticed by what the module holds, if a
// library of the system holds some.
func TestCompilerWarnsWithoutDebugInformation(t *testing.T) {
	for args, want := range map[string]bool{
		"-O2 a.c -o app.wasm": true, "a.o b.cpp -o app.wasm": true, "-g0 a.c -o app.wasm": true, "-x c a.txt -o app.wasm": true,
		"-g a.c -o app.wasm": false, "a.o -o app.wasm": false, "-gline-tables-only a.c -o app.wasm": false,
		"-Xclang -debug-info-kind=limited a.c -o app.wasm": false, "-x c a.txt -g -o app.wasm": false,
	} {
		r, err := newCompilerRun(t, "clang", "cp $MODULE app.wasm\n", strings.Fields(args)...).run(t)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Split.Note.Warnings, "\n"), "given no -g"); got != want {
			t.Errorf("%s: warnings %q", args, r.Split.Note.Warnings)
		}
	}
}
