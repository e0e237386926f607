package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// source is the tree that is released.
type source struct {
	dir       string
	version   string    // v1.2.3
	commit    string    // twelve digits, with a plus sign behind them if files have been changed
	time      time.Time // of the commit; every file in an archive has it
	goVersion string    // go1.26.8
	goRoot    string
	snapshot  bool
}

// snapshotVersion is the version of a tree that has no tag.
const snapshotVersion = "v0.0.0-snapshot"

// semantic is the form of a version, https://semver.org, without build metadata,
// which the names of Go's module versions do not have.
var semantic = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$`)

// openSource finds out what is released. A release is of a commit that has the
// version as its tag, without changes; a snapshot of anything.
func openSource(ctx context.Context, dir, version string, snapshot bool) (*source, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &source{dir: abs, version: version, snapshot: snapshot}
	commit, err := s.output(ctx, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	s.commit = commit[:min(12, len(commit))]
	changed, err := s.output(ctx, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changed != "" {
		if !snapshot {
			return nil, fmt.Errorf("the tree has changes that are not committed; commit them, or say -snapshot:\n%s", changed)
		}
		s.commit += "+"
	}
	if err := s.setVersion(ctx); err != nil {
		return nil, err
	}
	if err := s.setTime(ctx); err != nil {
		return nil, err
	}
	s.goVersion, err = s.output(ctx, "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	s.goRoot, err = s.output(ctx, "go", "env", "GOROOT")
	return s, err
}

// setVersion takes the version from the commit's tag, and sees that a given one is
// that tag.
func (s *source) setVersion(ctx context.Context) error {
	list, err := s.output(ctx, "git", "tag", "--points-at", "HEAD", "--list", "v*")
	if err != nil {
		return err
	}
	var tags []string
	for tag := range strings.FieldsSeq(list) {
		if semantic.MatchString(tag) {
			tags = append(tags, tag)
		}
	}
	switch {
	case s.version == "" && len(tags) == 1:
		s.version = tags[0]
	case s.version == "" && s.snapshot:
		s.version = snapshotVersion
	case s.version == "":
		return fmt.Errorf("the commit has %d tags of the form v1.2.3 and must have one; tag it, or say -snapshot", len(tags))
	case !semantic.MatchString(s.version):
		return fmt.Errorf("%q is not a version such as v1.2.3", s.version)
	case !s.snapshot && !slices.Contains(tags, s.version):
		return fmt.Errorf("the commit has no tag %s; tag it, or say -snapshot", s.version)
	}
	return nil
}

// setTime takes the time of the commit, or what SOURCE_DATE_EPOCH says
// (https://reproducible-builds.org/specs/source-date-epoch/).
func (s *source) setTime(ctx context.Context) error {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = s.output(ctx, "git", "log", "-1", "--format=%ct"); err != nil {
			return err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH is %q, and no number of seconds", text)
	}
	s.time = time.Unix(seconds, 0).UTC()
	return nil
}

// output runs a program in the tree and returns what it printed.
func (s *source) output(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = s.dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s %s in %s: %w", name, strings.Join(args, " "), s.dir, err), errors.New(strings.TrimSpace(stderr.String())))
	}
	return strings.TrimSpace(string(out)), nil
}
