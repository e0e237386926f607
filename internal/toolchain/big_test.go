//go:build linux

package toolchain

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// anonymousLimit is the memory that splitting may need at any size of the input;
// pages of mapped files are not counted.
const anonymousLimit = 64 << 20

// usage is what a run needed.
type usage struct {
	anonymous int64 // peak of RssAnon in bytes
	samples   int
	took      time.Duration
}

// measure runs a command, which must succeed, and samples its anonymous memory.
func measure(t *testing.T, args ...string) usage {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	start := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var u usage
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for {
		select {
		case err := <-done:
			u.took = time.Since(start)
			if err != nil {
				t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.String())
			}
			return u
		case <-time.After(2 * time.Millisecond):
			if n, ok := rssAnon(c.Process.Pid); ok {
				u.anonymous = max(u.anonymous, n)
				u.samples++
			}
		}
	}
}

func rssAnon(pid int) (int64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// header is a section of a module too large to be read whole.
type header struct {
	id       byte
	name     string
	at, size int64 // of the payload behind the size
}

// headers reads the section headers of a module of any size.
func headers(t *testing.T, path string) []header {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var all []header
	for at := int64(8); at < info.Size(); {
		r := bufio.NewReader(io.NewSectionReader(f, at, 300))
		id, _ := r.ReadByte()
		lead, _ := r.Peek(5)
		size, width := binary.Uvarint(lead)
		if _, err := r.Discard(width); err != nil || width <= 0 {
			t.Fatalf("%s: section at 0x%x: bad size", path, at)
		}
		h := header{id: id, at: at + 1 + int64(width), size: int64(size)}
		if id == 0 {
			length, _ := binary.ReadUvarint(r)
			name := make([]byte, length)
			if _, err := io.ReadFull(r, name); err != nil {
				t.Fatalf("%s: section at 0x%x: %v", path, at, err)
			}
			h.name = string(name)
		}
		all = append(all, h)
		at = h.at + h.size
	}
	return all
}

func codeHeader(t *testing.T, all []header) header {
	t.Helper()
	for _, h := range all {
		if h.id == 10 {
			return h
		}
	}
	t.Fatal("no code section")
	return header{}
}

// A module of 3 GiB needs no more memory than a small one, whatever its companion.
func TestBigSparse(t *testing.T) {
	stage(t, "big")
	dir := t.TempDir()
	input := filepath.Join(dir, "big.wasm")
	big, err := testwasm.BigModule{CodeBytes: 48 << 20, DebugBytes: 3 << 30, Funcs: 40000, Names: true, Sparse: true, Seed: 3}.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := big.WriteFile(input); err != nil {
		t.Fatal(err)
	}
	in := headers(t, input)
	for _, kind := range []string{"full", "symbols"} {
		t.Run(kind, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.wasm")
			companion := filepath.Join(filepath.Dir(out), "out.debug.wasm")
			u := measure(t, program(t), "split", input, "-o", out, "--companion-kind="+kind, "-q")
			t.Logf("%s companion: %.1f MiB of anonymous memory at most (%d samples), %v", kind, float64(u.anonymous)/(1<<20), u.samples, u.took.Round(time.Millisecond))
			if u.samples < 20 {
				t.Errorf("only %d samples of the memory", u.samples)
			}
			if u.anonymous > anonymousLimit {
				t.Errorf("%d bytes of anonymous memory, %d are allowed", u.anonymous, anonymousLimit)
			}
			prod, comp := headers(t, out), headers(t, companion)
			start, want := codeHeader(t, prod), codeHeader(t, in)
			if start.size != want.size || codeHeader(t, comp).size != want.size {
				t.Errorf("the code has another length")
			}
			if c := codeHeader(t, comp); c.at != start.at {
				t.Errorf("code starts at 0x%x in the production module, at 0x%x in the companion", start.at, c.at)
			}
			var debug int64
			for _, h := range comp {
				if strings.HasPrefix(h.name, ".debug_") {
					debug += h.size
				}
			}
			if debug < 3<<30 {
				t.Errorf("the companion has %d bytes of DWARF", debug)
			}
			for _, h := range prod {
				if strings.HasPrefix(h.name, ".debug_") {
					t.Errorf("the production module has %s", h.name)
				}
			}
		})
	}
}

