package debugid_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// snapshot returns the contents of every file below dir.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			m[path] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func split(t testing.TB, o debugid.SplitOptions) *debugid.SplitResult {
	t.Helper()
	r, err := debugid.Split(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var update = flag.Bool("update", false, "write the fixtures that tests build")

var sample = tw.Build(tw.Sample()...)

func TestSplitWritesThePair(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "dist", "app.wasm")
	write(t, in, sample)
	write(t, filepath.Join(dir, "dist", "other"), nil)
	r := split(t, debugid.SplitOptions{Input: in, Output: out})
	if r.Companion != filepath.Join(dir, "dist", "app.debug.wasm") || !r.Changed || r.Already {
		t.Errorf("%+v", r)
	}
	production, companion := read(t, out), read(t, r.Companion)
	if int64(len(production)) != r.ProductionSize || int64(len(companion)) != r.CompanionSize {
		t.Error("the sizes in the result are not those of the files")
	}
	if !bytes.Contains(production, []byte("app.debug.wasm")) || bytes.Contains(production, []byte(".debug_info")) {
		t.Error("the production module lacks the pointer or has DWARF")
	}
	if !bytes.Equal(read(t, in), sample) {
		t.Error("the input changed")
	}
}

// Promise 4: the place and the input's name do not matter, and the name of the
// output matters to the pointer alone.
func TestSplitIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	var first *debugid.SplitResult
	for i, in := range []string{"a/app.wasm", "deeper/down/here/other-name.wasm"} {
		write(t, filepath.Join(dir, in), sample)
		out := filepath.Join(dir, "out", string(rune('a'+i)), "app.wasm")
		write(t, filepath.Join(filepath.Dir(out), "x"), nil)
		r := split(t, debugid.SplitOptions{Input: filepath.Join(dir, in), Output: out})
		if first == nil {
			first = r
			continue
		}
		if !bytes.Equal(read(t, first.Production), read(t, r.Production)) || !bytes.Equal(read(t, first.Companion), read(t, r.Companion)) {
			t.Error("another directory and another input name give other bytes")
		}
		named := split(t, debugid.SplitOptions{Input: filepath.Join(dir, in), Output: filepath.Join(dir, "other.wasm")})
		if !named.ID.Equal(r.ID) {
			t.Error("another output name gives another ID")
		}
		a := split(t, debugid.SplitOptions{Input: filepath.Join(dir, in), Output: filepath.Join(dir, "n1.wasm"), URL: debugid.NoURL})
		b := split(t, debugid.SplitOptions{Input: filepath.Join(dir, in), Output: filepath.Join(dir, "n2.wasm"), URL: debugid.NoURL})
		if !bytes.Equal(read(t, a.Production), read(t, b.Production)) || !bytes.Equal(read(t, a.Companion), read(t, b.Companion)) {
			t.Error("without a pointer the output's name must not matter")
		}
	}
}

// Promise 5, in place and from elsewhere.
func TestSplitAgainChangesNothing(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	first := split(t, debugid.SplitOptions{Input: app, Output: app})
	before := snapshot(t, dir)
	again := split(t, debugid.SplitOptions{Input: app, Output: app})
	if !again.Already || again.Changed || !again.ID.Equal(first.ID) {
		t.Errorf("%+v", again)
	}
	elsewhere := filepath.Join(dir, "dist", "app.wasm")
	write(t, filepath.Join(dir, "dist", "x"), nil)
	moved := split(t, debugid.SplitOptions{Input: app, Output: elsewhere})
	if !moved.Already || !bytes.Equal(read(t, app), read(t, elsewhere)) || !bytes.Equal(read(t, first.Companion), read(t, moved.Companion)) {
		t.Error("the pair was not carried over as it is")
	}
	for path, b := range before {
		if string(read(t, path)) != b {
			t.Errorf("%s changed", path)
		}
	}
	// The same run from the unsplit module again.
	write(t, filepath.Join(dir, "in.wasm"), sample)
	split(t, debugid.SplitOptions{Input: filepath.Join(dir, "in.wasm"), Output: elsewhere})
	r := split(t, debugid.SplitOptions{Input: filepath.Join(dir, "in.wasm"), Output: elsewhere})
	if r.Changed {
		t.Error("the second run wrote files that were right already")
	}
}

func TestSplitModuleWithoutItsCompanion(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	r := split(t, debugid.SplitOptions{Input: app, Output: app})
	if err := os.Rename(r.Companion, filepath.Join(dir, "elsewhere.wasm")); err != nil {
		t.Fatal(err)
	}
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app})
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "app.debug.wasm") {
		t.Errorf("got %v, want a refusal that names the missing companion", err)
	}
	// Where it was moved to it is found when named.
	again := split(t, debugid.SplitOptions{Input: app, Output: app, DebugOut: filepath.Join(dir, "elsewhere.wasm")})
	if !again.Already {
		t.Error("the named companion was not accepted")
	}
	// One of another build is a mismatch.
	other := filepath.Join(dir, "other.wasm")
	write(t, other, tw.Build(append(tw.Sample(), tw.Custom("more", []byte{1}))...))
	split(t, debugid.SplitOptions{Input: other, Output: other, DebugOut: r.Companion, URL: debugid.NoURL})
	if err := os.Remove(filepath.Join(dir, "elsewhere.wasm")); err != nil {
		t.Fatal(err)
	}
	_, err = debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app})
	var mismatch *debugid.MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("got %v, want a mismatch", err)
	}
}

