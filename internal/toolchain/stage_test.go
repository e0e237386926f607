//go:build linux

package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// stageVariable names the stage of .ci/run that is running.
const stageVariable = "WASM_DEBUGID_STAGE"

// stage skips the test unless the named stage is running.
func stage(t *testing.T, name string) {
	t.Helper()
	if have := os.Getenv(stageVariable); have != name {
		t.Skipf("belongs to the stage %q: .ci/run %s", name, name)
	}
}

// scratch is removed when all tests are done.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "wasm-debugid-stage-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// tool returns the path of a program, which a stage must have.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("the stage needs %s: %v", name, err)
	}
	return path
}

// npmTool returns a file in the folder of npm packages that the stage installed.
func npmTool(t *testing.T, parts ...string) string {
	t.Helper()
	root := os.Getenv("WASM_DEBUGID_NPM")
	if root == "" {
		t.Fatal("the stage needs WASM_DEBUGID_NPM: run it through .ci/run")
	}
	path := filepath.Join(append([]string{root, "node_modules"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// sources returns the path of a file under testdata/src/toolchains.
func sources(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "src", "toolchains", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// result is what a command did.
type result struct {
	code           int
	stdout, stderr string
}

// cmd is a command with its surroundings.
type cmd struct {
	dir   string
	env   []string // added to the environment
	stdin []byte
	args  []string
}

const commandLimit = 10 * time.Minute

// try runs the command and returns its exit code and output.
func (c cmd) try(t *testing.T) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	p := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	p.Dir = c.dir
	p.Env = append(os.Environ(), c.env...)
	p.Stdin = bytes.NewReader(c.stdin)
	var stdout, stderr bytes.Buffer
	p.Stdout, p.Stderr = &stdout, &stderr
	err := p.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%s: %v\n%s", strings.Join(c.args, " "), err, stderr.String())
	}
	return result{p.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// run runs the command, which must succeed, and returns what it printed.
func (c cmd) run(t *testing.T) string {
	t.Helper()
	r := c.try(t)
	if r.code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s", strings.Join(c.args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

var build struct {
	sync.Once
	path string
	out  []byte
	err  error
}

// program returns the path of the command-line program: the one that
// WASM_DEBUGID_PROGRAM names, or one that is built once.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("WASM_DEBUGID_PROGRAM"); path != "" {
		return path
	}
	build.Do(func() {
		build.path = filepath.Join(scratch, "wasm-debugid")
		c := exec.Command("go", "build", "-o", build.path, "../../cmd/wasm-debugid")
		c.Env = append(os.Environ(), "CGO_ENABLED=0") // as released
		build.out, build.err = c.CombinedOutput()
	})
	if build.err != nil {
		t.Fatalf("building the program: %v\n%s", build.err, build.out)
	}
	return build.path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
