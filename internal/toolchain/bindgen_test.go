//go:build linux

package toolchain

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crate is a copy of testdata/pipelines/wasm-bindgen that is built.
type crate struct {
	dir, linked string // the folder, and the module that the linker wrote
}

// newCrate builds the crate with Debian's Rust, whose library for wasm is compiled
// from its sources.
func newCrate(t *testing.T) *crate {
	t.Helper()
	c := &crate{dir: filepath.Join(t.TempDir(), "cart")}
	if err := os.CopyFS(c.dir, os.DirFS(filepath.Join("..", "..", "testdata", "pipelines", "wasm-bindgen"))); err != nil {
		t.Fatal(err)
	}
	target := variable(t, "WASM_DEBUGID_CARGO_TARGET")
	cmd{dir: c.dir, args: []string{"/usr/bin/cargo", "build", "--release", "-Zbuild-std=std,panic_abort", "--target=wasm32-unknown-unknown"},
		env: []string{"PATH=/usr/bin:/bin", "RUSTC=/usr/bin/rustc", "RUSTC_BOOTSTRAP=1", "RUSTUP_TOOLCHAIN=", "CARGO_INCREMENTAL=0",
			"CARGO_HOME=" + variable(t, "WASM_DEBUGID_CARGO_HOME"), "CARGO_TARGET_DIR=" + target,
			"RUSTFLAGS=-Clink-arg=--build-id", "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=" + tool(t, "wasm-ld-22")}}.run(t)
	c.linked = filepath.Join(target, "wasm32-unknown-unknown", "release", "cart.wasm")
	return c
}

// variable returns what the stage set.
func variable(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("the stage needs %s: run it through .ci/run", name)
	}
	return value
}

// bindgen writes pkg.
func (c *crate) bindgen(t *testing.T, flags ...string) {
	t.Helper()
	args := []string{variable(t, "WASM_DEBUGID_BINDGEN"), "--target", "nodejs", "--out-dir", "pkg", c.linked}
	cmd{dir: c.dir, args: append(args, flags...)}.run(t)
}

// debugid runs the program in the crate's folder.
func (c *crate) debugid(t *testing.T, args ...string) result {
	t.Helper()
	return cmd{dir: c.dir, args: append([]string{program(t)}, args...)}.try(t)
}

// crash uses the package, and returns what it computed and the trace of its panic.
func (c *crate) crash(t *testing.T) (computed, trace string) {
	t.Helper()
	out := cmd{dir: c.dir, args: []string{tool(t, "node"), "crash.cjs"}}.run(t)
	computed, trace, _ = strings.Cut(out, "\n")
	if !strings.Contains(trace, "wasm-function") {
		t.Fatalf("the package did not crash:\n%s", out)
	}
	return computed, trace
}

// places returns the functions of the crate's own sources in a trace that the
// program resolved.
func (c *crate) places(t *testing.T, trace, debug string) []place {
	t.Helper()
	out := cmd{dir: c.dir, stdin: []byte(trace), args: []string{program(t), "symbolicate", "--debug", debug, "--json"}}.run(t)
	var doc symbolicated
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	var all []place
	for _, f := range doc.Frames {
		if !f.Resolved || f.Inferred {
			t.Errorf("%s: resolved %v, inferred %v: %s", f.Text, f.Resolved, f.Inferred, f.Reason)
		}
		for _, x := range f.Frames {
			if strings.HasPrefix(x.File, c.dir+string(filepath.Separator)) {
				all = append(all, place{plainName(x.Function), filepath.Base(x.File), x.Line})
			}
		}
	}
	return all
}

// onlyID returns the build ID of a module, which must have one.
func onlyID(t *testing.T, path string) string {
	t.Helper()
	ids := named(mustSections(t, path, read(t, path)), "build_id")
	if len(ids) != 1 {
		t.Fatalf("%s has %d build IDs", path, len(ids))
	}
	return hex.EncodeToString(ids[0].payload[1:])
}

