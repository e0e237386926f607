package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestKey(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"real/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(root, "real/a.wasm"), nil, 0o644)
	for name, to := range map[string]string{
		"link": "real", "sublink": filepath.Join("real", "sub"),
		"real/to-a": "a.wasm", "real/dangling": "new.wasm", "real/twice": "dangling", "real/loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	t.Chdir(root)
	t.Setenv("PWD", root)
	same := [][]string{
		{"real/a.wasm", "link/a.wasm", "./real/../real/a.wasm", "sublink/../a.wasm", "real/to-a", filepath.Join(root, "link", "to-a")},
		{"real/new.wasm", "real/dangling", "link/twice", "sublink/../dangling"},
		{"a.wasm"}, {"other/new.wasm"}, {"real/loop"}, {"real/sub"}, {"none/a.wasm"},
	}
	seen := map[string]int{}
	for i, group := range same {
		for _, path := range group {
			k := Key(path)
			if j, ok := seen[k]; ok && j != i || !ok && path != group[0] || !filepath.IsAbs(k) {
				t.Errorf("%s has the key %s", path, k)
			}
			seen[k] = i
		}
	}
	// A working directory that was entered through a link.
	t.Chdir(filepath.Join(root, "sublink"))
	t.Setenv("PWD", filepath.Join(root, "sublink"))
	if got, want := Key("../a.wasm"), Key(filepath.Join(root, "real", "a.wasm")); got != want {
		t.Errorf("key %s from a linked working directory, want %s", got, want)
	}
}
