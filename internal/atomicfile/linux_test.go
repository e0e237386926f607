//go:build linux

package atomicfile

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func init() {
	limitFileSize = func(n int64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)})
	}
}

// mountTiny mounts a file system of 64 KiB.
func mountTiny(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no small file system to be had (mounting needs root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

func TestDiskFull(t *testing.T) {
	for _, tc := range []struct {
		name   string
		size   int64 // as promised
		starts bool  // whether writing starts
	}{{"size known", 9004, false}, {"size unknown", -1, true}} {
		t.Run(tc.name, func(t *testing.T) {
			dir := mountTiny(t)
			scenarios[1].prepare(t, dir)
			// Space is left for one of the two files.
			put(t, filepath.Join(dir, "ballast"), make([]byte, 24<<10), 0o644)
			before := look(t, dir)
			started := false
			p := pairOf(dir, "new", func(step string) error {
				if step == "half of companion" {
					started = true
				}
				return nil
			})
			if n := int64(len(contents("C", "new"))); tc.size > 0 {
				tc.size = n
			}
			p.Companion.Size, p.Production.Size = tc.size, tc.size
			_, err := p.Commit(context.Background())
			wantError(t, err, syscall.ENOSPC, "existing files are as they were")
			if started != tc.starts {
				t.Errorf("writing started: %v", started)
			}
			wantSame(t, dir, before)
			if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
				t.Fatal(err)
			}
			mustCommit(t, p)
			wantFiles(t, dir, scenarios[1].done())
		})
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := mountTiny(t)
	scenarios[1].prepare(t, dir)
	// Makes a run look closer than at an ordinary directory.
	put(t, filepath.Join(dir, prevFile), contents("C", "precious"), 0o644)
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("remount: %v", err)
	}
	before := look(t, dir)
	_, err := pairOf(dir, "new", nil).Commit(context.Background())
	wantError(t, err, syscall.EROFS, "existing files are as they were")
	if r := mustCommit(t, pairOf(dir, "old", nil)); r.WroteCompanion || r.WroteProduction {
		t.Errorf("result %+v", r)
	}
	wantSame(t, dir, before)
}
