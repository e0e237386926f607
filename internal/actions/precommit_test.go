package actions

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The real pre-commit clones this repository, builds the program with Go, and runs
// the hook on what is committed.
func TestPreCommit(t *testing.T) {
	if os.Getenv("WASM_DEBUGID_STAGE") != "actions" {
		t.Skip(`belongs to the stage "actions": .ci/run actions`)
	}
	tool, err := exec.LookPath("pre-commit")
	if err != nil {
		t.Fatal(err)
	}
	user, home := t.TempDir(), t.TempDir()
	clone := filepath.Join(t.TempDir(), "wasm-debugid")
	try := func(dir string, args ...string) (int, string) {
		t.Helper()
		c := exec.Command(args[0], args[1:]...)
		c.Dir = dir
		c.Env = append(os.Environ(), "PRE_COMMIT_HOME="+home, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return c.ProcessState.ExitCode(), string(out)
	}
	must := func(dir string, args ...string) string {
		t.Helper()
		code, out := try(dir, args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, out)
		}
		return strings.TrimSpace(out)
	}
	must(".", "git", "clone", "-q", "--no-local", absolute(t, root), clone)
	rev := must(clone, "git", "rev-parse", "HEAD")
	must(user, "git", "init", "-q")
	config := "repos:\n  - repo: " + clone + "\n    rev: " + rev + "\n    hooks:\n      - id: wasm-debugid-check\n        args: [--forbid-dwarf]\n"
	if err := os.WriteFile(filepath.Join(user, ".pre-commit-config.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(root, "testdata/demo/app.wasm"), filepath.Join(user, "in/app.wasm"))
	must(user, program(t), "split", "-q", "in/app.wasm", "-o", "app.wasm")
	if err := os.RemoveAll(filepath.Join(user, "in")); err != nil {
		t.Fatal(err)
	}
	must(user, "git", "add", ".")
	if out := must(user, tool, "run", "--all-files", "--verbose"); !strings.Contains(out, "Passed") || !strings.Contains(out, "pass: app.wasm + app.debug.wasm") {
		t.Errorf("a good pair:\n%s", out)
	}
	// The installed hook stops a commit of a module with DWARF.
	must(user, tool, "install")
	must(user, "git", "commit", "-q", "-m", "good")
	copyFile(t, filepath.Join(root, "testdata/demo/app.wasm"), filepath.Join(user, "dwarf.wasm"))
	must(user, "git", "add", ".")
	code, out := try(user, "git", "commit", "-q", "-m", "bad")
	if code == 0 || !strings.Contains(out, "Failed") || !strings.Contains(out, "WD122") {
		t.Errorf("a module with DWARF: exit code %d\n%s", code, out)
	}
	if out := must(user, "git", "log", "--format=%s"); out != "good" {
		t.Errorf("the commits are %q", out)
	}
}
