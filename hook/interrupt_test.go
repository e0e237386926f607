//go:build unix

package hook

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// cancelWhen returns a context that ends when a file appears.
func cancelWhen(t *testing.T, path string) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(path) && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	return ctx
}

// What the linker has written before it was interrupted is nobody's to split.
func TestLinkerIsInterruptedAfterItHasWritten(t *testing.T) {
	for _, off := range []bool{false, true} {
		l := newLinkerRun(t, sample)
		l.options.Off = off
		running, done, out := filepath.Join(l.dir, "running"), filepath.Join(l.dir, "written"), filepath.Join(l.dir, "app.wasm")
		l.env = append(l.env, "FAKE_WAIT="+running, "FAKE_WRITTEN="+done)
		var removed *InterruptedError
		if _, err := l.run(cancelWhen(t, done), "-o", out); !errors.Is(err, context.Canceled) || errors.As(err, &removed) == off {
			t.Errorf("error %v", err)
		}
		if !exists(done) || exists(out) != off {
			t.Errorf("off is %v, files: %v", off, names(t, l.dir))
		}
	}
	// What it has not written stays.
	l := newLinkerRun(t, sample)
	running, out := filepath.Join(l.dir, "running"), filepath.Join(l.dir, "app.wasm")
	write(t, out, sample)
	l.env = append(l.env, "FAKE_WAIT="+running)
	if _, err := l.run(cancelWhen(t, running), "-o", out); !errors.Is(err, context.Canceled) || !exists(out) {
		t.Errorf("error %v, files: %v", err, names(t, l.dir))
	}
}

func TestCompilerIsInterruptedAfterItHasWritten(t *testing.T) {
	c := newCompilerRun(t, "emcc", "trap 'exit 1' TERM; cp $MODULE app.wasm; echo js > app.js; touch written; while :; do sleep 0.01; done\n", "-g", "a.o", "-o", "app.js")
	c.Getenv = variables()
	if _, err := c.Run(cancelWhen(t, "written")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !exists("written") || exists("app.wasm") || exists("app.js") {
		t.Errorf("files: %v", names(t, "."))
	}
}

// Once the pair is in place it is finished: a companion without its module would be
// left otherwise, because linker mode removes the module.
func TestSplitFinishesWhatIsInPlace(t *testing.T) {
	l := newLinkerRun(t, sample)
	out := filepath.Join(l.dir, "app.wasm")
	ctx := endsWhen{t.Context(), filepath.Join(l.dir, "app.debug.wasm"), out}
	if _, err := l.run(ctx, "-o", out); err != nil {
		t.Error(err)
	}
	if ctx.Err() == nil {
		t.Error("the context has not ended")
	}
	want := []string{"app.debug.wasm", "app.debugid.json", "app.wasm", "args", "linked.wasm"}
	if diff := cmp.Diff(want, without(names(t, l.dir), "bin/rust-lld")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// endsWhen is a context that has ended once the companion and its module are there.
type endsWhen struct {
	context.Context
	companion, module string
}

func (c endsWhen) Err() error {
	if p, err := leadsTo(c.module); err == nil && p == c.companion && exists(p) {
		return context.Canceled
	}
	return nil
}

// leadsTo returns where a module's pointer leads; empty for one without.
func leadsTo(module string) (string, error) {
	l, _, err := look(module)
	path, _ := symcheck.PointerPath(module, l.pointer)
	return path, err
}
