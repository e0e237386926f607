package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// terminal is a stream that says that it is a terminal.
type terminal struct{ bytes.Buffer }

func (*terminal) IsTerminal() bool { return true }

func sample(t *testing.T, kind string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "app.wasm")
	if err := makeModule([]string{kind, name}); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestNoModuleToATerminal(t *testing.T) {
	in := sample(t, "sample")
	var out terminal
	var errs bytes.Buffer
	code := run(context.Background(), []string{program, "split", in, "-o", "-", "-d", in + ".debug.wasm"}, nil, &out, &errs)
	if code != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), "standard output is a terminal") {
		t.Errorf("exit code %d, %d bytes written, %s", code, out.Len(), errs.String())
	}
	if _, err := os.Stat(in + ".debug.wasm"); err == nil {
		t.Error("the companion was written")
	}
	for _, command := range []string{"split - -o out.wasm -d out.debug.wasm", "inject - -o out.wasm", "info -"} {
		r := tryWith(t, context.Background(), &terminal{}, strings.Fields(command)...)
		r.want(t, exitUsage, "", "standard input is a terminal")
	}
	tryWith(t, context.Background(), nil, "info", "-").want(t, exitInternal, "", "no standard input")
}

func TestColor(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for _, tt := range []struct {
		mode, noColor, term string
		tty, want           bool
	}{
		{"auto", "", "xterm", true, true},
		{"auto", "", "xterm", false, false},
		{"auto", "1", "xterm", true, false},
		{"auto", "", "dumb", true, false},
		{"always", "1", "dumb", false, true},
		{"never", "", "xterm", true, false},
	} {
		t.Setenv("NO_COLOR", tt.noColor)
		t.Setenv("TERM", tt.term)
		s := &streams{color: tt.mode}
		if got := s.wantsColor(tt.tty); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
		if got := strings.Contains(painter{tt.want}.bold("x"), "\x1b["); got != tt.want {
			t.Errorf("painter %v: %v", tt.want, got)
		}
	}
}

func TestMessages(t *testing.T) {
	var b bytes.Buffer
	s := newStreams(context.Background(), nil, io.Discard, &b)
	s.note("app.wasm", rewrite.Note{Warning: true, Text: "odd\nreally"})
	s.quiet = true
	s.note("app.wasm", rewrite.Note{Warning: true, Text: "unheard"})
	if got, want := b.String(), "wasm-debugid: warning: app.wasm: odd\\nreally\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDefectsAskForAReport(t *testing.T) {
	for _, end := range []func(s *streams) int{
		func(s *streams) int { return s.finish(&rewrite.InternalError{Msg: "two builds"}) },
		func(s *streams) int { return s.crash("index out of range", []byte("stack")) },
	} {
		var b bytes.Buffer
		s := newStreams(context.Background(), nil, io.Discard, &b)
		if code := end(s); code != exitInternal || !strings.Contains(b.String(), "please report it") || !strings.Contains(b.String(), reportURL) {
			t.Errorf("exit code %d, %s", code, b.String())
		}
	}
}

// TestPanicIsExit5 runs a command that panics through the whole program.
func TestPanicIsExit5(t *testing.T) {
	var errs bytes.Buffer
	code := run(context.Background(), []string{program, "info", "-"}, panics{}, io.Discard, &errs)
	if code != exitInternal || !strings.Contains(errs.String(), "internal error: from the reader") || !strings.Contains(errs.String(), "goroutine") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("from the reader") }

// TestInterrupted: a cancelled run is exit 130, also while it waits for input
// that never comes, and leaves no file.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		w.Write([]byte("\x00asm"))
		time.AfterFunc(20*time.Millisecond, cancel) // the next read waits by then
		time.AfterFunc(10*time.Second, func() { w.Close() })
	}()
	got := tryWith(t, ctx, r, "split", "-", "-o", "out.wasm", "-d", "out.debug.wasm")
	got.want(t, exitInterrupted, "", "error: interrupted; existing files are as they were")
	in := sample(t, "sample")
	tryWith(t, ctx, nil, "split", in, "-o", "out.wasm").want(t, exitInterrupted, "", "interrupted")
	tryWith(t, ctx, nil, "info", in).want(t, exitInterrupted, "", "interrupted")
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestInterruptedHalfWay: of several modules the first may be split already, and
// then not everything is as it was.
func TestInterruptedHalfWay(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, name := range []string{"a.wasm", "b.wasm"} {
		if err := makeModule([]string{"sample", name}); err != nil {
			t.Fatal(err)
		}
	}
	var errs bytes.Buffer
	code := run(ctx, []string{program, "split", "--in-place", "a.wasm", "b.wasm"}, nil, cancelling(cancel), &errs)
	if code != exitInterrupted || !strings.Contains(errs.String(), "error: interrupted; what was done before stays") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	for name, want := range map[string]bool{"a.debug.wasm": true, "b.debug.wasm": false} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// cancelling is an output that cancels the run when the first ID is printed.
type cancelling func()

func (c cancelling) Write(p []byte) (int, error) {
	c()
	return len(p), nil
}

func TestProgress(t *testing.T) {
	now := time.Now()
	var tty terminal
	s := newStreams(context.Background(), nil, io.Discard, &tty)
	p := s.newProgress()
	p.now = func() time.Time { return now }
	p.start = now
	p.read(1 << 20)
	if tty.Len() > 0 {
		t.Errorf("short work shows %q", tty.String())
	}
	now = now.Add(progressDelay)
	p.read(1 << 20)
	if !strings.Contains(tty.String(), "reading") {
		t.Errorf("long work shows %q", tty.String())
	}
	p.writing(10 << 20)
	tty.Reset()
	p.wrote(5 << 20)
	if !strings.Contains(tty.String(), "writing") || !strings.Contains(tty.String(), "50%") {
		t.Errorf("writing shows %q", tty.String())
	}
	p.stop()
	tty.Reset()
	p.wrote(1)
	if tty.Len() > 0 {
		t.Errorf("after the end: %q", tty.String())
	}

	for name, off := range map[string]*streams{
		"no terminal": newStreams(context.Background(), nil, io.Discard, io.Discard),
		"quiet":       {stderr: &tty, errTTY: true, quiet: true},
	} {
		p := off.newProgress()
		p.start = p.start.Add(-time.Hour)
		p.read(1)
		if p.bar != nil || tty.Len() > 0 {
			t.Errorf("%s: there is a bar", name)
		}
	}
}

// TestVersion: a release says its version, a build from a checkout its commit.
func TestVersion(t *testing.T) {
	defer func(v string) { version = v }(version)
	version = "v1.2.3"
	r := try(t, "--version")
	if !strings.HasPrefix(r.stdout, "wasm-debugid v1.2.3 (") || !strings.Contains(r.stdout, runtime.Version()) {
		t.Errorf("%q", r.stdout)
	}
}
