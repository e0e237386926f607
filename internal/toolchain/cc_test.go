//go:build linux

package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pipeline copies a project of testdata/pipelines, with the program that all of
// them build, and returns its folder.
func pipeline(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", "testdata", "pipelines"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, name))); err != nil {
		t.Fatal(err)
	}
	for _, src := range crashSources {
		write(t, filepath.Join(dir, src), read(t, filepath.Join(root, "crash", src)))
	}
	return dir
}

// crashSources are the program: given more than two numbers, it traps in push.
var crashSources = []string{"main.c", "stack.cpp"}

var crashArgs = []string{"1", "2", "3"}

var crashMarker = regexp.MustCompile(`// crash\.(\d) = (\w+)`)

// wantFrames reads from the markers in the sources which function, file and line
// each frame of the crash must be resolved to, innermost first.
func wantFrames(t *testing.T, dir string) []string {
	t.Helper()
	want := make([]string, 2)
	for _, src := range crashSources {
		for i, line := range strings.Split(string(read(t, filepath.Join(dir, src))), "\n") {
			if m := crashMarker.FindStringSubmatch(line); m != nil {
				want[m[1][0]-'0'] = fmt.Sprintf("%s %s:%d", m[2], src, i+1)
			}
		}
	}
	return want
}

var (
	wasmFrame     = regexp.MustCompile(`^ +at .*wasm-function\[`)
	resolvedFrame = regexp.MustCompile(`^ +=> .*?(\w+)(?:\(\w*\))? at (?:.*/)?([^/:]+):(\d+):\d+`)
)

// frames returns the innermost answer for each frame of a resolved stack trace.
func frames(text string) []string {
	var out []string
	fresh := false
	for _, line := range strings.Split(text, "\n") {
		if m := resolvedFrame.FindStringSubmatch(line); m != nil && fresh {
			out = append(out, fmt.Sprintf("%s %s:%s", m[1], m[2], m[3]))
			fresh = false
		}
		if wasmFrame.MatchString(line) {
			fresh = true
		}
	}
	return out
}

// checkCrash verifies a pair, crashes its production module, and holds the
// symbolicated stack trace against the sources in a folder.
func checkCrash(t *testing.T, dir, module, companion string, run []string) {
	t.Helper()
	if n := len(where(mustSections(t, module, read(t, module)), section.debug)); n != 0 {
		t.Errorf("%s has %d debug sections", module, n)
	}
	cmd{args: []string{program(t), "verify", module, companion, "--require-companion"}}.run(t)
	crash := cmd{args: append(run, crashArgs...)}.try(t)
	if crash.code == 0 || !strings.HasPrefix(crash.stdout, "values: 3\n") {
		t.Fatalf("the program did not crash: %+v", crash)
	}
	text := cmd{stdin: []byte(crash.stderr), args: []string{program(t), "symbolicate", "-", "--debug", companion}}.run(t)
	got, want := frames(text), wantFrames(t, dir)
	if len(got) < len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("frames %q, want %q:\n%s", got, want, text)
	}
	fine := cmd{args: append(run, "1", "2")}.try(t)
	if fine.code != 0 || fine.stdout != "values: 2\n" {
		t.Errorf("without a crash: %+v", fine)
	}
}

// inNode runs a WASI program.
func inNode(t *testing.T, module string) []string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "crash.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{tool(t, "node"), "--no-warnings", script, module}
}

