//go:build unix

package hook

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// compilerRun is a run of a compiler that is a shell script. The script has the
// linker's module in $MODULE.
type compilerRun struct {
	Compiler
	stdout, stderr bytes.Buffer
	vars           []string
}

func newCompilerRun(t *testing.T, name, script string, args ...string) *compilerRun {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	bin := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(filepath.Dir(bin), "linked.wasm")
	write(t, module, sample)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &compilerRun{}
	c.Compiler = Compiler{Command: append([]string{bin}, args...), Self: self, Stdout: &c.stdout, Stderr: &c.stderr,
		Env: append(os.Environ(), "MODULE="+module)}
	return c
}

func (c *compilerRun) run(t *testing.T) (*Compiled, error) {
	t.Helper()
	c.Getenv = variables(c.vars...)
	r, err := c.Run(t.Context())
	if err == nil && c.stderr.Len() > 0 && strings.Contains(c.stderr.String(), "not found") {
		t.Fatal(c.stderr.String())
	}
	return r, err
}

// mustRefuse returns the refusal that an error holds.
func mustRefuse(t *testing.T, err error) *rewrite.RefusedError {
	t.Helper()
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("no refusal: %v", err)
	}
	return refused
}

func TestCompilerSplitsWhatIsLinked(t *testing.T) {
	c := newCompilerRun(t, "clang", "echo out; echo err >&2; cat; cp $MODULE app.wasm\n", "-g", "a.o", "-o", "app.wasm")
	c.Stdin = strings.NewReader("in\n")
	r, err := c.run(t)
	if err != nil {
		t.Fatal(err)
	}
	mustPair(t, "app.wasm")
	if c.stdout.String() != "out\nin\n" || c.stderr.String() != "err\n" {
		t.Errorf("streams: %q %q", c.stdout.String(), c.stderr.String())
	}
	if r.Split == nil || r.Skipped != "" || r.KeptFrom != "" {
		t.Errorf("%+v", r)
	}
}

// clang finds the stand-in where COMPILER_PATH leads, in front of what was there,
// and the module stays as the linker wrote it.
func TestCompilerKeepsClangFromRunningWasmOpt(t *testing.T) {
	script := `cp $MODULE app.wasm
dir=${COMPILER_PATH%%:*}
test "${COMPILER_PATH#*:}" = /usr/lib/mine || exit 7
"$dir/wasm-opt" app.wasm -O2 -o app.wasm
`
	c := newCompilerRun(t, "clang-19", script, "-g", "-O2", "a.o", "-o", "app.wasm")
	c.Env = append(c.Env, "COMPILER_PATH=/usr/lib/mine")
	r, err := c.run(t)
	if err != nil {
		t.Fatalf("%v: %s", err, c.stderr.String())
	}
	if want := "wasm-opt app.wasm -O2 -o app.wasm"; r.KeptFrom != want {
		t.Errorf("kept from %q, want %q", r.KeptFrom, want)
	}
	mustPair(t, "app.wasm")

	// Also where a later step splits.
	c = newCompilerRun(t, "clang", script, "-g", "-O2", "a.o", "-o", "app.wasm")
	c.Env, c.NoSplit = append(c.Env, "COMPILER_PATH=/usr/lib/mine"), true
	if r, err = c.run(t); err != nil || r.Split != nil || r.KeptFrom == "" || !bytes.Equal(read(t, "app.wasm"), sample) {
		t.Errorf("without a split: %v %+v", err, r)
	}

	// On request it runs.
	c = newCompilerRun(t, "clang", "test -z \"$COMPILER_PATH\" && cp $MODULE app.wasm\n", "a.o", "-o", "app.wasm")
	c.WasmOpt = true
	if _, err := c.run(t); err != nil {
		t.Error(err)
	}
}

// The module itself does not tell: the libraries of it have DWARF.
func TestCompilerWarnsOfObjectsWithoutDebugInformation(t *testing.T) {
	for line, want := range map[string]int{"a.o b.o": 1, "a.o g.o": 0, "main.c a.o": 0, "-g main.c a.o": 0, "-s a.o": 0} {
		c := newCompilerRun(t, "clang", "cp $MODULE app.wasm\n", strings.Fields(line+" -o app.wasm")...)
		objects(t, ".")
		r, err := c.run(t)
		if err != nil {
			t.Fatal(err)
		}
		has := strings.Count(strings.Join(r.Split.Note.Warnings, "\n"), "whatever the libraries have; compile with -g")
		if has != want || r.Warnings != nil {
			t.Errorf("%s: %q, %q", line, r.Split.Note.Warnings, r.Warnings)
		}
		if c.NoSplit = true; want > 0 {
			if r, err := c.run(t); err != nil || len(r.Warnings) != want {
				t.Errorf("%s, without a split: %v %q", line, err, r.Warnings)
			}
		}
	}

	// What a configure script compiles and links to see whether that works, and what is
	// no module, is nothing to warn of.
	for script, line := range map[string]string{"cp $MODULE app.wasm\n": "main.c", "echo ELF > app.wasm\n": "a.o"} {
		c := newCompilerRun(t, "clang", script, line, "-o", "app.wasm")
		objects(t, ".")
		c.NoSplit = true
		if r, err := c.run(t); err != nil || r.Warnings != nil {
			t.Errorf("%s: %v %q", line, err, r.Warnings)
		}
	}
}

