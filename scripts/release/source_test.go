package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes a repository with one commit.
func repository(t *testing.T) (dir string, git func(args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir = t.TempDir()
	git = func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
			"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o666); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-q", "-m", "first")
	return dir, git
}

func open(t *testing.T, dir, version string, snapshot bool) (*source, string) {
	t.Helper()
	s, err := openSource(context.Background(), dir, version, snapshot)
	if err != nil {
		return nil, err.Error()
	}
	return s, ""
}

// A release is of a tagged commit without changes, and of nothing else.
func TestOpenSource(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	dir, git := repository(t)
	refused := func(version string, snapshot bool, why string) {
		t.Helper()
		if _, err := open(t, dir, version, snapshot); !strings.Contains(err, why) {
			t.Errorf("version %q, snapshot %v: %q, want %q", version, snapshot, err, why)
		}
	}
	refused("", false, "0 tags")
	refused("v1.0.0", false, "no tag v1.0.0")
	refused("1.0.0", false, "not a version")
	refused("v1.0.0 -X main.commit=1", true, "not a version")
	if s, err := open(t, dir, "", true); err != "" || s.version != snapshotVersion || len(s.commit) != 12 {
		t.Errorf("snapshot: %+v %s", s, err)
	}
	git("tag", "v1.2.3-rc.1")
	s, err := open(t, dir, "", false)
	if err != "" || s.version != "v1.2.3-rc.1" || !s.time.Equal(testTime) {
		t.Errorf("tagged: %+v %s", s, err)
	}
	git("tag", "v1.2.3")
	refused("", false, "2 tags")
	if s, err := open(t, dir, "v1.2.3", false); err != "" || s.version != "v1.2.3" {
		t.Errorf("tagged twice: %+v %s", s, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	refused("v1.2.3", false, "changes that are not committed")
	if s, err := open(t, dir, "v1.2.3", true); err != "" || !strings.HasSuffix(s.commit, "+") {
		t.Errorf("changed: %+v %s", s, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1800000000")
	if s, err := open(t, dir, "", true); err != "" || s.time.Unix() != 1800000000 {
		t.Errorf("SOURCE_DATE_EPOCH: %+v %s", s, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	refused("", true, "no number of seconds")
}

func TestSection(t *testing.T) {
	log := "# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-01-01)\n\n- b\n\n## 1.0.0\n\n- a\n"
	for title, want := range map[string]string{"1.1.0": "- b\n", "1.0.0": "- a\n"} {
		if got, ok := section(log, title); !ok || got != want {
			t.Errorf("%s: %q", title, got)
		}
	}
	for _, title := range []string{"Unreleased", "1.0", "2.0.0"} {
		if got, ok := section(log, title); ok {
			t.Errorf("%s: %q", title, got)
		}
	}
}

func TestEmptyDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	if err := emptyDir(dir); err != nil {
		t.Fatal(err)
	}
	if err := emptyDir(dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.zip"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := emptyDir(dir); err == nil || !strings.Contains(err.Error(), "old.zip") {
		t.Errorf("files of another release: %v", err)
	}
}

func TestParseTargets(t *testing.T) {
	if all, err := parseTargets(""); err != nil || len(all) != 6 {
		t.Errorf("%v %v", all, err)
	}
	if two, err := parseTargets("linux/amd64,windows/arm64"); err != nil || len(two) != 2 {
		t.Errorf("%v %v", two, err)
	}
	for _, bad := range []string{"linux", "plan9/amd64", "linux/amd64,"} {
		if _, err := parseTargets(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
