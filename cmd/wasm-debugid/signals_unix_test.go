//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignals: a terminal that goes away is a request to stop like any other, but
// not for a run that was started with nohup.
func TestSignals(t *testing.T) {
	module := sample(t, "sample")
	// Whoever runs the tests may ignore signals (nohup does), and a child inherits
	// that. A child does not inherit that they are caught: it starts with the default.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	defer signal.Stop(caught)
	for _, tt := range []struct {
		shell  string // run before the program
		signal syscall.Signal
		code   int
	}{
		{"", syscall.SIGTERM, exitInterrupted},
		{"", syscall.SIGINT, exitInterrupted},
		{"", syscall.SIGHUP, exitInterrupted},
		{"trap '' HUP; ", syscall.SIGHUP, exitOK},
		{"trap '' INT; ", syscall.SIGINT, exitOK},
		{"trap '' INT HUP; ", syscall.SIGTERM, exitInterrupted},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", tt.shell+`exec wasm-debugid symbolicate - --debug "$0"`, module)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		// A line that comes back shows that the program is at work.
		lines := bufio.NewScanner(stdout)
		if _, err := io.WriteString(stdin, "one\n"); err != nil || !lines.Scan() {
			t.Fatalf("nothing comes back: %v %s", err, errs.String())
		}
		if err := cmd.Process.Signal(tt.signal); err != nil {
			t.Fatal(err)
		}
		if tt.code == exitOK {
			if _, err := io.WriteString(stdin, "two\n"); err != nil || !lines.Scan() {
				t.Errorf("%s%v: it stopped: %v", tt.shell, tt.signal, err)
			}
			stdin.Close()
		}
		err = cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != tt.code || strings.Contains(errs.String(), "interrupted") != (tt.code == exitInterrupted) {
			t.Errorf("%s%v: exit code %d, want %d: %s", tt.shell, tt.signal, got, tt.code, errs.String())
		}
		stdin.Close()
	}
}

// TestPipesAreRefused: a pipe without a writer is no reason to wait.
func TestPipesAreRefused(t *testing.T) {
	in := sample(t, "sample")
	pipe := filepath.Join(t.TempDir(), "pipe.wasm")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{"info PIPE", "split PIPE -o out.wasm", "split PIPE IN --out-dir .", "inject PIPE -o out.wasm", "check PIPE", "check IN PIPE",
		"diff IN PIPE", "addr2line -e PIPE 0x10", "symbolicate - --debug PIPE"} {
		line = strings.NewReplacer("PIPE", pipe, "IN", in).Replace(line)
		r := tryWith(t, t.Context(), strings.NewReader(""), strings.Fields(line)...)
		r.want(t, exitFiles, "", pipe)
		if !strings.Contains(r.stderr, "a pipe") || !strings.Contains(r.stderr, `give "-" for standard input`) {
			t.Errorf("%s: %s", line, r.stderr)
		}
	}
}

// TestWaitingForAPipe: a trace may come from a pipe, and waiting for its writer, or
// for what it writes, can be interrupted.
func TestWaitingForAPipe(t *testing.T) {
	module := sample(t, "sample")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, writer := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		if writer {
			w, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
		}
		time.AfterFunc(30*time.Millisecond, cancel)
		tryWith(t, ctx, nil, "symbolicate", pipe, "--debug", module).want(t, exitInterrupted, "", "interrupted")
	}
	cmd := exec.Command("sh", "-c", `printf 'a log\n' | wasm-debugid symbolicate /dev/stdin --debug "$0"`, module)
	if out, err := cmd.Output(); err != nil || string(out) != "a log\n" {
		t.Errorf("%q, %v", out, err)
	}
}