func TestStandInCopies(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in.wasm", sample)
	if err := StandIn([]string{"/x/wasm-opt", "in.wasm", "-O2", "-o", "out.wasm"}, variables(varWasmOptLog, "log")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, "out.wasm"), sample) {
		t.Error("the module was changed")
	}
	if IsWasmOpt([]string{"wasm-opt"}, variables()) || IsWasmOpt([]string{"wasm-debugid"}, variables(varWasmOptLog, "log")) {
		t.Error("the program takes itself for the stand-in")
	}
}

func TestCompilerPassesThrough(t *testing.T) {
	for name, c := range map[string]struct{ script, args, why string }{
		"compiles":         {"cp $MODULE a.o\n", "-c a.c -o a.o", "it compiles only"},
		"another machine":  {"printf '\\177ELF' > app\n", "a.c -o app", "it is an ELF file"},
		"the null device":  {"", "a.c -o /dev/null", "it writes to no file"},
		"an object":        {"cp $OBJECT app.wasm\n", "a.o -o app.wasm", "it is an object file, which is yet to be linked"},
		"off":              {"cp $MODULE app.wasm\n", "a.o -o app.wasm", "the hook is off (WASM_DEBUGID_HOOK)"},
		"another compiler": {"cp $MODULE app.wasm\n", "a.o -o app.wasm", "another compiler that is run through wasm-debugid has called this one"},
	} {
		t.Run(name, func(t *testing.T) {
			run := newCompilerRun(t, "clang", c.script, strings.Fields(c.args)...)
			object := filepath.Join(t.TempDir(), "object.wasm")
			write(t, object, tw.Build(append([]tw.Section{tw.Types(tw.FuncType{})}, tw.Custom("linking", []byte{2}))...))
			run.Env = append(run.Env, "OBJECT="+object)
			run.Off = name == "off"
			if name == "another compiler" {
				run.vars = []string{varInCompiler, "1"}
			}
			r, err := run.run(t)
			if err != nil {
				t.Fatal(err)
			}
			if r.Skipped != c.why || r.Split != nil && r.Split.Split != nil {
				t.Errorf("skipped %q, want %q", r.Skipped, c.why)
			}
			if files, err := filepath.Glob("*.debug.wasm"); err != nil || len(files) > 0 {
				t.Errorf("%v %v", files, err)
			}
		})
	}
}

func TestCompilerFails(t *testing.T) {
	var exit *ExitError
	_, err := newCompilerRun(t, "clang", "cp $MODULE app.wasm; exit 42\n", "a.o", "-o", "app.wasm").run(t)
	if !errors.As(err, &exit) || exit.Code != 42 {
		t.Errorf("exit code: %v", err)
	}
	_, err = newCompilerRun(t, "clang", "kill -TERM $$; sleep 10\n", "a.o", "-o", "app.wasm").run(t)
	if !errors.As(err, &exit) || exit.Code != 128+15 {
		t.Errorf("signal: %v", err)
	}
	// An old output is none.
	c := newCompilerRun(t, "clang", "exit 0\n", "a.o", "--no-wasm-opt", "-o", "app.wasm")
	write(t, "app.wasm", sample)
	_, err = c.run(t)
	if hint := mustRefuse(t, err).Hint; !strings.Contains(hint, "clang 19") {
		t.Errorf("hint: %s", hint)
	}
	// One that cannot be split is set aside.
	_, err = newCompilerRun(t, "clang", "head -c 9 $MODULE > app.wasm\n", "a.o", "-o", "app.wasm").run(t)
	if err == nil || exists("app.wasm") || !exists("app.unsplit.wasm") {
		t.Errorf("set aside: %v", err)
	}
	for _, c := range []*compilerRun{newCompilerRun(t, "clang", "", "a.o"), newCompilerRun(t, "clang", "", "a.o"), newCompilerRun(t, "clang", "", "a.o")} {
		c.Command[0] = c.Self
		var usage *rewrite.UsageError
		if _, err := c.run(t); !errors.As(err, &usage) {
			t.Errorf("itself: %v", err)
		}
	}
	c = newCompilerRun(t, "clang", "", "a.o")
	c.vars = []string{varInCompiler, "8"}
	var usage *rewrite.UsageError
	if _, err := c.run(t); !errors.As(err, &usage) {
		t.Errorf("for ever: %v", err)
	}
}

