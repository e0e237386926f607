// Command wasm-debugid gives WebAssembly modules a build ID, splits them into a
// production module to ship and a debug companion to keep, and describes what a
// file holds.
//
// The program is thin: it reads arguments, calls the library, and prints. One
// file holds one command; main.go, app.go, args.go, exit.go, flags.go, help.go,
// progress.go and streams.go are what the commands share.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/wasm-debugid/wasm-debugid/hook"
)

func main() {
	os.Exit(withSignals(run))
}

// withSignals runs f with a context that ends when the user or the system asks
// the program to stop. A second request stops it at once.
func withSignals(f func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int) int {
	ctx, stop := context.Background(), func() {}
	if signals := stopSignals(); len(signals) > 0 { // none would mean all
		ctx, stop = signal.NotifyContext(context.Background(), signals...)
	}
	defer stop()
	context.AfterFunc(ctx, stop)
	return f(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
}

// stopSignals returns the signals that ask the program to stop. One that was
// ignored when it began is left alone: nohup ignores SIGHUP, and a shell's
// background job SIGINT.
func stopSignals() []os.Signal {
	var out []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			out = append(out, s)
		}
	}
	return out
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	s := newStreams(ctx, stdin, stdout, stderr)
	defer func() {
		if p := recover(); p != nil {
			code = s.crash(p, debug.Stack())
		}
	}()
	if hook.IsWasmOpt(args, os.Getenv) {
		return s.finish(hook.StandIn(args, os.Getenv))
	}
	if hook.IsLinker(args) {
		return s.finish(linkerMode(ctx, s, args, stdin))
	}
	return s.finish(execute(ctx, s, asCargoCommand(args)))
}
