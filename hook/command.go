package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// ExitError says that a program which a hook stands in for has failed. It has said
// why by itself; all that is left is to end with its code.
type ExitError struct {
	Program string
	Code    int    // of the program; 128 and the number of the signal that ended it
	Signal  string // the name of that signal; empty if there was none
}

// Error names the program and the code.
func (e *ExitError) Error() string {
	if e.Signal != "" {
		return fmt.Sprintf("%s was ended by a signal: %s", e.Program, e.Signal)
	}
	return fmt.Sprintf("%s ended with exit code %d", e.Program, e.Code)
}

// Command is a program that a hook runs in its own place, with the streams that it
// has itself.
type Command struct {
	Path           string   // of the program
	Args           []string // without the program's name
	Env            []string // nil for the environment of this process
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// stopDelay is how long a program has to end when it was asked to, before it is
// killed.
const stopDelay = 10 * time.Second

// Run runs the program to its end. The error is an *ExitError if it failed by
// itself, the context's error if that ended first, and otherwise says why it could
// not be run. When the context ends the program is asked to stop, as it would be if
// it had been called directly, and waited for, so that it can clear up.
func (c *Command) Run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Stdin, c.Stdout, c.Stderr
	cmd.Cancel = func() error { return askToStop(cmd.Process) }
	cmd.WaitDelay = stopDelay
	copied, err := c.pipe(cmd)
	if err != nil {
		return err
	}
	err = cmd.Start()
	copied.started()
	if err != nil {
		return &startError{c.Path, err}
	}
	err = cmd.Wait()
	copied.wait(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.failure(err)
}

// failure names the failure of a program that has ended.
func (c *Command) failure(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // something that it left running holds its streams
		return nil
	case errors.As(err, &exit):
		e := &ExitError{Program: c.Path, Code: exit.ExitCode()}
		if n, name := endingSignal(exit.ProcessState); n != 0 {
			e.Code, e.Signal = 128+n, name
		}
		return e
	}
	return &startError{c.Path, err}
}

// pipe connects the program's standard output with a writer that is no file. The
// pipe that package exec would make is cut off some time after the program has
// ended, and whoever writes to a pager would lose the rest.
func (c *Command) pipe(cmd *exec.Cmd) (*copying, error) {
	if _, ok := c.Stdout.(*os.File); ok || c.Stdout == nil {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	return &copying{to: c.Stdout, r: r, w: w, done: make(chan struct{})}, nil
}

// copying copies a program's output.
type copying struct {
	to   io.Writer
	r, w *os.File
	done chan struct{}
}

// started begins to copy; the program has its own end of the pipe by now.
func (c *copying) started() {
	if c == nil {
		return
	}
	c.w.Close()
	go func() {
		io.Copy(c.to, c.r) // the writer remembers its failures
		c.r.Close()        // and the program is told that nobody reads any more
		close(c.done)
	}()
}

// wait waits until everything is copied; not for ever once the context has ended,
// because what the program started may go on.
func (c *copying) wait(ctx context.Context) {
	if c == nil {
		return
	}
	select {
	case <-c.done:
		return
	case <-ctx.Done():
	}
	select {
	case <-c.done:
	case <-time.After(stopDelay):
		c.r.Close()
	}
}

// startError reports a program that cannot be run.
type startError struct {
	path string
	err  error
}

// Error names the program.
func (e *startError) Error() string { return fmt.Sprintf("cannot run %s: %v", e.path, e.err) }

// Unwrap returns the cause.
func (e *startError) Unwrap() error { return e.err }

// isSelf reports whether a path is this very program, whose path is given too.
func isSelf(path, self string) bool {
	return self != "" && isSame(path, self)
}