// oldPair lays an old pair at out and returns its bytes by file name.
func oldPair(t *testing.T, out string) map[string]string {
	t.Helper()
	src := filepath.Join(scratch, "old-pair", "in.wasm")
	write(t, src, moduleBytes(t, 1))
	split(t, src, out, "full")
	return folder(t, filepath.Dir(out))
}

// moduleBytes returns a module of about 300 KB.
func moduleBytes(t *testing.T, seed uint64) []byte {
	t.Helper()
	big, err := testwasm.BigModule{CodeBytes: 60_000, DebugBytes: 240_000, Funcs: 200, Names: true, Seed: seed}.Open()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := big.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder returns all files of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		all[e.Name()] = string(read(t, filepath.Join(dir, e.Name())))
	}
	return all
}

// sameFolder reports files that are new, gone or changed.
func sameFolder(t *testing.T, what string, want, have map[string]string) {
	t.Helper()
	for name, b := range want {
		if h, ok := have[name]; !ok || h != b {
			t.Errorf("%s: %s changed (there: %v)", what, name, ok)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s was left behind", what, name)
		}
	}
}

// mountTmpfs mounts a file system in memory.
func mountTmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("the stage mounts a small file system and must be root for it: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

// A full disk and a read-only one leave what is there as it was.
func TestBigDisk(t *testing.T) {
	stage(t, "big")
	input := filepath.Join(t.TempDir(), "in.wasm")
	write(t, input, moduleBytes(t, 2))

	t.Run("full", func(t *testing.T) {
		// Room for the old pair, then for ever more of the new one.
		for _, size := range []string{"372k", "440k", "600k", "672k", "700k", "720k"} {
			dir := mountTmpfs(t, size)
			out := filepath.Join(dir, "app.wasm")
			old := oldPair(t, out)
			r := cmd{args: []string{program(t), "split", input, "-o", out}}.try(t)
			if r.code != 4 || !strings.Contains(r.stderr, "no space left") {
				t.Errorf("%s: exit code %d, %s", size, r.code, r.stderr)
			}
			sameFolder(t, size, old, folder(t, dir))
		}
	})
	t.Run("read-only", func(t *testing.T) {
		dir := mountTmpfs(t, "2m")
		out := filepath.Join(dir, "app.wasm")
		old := oldPair(t, out)
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		r := cmd{args: []string{program(t), "split", input, "-o", out}}.try(t)
		if r.code != 4 || !strings.Contains(r.stderr, "read-only") {
			t.Errorf("exit code %d, %s", r.code, r.stderr)
		}
		sameFolder(t, "read-only file system", old, folder(t, dir))
	})
	t.Run("folder without write permission", func(t *testing.T) {
		dir, err := os.MkdirTemp("", "wasm-debugid-stage-ro-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		out := filepath.Join(dir, "app.wasm")
		old := oldPair(t, out)
		bin := filepath.Join(t.TempDir(), "wasm-debugid")
		write(t, bin, read(t, program(t)))
		for path, mode := range map[string]os.FileMode{dir: 0o555, bin: 0o755} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command(bin, "split", "-", "-o", out, "--debug-out", filepath.Join(dir, "app.debug.wasm"))
		c.Stdin = bytes.NewReader(moduleBytes(t, 2))
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		for p := filepath.Dir(bin); p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
			if err := os.Chmod(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		output, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != 4 || !strings.Contains(string(output), "permission denied") {
			t.Errorf("exit code %d, %s", c.ProcessState.ExitCode(), output)
		}
		sameFolder(t, "folder without write permission", old, folder(t, dir))
	})
}
