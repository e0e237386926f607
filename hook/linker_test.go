//go:build unix

package hook

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// linkerRun is a run of linker mode with the fake linker.
type linkerRun struct {
	dir            string
	stdout, stderr bytes.Buffer
	vars           []string
	env            []string
	self           string
	options        Options
}

// newLinkerRun puts a fake linker called rust-lld on PATH, which writes the module.
func newLinkerRun(t *testing.T, module []byte) *linkerRun {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "linked.wasm"), module)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "rust-lld")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	return &linkerRun{dir: dir, self: filepath.Join(dir, "another program"),
		env: append(os.Environ(), fakeVariable+"=linker", "FAKE_MODULE="+filepath.Join(dir, "linked.wasm"), "FAKE_ARGS="+filepath.Join(dir, "args"))}
}

func (l *linkerRun) run(ctx context.Context, args ...string) (*Result, error) {
	run := Linker{Options: l.options, Args: args, Getenv: variables(l.vars...), Self: l.self, Stdout: &l.stdout, Stderr: &l.stderr, Env: l.env}
	return run.Run(ctx)
}

func TestLinkerSplitsWhatItLinks(t *testing.T) {
	l := newLinkerRun(t, sample)
	l.vars = []string{"CARGO", "cargo", "CARGO_BIN_NAME", "my-app"}
	out := filepath.Join(l.dir, "deps", "my_app-0123456789abcdef.wasm")
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"-flavor", "wasm", "--export", "run", "-o", out, "a.o"}
	r, err := l.run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, filepath.Join(l.dir, "args"))); got != strings.Join(args, "\n") {
		t.Errorf("the linker was given %q", got)
	}
	if l.stdout.String() != "linker: out\n" || l.stderr.String() != "linker: err\n" {
		t.Errorf("streams: %q %q", l.stdout.String(), l.stderr.String())
	}
	mustPair(t, out)
	home := filepath.Join(l.dir, "my-app.wasm")
	link(t, out, home) // as cargo does
	mustPair(t, home)
	if n, err := ReadNote(NotePath(home)); err != nil || n == nil || n.Production.BLAKE3 != sum(t, home) || r.Note.BuildID != n.BuildID {
		t.Errorf("note %+v %v", n, err)
	}

	// The same build again gives the same files.
	before := tree(t, l.dir)
	if _, err := l.run(t.Context(), args...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, l.dir)); diff != "" {
		t.Errorf("linked again:\n%s", diff)
	}
}

func TestLinkerPassesOtherOutputsThrough(t *testing.T) {
	for name, module := range map[string][]byte{"an object": read(t, filepath.Join("..", "testdata", "objects", "clang19.o")), "a program": []byte("\x7fELF...")} {
		l := newLinkerRun(t, module)
		out := filepath.Join(l.dir, "out")
		r, err := l.run(t.Context(), "-flavor", "wasm", "-r", "-o", out)
		if err != nil || r.Skipped == "" || !bytes.Equal(read(t, out), module) {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	l := newLinkerRun(t, sample)
	l.options.Off = true
	out := filepath.Join(l.dir, "out.wasm")
	if _, err := l.run(t.Context(), "-o", out); err != nil || !bytes.Equal(read(t, out), sample) {
		t.Errorf("the hook is off: %v", err)
	}
	l = newLinkerRun(t, sample)
	l.env = append(l.env, "FAKE_MODULE=")
	if r, err := l.run(t.Context(), "-flavor", "wasm", "--version"); r != nil || err != nil {
		t.Errorf("--version: %+v %v", r, err)
	}
}

func TestLinkerFails(t *testing.T) {
	l := newLinkerRun(t, sample)
	out := filepath.Join(l.dir, "out.wasm")
	var exit *ExitError
	l.env = append(l.env, "FAKE_CODE=42")
	if _, err := l.run(t.Context(), "-o", out); !errors.As(err, &exit) || exit.Code != 42 || exit.Signal != "" {
		t.Errorf("an exit code: %v", err)
	}
	if exists(out) || exists(NotePath(out)) {
		t.Error("there is an output")
	}
	l.env = append(l.env, "FAKE_CODE=", "FAKE_SIGNAL=1")
	if _, err := l.run(t.Context(), "-o", out); !errors.As(err, &exit) || exit.Code != 128+9 || exit.Signal != "killed" {
		t.Errorf("a signal: %v", err)
	}
	// A linker that ends well and writes nothing, with an old output in its place.
	l.env = append(l.env, "FAKE_SIGNAL=", "FAKE_MODULE=")
	write(t, out, sample)
	var refused *rewrite.RefusedError
	if _, err := l.run(t.Context(), "-o", out); !errors.As(err, &refused) || !bytes.Equal(read(t, out), sample) {
		t.Errorf("no output: %v", err)
	}
	var usage *rewrite.UsageError
	if _, err := l.run(t.Context(), "-o", "-"); !errors.As(err, &usage) {
		t.Errorf("standard output: %v", err)
	}
}

// What cannot be split must not be taken for the result of the build.
func TestLinkerSetsAside(t *testing.T) {
	bindgen := tw.Build(append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte{1}))...)
	l := newLinkerRun(t, bindgen)
	out, kept := filepath.Join(l.dir, "app.wasm"), filepath.Join(l.dir, "app.unsplit.wasm")
	_, err := l.run(t.Context(), "-o", out)
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), kept) || !strings.Contains(debugid.Hint(err), VarHook) {
		t.Errorf("error %v, hint %q", err, debugid.Hint(err))
	}
	if exists(out) || !bytes.Equal(read(t, kept), bindgen) {
		t.Errorf("files: %v", names(t, l.dir))
	}

	l = newLinkerRun(t, sample)
	l.options.Check = &symcheck.Options{}
	out = filepath.Join(l.dir, "app.wasm")
	var failed *debugid.CheckError
	if _, err := l.run(t.Context(), "-o", out); !errors.As(err, &failed) || exists(out) {
		t.Errorf("a check that fails: %v", err)
	}
}

