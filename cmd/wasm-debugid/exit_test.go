package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func TestExitCode(t *testing.T) {
	pathError := &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}
	for _, tt := range []struct {
		want int
		err  error
	}{
		{0, nil},
		{1, &debugid.MismatchError{}},
		{1, &debugid.FileError{Path: "x", Err: &debugid.MismatchError{}}},
		{2, &usageError{}},
		{2, &rewrite.UsageError{}},
		{3, &wasm.FormatError{Err: wasm.ErrTruncated}},
		{3, &wasm.NotModuleError{}},
		{3, &debugid.FileError{Path: "x", Err: &rewrite.RefusedError{}}},
		{3, fmt.Errorf("x: %w", buildid.ErrMalformed)},
		{3, &buildid.ConflictError{}},
		{3, buildid.ErrAbsent},
		{3, several{&wasm.NotModuleError{}, pathError}},
		{4, pathError},
		{4, &os.LinkError{Err: syscall.EXDEV}},
		{4, &os.SyscallError{Err: syscall.EIO}},
		{4, fmt.Errorf("x: %w", syscall.ENOSPC)},
		{4, &atomicfile.Error{Err: syscall.ENOSPC}},
		{4, &atomicfile.Error{Err: errors.New("is a directory")}},
		{4, &wasm.FormatError{Err: pathError}},           // the disk failed
		{4, &wasm.FormatError{Err: io.ErrUnexpectedEOF}}, // the file shrank
		{4, fmt.Errorf("x: %w", &exec.Error{Name: "x", Err: exec.ErrDot})},
		{4, fmt.Errorf("x: %w", exec.ErrNotFound)},
		{4, &hinted{pathError, "create it"}},
		{5, &rewrite.InternalError{}},
		{5, &atomicfile.Error{Err: &rewrite.InternalError{}}},
		{5, errors.New("something that nobody thought of")},
		{130, context.Canceled},
		{130, &atomicfile.Error{Err: context.Canceled}},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%T %v: %d, want %d", tt.err, tt.err, got, tt.want)
		}
	}
}

// TestCodesAreExplained: help explains every code that exitCode returns.
func TestCodesAreExplained(t *testing.T) {
	explained := map[int]bool{}
	for _, m := range exitMeanings {
		explained[m.code] = true
	}
	for _, code := range []int{exitOK, exitCheck, exitUsage, exitInput, exitFiles, exitInternal, exitInterrupted} {
		if !explained[code] {
			t.Errorf("%d is not explained", code)
		}
	}
}
