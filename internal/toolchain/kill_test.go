//go:build linux

package toolchain

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// steps are the system calls by which a run changes or reads files.
var steps = []string{"openat", "pread64", "write", "pwrite64", "copy_file_range", "fallocate", "ftruncate", "fchmod",
	"fsync", "renameat", "renameat2", "linkat", "unlinkat", "flock", "close", "newfstatat"}

// interrupted runs a split of the new module onto the old pair, with a fault
// injected into the n-th call of a step in any thread.
func interrupted(t *testing.T, input, out, step, fault string, n int) result {
	t.Helper()
	return cmd{env: []string{"GOMAXPROCS=1"}, args: []string{tool(t, "strace"), "-f", "-qq", "-o", "/dev/null",
		"-e", "trace=" + step, "-e", fmt.Sprintf("inject=%s:%s:when=%d", step, fault, n),
		program(t), "split", input, "-o", out, "-q"}}.try(t)
}

// pairs are the contents of a folder before and after a whole run.
type pairs struct {
	input, out string
	old, new   map[string]string
	inputBytes []byte
}

func newPairs(t *testing.T) *pairs {
	t.Helper()
	dir := t.TempDir()
	p := &pairs{input: filepath.Join(dir, "in.wasm"), out: filepath.Join(dir, "dist", "app.wasm"), inputBytes: moduleBytes(t, 2)}
	write(t, p.input, p.inputBytes)
	elsewhere := filepath.Join(dir, "new", "app.wasm")
	split(t, p.input, elsewhere, "full")
	p.new = folder(t, filepath.Dir(elsewhere))
	p.old = oldPair(t, p.out)
	return p
}

// reset lays the old pair again.
func (p *pairs) reset(t *testing.T) {
	t.Helper()
	dir := filepath.Dir(p.out)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, b := range p.old {
		write(t, filepath.Join(dir, name), []byte(b))
	}
}

// companion reports whether the production module on disk has its companion
// beside it, under its name or, between the two renames, as .prev.
func (p *pairs) companion(have map[string]string) bool {
	const prod, comp = "app.wasm", "app.debug.wasm"
	switch have[prod] {
	case p.old[prod]:
		return have[comp] == p.old[comp] || have[comp] == p.new[comp] && have[comp+".prev"] == p.old[comp]
	case p.new[prod]:
		return have[comp] == p.new[comp]
	}
	return false
}

// A run that is killed at any step leaves a module with its companion, and the
// next run leaves the new pair and nothing else.
func TestBigKilledAtEachStep(t *testing.T) {
	stage(t, "big")
	p := newPairs(t)
	kills, between := 0, 0
	for _, step := range steps {
		for n := 1; n <= 400; n++ {
			p.reset(t)
			r := interrupted(t, p.input, p.out, step, "signal=KILL", n)
			what := fmt.Sprintf("killed at %s %d", step, n)
			have := folder(t, filepath.Dir(p.out))
			if !p.companion(have) {
				t.Errorf("%s: the module on disk has no companion; there are %v", what, slices.Sorted(maps.Keys(have)))
			}
			if r.code == 0 { // there are fewer calls of this step
				sameFolder(t, what, p.new, have)
				break
			}
			kills++
			if _, ok := have["app.debug.wasm.prev"]; ok {
				between++
			}
			cmd{args: []string{program(t), "split", p.input, "-o", p.out, "-q"}}.run(t)
			sameFolder(t, "run after "+what, p.new, folder(t, filepath.Dir(p.out)))
		}
	}
	if kills < 50 || between == 0 {
		t.Errorf("%d runs were killed, %d between the renames: the test misses its steps", kills, between)
	}
	t.Logf("%d runs were killed, %d of them between the two renames", kills, between)
}