func TestLinkerWarnsOfStripping(t *testing.T) {
	l := newLinkerRun(t, tw.Build(tw.Without(tw.Sample(), ".debug_abbrev", ".debug_info", ".debug_line", ".debug_str")...))
	r, err := l.run(t.Context(), "-flavor", "wasm", "--strip-debug", "-o", filepath.Join(l.dir, "app.wasm"))
	if err != nil || !slices.ContainsFunc(r.Note.Warnings, func(w string) bool { return strings.Contains(w, "--strip-debug") }) {
		t.Errorf("%+v %v", r, err)
	}
}

func TestLinkerWarnsOfObjectsWithoutDebugInformation(t *testing.T) {
	for name, want := range map[string]bool{"a.o": true, "g.o": false} {
		l := newLinkerRun(t, sample)
		objects(t, l.dir)
		r, err := l.run(t.Context(), "-flavor", "wasm", filepath.Join(l.dir, name), filepath.Join(l.dir, "std.rlib"), "-o", filepath.Join(l.dir, "app.wasm"))
		if err != nil || slices.ContainsFunc(r.Note.Warnings, func(w string) bool { return strings.Contains(w, "set debug = true in the profile") }) != want {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func TestLinkerFindsTheLinker(t *testing.T) {
	l := newLinkerRun(t, sample)
	bin := filepath.Join(l.dir, "bin")
	out := filepath.Join(l.dir, "app.wasm")
	rust := filepath.Join(bin, "rust-lld")

	// By name and by path; the program itself is passed over, or refused.
	link := func(from, to string) {
		t.Helper()
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	target, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link(target, filepath.Join(bin, "my-ld"))
	for _, name := range []string{"my-ld", filepath.Join(bin, "my-ld")} {
		l.vars = []string{VarRealLinker, name}
		if _, err := l.run(t.Context(), "-o", out); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.self = target // my-ld and rust-lld are this program now
	var usage *rewrite.UsageError
	if _, err := l.run(t.Context(), "-o", out); !errors.As(err, &usage) {
		t.Errorf("the program itself: %v", err)
	}
	l.vars = nil
	if _, err := l.run(t.Context(), "-o", out); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(debugid.Hint(err), VarRealLinker) {
		t.Errorf("no linker but the program itself: %v", err)
	}
	l.self = ""
	if err := os.Rename(rust, filepath.Join(bin, "wasm-ld")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.run(t.Context(), "-o", out); err != nil {
		t.Errorf("wasm-ld: %v", err)
	}
	// What makes components has another linker.
	if _, err := l.run(t.Context(), "wasm32-wasip2/a.o", "-o", out); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "wasm-component-ld") {
		t.Errorf("for a component: %v", err)
	}
	l.vars = []string{VarRealLinker, "no-such-linker"}
	if _, err := l.run(t.Context(), "-o", out); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), VarRealLinker) {
		t.Errorf("a linker that is not there: %v", err)
	}
	// A script that leads back here would go round for ever.
	l.vars = []string{varInLinker, "1"}
	if _, err := l.run(t.Context(), "-o", out); !errors.As(err, &usage) {
		t.Errorf("within itself: %v", err)
	}
}

// Ctrl-C reaches the linker, and leaves nothing half-done.
func TestLinkerIsInterrupted(t *testing.T) {
	l := newLinkerRun(t, sample)
	running, out := filepath.Join(l.dir, "running"), filepath.Join(l.dir, "app.wasm")
	l.env = append(l.env, "FAKE_WAIT="+running)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(running) && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := l.run(ctx, "-o", out); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if exists(out) || exists(NotePath(out)) || !exists(running+".stopped") {
		t.Errorf("files: %v", names(t, l.dir))
	}

	// During the split the module is linked already. What was interrupted leaves none.
	l = newLinkerRun(t, sample)
	ctx, cancel = context.WithCancel(t.Context())
	l.options.Hash.Progress = func(int64) { cancel() }
	out = filepath.Join(l.dir, "app.wasm")
	if _, err := l.run(ctx, "-o", out); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"args", "linked.wasm"}, without(names(t, l.dir), "bin/rust-lld")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func without(list []string, one string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == one })
}
