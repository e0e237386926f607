package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/hook"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// The exit codes. They are part of the interface: scripts branch on them.
const (
	exitOK          = 0
	exitCheck       = 1   // a check failed or could not be made
	exitUsage       = 2   // the command line is wrong
	exitInput       = 3   // a file is malformed, not a module, or must not be split
	exitFiles       = 4   // a file cannot be opened, read or written
	exitInternal    = 5   // a defect of this program
	exitInterrupted = 130 // Ctrl-C or a request to terminate
)

// exitMeanings is the list of exit codes as help texts print it.
var exitMeanings = []struct {
	code    int
	meaning string
}{
	{exitOK, "success"},
	{exitCheck, "a check failed or could not be made"},
	{exitUsage, "the command line is wrong"},
	{exitInput, "bad input: malformed, not a module, or of a kind that the command refuses"},
	{exitFiles, "a file cannot be opened, read or written"},
	{exitInternal, "a defect of this program"},
	{exitInterrupted, "interrupted; no file is half written"},
}

// usageError is a mistake on the command line.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

// Hint says what to type.
func (e *usageError) Hint() string { return e.hint }

// several are the errors of a command that goes on with the next file after one
// that failed. The first of them decides on the exit code.
type several []error

func (s several) err() error {
	if len(s) == 0 {
		return nil
	}
	return s
}

func (s several) Error() string { return errors.Join(s...).Error() }

// Unwrap returns the first error.
func (s several) Unwrap() error { return s[0] }

// is reports whether err is, or wraps, an error of type T.
func is[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// exitCode maps an error to an exit code. The order matters, because errors
// carry their causes: a failed write can carry what was wrong with the input, and
// a section that could not be read carries the disk's error.
func exitCode(err error) int {
	var child *hook.ExitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &child):
		return child.Code
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return exitInterrupted
	case is[*rewrite.InternalError](err):
		return exitInternal
	case is[*debugid.MismatchError](err), is[*debugid.UnresolvedError](err), is[*debugid.CheckError](err), is[*worseError](err), is[*uncomparableError](err):
		return exitCheck
	case is[*usageError](err), is[*rewrite.UsageError](err):
		return exitUsage
	case errors.Is(err, wasm.ErrRead), is[*fs.PathError](err), is[*os.LinkError](err), is[*os.SyscallError](err), is[syscall.Errno](err),
		errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, os.ErrClosed), errors.Is(err, exec.ErrNotFound), is[*exec.Error](err),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, io.ErrShortWrite):
		return exitFiles
	case is[*wasm.FormatError](err), is[*wasm.NotModuleError](err), errors.Is(err, wasm.ErrNotModule), is[*rewrite.RefusedError](err), is[*debugid.TraceError](err), is[*hook.NothingBuiltError](err),
		errors.Is(err, buildid.ErrMalformed), errors.Is(err, buildid.ErrConflict), errors.Is(err, buildid.ErrAbsent):
		return exitInput
	case is[*atomicfile.Error](err):
		return exitFiles
	}
	return exitInternal
}