func TestSplitNames(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "app.wasm")
	write(t, in, sample)
	for name, o := range map[string]debugid.SplitOptions{
		"no output":               {Input: in},
		"companion is the output": {Input: in, Output: filepath.Join(dir, "o.wasm"), DebugOut: filepath.Join(dir, ".", "o.wasm")},
		"companion is the input":  {Input: in, Output: filepath.Join(dir, "o.wasm"), DebugOut: in},
		"stdout, no companion":    {Input: in, Output: debugid.Stdio},
		"companion to stdout":     {Input: in, Output: filepath.Join(dir, "o.wasm"), DebugOut: debugid.Stdio},
		"none, but named":         {Input: in, Output: filepath.Join(dir, "o.wasm"), DebugOut: filepath.Join(dir, "c.wasm"), Options: rewrite.Options{Companion: rewrite.CompanionNone}},
	} {
		_, err := debugid.Split(context.Background(), o)
		var usage *rewrite.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: got %v, want a usage error", name, err)
		}
	}
	if got := snapshot(t, dir); len(got) != 1 {
		t.Errorf("files were written: %d", len(got))
	}
}

func TestPointerIsRelativeToTheModule(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "app.wasm")
	write(t, in, sample)
	write(t, filepath.Join(dir, "dist", "x"), nil)
	write(t, filepath.Join(dir, "debug", "x"), nil)
	for _, c := range []struct{ debugOut, url, want string }{
		{"", "", "app.debug.wasm"},
		{filepath.Join(dir, "debug", "a b#1.wasm"), "", "../debug/a%20b%231.wasm"},
		{filepath.Join(dir, "debug", "c.wasm"), "https://symbols.example/c.wasm?x=1", "https://symbols.example/c.wasm?x=1"},
		{"", debugid.NoURL, ""},
	} {
		r := split(t, debugid.SplitOptions{Input: in, Output: filepath.Join(dir, "dist", "app.wasm"), DebugOut: c.debugOut, URL: c.url})
		ref, err := r.Plan.ProductionFile.ExternalDebugInfo()
		if err != nil || ref.URL != c.want {
			t.Errorf("pointer %q, %v, want %q", ref.URL, err, c.want)
		}
	}
}

func TestStandardStreams(t *testing.T) {
	dir := t.TempDir()
	in, companion := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "c.wasm")
	write(t, in, sample)
	var out bytes.Buffer
	r := split(t, debugid.SplitOptions{Input: debugid.Stdio, Output: debugid.Stdio, DebugOut: companion, Stdin: bytes.NewReader(sample), Stdout: &out})
	named := split(t, debugid.SplitOptions{Input: in, Output: filepath.Join(dir, "o.wasm"), DebugOut: companion})
	if !bytes.Equal(out.Bytes(), read(t, named.Production)) || !r.ID.Equal(named.ID) {
		t.Error("streams and files give other bytes")
	}
}

func TestInject(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	r, err := debugid.Inject(context.Background(), debugid.InjectOptions{Input: app, Output: app})
	if err != nil {
		t.Fatal(err)
	}
	b := read(t, app)
	if !bytes.HasPrefix(b, sample) || !bytes.HasSuffix(b, append([]byte("build_id\x10"), r.ID...)) {
		t.Error("an injected module is the input with one section behind it")
	}
	again, err := debugid.Inject(context.Background(), debugid.InjectOptions{Input: app, Output: app})
	if err != nil || again.Changed || !again.ID.Equal(r.ID) {
		t.Errorf("a second run: %+v, %v", again, err)
	}
	// The ID of an injected module is the one that splitting gives.
	s := split(t, debugid.SplitOptions{Input: app, Output: filepath.Join(dir, "o.wasm")})
	if !s.ID.Equal(r.ID) || !s.Plan.Decision.Kept {
		t.Errorf("split gives %v, inject gave %v", s.ID, r.ID)
	}
}

// An input that changes while it is read is an error, and old files stay.
func TestInputThatChanges(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "app.wasm")
	write(t, in, sample)
	write(t, out, []byte("old"))
	touched := false
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: in, Output: out, OnWriting: func(int64) {
		if !touched {
			touched = true
			if err := os.Truncate(in, int64(len(sample))-1); err != nil {
				t.Error(err)
			}
		}
	}})
	if err == nil {
		t.Fatal("no error")
	}
	if string(read(t, out)) != "old" || len(snapshot(t, dir)) != 2 {
		t.Error("files were changed or left behind")
	}
}