// A run that fails at any step says how it left the files, and so they are; one
// that gets past the fault has done its whole work.
func TestBigFailedAtEachStep(t *testing.T) {
	stage(t, "big")
	p := newPairs(t)
	faults := map[string]string{"openat": "EMFILE", "pread64": "EIO", "write": "ENOSPC", "pwrite64": "ENOSPC",
		"copy_file_range": "EIO", "fallocate": "ENOSPC", "ftruncate": "EIO", "fchmod": "EPERM", "fsync": "EIO",
		"renameat": "EACCES", "renameat2": "EACCES", "linkat": "EPERM", "flock": "ENOLCK"}
	failed, passed := 0, 0
	for _, step := range slices.Sorted(maps.Keys(faults)) {
		for n, clean := 1, 0; n <= 400 && clean < 3; n++ {
			p.reset(t)
			r := interrupted(t, p.input, p.out, step, "error="+faults[step], n)
			what := fmt.Sprintf("%s at %s %d", faults[step], step, n)
			if r.code == 0 {
				passed++
				clean++
				p.inPlace(t, what)
				continue
			}
			clean = 0
			switch {
			case strings.Contains(r.stderr, "the new files are in place"): // but perhaps not for good
				failed++
				p.inPlace(t, what)
			case strings.Contains(r.stderr, "wasm-debugid: error:"):
				failed++
				sameFolder(t, what, p.old, folder(t, filepath.Dir(p.out)))
			default: // the loader or Go's runtime gave up: like a kill
				if !p.companion(folder(t, filepath.Dir(p.out))) {
					t.Errorf("%s: the module on disk has no companion", what)
				}
				cmd{args: []string{program(t), "split", p.input, "-o", p.out, "-q"}}.run(t)
				sameFolder(t, "run after "+what, p.new, folder(t, filepath.Dir(p.out)))
				continue
			}
			if r.code != 4 {
				t.Errorf("%s: exit code %d, %s", what, r.code, r.stderr)
			}
		}
	}
	if failed < 30 || passed < 10 {
		t.Errorf("only %d runs failed: the test misses its steps", failed)
	}
	t.Logf("%d runs failed and told how they left the files, %d did their work in spite of the fault", failed, passed)
}

// inPlace checks that the new pair is there, and that nothing else is after
// another run: a journal that could not be cleared is for that one.
func (p *pairs) inPlace(t *testing.T, what string) {
	t.Helper()
	have := folder(t, filepath.Dir(p.out))
	for name, b := range p.new {
		if have[name] != b {
			t.Errorf("%s: %s is not the new one", what, name)
		}
	}
	if len(have) != len(p.new) {
		cmd{args: []string{program(t), "split", p.input, "-o", p.out, "-q"}}.run(t)
		sameFolder(t, "run after "+what, p.new, folder(t, filepath.Dir(p.out)))
	}
}

// Ctrl-C leaves the old pair and no temporary file.
func TestBigInterrupted(t *testing.T) {
	stage(t, "big")
	// A child inherits a signal that is ignored, and not one that is caught.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	p := newPairs(t)
	stopped := 0
	for i := range 40 {
		p.reset(t)
		c := exec.Command(program(t), "split", p.input, "-o", p.out, "-q")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
		_ = c.Process.Signal(os.Interrupt) // it may have ended
		_ = c.Wait()
		have := folder(t, filepath.Dir(p.out))
		status := c.ProcessState.Sys().(syscall.WaitStatus)
		what := fmt.Sprintf("interrupted after %v, exit code %d", time.Duration(i)*time.Millisecond/2, status.ExitStatus())
		if status.ExitStatus() == 0 {
			sameFolder(t, what, p.new, have)
			continue
		}
		stopped++
		if !p.companion(have) {
			t.Errorf("%s: the module on disk has no companion", what)
		}
		for name := range have {
			if _, known := p.old[name]; !known && !strings.HasSuffix(name, ".prev") {
				t.Errorf("%s: %s was left behind", what, name)
			}
		}
	}
	t.Logf("%d of 40 runs were stopped", stopped)
}

// A module that is cut off, or whose section lengths lie, is refused with the
// reason, and nothing is written.
func TestBigDamagedInputs(t *testing.T) {
	stage(t, "big")
	p := newPairs(t)
	whole := p.inputBytes
	all := mustSections(t, "input", whole)
	starts := []int{8}
	for i, s := range all {
		starts = append(starts, starts[i]+len(s.raw))
	}
	damaged := map[string][]byte{}
	for n := range 8 {
		damaged[fmt.Sprintf("cut off after %d bytes", n)] = whole[:n]
	}
	for i, s := range all {
		for _, n := range []int{starts[i] + 1, s.at, s.at + len(s.payload)/2, starts[i+1] - 1} {
			damaged[fmt.Sprintf("cut off after %d bytes", n)] = whole[:n]
		}
		for _, claim := range []uint64{uint64(len(whole)), 1 << 31, 1<<32 - 1} {
			lying := binary.AppendUvarint(slices.Clone(whole[:starts[i]+1]), claim)
			damaged[fmt.Sprintf("section %d claims %d bytes", i, claim)] = append(lying, whole[s.at:]...)
		}
	}
	for what, b := range damaged {
		write(t, p.input, b)
		r := cmd{args: []string{program(t), "split", p.input, "-o", p.out}}.try(t)
		if r.code != 3 || r.stdout != "" || !strings.Contains(r.stderr, p.input) {
			t.Errorf("%s: exit code %d, %q, %s", what, r.code, r.stdout, r.stderr)
		}
		if strings.HasPrefix(what, "section") && !strings.Contains(r.stderr, "0x") {
			t.Errorf("%s: the message has no offset: %s", what, r.stderr)
		}
	}
	sameFolder(t, "damaged inputs", p.old, folder(t, filepath.Dir(p.out)))
	t.Logf("%d damaged modules refused", len(damaged))
}
