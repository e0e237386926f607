package doctor

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// project writes files, by their paths, and returns their folder.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// examine returns the findings about a project as lines: severity, code, place.
func examine(t *testing.T, o Options) (report.Verdict, []string) {
	t.Helper()
	r, err := Examine(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, f := range r.Subjects[0].Findings {
		path := f.Location.Path
		if rel, err := filepath.Rel(o.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
			path = filepath.ToSlash(rel)
		} else {
			path = filepath.Base(path)
		}
		if f.Location.Line > 0 {
			path += fmt.Sprintf(":%d", f.Location.Line)
		}
		lines = append(lines, fmt.Sprintf("%v %s %s", f.Severity, f.Rule, path))
	}
	return r.Verdict(), lines
}

const wasmCrate = "[package]\nname = \"app\"\n[lib]\ncrate-type = [\"cdylib\"]\n[dependencies]\nwasm-bindgen = \"0.2\"\n"

const (
	debugCrate = wasmCrate + "[profile.release]\ndebug = true\n"
	linkerMode = "[target.wasm32-unknown-unknown]\nlinker = \"wasm-debugid\"\n"
)

func TestProjects(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		env   map[string]string
		want  []string
	}{
		{name: "empty", files: map[string]string{"README.md": "wasm-strip app.wasm"}},
		{name: "a crate for other machines", files: map[string]string{"Cargo.toml": "[package]\nname = \"app\"\n"}},
		{name: "no debug", files: map[string]string{"Cargo.toml": wasmCrate}, want: []string{"error WD310 Cargo.toml"}},
		{name: "debug off", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = 0\n"}, want: []string{"error WD310 Cargo.toml:7"}},
		{name: "debug", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n"}},
		{name: "lines", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = \"line-tables-only\"\n"}},
		{name: "strips", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = 2\nstrip = true\n"}, want: []string{"error WD311 Cargo.toml:7"}},
		{name: "another profile", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n[profile.small]\ninherits = \"release\"\ndebug = false\n"},
			want: []string{"warning WD310 Cargo.toml:9"}},
		{name: "an inherited setting", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n[profile.small]\ninherits = \"release\"\n"}},
		{name: "the configuration wins", files: map[string]string{"Cargo.toml": wasmCrate, ".cargo/config.toml": "[profile.release]\ndebug = true\n"}},
		{name: "the variable wins", files: map[string]string{"Cargo.toml": wasmCrate}, env: map[string]string{"CARGO_PROFILE_RELEASE_DEBUG": "1"}},
		{name: "flags strip", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n",
			".cargo/config.toml": "[target.wasm32-unknown-unknown]\nrustflags = [\"-C\", \"strip=debuginfo\"]\n"}, want: []string{"error WD311 .cargo/config.toml:2"}},
		{name: "members have no profiles", files: map[string]string{
			"Cargo.toml":     "[workspace]\nmembers = [\"app\"]\n[profile.release]\ndebug = 1\n",
			"app/Cargo.toml": wasmCrate}},
		{name: "damaged", files: map[string]string{"Cargo.toml": "[package\n"}, want: []string{"warning WD340 Cargo.toml:2"}},
		{name: "linker mode before wasm-bindgen", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode}, want: []string{"error WD315 .cargo/config.toml:2"}},
		{name: "linker mode of a folder", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": "[target.wasm32-unknown-unknown]\nrustflags = []\nlinker = 'C:\\bin\\wasm-debugid.exe'\n"},
			want: []string{"error WD315 .cargo/config.toml:3"}},
		{name: "linker mode by a variable", files: map[string]string{"Cargo.toml": debugCrate}, env: map[string]string{bindgenLinker: "/opt/bin/wasm-debugid"}, want: []string{"error WD315 Cargo.toml"}},
		{name: "linker mode that is off", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode + "[env]\nWASM_DEBUGID_HOOK = \"off\"\n"}},
		{name: "linker mode that is off here", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode}, env: map[string]string{"WASM_DEBUGID_HOOK": "off"}},
		{name: "linker mode that takes it", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode + "[env]\nWASM_DEBUGID_ALLOW_BINDGEN_INPUT = { value = \"1\", force = true }\n"}},
		{name: "linker mode without wasm-bindgen", files: map[string]string{"Cargo.toml": "[profile.release]\ndebug = true\n", ".cargo/config.toml": linkerMode}},
		{name: "linker mode, perhaps wasm-bindgen", files: map[string]string{"Cargo.toml": "[profile.release]\ndebug = true\n[dependencies]\nwasm-bindgen = { version = \"0.2\", optional = true }\n", ".cargo/config.toml": linkerMode}},
		{name: "another linker", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": "[target.wasm32-unknown-unknown]\nlinker = \"wasm-ld\"\n"}},
		{name: "another target", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": "[target.wasm32-wasip1]\nlinker = \"wasm-debugid\"\n"}},
		{name: "wasm-pack's defaults", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n", "build.sh": "wasm-pack build\n"},
			want: []string{"error WD312 Cargo.toml", "error WD312 Cargo.toml"}},
		{name: "wasm-pack that keeps", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n" +
			"[package.metadata.wasm-pack.profile.release]\nwasm-opt = [\"-O\", \"-g\"]\n[package.metadata.wasm-pack.profile.release.wasm-bindgen]\ndwarf-debug-info = true\n"}},
		{name: "wasm-pack without -g", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n" +
			"[package.metadata.wasm-pack.profile.release]\nwasm-opt = [\"-O\"]\nwasm-bindgen = { dwarf-debug-info = true }\n"}, want: []string{"error WD312 Cargo.toml:9"}},
		{name: "trunk", files: map[string]string{"Trunk.toml": "", "index.html": "<html>\n<link data-trunk rel=\"rust\" />\n<link data-trunk rel=\"css\" href=\"a.css\">"},
			want: []string{"error WD313 index.html:2", "warning WD313 index.html:2"}},
		{name: "trunk that keeps", files: map[string]string{
			"Trunk.toml": "[[hooks]]\nstage = \"post_build\"\ncommand = \"sh\"\ncommand_arguments = [\"-c\", \"wasm-debugid split\"]\n",
			"index.html": "<link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=\"0\" data-integrity=\"none\"/>"}},
		{name: "trunk's digest", files: map[string]string{
			"Trunk.toml": "[[hooks]]\nstage = \"post_build\"\ncommand = \"wasm-debugid\"\ncommand_arguments = [\"split\"]\n",
			"index.html": "<link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=0 />"}, want: []string{"error WD314 Trunk.toml:1"}},
		{name: "no digests at all", files: map[string]string{
			"Trunk.toml": "[build]\nno_sri = true\n[[hooks]]\nstage = \"post_build\"\ncommand = \"wasm-debugid\"\n",
			"index.html": "<link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=\"0\"/>"}},
		{name: "walrus", files: map[string]string{"Cargo.lock": "[[package]]\nname = \"walrus\"\nversion = \"0.26.1\"\n"}, want: []string{"warning WD306 Cargo.lock:2"}},
		{name: "a walrus that does not count", files: map[string]string{"Cargo.lock": "[[package]]\nname = \"walrus\"\nversion = \"0.27.3\"\n"}, want: []string{"warning WD306 Cargo.lock:2"}},
		{name: "a new walrus", files: map[string]string{"Cargo.lock": "[[package]]\nname = \"walrus\"\nversion = \"0.28.0\"\n"}},
		{name: "scripts", files: map[string]string{"Makefile": "all:\n" +
			"\twasm-opt -O2 app.wasm -o app.wasm\n" + // 2
			"\twasm-opt -O2 -g app.wasm -o app.wasm\n" +
			"\t# wasm-strip app.wasm\n" +
			"\twasm-strip app.wasm\n" + // 5
			"\twasm-bindgen --out-dir pkg app.wasm\n" + // 6
			"\twasm-bindgen --keep-debug --out-dir pkg app.wasm\n" +
			"\tllvm-objcopy --only-keep-debug a b\n" + // 8
			"\temcc -g a.c -s SINGLE_FILE=1 && emcc -g a.c -sSINGLE_FILE=0\n" + // 9
			"\temcc -g a.c -Wl,--strip-debug\n" + // 10
			"\twasm-opt --strip-dwarf a.wasm -o a.wasm\n" + // 11
			"\twasm-opt -O2 \\\n\t  -g a.wasm -o a.wasm\n" +
			"\tcargo install wasm-bindgen-cli && apt install wasm-opt\n"},
			want: []string{"error WD320 Makefile:2", "error WD321 Makefile:5", "error WD322 Makefile:6", "error WD321 Makefile:8",
				"error WD323 Makefile:9", "error WD321 Makefile:10", "error WD321 Makefile:11"}},
		{name: "package.json", files: map[string]string{"package.json": "{\"scripts\": {\n\"opt\": \"wasm-opt -O3 a.wasm -o b.wasm\"}}"}, want: []string{"error WD320 package.json:2"}},
		{name: "npm's binaryen", files: map[string]string{"node_modules/binaryen/package.json": `{"version": "132.0.0"}`}, want: []string{"warning WD305 node_modules/binaryen/package.json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			verdict, got := examine(t, Options{Dir: project(t, c.files), Getenv: func(name string) string { return c.env[name] }})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			want := report.Pass
			if strings.Contains(strings.Join(c.want, "\n"), "error") {
				want = report.Fail
			}
			if verdict != want {
				t.Errorf("the verdict is %v", verdict)
			}
		})
	}
}

