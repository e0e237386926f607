package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// Cargo is one run of cargo whose modules are split.
//
// Cargo has no hook behind a build (https://github.com/rust-lang/cargo/issues/545).
// But it says on standard output which files it has built
// (https://doc.rust-lang.org/cargo/reference/external-tools.html#json-messages), and
// each WebAssembly module among them is split as soon as it is named, also if cargo
// finds it fresh. The names that cargo has for the same file become links to the
// production module, and keep their modification time, so that the next build finds
// everything as it left it.
type Cargo struct {
	Options
	Args   []string                 // of cargo, without the program's name
	Getenv func(name string) string // reads a variable
	Self   string                   // path of this program, which must not be run as cargo
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    []string // of cargo; nil for that of this process
	// Report is told of each module, when cargo has built everything and before it
	// runs anything; it may be nil. What it is given may be a failure.
	Report func(path string, r *Result, err error)
}

// NothingBuiltError reports a build that was to be split and has built no module.
type NothingBuiltError struct{}

// Error says so.
func (*NothingBuiltError) Error() string {
	return "cargo has built no WebAssembly module, so that nothing was split"
}

// Hint says what to look at.
func (*NothingBuiltError) Hint() string {
	return "name the target, for example --target wasm32-unknown-unknown, and see that the package has a program or a library of the type cdylib"
}

// ModulesError reports that some modules of a build could not be split. Each was
// given to Cargo.Report.
type ModulesError struct {
	First error
	Count int
}

// Error counts the modules.
func (e *ModulesError) Error() string {
	if e.Count == 1 {
		return "one module could not be split"
	}
	return fmt.Sprintf("%d modules could not be split", e.Count)
}

// Unwrap returns the first error.
func (e *ModulesError) Unwrap() error { return e.First }

// Hint returns no hint: each module's error had its own.
func (e *ModulesError) Hint() string { return "" }

// varInCargo counts how many cargos run within each other through a hook. A program
// that cargo runs may well build something itself; a script that leads back here for
// ever is noticed.
const varInCargo = "WASM_DEBUGID_IN_CARGO"

// maxCargos bounds how many cargos run within each other.
const maxCargos = 8

// Run runs cargo and returns what was done with each module, in the order in which
// cargo named them. The error is an *ExitError if cargo failed, whatever became of
// the modules that it had built by then.
func (c *Cargo) Run(ctx context.Context) ([]*Result, error) {
	program := cmp.Or(c.Getenv("CARGO"), "cargo") // cargo names itself to its subcommands
	path, err := findProgram(program, "")
	if errors.Is(err, exec.ErrDot) {
		return nil, fmt.Errorf("cargo cannot be run: %w", err)
	}
	if err != nil {
		return nil, &hinted{fmt.Errorf("cargo cannot be run: %w", err), "install Rust, or set CARGO to the path of cargo"}
	}
	depth, _ := strconv.Atoi(c.Getenv(varInCargo))
	switch {
	case isSelf(path, c.Self):
		return nil, &hinted{&rewrite.UsageError{Msg: fmt.Sprintf("%s is wasm-debugid itself, which would call itself without end", path)},
			"set CARGO to the path of cargo, or leave it unset and see that the first cargo on PATH is cargo's own"}
	case depth >= maxCargos:
		return nil, &hinted{&rewrite.UsageError{Msg: fmt.Sprintf("%s calls wasm-debugid in its own place again and again", path)},
			"set CARGO to cargo itself, and to no script that leads back here"}
	}
	line, err := parseCargoArgs(c.Args)
	if err != nil {
		return nil, err
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	env = append(env[:len(env):len(env)], varInCargo+"="+strconv.Itoa(depth+1))
	command := Command{Path: path, Args: c.Args, Env: env, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr}
	if c.Off {
		return nil, command.Run(ctx)
	}
	s := newCargoStream(ctx, c, line, path)
	command.Args, command.Stdout = line.args, s
	err = command.Run(ctx)
	s.end()
	switch {
	case err != nil:
		return s.results, err
	case s.writing != nil:
		return s.results, s.writing
	case s.failed > 0:
		return s.results, &ModulesError{s.first, s.failed}
	case len(s.results) == 0 && line.builds:
		return nil, &NothingBuiltError{}
	}
	return s.results, nil
}
