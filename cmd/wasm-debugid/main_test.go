package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts in testdata/script expect")

// TestMain makes the test binary stand in for the program, and for two helpers of
// the scripts, so that scripts run real processes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"wasm-debugid":  main,
		"cargo-debugid": main,
		"wasm-opt":      main, // as the stand-in that clang finds
		"mkmodule":      func() { os.Exit(helper(makeModule)) },
		"samepair":      func() { os.Exit(helper(samePair)) },
		"rc":            func() { os.Exit(rc(os.Args[1:])) },
	})
}

func helper(f func(args []string) error) int {
	if err := f(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// rc runs a command and succeeds if its exit code is the one given first. It
// passes the streams through, so that scripts can look at them.
func rc(args []string) int {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		fmt.Fprintf(os.Stderr, "rc: exit code %d, want %d\n", got, want)
		return 1
	}
	return 0
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			corpus, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
			env.Setenv("TESTDATA", corpus)
			return err
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "devfull":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// result is what one run in this process left behind.
type result struct {
	code           int
	stdout, stderr string
}

// try runs the program in this process.
func try(t *testing.T, args ...string) result {
	t.Helper()
	return tryWith(t, context.Background(), nil, args...)
}

func tryWith(t *testing.T, ctx context.Context, stdin io.Reader, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(ctx, append([]string{program}, args...), stdin, &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// want checks a code and that the streams hold these texts; an empty text means
// an empty stream.
func (r result) want(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	for _, s := range []struct{ name, got, want string }{{"stdout", r.stdout, stdout}, {"stderr", r.stderr, stderr}} {
		if s.want == "" && s.got != "" || !strings.Contains(s.got, s.want) {
			t.Errorf("%s is %q, want %q", s.name, s.got, s.want)
		}
	}
}
