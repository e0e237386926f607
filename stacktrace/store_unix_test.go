//go:build unix

package stacktrace

import (
	"path/filepath"
	"syscall"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// TestSearchPipes: a search does not wait for a pipe that nobody writes to.
func TestSearchPipes(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "a.wasm"), 0o666); err != nil {
		t.Skipf("no named pipe: %v", err)
	}
	writeFile(t, filepath.Join(dir, "b.wasm"), tw.Build(tw.Sample()...))
	if s := openStore(t, StoreOptions{Debug: []string{dir}}); len(s.Builds()) != 1 {
		t.Errorf("%d builds", len(s.Builds()))
	}
}
