package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

var sample = tw.Build(tw.Sample()...)

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

// link makes a second name for a file, as cargo does.
func link(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(from, to); err != nil {
		t.Fatal(err)
	}
}

// tree returns the contents of every file below dir, by relative path.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			m[filepath.ToSlash(rel)] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// names returns the sorted names of the files below dir.
func names(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for name := range tree(t, dir) {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// hasDebug reports whether a module holds DWARF; it must be a whole one.
func hasDebug(t testing.TB, path string) bool {
	t.Helper()
	f, err := wasm.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.HasDebug()
}

// mustPair checks that a module lacks DWARF and that a companion of its build, with
// DWARF, lies where its pointer leads.
func mustPair(t testing.TB, module string) {
	t.Helper()
	f, err := wasm.Open(module)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.HasDebug() {
		t.Errorf("%s holds DWARF", module)
	}
	ref, err := f.ExternalDebugInfo()
	if err != nil {
		t.Fatal(err)
	}
	path, ok := symcheck.PointerPath(module, ref.URL)
	if !ok || !exists(path) {
		t.Fatalf("%s points to %q, where nothing is", module, ref.URL)
	}
	// Split in place of a split module verifies the pair.
	r, err := debugid.Split(context.Background(), debugid.SplitOptions{Input: module, Output: module, DebugOut: path, DryRun: true})
	if err != nil || !r.Already {
		t.Errorf("%s and %s are no pair: %v", module, path, err)
	}
	if !hasDebug(t, path) {
		t.Errorf("%s holds no DWARF", path)
	}
}

func mustSplit(t testing.TB, o Options, j Job) *Result {
	t.Helper()
	r, err := Split(context.Background(), o, j)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const sampleNote = `{
  "build_id": "4424af9b1add8f0a93c64b528770589f",
  "build_id_reason": "the file has no id; one is derived from the content",
  "check": null,
  "companion": {
    "blake3": "COMPANION",
    "kind": "full",
    "path": "app.debug.wasm",
    "size": 0
  },
  "input_size": 409,
  "notes": [],
  "production": {
    "blake3": "PRODUCTION",
    "path": "app.wasm",
    "size": 362
  },
  "schema": "wasm-debugid/note",
  "settings": {
    "build_id": "auto",
    "companion": "full",
    "external_url": "",
    "keep": [],
    "remove": [],
    "strip_names": false
  },
  "verdict": "not checked",
  "version": 1,
  "warnings": []
}
`

func TestSplitLeavesThreeFiles(t *testing.T) {
	var first map[string]string
	for _, where := range []string{"one", "another/folder"} {
		dir := filepath.Join(t.TempDir(), filepath.FromSlash(where))
		app := filepath.Join(dir, "app.wasm")
		write(t, app, sample)
		r := mustSplit(t, Options{}, Job{Path: app})
		if r.Skipped != "" || !r.Changed || r.NotePath != filepath.Join(dir, "app.debugid.json") {
			t.Errorf("%+v", r)
		}
		mustPair(t, app)
		files := tree(t, dir)
		if first == nil {
			first = files
			want := strings.NewReplacer("PRODUCTION", sum(t, app), "COMPANION", sum(t, r.Split.Companion),
				`"size": 0`, fmt.Sprintf(`"size": %d`, len(read(t, r.Split.Companion)))).Replace(sampleNote)
			if diff := cmp.Diff(want, files["app.debugid.json"]); diff != "" {
				t.Errorf("the note (-want +got):\n%s", diff)
			}
		}
		if diff := cmp.Diff(first, files); diff != "" || len(files) != 3 {
			t.Errorf("another folder gives other files:\n%s", diff)
		}

		// And again.
		before := times(t, dir)
		again := mustSplit(t, Options{}, Job{Path: app})
		if again.Changed || !again.Split.Already {
			t.Errorf("the second run changed something: %+v", again)
		}
		if diff := cmp.Diff(files, tree(t, dir)); diff != "" {
			t.Errorf("the second run changed files:\n%s", diff)
		}
		if diff := cmp.Diff(before, times(t, dir)); diff != "" {
			t.Errorf("the second run wrote files:\n%s", diff)
		}
	}
}

func sum(t testing.TB, path string) string {
	t.Helper()
	b := read(t, path)
	d, err := buildid.Sum(context.Background(), bytes.NewReader(b), 0, int64(len(b)), buildid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// times returns the modification time of every file below dir.
func times(t testing.TB, dir string) map[string]time.Time {
	t.Helper()
	m := map[string]time.Time{}
	for _, name := range names(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m[name] = info.ModTime()
	}
	return m
}

// What a build writes beside linked modules is none of our business, and must not
// fail it.
func TestSplitLeavesOtherFilesAlone(t *testing.T) {
	object, err := os.ReadFile(filepath.Join("..", "testdata", "objects", "clang19.o"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"lib.rlib": []byte("!<arch>\nlib.rmeta/"), "program": []byte("\x7fELF\x02\x01\x01"), "program.exe": []byte("MZ\x90\x00"),
		"proc.dylib": []byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01"), "object.o": object, "lto.o": []byte("BC\xc0\xde5\x14\x00\x00"),
		"glue.js": []byte("import x from './y.js';\n"), "text.d": []byte("app.wasm: src/lib.rs\n"),
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), b)
		before := tree(t, dir)
		r := mustSplit(t, Options{}, Job{Path: filepath.Join(dir, name)})
		if r.Skipped == "" || r.Changed || r.Split != nil {
			t.Errorf("%s: %+v", name, r)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "app.wasm"), sample)
	if r := mustSplit(t, Options{Off: true}, Job{Path: filepath.Join(dir, "app.wasm")}); r.Skipped == "" || len(names(t, dir)) != 1 {
		t.Errorf("the hook is off: %+v", r)
	}
	if r := mustSplit(t, Options{}, Job{Path: os.DevNull}); r.Skipped == "" {
		t.Errorf("a device: %+v", r)
	}
}

// What would be shipped unsplit is an error, and stays what it was.
func TestSplitRefuses(t *testing.T) {
	bindgen := tw.Build(append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte{1}))...)
	companion := func() []byte {
		dir := t.TempDir()
		app := filepath.Join(dir, "app.wasm")
		write(t, app, sample)
		return read(t, mustSplit(t, Options{}, Job{Path: app}).Split.Companion)
	}()
	for name, c := range map[string]struct {
		b          []byte
		text, hint string
	}{
		"bindgen":   {bindgen, "wasm-bindgen", "WASM_DEBUGID_HOOK=off"},
		"component": {tw.Component(sample), "a component", "core modules"},
		"damaged":   {sample[:len(sample)-3], "offset", ""},
		"cut off":   {sample[:6], "truncated", ""},
		"empty":     {nil, "empty", ""},
		"companion": {companion, "companion", "production module"},
	} {
		dir := t.TempDir()
		app := filepath.Join(dir, "app.wasm")
		write(t, app, c.b)
		_, err := Split(context.Background(), Options{}, Job{Path: app})
		if err == nil || !strings.Contains(err.Error(), c.text) || !strings.Contains(debugid.Hint(err), c.hint) {
			t.Errorf("%s: error %v, hint %q", name, err, debugid.Hint(err))
		}
		if diff := cmp.Diff(map[string]string{"app.wasm": string(c.b)}, tree(t, dir)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if _, err := Split(context.Background(), Options{}, Job{Path: filepath.Join(t.TempDir(), "none.wasm")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A module that does not pass is left as it was linked, without a note that would
// describe another.
func TestSplitWithCheck(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	mustSplit(t, Options{}, Job{Path: app})
	write(t, app, sample)
	_, err := Split(context.Background(), Options{Check: &symcheck.Options{}}, Job{Path: app})
	var failed *debugid.CheckError
	if !errors.As(err, &failed) {
		t.Fatalf("error %v", err)
	}
	if !bytes.Equal(read(t, app), sample) || exists(NotePath(app)) {
		t.Errorf("files: %v", names(t, dir))
	}

	demo := read(t, filepath.Join("..", "testdata", "demo", "app.wasm"))
	write(t, app, demo)
	r := mustSplit(t, Options{Check: &symcheck.Options{MinCoverage: symcheck.Thresholds{"user": 99}}}, Job{Path: app})
	want := &NoteCheck{Coverage: &NoteCoverage{Line: 41}, Findings: []string{}}
	if diff := cmp.Diff(want, r.Note.Check); diff != "" || r.Note.Verdict != "pass" {
		t.Errorf("verdict %q, check (-want +got):\n%s", r.Note.Verdict, diff)
	}
	// A run without a check does not forget the verdict about the same module.
	if again := mustSplit(t, Options{}, Job{Path: app}); again.Note.Verdict != "pass" || again.Changed {
		t.Errorf("%+v", again.Note)
	}
}

func TestSplitWithoutACompanion(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	o := Options{}
	o.Companion = rewrite.CompanionNone
	r := mustSplit(t, o, Job{Path: app})
	if diff := cmp.Diff([]string{"app.debugid.json", "app.wasm"}, names(t, dir)); diff != "" || r.Note.Companion != nil {
		t.Errorf("%+v %s", r.Note, diff)
	}
	if !slices.ContainsFunc(r.Note.Warnings, func(w string) bool { return strings.Contains(w, "discarded") }) {
		t.Errorf("warnings: %q", r.Note.Warnings)
	}
}

// A note is about its module, and not about what lay there before.
func TestNoteForgetsWhatLayThereBefore(t *testing.T) {
	other := tw.Build(tw.Without(tw.Sample(), "data", "datacount")...)
	fresh, used := filepath.Join(t.TempDir(), "app.wasm"), filepath.Join(t.TempDir(), "app.wasm")
	write(t, used, other)
	mustSplit(t, Options{}, Job{Path: used})
	write(t, used+".gz", nil)
	if err := os.Chtimes(used+".gz", time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fresh, used} {
		write(t, path, sample)
		r := mustSplit(t, Options{}, Job{Path: path})
		if path == used && len(r.Split.Notes) < 2 {
			t.Errorf("notes %v", r.Split.Notes)
		}
	}
	if diff := cmp.Diff(string(read(t, NotePath(fresh))), string(read(t, NotePath(used)))); diff != "" {
		t.Error(diff)
	}
}