// built returns a module with a function of so many instructions, and sections
// behind it.
func built(size int, more ...testwasm.Section) string {
	code := make([]byte, size)
	for i := range code {
		code[i] = testwasm.OpNop
	}
	return string(testwasm.Build(append([]testwasm.Section{testwasm.Types(testwasm.FuncType{}), testwasm.Functions(0), testwasm.Code(testwasm.Fn(code...))}, more...)...))
}

func TestModules(t *testing.T) {
	dwarf := testwasm.Custom(".debug_info", []byte{0})
	id := testwasm.Custom("build_id", []byte("\x10abcdefghijklmnop"))
	for _, c := range []struct {
		name  string
		files map[string]string
		times map[string]int // seconds
		dist  []string
		want  []string
	}{
		{name: "nothing wrong", files: map[string]string{"build/app.wasm": built(1, dwarf), "dist/app.wasm": built(1, id)}},
		{name: "DWARF", files: map[string]string{"dist/app.wasm": built(1, dwarf)}, want: []string{"error WD330 dist/app.wasm"}},
		{name: "a folder that is named", files: map[string]string{"out/app.wasm": built(1, dwarf)}, dist: []string{"out"}, want: []string{"error WD330 out/app.wasm"}},
		{name: "a folder of another name", files: map[string]string{"out/app.wasm": built(1, dwarf)}},
		{name: "wasm-bindgen", files: map[string]string{"public/app.wasm": built(1, testwasm.Custom("__wasm_bindgen_unstable", []byte{0}))}, want: []string{"error WD331 public/app.wasm"}},
		{name: "a companion", files: map[string]string{"dist/app.debug.wasm": built(1, dwarf)}, want: []string{"warning WD332 dist/app.debug.wasm"}},
		{name: "another build, newer", files: map[string]string{"pkg/app_bg.wasm": built(2), "dist/assets/app_bg-1a2B3c4D.wasm": built(1)},
			times: map[string]int{"pkg/app_bg.wasm": 60, "dist/assets/app_bg-1a2B3c4D.wasm": 0}, want: []string{"error WD333 dist/assets/app_bg-1a2B3c4D.wasm"}},
		{name: "another build, older", files: map[string]string{"pkg/app_bg.wasm": built(2), "dist/app_bg.wasm": built(1)},
			times: map[string]int{"pkg/app_bg.wasm": 0, "dist/app_bg.wasm": 60}, want: []string{"warning WD333 dist/app_bg.wasm"}},
		{name: "the same code of two places", files: map[string]string{"pkg/app_bg.wasm": built(2), "out/app_bg.wasm": built(1), "dist/app_bg.wasm": built(1)}},
		{name: "packed before", files: map[string]string{"dist/app.wasm": built(1), "dist/app.wasm.br": "", "dist/app.wasm.gz": ""},
			times: map[string]int{"dist/app.wasm": 60, "dist/app.wasm.br": 0, "dist/app.wasm.gz": 60}, want: []string{"warning WD334 dist/app.wasm.br"}},
		{name: "one ID", files: map[string]string{"a.wasm": built(1, id), "b.wasm": built(2, id), "c.wasm": built(1, id, dwarf)}, want: []string{"error WD336 b.wasm"}},
		{name: "one ID, and no code", files: map[string]string{"a.wasm": built(1, id), "b.wasm": string(testwasm.Build(id, dwarf))}},
		{name: "a pair of two builds", files: map[string]string{"a.wasm": built(1, id), "a.debug.wasm": built(1, testwasm.Custom("build_id", []byte("\x10other--other--ot")), dwarf)}, want: []string{"error WD337 a.debug.wasm"}},
		{name: "a pair", files: map[string]string{"a.wasm": built(1, id), "a.debug.wasm": built(1, id, dwarf), "b.debug.wasm": built(1, dwarf)}},
		{name: "a bundler", files: map[string]string{"package.json": "{\"scripts\": {\n\"build\": \"vite build\"}}", "pkg/app_bg.wasm": built(1, dwarf)},
			want: []string{"warning WD325 package.json:2"}},
		{name: "a bundler behind a split", files: map[string]string{"package.json": `{"scripts": {"wasm": "wasm-debugid split --in-place pkg/app_bg.wasm", "build": "vite build"}}`,
			"pkg/app_bg.wasm": built(1, dwarf)}},
		{name: "cut off", files: map[string]string{"a.wasm": "\x00asm", "b.wasm": "", "c.wasm": "\x7fELF"}, want: []string{"warning WD340 a.wasm", "warning WD340 b.wasm"}},
		{name: "what is not looked at", files: map[string]string{"node_modules/x/dist/app.wasm": built(1, dwarf), "target/wasm32-wasip1/release/deps/dist/app.wasm": built(1, dwarf)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			o := Options{Dir: project(t, c.files)}
			for path, seconds := range c.times {
				set(t, filepath.Join(o.Dir, filepath.FromSlash(path)), seconds)
			}
			for _, dir := range c.dist {
				o.Dist = append(o.Dist, filepath.Join(o.Dir, dir))
			}
			_, got := examine(t, o)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

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

// The walrus of wasm-bindgen stands in the program, wherever in it.
func TestWalrusOfAProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files become programs by their names there")
	}
	for _, c := range []struct {
		version string
		program string
		want    []string
	}{
		{"wasm-bindgen 0.2.126", strings.Repeat("x", 1<<20-70) + " /src/walrus-0.26.4/src/lib.rs", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.126", strings.Repeat("x", 1<<20-8) + " walrus-0.26.4/src/lib.rs", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.129", "/src/walrus-0.27.2/src/lib.rs", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.131", "/src/walrus-0.28.0/src/lib.rs", []string{}},
		{"wasm-bindgen 0.2.126", "stripped", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.130", "stripped", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.131", "stripped", []string{}},
		{"nothing", "stripped", []string{}},
	} {
		bin := t.TempDir()
		run := toolbox(t, bin, map[string]string{"wasm-bindgen": c.version})
		if err := os.WriteFile(filepath.Join(bin, "wasm-bindgen"), []byte(c.program), 0o777); err != nil {
			t.Fatal(err)
		}
		_, got := examine(t, Options{Dir: t.TempDir(), Path: []string{bin}, Run: run})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %.20s: -want +got:\n%s", c.version, c.program, diff)
		}
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

func TestStem(t *testing.T) {
	for path, want := range map[string]string{
		"dist/assets/app-BxY3z8aQ.wasm":         "app",
		"dist/app_bg-1a2b3c4d5e6f7a8b.wasm":     "app",
		"pkg/app_bg.wasm":                       "app",
		"app.wasm":                              "app",
		"dist/0f3a9c1b2d4e5f60.module.wasm":     "0f3a9c1b2d4e5f60",
		"dist/my-application.wasm":              "my-application",
		"dist/app.1a2b3c4d.wasm":                "app",
		"target/wasm32/release/my_program.wasm": "my_program",
	} {
		if got := stem(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
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

func TestIntegrity(t *testing.T) {
	module := "\x00asm\x01\x00\x00\x00"
	sum := sha512.Sum384([]byte(module))
	right := "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
	page := func(integrity string) string {
		return "<head>\n<link rel=\"preload\" href=\"/app.wasm\" integrity=\"" + integrity + "\" as=\"fetch\">"
	}
	for integrity, want := range map[string][]string{
		right:                   {},
		"sha384-AAAA":           {"error WD335 dist/index.html:2"},
		"sha384-AAAA " + right:  {},
		"md5-AAAA":              {},
		right + "?ct=text/html": {},
	} {
		_, got := examine(t, Options{Dir: project(t, map[string]string{"dist/index.html": page(integrity), "dist/app.wasm": module})})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", integrity, diff)
		}
	}
}

func TestSetRule(t *testing.T) {
	into := map[string]report.Severity{}
	for _, text := range []string{"WD310=off", "ships-dwarf=warning"} {
		if err := SetRule(into, text); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(map[string]report.Severity{CargoNoDebug: report.Off, ShipsDWARF: report.Warning}, into); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"WD310", "WD999=off", "WD310=bad", ""} {
		if SetRule(into, text) == nil {
			t.Errorf("%q was taken", text)
		}
	}
	dir := project(t, map[string]string{"Cargo.toml": wasmCrate})
	verdict, got := examine(t, Options{Dir: dir, Rules: map[string]report.Severity{CargoNoDebug: report.Warning}})
	if diff := cmp.Diff([]string{"warning WD310 Cargo.toml"}, got); diff != "" || verdict != report.Pass {
		t.Errorf("%v %s", verdict, diff)
	}
	if verdict, _ := examine(t, Options{Dir: dir, Rules: map[string]report.Severity{CargoNoDebug: report.Warning}, Strict: true}); verdict != report.Fail {
		t.Errorf("strict, a warning: %v", verdict)
	}
}

// What a walrus does is said by its version.
func TestWalrusTrouble(t *testing.T) {
	for version, want := range map[string][2]bool{"0.26.4": {true, true}, "0.27.1": {true, true}, "0.27.2": {true, false}, "0.27.3": {true, false}, "0.28.0": {}, "1.0.0": {}} {
		got := walrusTrouble(version)
		if strings.Contains(got, "128 functions") != want[0] || strings.Contains(got, "wasm-opt") != want[1] {
			t.Errorf("%s: %q", version, got)
		}
	}
}

// Modules are not checked, and the report says so.
func TestSaysThatModulesAreNotChecked(t *testing.T) {
	for name, want := range map[string]bool{"a.wasm": true, "a.txt": false} {
		dir := project(t, map[string]string{name: built(1)})
		r, err := Examine(context.Background(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(r.Unexamined, "wasm-debugid check "+dir); got != want {
			t.Errorf("%s: %q", name, r.Unexamined)
		}
	}
}

// set changes the time of a file by so many seconds from a fixed one.
func set(t *testing.T, path string, seconds int) {
	t.Helper()
	when := time.Unix(1_700_000_000+int64(seconds), 0)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}
