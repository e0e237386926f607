//go:build linux

package toolchain

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bundled is an app below testdata/pipelines.
type bundled struct {
	name   string
	root   string // the folder of the app that is served, with index.html
	copies int    // how often the bundler writes the module
	// Edit is what makes the bundler put the module into the script, as a data: URL
	// or as text: a file, what it says, and what it says then.
	edit [3]string
}

var bundlers = []bundled{
	{"vite", "dist", 1, [3]string{"vite.config.js", `file.endsWith(".wasm") ? false`, `file.endsWith(".txt") ? false`}},
	{"webpack", ".", 2, [3]string{}}, // it puts no module into a script unless it is told to
	{"rollup", ".", 1, [3]string{"rollup.config.js", `maxFileSize: 0`, `maxFileSize: 14 * 1024`}},
	{"esbuild", ".", 1, [3]string{"package.json", `--loader:.wasm=file`, `--loader:.wasm=dataurl`}},
}

// app is a copy of an app that is built.
type app struct {
	bundled
	dir string
	env []string
}

// newApp copies an app and gives it the module that a compiler would have written.
func newApp(t *testing.T, b bundled) *app {
	t.Helper()
	a := &app{bundled: b, dir: filepath.Join(t.TempDir(), b.name)}
	if err := os.CopyFS(a.dir, os.DirFS(filepath.Join("..", "..", "testdata", "pipelines", b.name))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a.dir, "build", "app.wasm"), read(t, filepath.Join("..", "..", "testdata", "demo", "app.wasm")))
	bin := t.TempDir()
	for link, to := range map[string]string{
		filepath.Join(a.dir, "node_modules"): npmTool(t),
		filepath.Join(bin, "wasm-debugid"):   program(t),
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	a.env = []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "NO_COLOR=1"}
	return a
}

// script runs one of the app's scripts, as its developer does.
func (a *app) script(t *testing.T, name string) result {
	t.Helper()
	return cmd{dir: a.dir, env: a.env, args: []string{tool(t, "npm"), "run", "--silent", name}}.try(t)
}

func (a *app) mustScript(t *testing.T, name string) {
	t.Helper()
	if r := a.script(t, name); r.code != 0 {
		t.Fatalf("npm run %s: exit code %d\n%s%s", name, r.code, r.stdout, r.stderr)
	}
}

// mustRefuse runs a script that must fail and say why.
func (a *app) mustRefuse(t *testing.T, name, why string) {
	t.Helper()
	if r := a.script(t, name); r.code != 1 || !strings.Contains(r.stdout+r.stderr, why) {
		t.Errorf("npm run %s: exit code %d, and no %q:\n%s%s", name, r.code, why, r.stdout, r.stderr)
	}
}

// path returns the path of a file of the app.
func (a *app) path(name string) string { return filepath.Join(a.dir, filepath.FromSlash(name)) }

// shipped returns the modules in the folder that is deployed.
func (a *app) shipped(t *testing.T) []string {
	t.Helper()
	return wasmFiles(t, a.path("dist"))
}

// crash opens the app in Chromium and returns the build ID and the trace that the
// app sends when its module traps.
func (a *app) crash(t *testing.T) (id, trace string) {
	t.Helper()
	s := &site{dir: a.path(a.root), page: "index.html", results: make(chan string, 16)}
	s.serve(t)
	text := s.visit(t, "chromium", chromiumArgs)
	first, trace, _ := strings.Cut(text, "\n")
	id, ok := strings.CutPrefix(first, "build id: ")
	if !ok {
		t.Fatalf("the app sent no build ID:\n%s", text)
	}
	return id, trace
}

// checkTrace has the program read a trace of run(0, 20) with the companions that
// were kept, and compares with the marks in the module's sources.
func (a *app) checkTrace(t *testing.T, trace, debug string) {
	t.Helper()
	out := cmd{dir: a.dir, stdin: []byte(trace), args: []string{program(t), "symbolicate", "--debug", debug, "--json"}}.run(t)
	var doc symbolicated
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	var got []place
	for _, f := range doc.Frames {
		if !f.Resolved || f.Inferred {
			t.Errorf("%s: resolved %v, inferred %v: %s", f.Text, f.Resolved, f.Inferred, f.Reason)
		}
		for _, x := range f.Frames {
			got = append(got, place{plainName(x.Function), filepath.Base(x.File), x.Line})
		}
	}
	want := trapModule{sources: []string{"trap.cpp", "other.cpp", "shape.hpp"}}.marked(t)[0]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-marked in the sources +resolved)\n%s\nof the trace\n%s", debug, diff, trace)
	}
}