func TestEmscripten(t *testing.T) {
	emcc := func(script string, args ...string) *compilerRun { return newCompilerRun(t, "emcc", script, args...) }
	both := "cp $MODULE app.wasm; echo js > app.js\n"
	r, err := emcc(both, "-g", "a.o", "-o", "app.js").run(t)
	if err != nil || r.Split == nil || len(r.Split.Note.Warnings) != 0 {
		t.Fatalf("%v %+v", err, r)
	}
	mustPair(t, "app.wasm")
	if got := string(read(t, "app.js")); got != "js\n" {
		t.Errorf("the JavaScript is %q", got)
	}

	r, err = emcc(both, "-O2", "a.o", "-o", "app.js").run(t)
	if err != nil || len(r.Split.Note.Warnings) != 1 || !strings.Contains(r.Split.Note.Warnings[0], "no -g at the link") {
		t.Errorf("without -g: %v %q", err, r.Split.Note.Warnings)
	}

	// Refused before it runs.
	_, err = emcc("touch ran\n", "a.o", "-sSINGLE_FILE", "-o", "app.js").run(t)
	if mustRefuse(t, err); exists("ran") {
		t.Error("emcc ran")
	}
	_, err = emcc("touch ran\n", "-c", "a.c", "-sSINGLE_FILE").run(t)
	if err != nil || !exists("ran") {
		t.Errorf("a compilation: %v", err)
	}
	r, err = emcc("echo js > app.js\n", "a.o", "-sWASM=0", "-o", "app.js").run(t)
	if err != nil || r.Skipped != "it makes JavaScript and no module" {
		t.Errorf("%v %+v", err, r)
	}

	// What cannot be split, and what loads it.
	_, err = emcc("head -c 9 $MODULE > app.wasm; echo js > app.js\n", "-g", "a.o", "-o", "app.js").run(t)
	if err == nil || exists("app.wasm") || exists("app.js") || !exists("app.unsplit.js") {
		t.Errorf("set aside: %v", err)
	}
}

// emcc's own pair is put together and split again.
func TestEmscriptenSeparate(t *testing.T) {
	// The shipped file has its code elsewhere than the one with the DWARF.
	var shifted []tw.Section
	for _, s := range tw.Sample() {
		if !strings.HasPrefix(s.Name, ".debug") {
			shifted = append(shifted, s.Pad(5))
		}
	}
	pair := func(t *testing.T, debug string, args ...string) *compilerRun {
		c := newCompilerRun(t, "emcc", "cp $SHIPPED app.wasm; cp $MODULE "+debug+"; echo js > app.js\n", args...)
		shipped := filepath.Join(t.TempDir(), "shipped.wasm")
		write(t, shipped, tw.Build(shifted...))
		c.Env = append(c.Env, "SHIPPED="+shipped)
		return c
	}
	r, err := pair(t, "app.wasm.debug.wasm", "-gseparate-dwarf", "a.o", "-o", "app.js").run(t)
	if err != nil {
		t.Fatal(err)
	}
	mustPair(t, "app.wasm")
	if exists("app.wasm.debug.wasm") || r.Replaced != "app.wasm.debug.wasm" {
		t.Errorf("emcc's file is still there; replaced %q", r.Replaced)
	}

	// emcc's setting of the URL is ours as well.
	if _, err := pair(t, "app.wasm.debug.wasm", "-gseparate-dwarf", "a.o", "-o", "app.js", "-sSEPARATE_DWARF_URL=https://x.example/a").run(t); err != nil {
		t.Fatal(err)
	}
	if info, err := debugid.Info(t.Context(), debugid.InfoOptions{Input: "app.wasm"}); err != nil || info.ExternalDebugInfo.URL != "https://x.example/a" {
		t.Errorf("%v %+v", err, info.ExternalDebugInfo)
	}

	// A named file stays where it is.
	r, err = pair(t, "mine.debug.wasm", "-gseparate-dwarf=mine.debug.wasm", "a.o", "-o", "app.js").run(t)
	if err != nil || r.Split.Split.Companion != "mine.debug.wasm" || !exists("mine.debug.wasm") {
		t.Errorf("%v %+v", err, r.Split)
	}

	// A missing one, and one of other code.
	_, err = pair(t, "elsewhere.wasm", "-gseparate-dwarf", "a.o", "-o", "app.js").run(t)
	mustRefuse(t, err)
	c := pair(t, "app.wasm.debug.wasm", "-gseparate-dwarf", "a.o", "-o", "app.js")
	other := filepath.Join(t.TempDir(), "other.wasm")
	write(t, other, tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn(tw.OpNop))))
	c.Env = append(c.Env, "MODULE="+other)
	_, err = c.run(t)
	mustRefuse(t, err)
}
