package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// build writes one of two modules of a size whose split takes some milliseconds.
func build(t *testing.T, name string, seed uint64) {
	t.Helper()
	b, err := tw.BigModule{CodeBytes: 1 << 20, DebugBytes: 4 << 20, Funcs: 2000, Names: true, Seed: seed}.Open()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := b.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestKilled kills real runs with SIGKILL at random moments, in place and onto
// other names. After each of them no split module is without its companion, and
// the next run completes and leaves nothing behind. The deterministic version,
// which stops at every single step, is in internal/atomicfile.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process is not killed at a random moment there")
	}
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.wasm"), filepath.Join(dir, "two.wasm")
	build(t, one, 1)
	build(t, two, 2)
	place := filepath.Join(dir, "place")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	app, debug := filepath.Join(place, "app.wasm"), filepath.Join(place, "app.debug.wasm")

	rounds, killed := 12, 0
	if testing.Short() {
		rounds = 6
	}
	full := time.Duration(0)
	for i := range rounds {
		in := []string{one, two}[i%2]
		args := []string{"split", "-q", in, "-o", app}
		if i%4 >= 2 { // a build has written its module over the old one
			b, err := os.ReadFile(in)
			if err == nil {
				err = os.WriteFile(app, b, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			args = []string{"split", "-q", "--in-place", app}
		}
		cmd := exec.Command(program, args...)
		begin := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if full > 0 {
			// Up to a little beyond the end of an undisturbed run.
			time.Sleep(time.Duration(rand.Int64N(int64(full * 6 / 5))))
			cmd.Process.Kill()
		}
		err := cmd.Wait()
		if full == 0 {
			full = time.Since(begin)
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == -1 {
			killed++
		} else if err != nil {
			t.Fatal(err)
		}
		whole(t, in, app, debug)

		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("the run after a killed one: %v\n%s", err, out)
		}
		if err := samePair([]string{in, app, debug}); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(place)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			// A run that died when both files were in place may leave the empty lock
			// file of the production module: the next run finds nothing to write and
			// so has no use for that lock.
			if n := e.Name(); n != "app.wasm" && n != "app.debug.wasm" && n != ".app.wasm.wasm-debugid-lock" {
				t.Errorf("left behind: %s", n)
			}
		}
	}
	t.Logf("%d of %d runs were killed; an undisturbed one takes %v", killed, rounds, full)
}

// whole checks what a killed run has left: the module at its place is either not
// split at all, or its companion lies beside it, under its own name or kept under
// the name that the documentation gives.
func whole(t *testing.T, in, app, debug string) {
	t.Helper()
	b, err := os.ReadFile(app)
	if os.IsNotExist(err) {
		return // never written yet
	}
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte(".debug_info")) {
		if want, err := os.ReadFile(in); err != nil || !bytes.Equal(b, want) {
			t.Fatalf("the module at its place is neither the input nor a split one (%v)", err)
		}
		return
	}
	for _, companion := range []string{debug, debug + ".prev"} {
		for _, origin := range []string{"one.wasm", "two.wasm"} {
			if samePair([]string{filepath.Join(filepath.Dir(in), origin), app, companion}) == nil {
				return
			}
		}
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(app), "*"))
	t.Fatalf("a split module without its companion; there are %s", strings.Join(names, " "))
}
