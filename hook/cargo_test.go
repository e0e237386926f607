//go:build unix

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// cargoRun is a run of the fake cargo, which prints the file script and ends with
// FAKE_CODE.
type cargoRun struct {
	dir            string
	stdout, stderr bytes.Buffer
	env            []string
	options        Options
	script         bytes.Buffer
	reported       []string
}

func newCargoRun(t *testing.T) *cargoRun {
	t.Helper()
	dir := t.TempDir()
	return &cargoRun{dir: dir, env: append(os.Environ(), fakeVariable+"=cargo", "FAKE_SCRIPT="+filepath.Join(dir, "script"), "FAKE_ARGS="+filepath.Join(dir, "args"))}
}

// module puts a module where cargo would, under two names, and returns its path.
func (c *cargoRun) module(t *testing.T, name, deps string, b []byte) string {
	t.Helper()
	path := filepath.Join(c.dir, "target", "release", name)
	kept := filepath.Join(c.dir, "target", "release", "deps", deps)
	write(t, kept, b)
	link(t, kept, path)
	return path
}

// artifact has cargo report files.
func (c *cargoRun) artifact(t *testing.T, debug string, files ...string) {
	t.Helper()
	names, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&c.script, `{"reason":"compiler-artifact","manifest_path":"/x/Cargo.toml","target":{"kind":["bin"]},"profile":{"debuginfo":%s},"filenames":%s,"fresh":false}`+"\n", debug, names)
}

const finished = `{"reason":"build-finished","success":true}` + "\n"

func (c *cargoRun) run(t *testing.T, args ...string) ([]*Result, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(c.dir, "script"), c.script.Bytes())
	run := Cargo{Options: c.options, Args: args, Getenv: variables("CARGO", self), Env: c.env, Stdout: &c.stdout, Stderr: &c.stderr,
		Report: func(path string, r *Result, err error) { c.reported = append(c.reported, filepath.Base(path)) }}
	return run.Run(t.Context())
}