// TestBindgen splits what wasm-bindgen wrote, runs it in Node.js, and holds the
// trace of a panic against the marks in the crate's source.
func TestBindgen(t *testing.T) {
	stage(t, "wasm-bindgen")
	c := newCrate(t)

	// In front of wasm-bindgen is too early.
	if r := c.debugid(t, "split", c.linked, "-o", "early.wasm"); r.code != 3 || !strings.Contains(r.stderr, "wasm-bindgen --keep-debug first") {
		t.Errorf("split in front of wasm-bindgen: exit code %d, %s", r.code, r.stderr)
	}
	if r := c.debugid(t, "check", c.linked); r.code != 1 || !strings.Contains(r.stdout, "WD130") {
		t.Errorf("check in front of wasm-bindgen: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}

	// Without --keep-debug there is nothing to split.
	c.bindgen(t)
	if r := c.debugid(t, "split", "--in-place", "pkg/cart_bg.wasm", "--check"); r.code != 1 || !strings.Contains(r.stdout+r.stderr, "WD128") {
		t.Errorf("without --keep-debug: split --check: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}

	c.bindgen(t, "--keep-debug")
	shipped := filepath.Join(c.dir, "pkg", "cart_bg.wasm")
	if onlyID(t, shipped) != onlyID(t, c.linked) {
		t.Error("wasm-bindgen does not keep the linker's build ID any more; the recipe says that it does")
	}
	write(t, filepath.Join(c.dir, "unsplit.wasm"), read(t, shipped))
	computed, _ := c.crash(t)

	r := c.debugid(t, "split", "--in-place", "pkg/cart_bg.wasm", "-d", "symbols/cart_bg.debug.wasm", "--external-url", "none", "--check")
	if r.code != 0 {
		t.Fatalf("split: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	t.Log(r.stderr)
	if id := strings.TrimSpace(r.stdout); id == onlyID(t, c.linked) || id != onlyID(t, shipped) {
		t.Errorf("split printed the ID %s; before wasm-bindgen it was %s, in the package it is %s", id, onlyID(t, c.linked), onlyID(t, shipped))
	}
	if r := c.debugid(t, "check", "pkg", "--debug", "symbols", "--require-id", "--require-companion", "--forbid-dwarf", "--forbid-companion"); r.code != 0 {
		t.Errorf("check: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	} else {
		t.Log(r.stdout)
	}
	if r := c.debugid(t, "verify", "pkg/cart_bg.wasm", "symbols/cart_bg.debug.wasm", "--original", "unsplit.wasm"); r.code != 0 {
		t.Errorf("verify: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}

	again, trace := c.crash(t)
	if again != computed {
		t.Errorf("the split module computes %q, the unsplit one %q", again, computed)
	}
	want := marks(t, filepath.Join(c.dir, "src", "lib.rs"))[0]
	for _, debug := range []string{"symbols/cart_bg.debug.wasm", "symbols"} {
		got := c.places(t, trace, debug)
		// Behind them come the functions that wasm-bindgen's macro has made.
		if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
			t.Errorf("%s: (-marked in the source +resolved)\n%s\nof the trace\n%s", debug, diff, trace)
		}
	}
	t.Run("wrapper", func(t *testing.T) { c.wrapped(t) })
	t.Logf("%s\n%s", again, cmd{dir: c.dir, stdin: []byte(trace), args: []string{program(t), "symbolicate", "--debug", "symbols"}}.run(t))
}

// wrapped lets the script that stands for wasm-bindgen on PATH do what trunk asks
// for, with trunk's arguments.
func (c *crate) wrapped(t *testing.T) {
	bin := t.TempDir()
	if err := os.Symlink(program(t), filepath.Join(bin, "wasm-debugid")); err != nil {
		t.Fatal(err)
	}
	symbols := filepath.Join(c.dir, "wrapped-symbols")
	if err := os.Mkdir(symbols, 0o777); err != nil {
		t.Fatal(err)
	}
	real := variable(t, "WASM_DEBUGID_BINDGEN")
	script := []string{filepath.Join(c.dir, "bin", "wasm-bindgen")}
	env := []string{"WASM_BINDGEN=" + real, "WASM_DEBUGID_SYMBOLS=" + symbols, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	version := cmd{dir: c.dir, env: env, args: append(script, "--version")}.run(t)
	if want := (cmd{args: []string{real, "--version"}}).run(t); version != want {
		t.Errorf("the wrapper says that it is %q, not %q", version, want)
	}
	cmd{dir: c.dir, env: env, args: append(script, "--target=web", "--out-dir=wrapped", "--out-name=app", c.linked, "--keep-debug", "--no-typescript")}.run(t)
	if r := c.debugid(t, "check", "wrapped", "--debug", symbols, "--require-id", "--require-companion", "--forbid-dwarf", "--forbid-companion"); r.code != 0 {
		t.Errorf("check: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
