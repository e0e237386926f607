//go:build unix

package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// A module that cannot be split must not stay under its name, whatever has the
// name that it would be kept under.
func TestSetAsideFindsAName(t *testing.T) {
	bindgen := tw.Build(append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte{1}))...)
	l := newLinkerRun(t, bindgen)
	out := filepath.Join(l.dir, "app.wasm")
	write(t, filepath.Join(l.dir, "app.unsplit.wasm", "x"), nil)
	_, err := l.run(t.Context(), "-o", out)
	kept := filepath.Join(l.dir, "app.unsplit-2.wasm")
	if err == nil || !strings.Contains(err.Error(), kept) || exists(out) || string(read(t, kept)) != string(bindgen) {
		t.Errorf("%v; %v", err, names(t, l.dir))
	}

	// No name is left.
	for _, n := range strings.Split("23456789", "") {
		path := filepath.Join(l.dir, "app.unsplit-"+n+".wasm")
		os.Remove(path)
		write(t, filepath.Join(path, "x"), nil)
	}
	_, err = l.run(t.Context(), "-o", out)
	if err == nil || !strings.Contains(err.Error(), "the linked module was removed") || exists(out) {
		t.Errorf("%v; %v", err, names(t, l.dir))
	}
	if err := discard(os.DevNull); err == nil || !exists(os.DevNull) {
		t.Error("a device was removed")
	}
}

// Where no note can be written nothing else is.
func TestSplitLooksAtTheNotesPlace(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a directory": func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o644) },
	} {
		dir := t.TempDir()
		deps, home := filepath.Join(dir, "deps", "app.wasm"), filepath.Join(dir, "app.wasm")
		for _, at := range []string{deps, home} {
			write(t, deps, sample)
			if err := make(NotePath(at)); err != nil {
				t.Fatal(err)
			}
			var refused *rewrite.RefusedError
			_, err := Split(t.Context(), Options{}, Job{Path: deps, Home: home})
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), NotePath(at)) {
				t.Errorf("%s: %v", name, err)
			}
			if string(read(t, deps)) != string(sample) || exists(filepath.Join(dir, "deps", "app.debug.wasm")) {
				t.Errorf("%s: something was written", name)
			}
			if err := os.Remove(NotePath(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