func TestCargoSplitsEveryModule(t *testing.T) {
	c := newCargoRun(t)
	other := tw.Build(tw.Without(tw.Sample(), "data", "datacount")...)
	lib := c.module(t, "my_app.wasm", "my_app.wasm", sample)
	bin := c.module(t, "my-app.wasm", "my_app-0123456789abcdef.wasm", other)
	test := filepath.Join(c.dir, "target", "release", "deps", "it-0123456789abcdef.wasm")
	write(t, test, sample)
	rlib, host := filepath.Join(c.dir, "target", "release", "libmy_app.rlib"), filepath.Join(c.dir, "target", "release", "build-script")
	write(t, rlib, []byte("!<arch>\n"))
	write(t, host, []byte("\x7fELF"))
	past := time.Unix(1_700_000_000, 0)
	for _, path := range []string{lib, bin, test} {
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	c.artifact(t, "0", host)
	c.artifact(t, "2", lib, rlib)
	c.artifact(t, "2", bin)
	c.artifact(t, "2", test)
	c.script.WriteString(finished)
	rs, err := c.run(t, "build", "--release")
	if err != nil || len(rs) != 3 {
		t.Fatalf("%d results: %v", len(rs), err)
	}
	if diff := cmp.Diff([]string{"my_app.wasm", "my-app.wasm", "it-0123456789abcdef.wasm"}, c.reported); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
	if got := string(read(t, filepath.Join(c.dir, "args"))); got != "build\n--message-format=json-render-diagnostics\n--release" {
		t.Errorf("cargo was given %q", got)
	}
	if c.stdout.Len() > 0 || c.stderr.String() != "cargo: err\n" {
		t.Errorf("streams: %q %q", c.stdout.String(), c.stderr.String())
	}
	for path, kept := range map[string]string{lib: "my_app.wasm", bin: "my_app-0123456789abcdef.wasm", test: "it-0123456789abcdef.wasm"} {
		kept = filepath.Join(c.dir, "target", "release", "deps", kept)
		mustPair(t, path)
		mustPair(t, kept)
		info, err := os.Stat(path)
		if err != nil || !isSame(path, kept) || !info.ModTime().Equal(past) {
			t.Errorf("%s: linked %v, changed at %v", path, isSame(path, kept), info.ModTime())
		}
	}

	// The same again, as cargo reports what is fresh.
	before, when := tree(t, c.dir), times(t, c.dir)
	rs, err = c.run(t, "build", "--release")
	if err != nil || len(rs) != 3 {
		t.Fatalf("%d results: %v", len(rs), err)
	}
	for _, r := range rs {
		if r.Changed || !r.Split.Already {
			t.Errorf("%s changed", r.Path)
		}
	}
	after := times(t, c.dir)
	for _, name := range []string{"args", "args.depth", "script"} {
		delete(when, name)
		delete(after, name)
	}
	if diff := cmp.Diff(before, tree(t, c.dir)) + cmp.Diff(when, after); diff != "" {
		t.Errorf("the second run:\n%s", diff)
	}
}

// What the program prints that cargo runs is its own, whatever it looks like, and
// so is what is no message.
func TestCargoPassesOutputThrough(t *testing.T) {
	c := newCargoRun(t)
	app := c.module(t, "app.wasm", "app.wasm", sample)
	c.script.WriteString("no message\n{\"no\": \"reason\"}\n")
	c.artifact(t, "2", app)
	c.script.WriteString(finished)
	printed := "{\"reason\":\"compiler-artifact\",\"filenames\":[\"/none.wasm\"]}\nno line feed"
	c.script.WriteString(printed)
	if _, err := c.run(t, "run"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("no message\n{\"no\": \"reason\"}\n"+printed, c.stdout.String()); diff != "" {
		t.Error(diff)
	}
	mustPair(t, app)

	// However the output is cut into pieces.
	for _, size := range []int{1, 2, 7, 64} {
		var out bytes.Buffer
		s := newCargoStream(t.Context(), &Cargo{Stdout: &out}, cargoLine{}, "")
		for rest := c.script.Bytes(); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			if _, err := s.Write(rest[:min(size, len(rest))]); err != nil {
				t.Fatal(err)
			}
		}
		s.end()
		if diff := cmp.Diff(c.stdout.String(), out.String()); diff != "" || len(s.results) != 1 || s.failed > 0 {
			t.Errorf("in pieces of %d bytes: %d results, %d failures\n%s", size, len(s.results), s.failed, diff)
		}
	}

	// Messages that were asked for are passed on as they are.
	c.stdout.Reset()
	if _, err := c.run(t, "run", "--message-format=json"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.script.String(), c.stdout.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCargoFailures(t *testing.T) {
	// Cargo's code is kept, and what it had built is split.
	c := newCargoRun(t)
	app := c.module(t, "app.wasm", "app.wasm", sample)
	c.artifact(t, "2", app)
	c.script.WriteString(`{"reason":"build-finished","success":false}` + "\n")
	c.env = append(c.env, "FAKE_CODE=101")
	var exit *ExitError
	if rs, err := c.run(t, "build"); !errors.As(err, &exit) || exit.Code != 101 || len(rs) != 1 {
		t.Errorf("%d results, %v", len(rs), err)
	}
	mustPair(t, app)

	// One module that cannot be split does not keep the others from it.
	c = newCargoRun(t)
	bindgen := c.module(t, "bindgen.wasm", "bindgen.wasm", tw.Build(append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte{1}))...))
	app = c.module(t, "app.wasm", "app.wasm", sample)
	c.artifact(t, "2", bindgen)
	c.artifact(t, "2", app)
	c.script.WriteString(finished)
	var several *ModulesError
	var refused *rewrite.RefusedError
	_, err := c.run(t, "build")
	if !errors.As(err, &several) || several.Count != 1 || !errors.As(err, &refused) || len(c.reported) != 2 {
		t.Errorf("error %v, reported %q", err, c.reported)
	}
	mustPair(t, app)
	if !hasDebug(t, bindgen) {
		t.Error("a module that awaits wasm-bindgen was split")
	}

	// A build that makes no module is no success; one that only tests may have none.
	c = newCargoRun(t)
	c.artifact(t, "2", filepath.Join(c.dir, "program"))
	c.script.WriteString(finished)
	var nothing *NothingBuiltError
	if _, err := c.run(t, "build"); !errors.As(err, &nothing) || debugid.Hint(err) == "" {
		t.Errorf("nothing built: %v", err)
	}
	if _, err := c.run(t, "test"); err != nil {
		t.Errorf("nothing to test: %v", err)
	}
	c.options.Off = true
	if _, err := c.run(t, "clippy-is-cargos-business"); err == nil {
		t.Error("an unknown command passed")
	}
	if _, err := c.run(t, "build", "--release"); err != nil || string(read(t, filepath.Join(c.dir, "args"))) != "build\n--release" {
		t.Errorf("the hook is off: %v", err)
	}

	run := Cargo{Args: []string{"build"}, Getenv: variables("CARGO", filepath.Join(t.TempDir(), "none"))}
	if _, err := run.Run(t.Context()); err == nil || !strings.Contains(debugid.Hint(err), "CARGO") {
		t.Errorf("no cargo: %v", err)
	}
}

func TestCargoWarnsWithoutDebugInformation(t *testing.T) {
	c := newCargoRun(t)
	app := c.module(t, "app.wasm", "app.wasm", sample)
	c.artifact(t, "0", app)
	c.script.WriteString(finished)
	rs, err := c.run(t, "build")
	if err != nil || len(rs[0].Note.Warnings) != 1 || !strings.Contains(rs[0].Note.Warnings[0], "debug = true") {
		t.Errorf("%+v %v", rs, err)
	}
}

// Cargo can keep what it builds apart from what people look for, and put further
// links elsewhere.
func TestCargoWithFoldersApart(t *testing.T) {
	c := newCargoRun(t)
	kept := filepath.Join(c.dir, "build", "release", "deps", "app-0123456789abcdef.wasm")
	app, exported := filepath.Join(c.dir, "target", "release", "app.wasm"), filepath.Join(c.dir, "out", "app.wasm")
	write(t, kept, sample)
	link(t, kept, app)
	link(t, kept, exported)
	c.env = append(c.env, fmt.Sprintf(`FAKE_METADATA={"target_directory":%q,"build_directory":%q}`, filepath.Join(c.dir, "default"), filepath.Join(c.dir, "build")))
	c.artifact(t, "2", app)
	c.script.WriteString(finished)
	if _, err := c.run(t, "--config", "a=1", "build", "--config=b=2", "--target-dir", filepath.Join(c.dir, "target"), "--artifact-dir", filepath.Dir(exported)); err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, filepath.Join(c.dir, "args.metadata"))); !strings.HasSuffix(got, "--config\na=1\n--config\nb=2") {
		t.Errorf("cargo metadata was given %q", got)
	}
	for _, path := range []string{kept, app, exported} {
		mustPair(t, path)
	}
}

