package debugfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
)

// copyFiles copies files of the corpus into a folder, under new names.
func copyFiles(t *testing.T, dir string, names map[string]string) {
	t.Helper()
	for from, to := range names {
		b, err := os.ReadFile(filepath.Join(corpus, from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), b)
	}
}

// expectationOf returns case 0 of a module.
func expectationOf(t *testing.T, module string) *expectation {
	t.Helper()
	for _, e := range expectations(t) {
		if e.module == module && e.name == "0" {
			return &e
		}
	}
	t.Fatalf("nothing is expected of %s", module)
	return nil
}

func TestSplitFilesAreFound(t *testing.T) {
	const c5 = "c/split-dw5.wasm"
	for _, c := range []struct {
		name  string
		files map[string]string
		path  string
		o     func(dir string) debugfile.Options
		whole bool
	}{
		{"nothing", map[string]string{c5: "app.wasm"}, "app.wasm", nil, false},
		{"dwp behind the name", map[string]string{c5: "app.wasm", "c/split-dw5.dwp": "app.wasm.dwp"}, "app.wasm", nil, true},
		{"dwp in place of the extension", map[string]string{c5: "app.wasm", "c/split-dw5.dwp": "app.dwp"}, "app.wasm", nil, true},
		{"dwp of a companion", map[string]string{c5: "app.debug.wasm", "c/split-dw5.dwp": "app.wasm.dwp"}, "app.debug.wasm", nil, true},
		{"dwp of the production module", map[string]string{c5: "sym/app.debug.wasm", "c/split-dw5.dwp": "out/app.dwp"}, "sym/app.debug.wasm",
			func(dir string) debugfile.Options {
				return debugfile.Options{ProductionPath: filepath.Join(dir, "out/app.wasm")}
			}, true},
		{"dwp by name", map[string]string{c5: "app.wasm", "c/split-dw5.dwp": "x/y"}, "app.wasm",
			func(dir string) debugfile.Options { return debugfile.Options{DWP: filepath.Join(dir, "x/y")} }, true},
		{"dwp, but alone", map[string]string{c5: "app.wasm", "c/split-dw5.dwp": "app.dwp"}, "app.wasm",
			func(string) debugfile.Options { return debugfile.Options{Alone: true} }, false},
		{"dwos beside", map[string]string{c5: "app.wasm", "c/split-dw5.trap.dwo": "split-dw5.trap.dwo", "c/split-dw5.other.dwo": "split-dw5.other.dwo"}, "app.wasm", nil, true},
		{"dwos of another build", map[string]string{c5: "app.wasm", "c/split-dw4.trap.dwo": "split-dw5.trap.dwo", "c/split-dw4.other.dwo": "split-dw5.other.dwo"}, "app.wasm", nil, false},
		{"objects by name", map[string]string{"c/split-single.wasm": "app.wasm", "c/split-single.trap.o": "t.o", "c/split-single.other.o": "o.o"}, "app.wasm",
			func(dir string) debugfile.Options {
				return debugfile.Options{DWO: []string{filepath.Join(dir, "t.o"), filepath.Join(dir, "o.o")}}
			}, true},
		{"files that are none", map[string]string{c5: "app.wasm", "src/trap.c": "bad.dwo"}, "app.wasm",
			func(dir string) debugfile.Options {
				return debugfile.Options{DWP: filepath.Join(dir, "missing"), DWO: []string{filepath.Join(dir, "bad.dwo"), filepath.Join(dir, "app.wasm")}}
			}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			copyFiles(t, dir, c.files)
			var o debugfile.Options
			if c.o != nil {
				o = c.o(dir)
			}
			f := open(t, filepath.Join(dir, c.path), o)
			e := expectationOf(t, c5)
			if c.whole {
				check(t, f, e)
				if f.Problems() != nil {
					t.Errorf("problems: %v", f.Problems())
				}
				return
			}
			if _, a := resolve(f, e); a.Reason != debugfile.ReasonSkeleton {
				t.Errorf("%+v", a)
			}
			if c.name == "files that are none" && len(f.SplitErrors()) != 3 {
				t.Errorf("errors: %v", f.SplitErrors())
			}
			if c.name == "dwos of another build" && !strings.Contains(strings.Join(messages(f), " "), "belongs to another build") {
				t.Errorf("problems: %v", f.Problems())
			}
		})
	}
}

// A linked module whose split sections the linker has merged is not to be read.
func TestMergedSplitSections(t *testing.T) {
	f := open(t, corpus+"/c/split-single.wasm", debugfile.Options{Alone: true})
	if err := f.Build(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if s, _ := f.Stats(); s.Skeletons != 2 {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(strings.Join(messages(f), " "), "merged by a linker; use the object files") {
		t.Errorf("problems: %v", f.Problems())
	}
}
