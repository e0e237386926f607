//go:build linux

package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wasiArgs are the arguments that the WASI programs are run with.
var wasiArgs = []string{"one", "three", "fourteen", "a", "seventeen"}

// clangWASI builds a program with wasi-libc. The libraries bring DWARF of their
// own, of another version than the program's.
func clangWASI(t *testing.T, version, src string, compile []string, dir string) string {
	t.Helper()
	compiler, libs := "clang-"+version, []string{"-lc"}
	if filepath.Ext(src) == ".cpp" {
		compiler, libs = "clang++-"+version, []string{"-lc++", "-lc++abi", "-lc"}
	}
	const root = "/usr/lib/wasm32-wasi"
	name := strings.ReplaceAll(filepath.Base(src), ".", "-") + "-" + version + strings.Join(compile[:2], "")
	o, out := filepath.Join(dir, name+".o"), filepath.Join(dir, name+".wasm")
	target := "--target=wasm32-wasi"
	cmd{dir: filepath.Dir(sources(t, src)), args: append([]string{tool(t, compiler), target, "-g",
		"-fdebug-compilation-dir=.", "-c", filepath.Base(src), "-o", o}, compile...)}.run(t)
	builtins := strings.TrimSpace(cmd{args: []string{tool(t, compiler), target, "-print-libgcc-file-name"}}.run(t))
	args := append([]string{tool(t, "wasm-ld-"+version), "-o", out, "-L" + root, filepath.Join(root, "crt1-command.o"), o}, libs...)
	cmd{args: append(args, builtins, "--build-id")}.run(t)
	return out
}

func TestToolchainsWASI(t *testing.T) {
	stage(t, "toolchains")
	dir := t.TempDir()
	var all []loaded
	for _, version := range []string{"19", "22"} {
		for _, compile := range [][]string{{"-O0", "-gdwarf-4"}, {"-O2", "-gdwarf-5"}} {
			all = append(all, wasi(t, clangWASI(t, version, "wasi.c", compile, dir), dir))
			compile = flags(compile, []string{"-std=c++17", "-fno-exceptions"})
			all = append(all, wasi(t, clangWASI(t, version, "wasi.cpp", compile, dir), dir))
		}
	}
	load(t, tool(t, "node"), all)
}

func wasi(t *testing.T, input, dir string) loaded {
	t.Helper()
	full, symbols := splitAndCheck(t, input, dir)
	return loaded{name: filepath.Base(input), full: full, symbols: symbols, mode: "wasi", args: wasiArgs}
}

// Go writes padded sizes, a section in front of all others, and no DWARF.
func TestToolchainsGo(t *testing.T) {
	stage(t, "toolchains")
	dir := t.TempDir()
	var all []loaded
	for name, ldflags := range map[string]string{"go": "", "go-stripped": "-s -w"} {
		out := filepath.Join(dir, name+".wasm")
		cmd{env: []string{"GOOS=wasip1", "GOARCH=wasm"},
			args: []string{"go", "build", "-ldflags=" + ldflags, "-o", out, sources(t, "hello.go")}}.run(t)
		all = append(all, wasi(t, out, dir))
	}
	load(t, tool(t, "node"), all)
}

