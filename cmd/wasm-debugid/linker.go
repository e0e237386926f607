package main

import (
	"context"
	"io"
	"os"

	"github.com/wasm-debugid/wasm-debugid/hook"
)

// linkerMode stands in for the linker of a toolchain: whatever is on the command
// line belongs to that. Nothing is printed unless something is wrong: rustc makes a
// warning of every word of a linker that ends well, or hides it.
func linkerMode(ctx context.Context, s *streams, args []string, stdin io.Reader) error {
	o, err := hook.ReadOptions(os.Getenv)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	l := hook.Linker{Options: o, Args: args[1:], Getenv: os.Getenv, Self: self, Stdin: stdin, Stdout: s.stdout, Stderr: s.stderr}
	r, err := l.Run(ctx)
	s.hookReport(r, err)
	return err
}
