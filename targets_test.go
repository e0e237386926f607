package debugid_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

func usage(t *testing.T, o debugid.SplitOptions, text string) {
	t.Helper()
	_, err := debugid.Split(context.Background(), o)
	var u *rewrite.UsageError
	if !errors.As(err, &u) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want a usage error with %q", err, text)
	}
}

// What would destroy debug information is refused, also in a dry run.
func TestTargetsThatMustNotBeReplaced(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "app.wasm")
	write(t, in, sample)
	r := split(t, debugid.SplitOptions{Input: in, Output: out})
	before := snapshot(t, dir)
	for _, dry := range []bool{true, false} {
		usage(t, debugid.SplitOptions{Input: in, Output: r.Companion, DebugOut: filepath.Join(dir, "x.wasm"), DryRun: dry}, "debug companion of build "+r.ID.String())
		usage(t, debugid.SplitOptions{Input: in, Output: filepath.Join(dir, "y.wasm"), DebugOut: out, DryRun: dry}, "production module")
		usage(t, debugid.SplitOptions{Input: in, Output: dir, DryRun: dry}, "directory")
		usage(t, debugid.SplitOptions{Input: in, Output: out, DebugOut: dir, DryRun: dry}, "directory")
		_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: in, Output: filepath.Join(dir, "no", "app.wasm"), DryRun: dry})
		if !errors.Is(err, fs.ErrNotExist) || debugid.Hint(err) != "mkdir -p "+filepath.Join(dir, "no") {
			t.Errorf("a missing directory: %v, hint %q", err, debugid.Hint(err))
		}
	}
	_, err := debugid.Inject(context.Background(), debugid.InjectOptions{Input: in, Output: r.Companion})
	var u *rewrite.UsageError
	if !errors.As(err, &u) {
		t.Errorf("inject onto a companion: %v", err)
	}
	after := snapshot(t, dir)
	if len(after) != len(before) {
		t.Error("files were made")
	}
	for path, b := range before {
		if after[path] != b {
			t.Errorf("%s changed", path)
		}
	}
}

// A file with the right ID is no companion for that alone.
func TestProductionModuleAsItsOwnCompanion(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	r := split(t, debugid.SplitOptions{Input: app, Output: app})
	write(t, r.Companion, read(t, app))
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app})
	var mismatch *debugid.MismatchError
	if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), "no companion") {
		t.Errorf("got %v, want a mismatch", err)
	}
}

// A companion that is named for a split module is the one that is checked.
func TestNamedCompanionIsTheOneThatCounts(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	split(t, debugid.SplitOptions{Input: app, Output: app})
	other, wrong := filepath.Join(dir, "other.wasm"), filepath.Join(dir, "wrong.debug.wasm")
	write(t, other, tw.Build(append(tw.Sample(), tw.Custom("more", []byte{1}))...))
	split(t, debugid.SplitOptions{Input: other, Output: other, DebugOut: wrong})
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app, DebugOut: wrong})
	var mismatch *debugid.MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("a wrong companion: %v", err)
	}
	_, err = debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app, DebugOut: filepath.Join(dir, "nothere.wasm")})
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "nothere.wasm") {
		t.Errorf("a companion that is not there: %v", err)
	}
}

func notes(r *debugid.SplitResult) string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString(n.String() + "\n")
	}
	return b.String()
}

func TestNotesOnTheCompanion(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "app.wasm")
	first := filepath.Join(dir, "v1.wasm")
	write(t, first, sample)
	v1 := split(t, debugid.SplitOptions{Input: first, Output: out})
	second := filepath.Join(dir, "v2.wasm")
	write(t, second, tw.Build(append(tw.Sample(), tw.Custom("more", []byte{1}))...))
	if r := split(t, debugid.SplitOptions{Input: second, Output: out}); !strings.Contains(notes(r), "was the companion of build "+v1.ID.String()) {
		t.Errorf("nothing about the companion that was replaced: %s", notes(r))
	}
	for name, want := range map[string]string{
		"testdata/corpus/post/c-O0-dw4.ghost108.wasm": "names no code at all",
		"testdata/corpus/emscripten/srcmap.wasm":      "source map",
		"testdata/corpus/c/O2-dw5.wasm":               "",
	} {
		r := split(t, debugid.SplitOptions{Input: name, Output: filepath.Join(dir, "o.wasm"), DebugOut: filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))})
		if got := notes(r); want == "" && strings.Contains(got, "warning") || !strings.Contains(got, want) {
			t.Errorf("%s: notes %q, want %q", name, got, want)
		}
	}
}