// TestBundlers builds each app from the split module with the scripts of its
// package.json, and crashes it in Chromium.
func TestBundlers(t *testing.T) {
	stage(t, "bundlers")
	for _, b := range bundlers {
		t.Run(b.name, func(t *testing.T) {
			a := newApp(t, b)
			a.mustScript(t, "build")

			production := read(t, a.path("src/app.wasm"))
			shipped := a.shipped(t)
			if len(shipped) != b.copies {
				t.Errorf("the bundler wrote the module %d times, not %d: %q", len(shipped), b.copies, shipped)
			}
			for _, path := range shipped {
				if !bytes.Equal(read(t, path), production) {
					t.Errorf("%s is not the module that split wrote", path)
				}
				cmd{dir: a.dir, args: []string{program(t), "verify", path, "symbols/app.debug.wasm",
					"--original", "build/app.wasm", "--require-id", "--forbid-dwarf", "-q"}}.run(t)
			}

			id, trace := a.crash(t)
			t.Logf("%s shipped %q, build ID %s:\n%s", b.name, base(shipped), id, trace)
			kept := named(mustSections(t, "companion", read(t, a.path("symbols/app.debug.wasm"))), "build_id")
			if len(kept) != 1 || hex.EncodeToString(kept[0].payload[1:]) != id {
				t.Errorf("the app reports the build ID %s, the companion has others: %+v", id, kept)
			}
			if !regexp.MustCompile(`https?://.*\.wasm:wasm-function`).MatchString(trace) {
				t.Errorf("the trace does not name the module's file:\n%s", trace)
			}
			a.checkTrace(t, trace, "symbols/app.debug.wasm")
			a.checkTrace(t, trace, "symbols/")
		})
	}
}

// TestBundlersRefuse makes the mistakes that the recipes warn of.
func TestBundlersRefuse(t *testing.T) {
	stage(t, "bundlers")
	for _, b := range bundlers {
		t.Run(b.name, func(t *testing.T) {
			t.Run("unsplit", func(t *testing.T) {
				a := newApp(t, b)
				a.mustScript(t, "build")
				before := base(a.shipped(t))
				if err := os.RemoveAll(a.path("dist")); err != nil {
					t.Fatal(err)
				}
				write(t, a.path("src/app.wasm"), read(t, a.path("build/app.wasm")))
				a.mustScript(t, "bundle")
				a.mustRefuse(t, "check", "WD122")
				// The name is made from the content: of a module that is split later, it is a lie.
				for _, name := range base(a.shipped(t)) {
					if slices.Contains(before, name) {
						t.Errorf("the unsplit module has the name of the split one, %s", name)
					}
				}
			})
			t.Run("companion of another build", func(t *testing.T) {
				a := newApp(t, b)
				a.mustScript(t, "build")
				if err := os.Remove(a.path("symbols/app.debug.wasm")); err != nil {
					t.Fatal(err)
				}
				cmd{dir: a.dir, args: []string{program(t), "split", corpusFile(t, "cpp/O1-dw5.wasm"), "-o", "other.wasm",
					"-d", "symbols/app.debug.wasm", "-q"}}.run(t)
				a.mustRefuse(t, "check", "WD141")
			})
			if b.name == "vite" {
				t.Run("companion in a folder that is copied", func(t *testing.T) {
					a := newApp(t, b)
					write(t, a.path("public/robots.txt"), nil)
					cmd{dir: a.dir, args: []string{program(t), "split", "build/app.wasm", "-o", "src/app.wasm",
						"-d", "public/app.debug.wasm", "-q"}}.run(t)
					a.mustScript(t, "bundle")
					a.mustRefuse(t, "check", "WD144")
				})
			}
			if b.edit[0] == "" {
				return
			}
			t.Run("inlined", func(t *testing.T) {
				a := newApp(t, b)
				config := read(t, a.path(b.edit[0]))
				if n := bytes.Count(config, []byte(b.edit[1])); n != 1 {
					t.Fatalf("%s has %q %d times", b.edit[0], b.edit[1], n)
				}
				write(t, a.path(b.edit[0]), bytes.Replace(config, []byte(b.edit[1]), []byte(b.edit[2]), 1))
				a.mustScript(t, "wasm")
				a.mustScript(t, "bundle")
				if shipped := a.shipped(t); len(shipped) != 0 {
					t.Fatalf("the bundler wrote %q", shipped)
				}
				a.mustRefuse(t, "check", "there was nothing to check")
				// The companion, when it is named, still reads the trace.
				_, trace := a.crash(t)
				t.Logf("the trace of an inlined module:\n%.300s", trace)
				a.checkTrace(t, trace, "symbols/app.debug.wasm")
			})
		})
	}
}

// base returns the names of files without their folders.
func base(paths []string) []string {
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}
