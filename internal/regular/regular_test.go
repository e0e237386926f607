package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, info, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); string(b) != "abc" || err != nil || info.Size() != 3 {
		t.Errorf("%q, %v, %d bytes", b, err, info.Size())
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	wantKind(t, dir, fs.ModeDir)
	wantKind(t, os.DevNull, fs.ModeDevice|fs.ModeCharDevice)
}

// wantKind checks that a name is refused, as what, and that the message says so.
func wantKind(t *testing.T, name string, kind fs.FileMode) {
	t.Helper()
	_, _, err := Open(name)
	var path *fs.PathError
	var k *KindError
	if !errors.As(err, &path) || path.Path != name || !errors.As(err, &k) || k.Type != kind {
		t.Errorf("%s: %v", name, err)
		return
	}
	if dir := kind.IsDir(); (k.Hint() == "") != dir || k.Error() == "" {
		t.Errorf("%s: %q, hint %q", name, k.Error(), k.Hint())
	}
}