func TestOutputThroughADanglingLink(t *testing.T) {
	dir := t.TempDir()
	in, link := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "link.wasm")
	write(t, in, sample)
	if err := os.Symlink("target.wasm", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	split(t, debugid.SplitOptions{Input: in, Output: link, DebugOut: filepath.Join(dir, "c.wasm")})
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced and not followed")
	}
	read(t, filepath.Join(dir, "target.wasm"))
}

// A companion with DWARF is not replaced by one without, of the same ID.
func TestDWARFIsNotForgotten(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "a.wasm")
	write(t, app, sample)
	r := split(t, debugid.SplitOptions{Input: app, Output: app, URL: debugid.NoURL})
	companion := read(t, r.Companion)
	write(t, app, append(read(t, app), 0, 2, 1, 'x')) // some tool adds a section and keeps the ID
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app})
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("got %v, want a refusal", err)
	}
	if string(read(t, r.Companion)) != string(companion) {
		t.Error("the companion is gone")
	}
}

// Without a companion there is nothing to do for a split module either.
func TestSplitModuleAndNoCompanion(t *testing.T) {
	dir := t.TempDir()
	app, elsewhere := filepath.Join(dir, "a.wasm"), filepath.Join(dir, "b.wasm")
	write(t, app, sample)
	split(t, debugid.SplitOptions{Input: app, Output: app})
	before := snapshot(t, dir)
	none := rewrite.Options{Companion: rewrite.CompanionNone}
	if r := split(t, debugid.SplitOptions{Input: app, Output: app, Options: none}); !r.Already || r.Changed {
		t.Errorf("%+v", r)
	}
	split(t, debugid.SplitOptions{Input: app, Output: elsewhere, Options: none})
	if string(read(t, elsewhere)) != before[app] {
		t.Error("a copy of a split module is another module")
	}
	for path, b := range before {
		if string(read(t, path)) != b {
			t.Errorf("%s changed", path)
		}
	}
	// A URL that was given is written, companion or not.
	write(t, app, sample)
	r := split(t, debugid.SplitOptions{Input: app, Output: app, Options: none, URL: "https://x.example/y"})
	if ref, err := r.Plan.ProductionFile.ExternalDebugInfo(); err != nil || ref.URL != "https://x.example/y" {
		t.Errorf("%+v, %v", ref, err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

// When standard output fails, the companion stays what it was.
func TestStandardOutputFails(t *testing.T) {
	dir := t.TempDir()
	in, companion := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "c.wasm")
	write(t, in, sample)
	write(t, companion, []byte("old"))
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: in, Output: debugid.Stdio, DebugOut: companion, Stdout: failingWriter{}})
	if err == nil || string(read(t, companion)) != "old" || len(snapshot(t, dir)) != 2 {
		t.Errorf("err %v, companion %q, files %d", err, read(t, companion), len(snapshot(t, dir)))
	}
}

// A pointer that leads to something that is no companion is a missing companion.
func TestPointerToSomethingElse(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "a.wasm")
	write(t, filepath.Join(dir, "passwd"), []byte("root:x:0:0"))
	write(t, app, tw.Build(append(tw.Without(tw.Sample(), ".debug_abbrev", ".debug_info", ".debug_line", ".debug_str"),
		tw.ExternalDebugInfo("passwd"), tw.BuildID([]byte("0123456789abcdef")))...))
	_, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: app, Output: app})
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "not at hand") || !strings.Contains(err.Error(), app) {
		t.Errorf("got %v", err)
	}
}
