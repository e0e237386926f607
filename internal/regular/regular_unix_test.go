//go:build unix

package regular

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreNotOpened: to open a pipe without a writer would never return.
func TestPipesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	wantKind(t, pipe, fs.ModeNamedPipe)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	wantKind(t, link, fs.ModeNamedPipe)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	wantKind(t, filepath.Join(dir, "s"), fs.ModeSocket)
}
