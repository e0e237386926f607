package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// buildFlags are the flags of go build. Version control is not stamped by Go: it
// would write whether tags were fetched and files were touched, so that one commit
// had several outcomes.
func buildFlags(version, commit string) []string {
	return []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.version=" + version + " -X main.commit=" + commit}
}

// buildEnv is everything in the environment that go build's output depends on.
func buildEnv(t target) []string {
	return []string{
		"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch,
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOFLAGS=-mod=readonly", "GOWORK=off",
	}
}

// compile builds the program for a platform.
func compile(ctx context.Context, src *source, t target, out string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	args := append([]string{"build", "-o", out}, buildFlags(src.version, src.commit)...)
	c := exec.CommandContext(ctx, "go", append(args, "./cmd/"+programName)...)
	c.Dir = src.dir
	c.Env = append(os.Environ(), buildEnv(t)...)
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building for %s: %w\n%s", t, err, text)
	}
	return nil
}

// host is the platform that the script runs on, which need not be one of a release.
func host() target { return target{runtime.GOOS, runtime.GOARCH} }