// glued runs the JavaScript of emcc.
func glued(t *testing.T, js string) []string {
	t.Helper()
	preload, err := filepath.Abs(filepath.Join("testdata", "nofetch.cjs"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{tool(t, "node"), "--require", preload, js}
}

// withTools is a PATH on which the program is, and tools of an LLVM version under
// their plain names.
func withTools(t *testing.T, version string, names ...string) string {
	t.Helper()
	bin := t.TempDir()
	link := func(from, to string) {
		if err := os.Symlink(from, filepath.Join(bin, to)); err != nil {
			t.Fatal(err)
		}
	}
	link(program(t), "wasm-debugid")
	for _, name := range names {
		link(tool(t, name+"-"+version), name)
	}
	return "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
}

// clang's driver is kept from running the wasm-opt that is on PATH, in every
// version. Left alone, it destroys the DWARF, which shows that the test sees it.
func TestCcClang(t *testing.T) {
	stage(t, "cc")
	tool(t, "wasm-opt")
	for _, version := range []string{"19", "22"} {
		t.Run(version, func(t *testing.T) {
			dir := pipeline(t, "make") // for the sources
			clang := []string{tool(t, "clang-"+version), "--target=wasm32-wasi", "-O2", "-g", "-fno-exceptions"}
			module := filepath.Join(dir, "crash.wasm")
			link := flags(clang, crashSources, []string{"-o", module})
			r := cmd{dir: dir, args: flags([]string{program(t), "cc", "--check", "--"}, link)}.try(t)
			if r.code != 0 || !strings.Contains(r.stderr, "note: crash.wasm: clang was kept from running wasm-opt ") {
				t.Fatalf("%+v", r)
			}
			checkCrash(t, dir, module, filepath.Join(dir, "crash.debug.wasm"), inNode(t, module))

			r = cmd{dir: dir, args: flags([]string{program(t), "cc", "--wasm-opt=on", "--check", "--"}, link)}.try(t)
			if r.code != 1 || !strings.Contains(r.stderr, "WD111") {
				t.Errorf("with wasm-opt: %+v", r)
			}
			object := filepath.Join(dir, "main.o")
			cmd{dir: dir, args: flags([]string{program(t), "cc", "--"}, clang, []string{"-c", "main.c", "-o", object})}.run(t)
			want := filepath.Join(dir, "want.o")
			cmd{dir: dir, args: flags(clang, []string{"-c", "main.c", "-o", want})}.run(t)
			if !bytes.Equal(read(t, object), read(t, want)) {
				t.Error("an object file is another than without the wrapper")
			}
		})
	}
}

// The C library has DWARF, so that the module tells nothing: the objects do.
func TestCcObjectsWithoutDebugInformation(t *testing.T) {
	stage(t, "cc")
	clang := []string{tool(t, "clang-19"), "--target=wasm32-wasi", "-O2"}
	for g, want := range map[string]bool{"-g0": true, "-g": false} {
		dir := pipeline(t, "make")
		cmd{dir: dir, args: flags(clang, []string{g, "-c", "main.c", "-o", "main.o"})}.run(t)
		cmd{dir: dir, args: flags(clang, []string{"-g0", "-fno-exceptions", "-c", "stack.cpp", "-o", "stack.o"})}.run(t)
		r := cmd{dir: dir, args: flags([]string{program(t), "cc", "--"}, clang, []string{"main.o", "stack.o", "-o", "crash.wasm"})}.try(t)
		has := strings.Contains(r.stderr, "none of the object files that were linked (main.o, stack.o) has debug information")
		if r.code != 0 || has != want || strings.Contains(r.stderr, "holds no DWARF") {
			t.Errorf("%s: %+v", g, r)
		}
	}
}

// clang 19 takes --no-wasm-opt and writes nothing, which the wrapper says.
func TestCcNoWasmOpt(t *testing.T) {
	stage(t, "cc")
	dir := pipeline(t, "make")
	r := cmd{dir: dir, args: flags([]string{program(t), "cc", "--", tool(t, "clang-19"), "--target=wasm32-wasi", "-O2", "-g", "--no-wasm-opt", "-fno-exceptions"},
		crashSources, []string{"-o", "crash.wasm"})}.try(t)
	if r.code != 3 || !strings.Contains(r.stderr, "hint: clang 19 takes --no-wasm-opt and then writes nothing") {
		t.Errorf("%+v", r)
	}
}

func TestCcEmscripten(t *testing.T) {
	stage(t, "cc")
	env := emscripten(t)
	for _, c := range []struct {
		name      string
		flags     []string
		target    string
		companion string
	}{
		{"O1", []string{"-O1", "-g"}, "crash.js", "crash.debug.wasm"},
		{"O2", []string{"-O2", "-g"}, "app.mjs", "app.debug.wasm"},
		{"separate", []string{"-O2", "-gseparate-dwarf"}, "crash.js", "crash.debug.wasm"},
		{"separate-named", []string{"-O1", "-gseparate-dwarf=kept.debug.wasm"}, "crash.js", "kept.debug.wasm"},
		{"settings", []string{"-O1", "-g", "-sMODULARIZE=0", "-sALLOW_MEMORY_GROWTH"}, "page.html", "page.debug.wasm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := pipeline(t, "emcc")
			args := flags([]string{program(t), "emcc", "--", tool(t, "emcc")}, c.flags, crashSources, []string{"-o", c.target})
			cmd{dir: dir, env: env, args: args}.run(t)
			stem := strings.TrimSuffix(c.target, filepath.Ext(c.target))
			module, js := filepath.Join(dir, stem+".wasm"), filepath.Join(dir, c.target)
			if filepath.Ext(js) == ".html" {
				js = filepath.Join(dir, stem+".js")
			}
			if filepath.Ext(js) == ".mjs" {
				// What emcc 3.1.6 writes as a module exports a function, and Node has no
				// require there.
				cmd{args: []string{program(t), "verify", module, filepath.Join(dir, c.companion)}}.run(t)
				return
			}
			checkCrash(t, dir, module, filepath.Join(dir, c.companion), glued(t, js))
			if files, err := filepath.Glob(filepath.Join(dir, "*.wasm.debug.wasm")); err != nil || len(files) > 0 {
				t.Errorf("emcc's own companion is still there: %v %v", files, err)
			}
		})
	}
	t.Run("what the separate pair would be", func(t *testing.T) {
		dir := pipeline(t, "emcc")
		cmd{dir: dir, env: env, args: flags([]string{tool(t, "emcc"), "-O2", "-gseparate-dwarf"}, crashSources, []string{"-o", "crash.js"})}.run(t)
		r := cmd{dir: dir, args: []string{program(t), "check", "crash.wasm", "crash.wasm.debug.wasm"}}.try(t)
		if r.code != 1 || !strings.Contains(r.stdout, "error WD101 ") || !strings.Contains(r.stdout, "resolve 34 bytes beside the place") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("single file", func(t *testing.T) {
		dir := pipeline(t, "emcc")
		r := cmd{dir: dir, env: env, args: flags([]string{program(t), "emcc", "--", tool(t, "emcc"), "-g", "-sSINGLE_FILE"}, crashSources, []string{"-o", "crash.js"})}.try(t)
		if _, err := os.Stat(filepath.Join(dir, "crash.js")); r.code != 3 || err == nil || !strings.Contains(r.stderr, "SINGLE_FILE puts the module into the JavaScript") {
			t.Errorf("%+v %v", r, err)
		}
	})
	t.Run("no -g at the link", func(t *testing.T) {
		dir := pipeline(t, "emcc")
		for _, src := range crashSources {
			cmd{dir: dir, env: env, args: []string{tool(t, "emcc"), "-g", "-O1", "-c", src, "-o", src + ".o"}}.run(t)
		}
		r := cmd{dir: dir, env: env, args: []string{program(t), "emcc", "--", tool(t, "emcc"), "-O1", "main.c.o", "stack.cpp.o", "-o", "crash.js"}}.try(t)
		if r.code != 0 || !strings.Contains(r.stderr, "emcc was given no -g at the link") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("make", func(t *testing.T) {
		dir := pipeline(t, "emcc")
		cmd{dir: dir, env: append(env, withTools(t, "")), args: []string{tool(t, "make")}}.run(t)
		checkCrash(t, dir, filepath.Join(dir, "crash.wasm"), filepath.Join(dir, "crash.debug.wasm"), glued(t, filepath.Join(dir, "crash.js")))
		if out := (cmd{dir: dir, env: append(env, withTools(t, "")), args: []string{tool(t, "make")}}).run(t); !strings.Contains(out, "'crash.js' is up to date") {
			t.Errorf("again: %s", out)
		}
	})
}

func TestCcMake(t *testing.T) {
	stage(t, "cc")
	for _, version := range []string{"19", "22"} {
		dir := pipeline(t, "make")
		path := withTools(t, version, "clang", "clang++")
		cmd{dir: dir, env: []string{path}, args: []string{tool(t, "make")}}.run(t)
		module, companion := filepath.Join(dir, "dist", "crash.wasm"), filepath.Join(dir, "symbols", "crash.debug.wasm")
		checkCrash(t, dir, module, companion, inNode(t, module))
		if err := os.Remove(companion); err != nil {
			t.Fatal(err)
		}
		cmd{dir: dir, env: []string{path}, args: []string{tool(t, "make")}}.run(t)
		read(t, companion)
		touch(t, filepath.Join(dir, "main.c"))
		cmd{dir: dir, env: []string{path}, args: []string{tool(t, "make")}}.run(t)
		if out := (cmd{dir: dir, env: []string{path}, args: []string{tool(t, "make")}}).run(t); !strings.Contains(out, "Nothing to be done") {
			t.Errorf("again: %s", out)
		}
	}
}

func TestCcMeson(t *testing.T) {
	stage(t, "cc")
	dir := pipeline(t, "meson")
	path := withTools(t, "19", "clang", "clang++", "llvm-ar")
	cmd{dir: dir, env: []string{path}, args: []string{tool(t, "meson"), "setup", "build", "--cross-file", "wasi.ini"}}.run(t)
	cmd{dir: dir, env: []string{path}, args: []string{tool(t, "ninja"), "-C", "build"}}.run(t)
	module := filepath.Join(dir, "build", "crash.wasm")
	checkCrash(t, dir, module, filepath.Join(dir, "build", "crash.debug.wasm"), inNode(t, module))
	touch(t, filepath.Join(dir, "main.c"))
	cmd{dir: dir, env: []string{path}, args: []string{tool(t, "ninja"), "-C", "build"}}.run(t)
	if out := (cmd{dir: dir, env: []string{path}, args: []string{tool(t, "ninja"), "-C", "build"}}).run(t); !strings.Contains(out, "no work to do") {
		t.Errorf("again: %s", out)
	}
}

// doctor sees what is wrong with the tools of this stage.
func TestCcDoctor(t *testing.T) {
	stage(t, "cc")
	r := cmd{dir: t.TempDir(), args: []string{program(t), "doctor"}}.try(t)
	for _, want := range []string{
		"warning WD301 ", "clang-19", "clang-22", "will run /usr/bin/wasm-opt after every link with -O",
		"warning WD305 ", "wasm-opt 108 -O2 -g on a module with DWARF 5: it fails",
		"info WD302 ", "info WD303 ",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q", want)
		}
	}
	if r.code != 0 || strings.Contains(r.stdout, "DWARF 4: ") {
		t.Errorf("exit code %d:\n%s", r.code, r.stdout)
	}
	// A makefile that links through the wrapper has nothing to fear.
	dir := pipeline(t, "make")
	if r := (cmd{dir: dir, args: []string{program(t), "doctor", "--strict"}}).try(t); r.code != 0 || !strings.Contains(r.stdout, "info WD301 ") || strings.Contains(r.stdout, "warning WD") {
		t.Errorf("exit code %d:\n%s", r.code, r.stdout)
	}
	// One that links with the driver is what makes it an error.
	makefile := strings.ReplaceAll(string(read(t, filepath.Join(dir, "Makefile"))), "wasm-debugid", "true")
	write(t, filepath.Join(dir, "Makefile"), []byte(makefile))
	if r := (cmd{dir: dir, args: []string{program(t), "doctor"}}).try(t); r.code != 1 || !strings.Contains(r.stdout, "error WD301 ") {
		t.Errorf("exit code %d:\n%s", r.code, r.stdout)
	}
}
