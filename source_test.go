package debugid_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// TestSetAside: a prepared split that was set aside holds no descriptor, is
// written all the same, and is refused when its input is another by then.
func TestSetAside(t *testing.T) {
	module := tw.Build(tw.Sample()...)
	for name, change := range map[string]func(in string) error{
		"same":     func(string) error { return nil },
		"gone":     os.Remove,
		"replaced": func(in string) error { write(t, in+".new", module); return os.Rename(in+".new", in) },
		"shorter":  func(in string) error { return os.Truncate(in, 100) },
		"touched":  func(in string) error { return os.Chtimes(in, time.Time{}, time.Unix(1, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "out.wasm")
			write(t, in, module)
			before := openFiles(t, in)
			p, err := debugid.PrepareSplit(context.Background(), debugid.SplitOptions{Input: in, Output: out})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if got := openFiles(t, in); before >= 0 && got != before+1 {
				t.Errorf("%d descriptors of the input, want one", got-before)
			}
			if err := p.SetAside(); err != nil {
				t.Fatal(err)
			}
			if got := openFiles(t, in); got != before {
				t.Errorf("%d descriptors of the input after it was set aside", got-before)
			}
			if err := change(in); err != nil {
				t.Fatal(err)
			}
			err = p.Write(context.Background())
			if _, missing := os.Stat(out); name == "same" {
				if err != nil || missing != nil {
					t.Errorf("%v, %v", err, missing)
				}
			} else if err == nil || missing == nil {
				t.Errorf("the module was written: %v, %v", err, missing)
			} else if name != "gone" && !strings.Contains(err.Error(), "changed while it was read") {
				t.Error(err)
			}
			p.Close()
			p.Close()
			if err := p.SetAside(); err != nil {
				t.Error(err)
			}
			if _, err := p.Result.Plan.Input.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
				t.Errorf("a read after Close: %v", err)
			}
		})
	}
}

// TestSetAsideStandardInput: what has no name stays open.
func TestSetAsideStandardInput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.wasm")
	p, err := debugid.PrepareInject(context.Background(), debugid.InjectOptions{Input: debugid.Stdio, Output: out, Stdin: strings.NewReader(string(tw.Build(tw.Sample()...)))})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := errors.Join(p.SetAside(), p.Write(context.Background())); err != nil {
		t.Error(err)
	}
}

// openFiles counts this process's descriptors of a file; -1 where that cannot be
// told.
func openFiles(t *testing.T, path string) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	n := 0
	for _, e := range all {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && to == path {
			n++
		}
	}
	return n
}