// Debian's rustc has no library for wasm; its source package builds one offline.
func TestToolchainsRust(t *testing.T) {
	stage(t, "toolchains")
	dir := t.TempDir()
	crate := filepath.Join(dir, "crate")
	if err := os.CopyFS(crate, os.DirFS(sources(t, "rust"))); err != nil {
		t.Fatal(err)
	}
	const rustc, cargo = "/usr/bin/rustc", "/usr/bin/cargo"
	sysroot := strings.TrimSpace(cmd{args: []string{rustc, "--print", "sysroot"}}.run(t))
	vendor := filepath.Join(sysroot, "lib", "rustlib", "src", "rust", "library", "vendor")
	if _, err := os.Stat(vendor); err != nil {
		t.Fatalf("the stage needs Rust's sources: %v", err)
	}
	write(t, filepath.Join(dir, "home", "config.toml"), []byte("[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \""+vendor+"\"\n"))
	var all []loaded
	build := func(name string, rustflags ...string) {
		args := []string{cargo, "rustc", "--release", "--offline", "-Zbuild-std=core", "--target=wasm32-unknown-unknown", "--"}
		cmd{dir: crate, args: append(args, rustflags...), env: []string{
			"PATH=/usr/bin:/bin", "RUSTC=" + rustc, "RUSTC_BOOTSTRAP=1", "CARGO_HOME=" + filepath.Join(dir, "home"),
			"CARGO_TARGET_DIR=" + filepath.Join(dir, "target"), "CARGO_INCREMENTAL=0", "RUSTUP_TOOLCHAIN=", "RUSTFLAGS=",
			"CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=" + tool(t, "wasm-ld-22")}}.run(t)
		out := filepath.Join(dir, name+".wasm")
		write(t, out, read(t, filepath.Join(dir, "target", "wasm32-unknown-unknown", "release", "shapes.wasm")))
		full, symbols := splitAndCheck(t, out, dir)
		all = append(all, loaded{name: name, full: full, symbols: symbols, mode: "run"})
	}
	build("rust-O3")
	build("rust-Os-id", "-Copt-level=s", "-Clink-arg=--build-id=sha1")
	build("rust-O0-dwarf5", "-Copt-level=0", "-Zdwarf-version=5")
	load(t, tool(t, "node"), all)
}

// emscripten returns the variables that emcc needs to be run.
func emscripten(t *testing.T) []string {
	t.Helper()
	cache := os.Getenv("WASM_DEBUGID_EM_CACHE")
	if cache == "" {
		t.Fatal("the stage needs WASM_DEBUGID_EM_CACHE: run it through .ci/run")
	}
	// Debian's configuration forbids to build the libraries, which it does not ship.
	// Another text than this one would have emcc build all of them again.
	var config []string
	for _, line := range strings.Split(string(read(t, "/usr/share/emscripten/.emscripten")), "\n") {
		if !strings.HasPrefix(line, "FROZEN_CACHE") {
			config = append(config, line)
		}
	}
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, []byte(strings.Join(config, "\n")))
	return []string{"EM_CONFIG=" + path, "EM_CACHE=" + cache}
}

// Emscripten 3.1.6 pads section sizes and puts the names in front of the DWARF.
func TestToolchainsEmscripten(t *testing.T) {
	stage(t, "toolchains")
	env := emscripten(t)
	dir := t.TempDir()
	node := tool(t, "node")
	preload, err := filepath.Abs(filepath.Join("testdata", "nofetch.cjs"))
	if err != nil {
		t.Fatal(err)
	}
	var all []loaded
	for _, level := range []string{"-O1", "-O2"} {
		name := "emcc" + level
		js := filepath.Join(dir, name, "program.js")
		write(t, js, nil)
		cmd{dir: dir, env: env,
			args: []string{tool(t, "emcc"), "-g", level, sources(t, "emcc.c"), "-o", js}}.run(t)
		input := filepath.Join(dir, name, "program.wasm")
		full, symbols := splitAndCheck(t, input, filepath.Join(dir, name))
		all = append(all, loaded{name: name, full: full, symbols: symbols, mode: "compile", run: func(t *testing.T) {
			args := append([]string{node, "--require", preload, js}, wasiArgs...)
			before := cmd{args: args}.try(t)
			if before.stdout == "" {
				t.Fatalf("the program printed nothing: %s", before.stderr)
			}
			write(t, input, full.prod) // the glue loads program.wasm
			if after := (cmd{args: args}).try(t); after != before {
				t.Errorf("with the production module: %+v, before %+v", after, before)
			}
		}})
	}
	load(t, node, all)
}
