package doctor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// toolbox makes a folder with programs that are never run, and a Runner that
// speaks for them.
func toolbox(t *testing.T, dir string, answers map[string]string) Runner {
	t.Helper()
	for name := range answers {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return func(_ context.Context, _, path string, args ...string) (string, error) {
		answer := strings.Split(answers[filepath.Base(path)], "|")
		if args[0] == "--version" {
			return answer[0], nil
		}
		if len(answer) > 1 {
			return answer[1], nil
		}
		return "", errors.New("it does nothing else")
	}
}

func TestTools(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files become programs by their names there")
	}
	clang := func(version string) string {
		return "clang version " + version + "|clang version " + version + "\n \"/usr/bin/wasm-ld\" \"probe.o\" \"-o\" \"probe.wasm\"\n"
	}
	hidden := func(version string) string {
		return clang(version) + " \"/usr/bin/wasm-opt\" \"probe.wasm\" \"-O2\" \"-o\" \"probe.wasm\"\n"
	}
	for _, c := range []struct {
		name  string
		tools map[string]string
		files map[string]string
		want  []string
	}{
		{name: "none"},
		{name: "good ones", tools: map[string]string{"clang": clang("22.1.8"), "wasm-ld": "LLD 22.1.8", "llvm-objcopy": "LLVM version 22.1.8", "gcc": "1"}},
		{name: "a hidden wasm-opt", tools: map[string]string{"clang-19": hidden("19.1.7"), "clang": clang("22.0.0")}, want: []string{"warning WD301 wasm-opt"}},
		{name: "a hidden wasm-opt that is met", tools: map[string]string{"clang": hidden("19.1.7")},
			files: map[string]string{"Makefile": "app.wasm:\n\tclang --target=wasm32-wasi -O2 -g a.c -o app.wasm\n"}, want: []string{"error WD301 Makefile:2"}},
		{name: "a hidden wasm-opt that is kept out", tools: map[string]string{"clang": hidden("19.1.7")},
			files: map[string]string{"Makefile": "app.wasm:\n\twasm-debugid cc -- clang --target=wasm32-wasi -O2 -g a.c -o app.wasm\n"}, want: []string{"info WD301 wasm-opt"}},
		{name: "a hidden wasm-opt that is kept out by a variable", tools: map[string]string{"clang": hidden("19.1.7")},
			files: map[string]string{"Makefile": "CC = clang --target=wasm32-wasi\napp.wasm:\n\twasm-debugid -q cc --no-split -- $(CC) a.c -o app.wasm\n"}, want: []string{"info WD301 wasm-opt"}},
		{name: "a hidden wasm-opt that is kept out by CMake", tools: map[string]string{"clang": hidden("19.1.7")},
			files: map[string]string{"CMakeLists.txt": "wasm_debugid_split(app)\n", "clang.cmake": "# wasm-debugid\nset(CMAKE_C_COMPILER clang)\nset(CMAKE_C_COMPILER_TARGET wasm32-wasi)\n"}, want: []string{"info WD301 wasm-opt"}},
		{name: "a hidden wasm-opt that is kept out in one place", tools: map[string]string{"clang": hidden("19.1.7")},
			files: map[string]string{"Makefile": "app.wasm:\n\twasm-debugid cc -- clang --target=wasm32-wasi a.c\n", "more.sh": "clang --target=wasm32-wasi -O2 a.c\n"}, want: []string{"error WD301 more.sh:1"}},
		{name: "a split behind a hidden wasm-opt", tools: map[string]string{"clang": hidden("19.1.7")},
			files: map[string]string{"Makefile": "app.wasm:\n\tclang --target=wasm32-wasi -O2 -g a.c -o app.wasm\n\twasm-debugid split --in-place app.wasm\n"}, want: []string{"warning WD301 wasm-opt"}},
		{name: "the flag that writes nothing", tools: map[string]string{"clang": clang("19.1.7")},
			files: map[string]string{"build.sh": "clang --no-wasm-opt a.c\n"}, want: []string{"error WD304 build.sh:1"}},
		{name: "the flag in place", tools: map[string]string{"clang": hidden("20.1.0")},
			files: map[string]string{"build.sh": "clang --target=wasm32-wasi --no-wasm-opt -O2 a.c\n"}},
		{name: "the flag in place, and a line without", tools: map[string]string{"clang": hidden("20.1.0")},
			files: map[string]string{"build.sh": "clang --target=wasm32-wasi --no-wasm-opt -O2 a.c\n", "more.sh": "clang --target=wasm32-wasi -O2 a.c\n"}, want: []string{"error WD301 more.sh:1"}},
		{name: "clang only in words", tools: map[string]string{"clang": hidden("20.1.0")},
			files: map[string]string{"build.sh": "echo clang --target=wasm32-wasi\n# clang --target=wasm32\n"}, want: []string{"info WD301 wasm-opt"}},
		{name: "a Rust project", tools: map[string]string{"clang": hidden("19.1.7"), "wasm-ld-14": "LLD 14.0.6", "llvm-objcopy": "LLVM version 14.0.6"},
			files: map[string]string{"Cargo.toml": "[profile.release]\ndebug = true\n", "Cargo.lock": "[[package]]\nname = \"clang-sys\"\n",
				"build.sh": "cargo build --release --target=wasm32-unknown-unknown\n"}},
		{name: "a project of another kind", tools: map[string]string{"clang": hidden("19.1.7"), "wasm-ld-14": "LLD 14.0.6"},
			files: map[string]string{"Makefile": "all:\n\tgo build\n"}, want: []string{"info WD301 wasm-opt", "info WD302 wasm-ld-14"}},
		{name: "an old linker", tools: map[string]string{"wasm-ld-14": "LLD 14.0.6", "wasm-ld": "LLD 19.1.7"}, want: []string{"info WD302 wasm-ld-14"}},
		{name: "only an old linker", tools: map[string]string{"wasm-ld-14": "LLD 14.0.6"}, want: []string{"warning WD302 wasm-ld-14"}},
		{name: "objcopy", tools: map[string]string{"llvm-objcopy": "LLVM version 14.0.6"}, files: map[string]string{"CMakeLists.txt": "target_link_options(a PRIVATE -gseparate-dwarf)\n"},
			want: []string{"error WD324 CMakeLists.txt:1", "info WD303 llvm-objcopy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			bin := t.TempDir()
			run := toolbox(t, bin, c.tools)
			_, got := examine(t, Options{Dir: project(t, c.files), Path: []string{"relative", filepath.Join(bin, "missing"), bin}, Run: run})
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Nothing in the examined folder is run, even if PATH leads there.
func TestToolsOfTheProjectAreNotRun(t *testing.T) {
	dir := project(t, map[string]string{"bin/wasm-opt": "", "bin/clang": ""})
	for _, name := range []string{"wasm-opt", "clang"} {
		if err := os.Chmod(filepath.Join(dir, "bin", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "bin", "clang"), filepath.Join(elsewhere, "clang")); err != nil {
		t.Skip(err)
	}
	_, err := Examine(context.Background(), Options{Dir: dir, Path: []string{filepath.Join(dir, "bin"), elsewhere},
		Run: func(_ context.Context, _, path string, _ ...string) (string, error) {
			t.Errorf("%s was run", path)
			return "", nil
		}})
	if err != nil {
		t.Error(err)
	}
}

// A wasm-opt is judged by what it makes of a small module.
func TestOptimizers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files become programs by their names there")
	}
	for _, c := range []struct {
		name string
		do   func(in []byte) []byte
		want []string
	}{
		{"that leaves everything", func(in []byte) []byte { return in }, []string{}},
		{"that copies DWARF for other code", func(in []byte) []byte {
			// The two instructions i32.const 3, i32.ge_s or i32.lt_s of the source's
			// condition become one of their length.
			for _, compare := range []byte{0x4e, 0x48} {
				if at := bytes.Index(in, []byte{0x41, 0x03, compare}); at > 0 {
					return slices.Concat(in[:at], []byte{0x41, 0x83, 0x00}, in[at+3:])
				}
			}
			t.Fatal("the probe is another than it was")
			return nil
		}, []string{"warning WD305 wasm-opt", "warning WD305 wasm-opt"}},
		{"that writes nothing", func([]byte) []byte { return nil }, []string{"warning WD305 wasm-opt", "warning WD305 wasm-opt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := t.TempDir()
			toolbox(t, bin, map[string]string{"wasm-opt": ""})
			run := func(_ context.Context, _, _ string, args ...string) (string, error) {
				if args[0] == "--version" {
					return "wasm-opt version 200", nil
				}
				in, err := os.ReadFile(args[0])
				if err != nil {
					return "", err
				}
				if out := c.do(in); out != nil {
					return "", os.WriteFile(args[4], out, 0o666)
				}
				return "", nil
			}
			_, got := examine(t, Options{Dir: t.TempDir(), Path: []string{bin}, Run: run})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A wasm-opt that only clang would run, and that it is kept from, does no harm.
func TestOptimizerThatNothingRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files become programs by their names there")
	}
	const kept = "app.wasm:\n\twasm-debugid cc -- clang --target=wasm32-wasi -O2 a.c -o app.wasm\n"
	for makefile, want := range map[string]string{
		kept: "info",
		"app.wasm:\n\tclang --target=wasm32-wasi --no-wasm-opt -O2 a.c -o app.wasm\n": "info",
		kept + "\twasm-opt -O2 -g app.wasm -o small.wasm\n":                           "warning",
		"app.wasm:\n\tclang --target=wasm32-wasi -O2 a.c -o app.wasm\n":               "warning",
	} {
		bin := t.TempDir()
		toolbox(t, bin, map[string]string{"wasm-opt": ""})
		_, got := examine(t, Options{Dir: project(t, map[string]string{"Makefile": makefile}), Path: []string{bin},
			Run: func(context.Context, string, string, ...string) (string, error) { return "wasm-opt version 200", nil }})
		if n := strings.Count(strings.Join(got, "\n"), want+" WD305 wasm-opt"); n != 2 {
			t.Errorf("%q: %q", makefile, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]string{
		"Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64": "19.1.7",
		"Debian LLD 14.0.6":                  "14.0.6",
		"LLD 22.1.8":                         "22.1.8",
		"wasm-opt version 108":               "108",
		"wasm-opt version 116 (version_116)": "116",
		"emcc (Emscripten gcc/clang-like replacement + linker emulating GNU ld) 3.1.6 ()": "3.1.6",
		"wasm-bindgen 0.2.100": "0.2.100",
		"llvm-objcopy, compatible with GNU objcopy\nDebian LLVM version 14.0.6\n  Optimized build": "14.0.6",
	} {
		m := versionNumber.FindStringSubmatch(text)
		if m == nil || m[1] != want {
			t.Errorf("%q: %q, want %s", text, m, want)
		}
	}
}