// What is called cargo and leads back here would go round for ever.
func TestCargoIsNotTheProgramItself(t *testing.T) {
	c := newCargoRun(t)
	app := c.module(t, "app.wasm", "app.wasm", sample)
	c.artifact(t, "2", app)
	c.script.WriteString(finished)
	write(t, filepath.Join(c.dir, "script"), c.script.Bytes())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(c.dir, "bin", "cargo")
	if err := os.Mkdir(filepath.Dir(bin), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(bin))
	for name, vars := range map[string][]string{"CARGO": {"CARGO", bin}, "PATH": nil, "for ever": {"CARGO", bin, varInCargo, "8"}} {
		for _, off := range []bool{false, true} {
			run := Cargo{Options: Options{Off: off}, Args: []string{"build"}, Getenv: variables(vars...), Self: self, Env: c.env, Stdout: &c.stdout, Stderr: &c.stderr}
			if name == "for ever" {
				run.Self = ""
			}
			var usage *rewrite.UsageError
			if _, err := run.Run(t.Context()); !errors.As(err, &usage) || !strings.Contains(debugid.Hint(err), "CARGO") {
				t.Errorf("%s, off is %v: %v", name, off, err)
			}
		}
	}
	// Cargo learns how deep it is.
	run := Cargo{Args: []string{"build"}, Getenv: variables("CARGO", bin, varInCargo, "1"), Env: c.env, Stdout: &c.stdout, Stderr: &c.stderr}
	if _, err := run.Run(t.Context()); err != nil || string(read(t, filepath.Join(c.dir, "args.depth"))) != "2" {
		t.Errorf("%v", err)
	}
}
