//go:build linux

package toolchain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rustBuild is the crate of testdata/pipelines/cargo in a folder of its own, with
// Debian's Rust, whose library for wasm is built from source.
type rustBuild struct {
	dir, crate string
	env        []string
}

func newRustBuild(t *testing.T) *rustBuild {
	t.Helper()
	b := &rustBuild{dir: t.TempDir()}
	b.crate = filepath.Join(b.dir, "crate")
	if err := os.CopyFS(b.crate, os.DirFS(filepath.Join("..", "..", "testdata", "pipelines", "cargo"))); err != nil {
		t.Fatal(err)
	}
	vendor := strings.TrimSpace(cmd{args: []string{"/usr/bin/rustc", "--print", "sysroot"}}.run(t)) + "/lib/rustlib/src/rust/library/vendor"
	if _, err := os.Stat(vendor); err != nil {
		t.Fatalf("the stage needs Rust's sources: %v", err)
	}
	write(t, filepath.Join(b.dir, "home", "config.toml"), []byte("[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \""+vendor+"\"\n"))
	bin := filepath.Join(b.dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wasm-debugid", "cargo-debugid"} {
		if err := os.Symlink(program(t), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.env = []string{"PATH=" + bin + ":/usr/bin:/bin", "RUSTC=/usr/bin/rustc", "RUSTC_BOOTSTRAP=1", "CARGO_HOME=" + filepath.Join(b.dir, "home"),
		"CARGO_INCREMENTAL=0", "RUSTUP_TOOLCHAIN=", "RUSTFLAGS=", "CARGO_TARGET_DIR=" + filepath.Join(b.crate, "target"), "CARGO_TERM_COLOR=never"}
	return b
}

// cargo runs cargo, which must succeed, and returns both of its streams.
func (b *rustBuild) cargo(t *testing.T, args ...string) result {
	t.Helper()
	r := cmd{dir: b.crate, env: b.env, args: append([]string{"/usr/bin/cargo"}, args...)}.try(t)
	if r.code != 0 {
		t.Fatalf("cargo %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// release returns a path in the folder with the results of a release build.
func (b *rustBuild) release(target string, parts ...string) string {
	return filepath.Join(append([]string{b.crate, "target", target, "release"}, parts...)...)
}

// state returns contents, inode and modification time of all files that belong to
// modules.
func (b *rustBuild) state(t *testing.T, target string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range []string{b.release(target), b.release(target, "deps")} {
		for _, pattern := range []string{"*.wasm", "*.debugid.json"} {
			paths, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				all[path] = fmt.Sprintf("%x %v", digestOf(t, path), info.ModTime().UnixNano())
			}
		}
	}
	return all
}

// bytesOf leaves the times out.
func bytesOf(state map[string]string) map[string]string {
	out := map[string]string{}
	for path, s := range state {
		out[path], _, _ = strings.Cut(s, " ")
	}
	return out
}

// marks reads the lines that the sources mark: "lib.rs:25" for trap.
func (b *rustBuild) marks(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"lib.rs", "main.rs"} {
		lines := bufio.NewScanner(bytes.NewReader(read(t, filepath.Join(b.crate, "src", name))))
		for n := 1; lines.Scan(); n++ {
			if _, mark, ok := strings.Cut(lines.Text(), "// frame: "); ok {
				all[mark] = fmt.Sprintf("%s:%d", name, n)
			}
		}
	}
	return all
}

var ownFrame = regexp.MustCompile(`(?m)^ +=> .* at .*/src/((?:lib|main)\.rs:\d+):\d+(?: \(inlined\))?(?: \[.*\])?$`)

// crash runs a module in Node, symbolicates what that prints with the companions
// beside the module, and expects the frames that the sources mark.
func (b *rustBuild) crash(t *testing.T, module, mode string, frames [2][]string) {
	t.Helper()
	marks := b.marks(t)
	script, err := filepath.Abs(filepath.Join("testdata", "crash-cargo.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	run := cmd{args: []string{tool(t, "node"), "--no-warnings", script, module, mode}}.try(t)
	if run.code != 0 {
		t.Fatalf("node: exit code %d\n%s%s", run.code, run.stdout, run.stderr)
	}
	// Rust's own message about the panic is a second opinion about the marks.
	if mode == "wasi" && !strings.Contains(run.stderr, "panicked at src/"+marks["pick"]+":") {
		t.Errorf("the panic is elsewhere: %s", run.stderr)
	}
	file := filepath.Join(t.TempDir(), "trace.txt")
	write(t, file, []byte(run.stdout))
	text := cmd{args: []string{program(t), "symbolicate", file, "--debug", filepath.Dir(module), "--module", module}}.run(t)
	for which, names := range frames {
		_, one, ok := strings.Cut(text, fmt.Sprintf("== case %d\n", which))
		one, _, _ = strings.Cut(one, "\n== ")
		var got, want []string
		for _, m := range ownFrame.FindAllStringSubmatch(one, -1) {
			if !strings.Contains(m[0], "/rustlib/") {
				got = append(got, m[1])
			}
		}
		for _, name := range names {
			if marks[name] == "" {
				t.Fatalf("the sources mark no %q", name)
			}
			want = append(want, marks[name])
		}
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s, case %d (-want +got):\n%s%s", module, which, diff, text)
		}
	}
}

// pairOf checks a module under a name that cargo has for it: it holds no DWARF, its
// pointer leads to a companion with DWARF and the same ID, and so does its note.
func pairOf(t *testing.T, module string) {
	t.Helper()
	prod := mustSections(t, module, read(t, module))
	if n := len(where(prod, section.debug)); n != 0 {
		t.Errorf("%s has %d debug sections", module, n)
	}
	pointers, ids := named(prod, "external_debug_info"), named(prod, "build_id")
	if len(pointers) != 1 || len(ids) != 1 {
		t.Fatalf("%s has %d pointers and %d IDs", module, len(pointers), len(ids))
	}
	companion := filepath.Join(filepath.Dir(module), string(pointers[0].payload[1:]))
	comp := mustSections(t, companion, read(t, companion))
	if len(where(comp, section.debug)) == 0 {
		t.Errorf("%s has no debug sections", companion)
	}
	if own := named(comp, "build_id"); len(own) != 1 || !bytes.Equal(own[0].payload, ids[0].payload) {
		t.Errorf("%s has other IDs than %s", companion, module)
	}
	prodCode, _ := code(prod)
	compCode, _ := code(comp)
	if prodCode.at != compCode.at || !bytes.Equal(prodCode.payload, compCode.payload) {
		t.Errorf("%s and %s have other code", module, companion)
	}
	var note struct {
		Schema     string `json:"schema"`
		BuildID    string `json:"build_id"`
		Production struct {
			Path string `json:"path"`
			Size int    `json:"size"`
		} `json:"production"`
		Companion struct {
			Path string `json:"path"`
			Size int    `json:"size"`
		} `json:"companion"`
	}
	path := strings.TrimSuffix(module, ".wasm") + ".debugid.json"
	if err := json.Unmarshal(read(t, path), &note); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if note.Schema != "wasm-debugid/note" || note.BuildID != fmt.Sprintf("%x", ids[0].payload[1:]) || note.Production.Path != filepath.Base(module) ||
		note.Production.Size != len(read(t, module)) || filepath.Join(filepath.Dir(module), note.Companion.Path) != companion || note.Companion.Size != len(read(t, companion)) {
		t.Errorf("%s: %+v", path, note)
	}
}

func digestOf(t *testing.T, path string) string {
	t.Helper()
	fields := strings.Fields(cmd{args: []string{tool(t, "sha256sum"), path}}.run(t))
	return strings.TrimPrefix(fields[0], `\`)
}

// kept returns where cargo keeps a module.
func (b *rustBuild) kept(t *testing.T, target, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(b.release(target, "deps", pattern))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths[0]
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil || !os.SameFile(x, y) {
		t.Errorf("%s and %s are two files: %v %v", a, b, errX, errY)
	}
}

// TestCargoLinker builds with a linker of ours in .cargo/config.toml. The lines are
// those of docs/recipes/cargo.md.
func TestCargoLinker(t *testing.T) {
	stage(t, "cargo")
	const target = "wasm32-unknown-unknown"
	b := newRustBuild(t)
	write(t, filepath.Join(b.crate, ".cargo", "config.toml"), []byte("[target."+target+"]\nlinker = \"wasm-debugid\"\n"))
	b.env = append(b.env, "WASM_DEBUGID_REAL_LINKER="+tool(t, "wasm-ld-22"), "WASM_DEBUGID_MIN_COVERAGE=80") // Debian's Rust has no rust-lld
	build := []string{"build", "--release", "--target=" + target, "--offline", "-Zbuild-std=std,panic_abort"}
	b.cargo(t, build...)
	lib, bin := b.release(target, "crash_demo.wasm"), b.release(target, "crash-tool.wasm")
	names := map[string]string{lib: b.kept(t, target, "crash_demo.wasm"), bin: b.kept(t, target, "crash_tool-*[0-9a-f].wasm")}
	for module, kept := range names {
		same(t, module, kept)
		pairOf(t, module)
		cmd{args: []string{program(t), "verify", module}}.run(t)
	}
	b.crash(t, lib, "", [2][]string{{"trap", "outer trap", "run"}, {"pick", "outer pick", "run"}})

	// A build without a change does nothing, and one that links again gives the same.
	first := b.state(t, target)
	b.cargo(t, build...)
	if diff := cmp.Diff(first, b.state(t, target)); diff != "" {
		t.Errorf("the second build (-first +second):\n%s", diff)
	}
	now := time.Now()
	if err := os.Chtimes(filepath.Join(b.crate, "src", "lib.rs"), now, now); err != nil {
		t.Fatal(err)
	}
	b.cargo(t, build...)
	again := b.state(t, target)
	if diff := cmp.Diff(bytesOf(first), bytesOf(again)); diff != "" || cmp.Equal(first, again) {
		t.Errorf("linked again: %v\n%s", cmp.Equal(first, again), diff)
	}

	// The command of cargo finds everything done.
	r := b.cargo(t, append([]string{"debugid"}, build...)...)
	if n := strings.Count(r.stderr, "was split before"); n != 2 || r.stdout != "" {
		t.Errorf("cargo debugid after linker mode: %q %s", r.stdout, r.stderr)
	}
	if diff := cmp.Diff(again, b.state(t, target)); diff != "" {
		t.Errorf("cargo debugid after linker mode:\n%s", diff)
	}

	// What the program prints that cargo runs is all there is on standard output.
	script, err := filepath.Abs(filepath.Join("testdata", "crash-cargo.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	own := b.env
	b.env = append(own[:len(own):len(own)], "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=node "+script)
	r = b.cargo(t, append([]string{"debugid", "run", "--bin=crash-tool"}, build[1:]...)...)
	if !strings.HasPrefix(r.stdout, "== case 0\nbefore 1\n") || strings.Contains(r.stdout, `"reason"`) {
		t.Errorf("cargo debugid run: %s", r.stdout)
	}
	b.env = own

	// What does not pass fails the build, and says why.
	failing := cmd{dir: b.crate, env: append(b.env, "WASM_DEBUGID_MIN_COVERAGE=100"),
		args: append([]string{"/usr/bin/cargo"}, append(build, "--config=profile.release.package.crash-demo.opt-level=1")...)}.try(t)
	if failing.code == 0 || !strings.Contains(failing.stderr, "WD114") || !strings.Contains(failing.stderr, "the check failed") {
		t.Errorf("a coverage of 100 %%: exit code %d\n%s", failing.code, failing.stderr)
	}
}

// TestCargoCommand builds with the command of cargo, for WASI.
func TestCargoCommand(t *testing.T) {
	stage(t, "cargo")
	const target = "wasm32-wasip1"
	const libc = "/usr/lib/wasm32-wasi"
	b := newRustBuild(t)
	b.env = append(b.env, "CARGO_TARGET_WASM32_WASIP1_LINKER="+tool(t, "wasm-ld-22"),
		"RUSTFLAGS=-Clink-self-contained=no -Lnative="+libc) // Debian's Rust has no libc for WASI
	build := []string{"rustc", "--bin=crash-tool", "--release", "--target=" + target, "--offline", "-Zbuild-std=std,panic_abort"}
	end := []string{"--", "-Clink-arg=" + libc + "/crt1-command.o"}
	line := append(append([]string{"debugid"}, build...), end...)
	r := b.cargo(t, line...)
	// The library is not asked for, so that cargo leaves it where it keeps it.
	lib, bin := b.release(target, "deps", "crash_demo.wasm"), b.release(target, "crash-tool.wasm")
	for _, name := range []string{"deps/crash_demo.wasm: ", "crash-tool.wasm: "} {
		if !strings.Contains(r.stderr, "wasm-debugid: split: target/"+target+"/release/"+name) {
			t.Errorf("not reported: %s\n%s", name, r.stderr)
		}
	}
	if r.stdout != "" {
		t.Errorf("standard output: %q", r.stdout)
	}
	kept := b.kept(t, target, "crash_tool-*[0-9a-f].wasm")
	for _, module := range []string{lib, bin} {
		pairOf(t, module)
	}
	same(t, bin, kept)
	cmd{args: []string{program(t), "verify", bin}}.run(t)
	b.crash(t, bin, "wasi", [2][]string{{"trap", "outer trap", "run", "main"}, {"pick", "outer pick", "run", "main"}})

	// Again, and then with cargo alone, which finds its links as it left them.
	first := b.state(t, target)
	r = b.cargo(t, line...)
	if n := strings.Count(r.stderr, "was split before"); n != 2 {
		t.Errorf("the second run: %s", r.stderr)
	}
	b.cargo(t, append(build, end...)...)
	if diff := cmp.Diff(first, b.state(t, target)); diff != "" {
		t.Errorf("the second run (-first +second):\n%s", diff)
	}

	// Whoever removes the results gets them back, split and with their companions.
	for path := range first {
		if filepath.Dir(path) == b.release(target) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.cargo(t, line...)
	if diff := cmp.Diff(bytesOf(first), bytesOf(b.state(t, target))); diff != "" {
		t.Errorf("after the results were removed:\n%s", diff)
	}
	pairOf(t, bin)

	// Without debug information of the crate, that is said.
	r = b.cargo(t, append([]string{"debugid", build[0], "--config=profile.release.package.crash-demo.debug=false"}, append(build[1:], end...)...)...)
	if !strings.Contains(r.stderr, "crash-tool.wasm: cargo has built it without debug information") {
		t.Errorf("without debug information: %s", r.stderr)
	}
}
