//go:build linux

package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// touch makes a file newer than what was built from it.
func touch(t *testing.T, path string) {
	t.Helper()
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
}

// cmake is a build tree.
type cmake struct {
	dir, tree string
	env       []string
	generator string
}

func newCMake(t *testing.T, generator string, env []string, args ...string) *cmake {
	t.Helper()
	c := &cmake{dir: pipeline(t, "cmake"), generator: generator, env: env}
	c.tree = filepath.Join(c.dir, "build")
	modules, err := filepath.Abs(filepath.Join("..", "..", "cmake"))
	if err != nil {
		t.Fatal(err)
	}
	cmd{env: env, args: append([]string{tool(t, "cmake"), "-S", c.dir, "-B", c.tree, "-G", generator, "-DCMAKE_BUILD_TYPE=Release", "-DWASM_DEBUGID_MODULES=" + modules,
		"-DWASM_DEBUGID_EXECUTABLE=" + program(t), "-DCMAKE_INSTALL_PREFIX=" + filepath.Join(c.dir, "installed")}, args...)}.run(t)
	return c
}

// build builds and returns what was printed.
func (c *cmake) build(t *testing.T, args ...string) string {
	t.Helper()
	r := cmd{env: c.env, args: append([]string{tool(t, "cmake"), "--build", c.tree}, args...)}.try(t)
	if r.code != 0 {
		t.Fatalf("cmake --build: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	return r.stdout + r.stderr
}

// paths are those that the targets' properties hold.
func (c *cmake) paths(t *testing.T) []string {
	return strings.Fields(string(read(t, filepath.Join(c.tree, "paths.txt"))))
}

// check looks at a build tree: the pairs, that nothing is split again, that it is
// after a change, the installation of the companion, and that all of it is cleaned.
func (c *cmake) check(t *testing.T, run func(module string) []string) {
	t.Helper()
	c.build(t)
	paths := c.paths(t)
	if len(paths) != 4 {
		t.Fatalf("paths: %q", paths)
	}
	checkCrash(t, c.dir, paths[0], paths[1], run(paths[0]))
	cmd{args: []string{program(t), "check", paths[2], paths[3]}}.run(t)
	sections := mustSections(t, paths[2], read(t, paths[2]))
	if len(named(sections, "name")) != 0 || len(named(sections, "external_debug_info")) != 0 {
		t.Error("the options of the second target are not those of the file")
	}

	before, err := os.Stat(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if out := c.build(t); strings.Contains(out, "Linking") || strings.Contains(out, "build id") {
		t.Errorf("again: %s", out)
	}
	if after, err := os.Stat(paths[0]); err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the module was written again (%v)", err)
	}

	stack := filepath.Join(c.dir, "stack.cpp")
	write(t, stack, []byte("// A new line.\n"+string(read(t, stack))))
	touch(t, stack)
	c.build(t)
	checkCrash(t, c.dir, paths[0], paths[1], run(paths[0]))

	cmd{env: c.env, args: []string{tool(t, "cmake"), "--install", c.tree, "--component", "wasm-debugid"}}.run(t)
	installed := filepath.Join(c.dir, "installed", "symbols", filepath.Base(paths[1]))
	if string(read(t, installed)) != string(read(t, paths[1])) {
		t.Error("the installed companion is another")
	}

	c.build(t, "--target", "clean")
	err = filepath.WalkDir(c.tree, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".wasm") {
			t.Errorf("clean leaves %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCcCMakeClang(t *testing.T) {
	stage(t, "cc")
	for _, version := range []string{"19", "22"} {
		for _, generator := range []string{"Ninja", "Unix Makefiles"} {
			t.Run(version+" "+generator, func(t *testing.T) {
				root, err := filepath.Abs(filepath.Join("..", "..", "testdata", "pipelines", "cmake", "clang.cmake"))
				if err != nil {
					t.Fatal(err)
				}
				c := newCMake(t, generator, nil, "-DCLANG_VERSION="+version, "-DCMAKE_TOOLCHAIN_FILE="+root)
				c.check(t, func(module string) []string { return inNode(t, module) })
			})
		}
	}
}

func TestCcCMakeEmscripten(t *testing.T) {
	stage(t, "cc")
	env := emscripten(t)
	for _, generator := range []string{"Ninja", "Unix Makefiles"} {
		t.Run(generator, func(t *testing.T) {
			c := newCMake(t, generator, env, "-DCMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake")
			c.check(t, func(module string) []string { return glued(t, strings.TrimSuffix(module, ".wasm")+".js") })
		})
	}
}

// A pair that fails the check fails the build, and the next build as well.
func TestCcCMakeFails(t *testing.T) {
	stage(t, "cc")
	toolchain, err := filepath.Abs(filepath.Join("..", "..", "testdata", "pipelines", "cmake", "clang.cmake"))
	if err != nil {
		t.Fatal(err)
	}
	for _, generator := range []string{"Ninja", "Unix Makefiles"} {
		t.Run(generator, func(t *testing.T) {
			c := newCMake(t, generator, nil, "-DCLANG_VERSION=19", "-DCMAKE_TOOLCHAIN_FILE="+toolchain)
			c.build(t)
			stack := filepath.Join(c.dir, "stack.cpp")
			good := string(read(t, stack))
			write(t, stack, []byte(good+"\nextern \"C\" __attribute__((used, nodebug)) int more(int (*f)(int)) { return f(1) + f(2); }\n"))
			touch(t, stack)
			config := filepath.Join(c.tree, ".wasm-debugid.json")
			write(t, config, []byte(`{"min_coverage": {"user": 100, "runtime": 100}}`))
			for range 2 {
				r := cmd{args: []string{tool(t, "cmake"), "--build", c.tree}}.try(t)
				if r.code == 0 || !strings.Contains(r.stdout+r.stderr, "WD114") {
					t.Fatalf("%+v", r)
				}
			}
			if err := os.Remove(config); err != nil {
				t.Fatal(err)
			}
			c.build(t)
		})
	}
}
