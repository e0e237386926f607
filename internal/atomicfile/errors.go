package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Error is the error of every call of this package that concerns one file. Its text says what could
// not be done, why, and in what state the existing files are.
type Error struct {
	// Op is what could not be done: "write", "replace", "store", "compare" and the like.
	Op string
	// Path is the file as the caller named it.
	Path string
	// Err is the cause; errors.Is and errors.As see it.
	Err error

	// state ends the text: what the user finds on disk now.
	state string
}

const (
	stateUntouched = "existing files are as they were"
	statePlaced    = "the new files are in place, but the disk did not confirm that they are stored"
)

// Error returns the whole message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("cannot ")
	b.WriteString(e.Op)
	b.WriteString(" ")
	b.WriteString(e.Path)
	b.WriteString(": ")
	b.WriteString(e.Err.Error())
	if e.state != "" {
		b.WriteString("; ")
		b.WriteString(e.state)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fail makes an *Error about path out of err, unless it is one already.
func fail(op, path string, err error) error {
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	return &Error{Op: op, Path: path, Err: err, state: stateUntouched}
}

// cause takes the operation and the name of a temporary off an error of package os: the user knows
// neither.
func cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	case *os.SyscallError:
		return e.Err
	}
	return err
}
