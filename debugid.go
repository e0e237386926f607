// Package debugid gives WebAssembly modules a build ID and splits them into a
// small production module to ship and a debug companion to keep, so that a crash
// address from the shipped file can be turned into function, file and line.
//
// The calls of this package do what the command line does:
//
//   - [Split] writes a production module and its companion;
//   - [Inject] writes a build ID into a module and changes nothing else;
//   - [Check] proves that crash addresses will resolve, and [Fix] repairs a pair;
//   - [Conform] runs the module in an engine and holds its offsets against the
//     companion, and [Verify] is both proofs with one verdict;
//   - [Diff] compares two builds;
//   - [Info] describes a file;
//   - [Symbolicate] reads stack traces.
//
// They are built on packages that can be used by themselves: [wasm] reads the
// binary format, [buildid] reads, derives and judges IDs, [rewrite] plans outputs
// without writing them, [debugfile] answers code offsets from a companion,
// [stacktrace] reads traces, [symcheck] and [conformance] make the proofs, and
// [report] writes them. Package hook puts a split into builds.
//
// # Errors
//
// Errors carry the path of the file they are about. [errors.As] finds
// [*wasm.FormatError] and [*wasm.NotModuleError] for bad input,
// [*rewrite.RefusedError] for a module that must not be split,
// [*rewrite.UsageError] for options that contradict each other, and
// [*MismatchError] for a module and a companion that do not belong together.
//
// Split, Inject and Fix write all or nothing: after an error what is on disk is the
// old pair or, if the disk did not confirm that it is stored, the new one.
package debugid

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// FileError adds the path of a file to an error.
type FileError struct {
	Path string
	Err  error
}

// Error returns the path and the error. An error of the file system names its path by
// itself.
func (e *FileError) Error() string {
	if p, ok := e.Err.(*fs.PathError); ok && p.Path == e.Path {
		return p.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the error without the path.
func (e *FileError) Unwrap() error { return e.Err }

func fileError(path string, err error) error {
	var have *FileError
	if err == nil || errors.As(err, &have) {
		return err
	}
	return &FileError{path, err}
}

// MismatchError reports a module and a companion that do not belong together.
type MismatchError struct {
	Production, Companion string // paths
	Msg                   string

	hint     string
	sameID   bool // and the companion holds DWARF, so that it is the one that was meant
	recorded bool // the companion has the record of a split
}

// Error names both files.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s and %s do not belong together: %s", e.Production, e.Companion, e.Msg)
}

// Hint says what can be done, where it is known.
func (e *MismatchError) Hint() string { return e.hint }

// Hint returns what to do about an error, or an empty string.
func Hint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	var refused *rewrite.RefusedError
	if errors.As(err, &refused) {
		return refused.Hint
	}
	var format *wasm.FormatError
	if errors.As(err, &format) && errors.Is(err, wasm.ErrTruncated) {
		return "the file is cut off or damaged; write it again"
	}
	return ""
}
