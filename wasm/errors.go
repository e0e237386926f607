package wasm

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinel errors, matched with errors.Is, for states that a caller branches on.
var (
	// ErrTruncated: the data ends before the item that is being read does.
	ErrTruncated = errors.New("truncated")
	// ErrOverflow: a LEB128 number is longer or larger than its type allows.
	ErrOverflow = errors.New("LEB128 number too large for its type")
	// ErrNotModule: the file is something other than a core module.
	ErrNotModule = errors.New("not a core WebAssembly module")
	// ErrLimit: a count or length in the file exceeds a limit of this package.
	ErrLimit = errors.New("limit exceeded")
	// ErrRead: the bytes could not be read, which says nothing about the format.
	// A file that has become shorter since it was opened is such a case.
	ErrRead = errors.New("the file cannot be read")
	// ErrUnknownOpcode: an instruction that the table does not hold.
	ErrUnknownOpcode = errors.New("unknown opcode")
)

// FormatError says what is wrong with a file and where.
type FormatError struct {
	Off     FileOffset // F of the offending byte
	Section string     // the section, as Section.Label prints it; empty outside of one
	Msg     string     // what was being read and why it failed
	Err     error      // the underlying error, often one of the sentinels; may be nil
}

// Error formats the error as "offset 0x1f in section code: message: cause".
func (e *FormatError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "offset %v", e.Off)
	if e.Section != "" {
		fmt.Fprintf(&b, " in %s", e.Section)
	}
	b.WriteString(": ")
	b.WriteString(e.Msg)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the underlying error.
func (e *FormatError) Unwrap() error { return e.Err }

// readError marks an error of the underlying reader, so that it matches ErrRead.
type readError struct{ err error }

func (e readError) Error() string        { return e.err.Error() }
func (e readError) Unwrap() error        { return e.err }
func (e readError) Is(target error) bool { return target == ErrRead }
