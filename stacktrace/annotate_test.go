package stacktrace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// mixedTrace has frames of several engines and everything that stands between
// them in logs (case G8).
const mixedTrace = "2026-05-01 INFO start\r\n" +
	"RuntimeError: unreachable\r\n" +
	"    at outer (http://x/app.wasm:wasm-function[1]:0x193)\r\n" +
	"    at http://x/app.wasm:wasm-function[0]:0xae\r\n" +
	"    at main (http://x/app.js:10:20)\r\n" +
	"\n" +
	"outer@http://x/app.wasm:wasm-function[1]:0x193\n" +
	"f@http://x/app.js:1:2\n" +
	"\tat http://x/app.wasm:wasm-function[2]:0x193\n" +
	"@http://x/app.wasm:wasm-function[0]:0x0\n" +
	"plain \xff\x00 text\n" +
	"0@wasm-function[0]"

func annotateText(t testing.TB, r *Resolver, in io.Reader, o AnnotateOptions) (string, Summary) {
	t.Helper()
	var out bytes.Buffer
	sum, err := Annotate(&out, in, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), sum
}

func TestAnnotate(t *testing.T) {
	f := split(t, "c/O0-dw4.wasm", t.TempDir(), "app", rewrite.Options{})
	r := resolver(t, f.companion)
	got, sum := annotateText(t, r, strings.NewReader(mixedTrace), AnnotateOptions{})
	want := "2026-05-01 INFO start\r\n" +
		"RuntimeError: unreachable\r\n" +
		"    at outer (http://x/app.wasm:wasm-function[1]:0x193)\r\n" +
		"      => level3 at ./trap.c:17:5 (inlined)\r\n" +
		"      => level2 at ./trap.c:21:10 (inlined)\r\n" +
		"      => level1 at ./trap.c:25:10 (inlined)\r\n" +
		"      => outer at ./trap.c:28:11\r\n" +
		"    at http://x/app.wasm:wasm-function[0]:0xae\r\n" +
		"      => run at ./trap.c:61:12\r\n" +
		"    at main (http://x/app.js:10:20)\r\n" +
		"\n" +
		"outer@http://x/app.wasm:wasm-function[1]:0x193\n" +
		"  => level3 at ./trap.c:17:5 (inlined)\n" +
		"  => level2 at ./trap.c:21:10 (inlined)\n" +
		"  => level1 at ./trap.c:25:10 (inlined)\n" +
		"  => outer at ./trap.c:28:11\n" +
		"f@http://x/app.js:1:2\n" +
		"\tat http://x/app.wasm:wasm-function[2]:0x193\n" +
		"\t  => not resolved: the trace says function 2, which is code offset 0x16b to 0x1c2 in COMPANION, but the offset lies in function 1 (code offset 0x139): the trace is of another build\n" +
		"@http://x/app.wasm:wasm-function[0]:0x0\n" +
		"  => no frame of the module: offset 0 is no code: it stands for a host function, a stub or an unknown position\n" +
		"plain \xff\x00 text\n" +
		"0@wasm-function[0]\n" +
		"  => run, declared at ./trap.c:58"
	if diff := cmp.Diff(want, strings.ReplaceAll(got, f.companion, "COMPANION")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Summary{Frames: 6, Lines: 3, Functions: 1, Unresolved: 1, Host: 1}, sum); diff != "" {
		t.Error(diff)
	}
	// How the input arrives changes nothing.
	byByte, _ := annotateText(t, r, iotest.OneByteReader(strings.NewReader(mixedTrace)), AnnotateOptions{})
	if byByte != got {
		t.Error("read byte by byte the result differs")
	}
}

// TestAnnotateKeepsInput: without the added lines the text is the input, for every
// trace of the corpus.
func TestAnnotateKeepsInput(t *testing.T) {
	list, err := filepath.Glob(filepath.Join(tracesDir, "*.txt"))
	if err != nil || len(list) == 0 {
		t.Fatal("no traces")
	}
	r := resolver(t, filepath.Join(tracesDir, "traps-named.wasm"))
	for _, file := range list {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, sum := annotateText(t, r, bytes.NewReader(text), AnnotateOptions{})
		if back := withoutAdded(got); back != string(text) {
			t.Errorf("%s: the input is not kept", file)
		}
		if sum.Frames != sum.Lines+sum.Functions+sum.Unresolved+sum.Host || sum.Frames == 0 {
			t.Errorf("%s: %+v", file, sum)
		}
	}
}

// withoutAdded takes out the lines that Annotate has added.
func withoutAdded(text string) string {
	var out []string
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(bare, "=> ") && !strings.HasPrefix(bare, "note: ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// TestAnnotateSources: source lines are found below roots and through maps, and
// nowhere else.
func TestAnnotateSources(t *testing.T) {
	dir := t.TempDir()
	f := split(t, "c/O0-dw4.wasm", dir, "app", rewrite.Options{})
	s, err := NewSources(SourceOptions{Roots: []string{filepath.Join(corpusDir, "src")}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, _ := annotateText(t, resolver(t, f.companion), strings.NewReader("    at http://x/app.wasm:wasm-function[0]:0xae\n"), AnnotateOptions{Sources: s, Context: 1,
		Mark: func(k Mark, text []byte) []byte { return append([]byte{'0' + byte(k)}, text...) }})
	want := `    at http://x/app.wasm:wasm-function[0]:0xae
      0=> run at ./trap.c:61:12
      2        60 |   case 0:
      3   >    61 |     return outer(x) + 1; /*@0.4=run*/
      2        62 |   case 1:
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text)) }
	write("root/src/a.c", "a1\na2\r\na3")
	write("root/b.c", "b1\n")
	write("deps/lib/c.c", "c1\nc2\n")
	write("secret.c", "secret\n")
	if err := os.Symlink(filepath.Join(dir, "secret.c"), filepath.Join(dir, "root", "link.c")); err != nil {
		t.Log(err) // not on every system
	}
	s, err := NewSources(SourceOptions{Roots: []string{filepath.Join(dir, "root")}, Maps: []PathMap{{"/build", filepath.Join(dir, "nothing", "..", "root")}, {"/build/deps", filepath.Join(dir, "deps")}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		file    string
		line    uint32
		n       int
		first   uint32
		context string
	}{
		{"src/a.c", 2, 0, 2, "a2"},
		{"./src/a.c", 2, 1, 1, "a1|a2|a3"},
		{"/home/someone/src/a.c", 3, 1, 2, "a2|a3"},
		{`C:\work\src\a.c`, 1, 0, 1, "a1"},
		{"/build/deps/lib/c.c", 2, 5, 1, "c1|c2"},
		{"/build/src/a.c", 1, 0, 1, "a1"},
		{"/builder/x/b.c", 1, 3, 1, "b1"},
		{"src/a.c", 4, 1, 0, ""},
		{"src/a.c", 0, 1, 0, ""},
		{"a.h", 1, 1, 0, ""},
		{"../secret.c", 1, 0, 0, ""},
		{"src/../../secret.c", 1, 0, 0, ""},
		{filepath.Join(dir, "secret.c"), 1, 0, 0, ""},
		{"link.c", 1, 0, 0, ""},
		{"src", 1, 0, 0, ""},
		{"", 1, 0, 0, ""},
	} {
		lines, first := s.Context(c.file, c.line, c.n)
		if got := string(bytes.Join(lines, []byte("|"))); got != c.context || first != c.first {
			t.Errorf("%s:%d: %q from %d, want %q from %d", c.file, c.line, got, first, c.context, c.first)
		}
	}
	for _, c := range []struct {
		from, name, rest string
		ok               bool
	}{
		{".", "a.c", "a.c", true}, {"./", "x/a.c", "x/a.c", true}, {".", "/a.c", "/a.c", false}, {"/b/", "/b/a.c", "a.c", true},
		{"/b", "/bc/a.c", "", false}, {"/", "/b/a.c", "b/a.c", true}, {`C:\b`, "C:/b/a.c", "a.c", true}, {"/b/a.c", "/b/a.c", "", true},
	} {
		if rest, ok := (PathMap{From: c.from}).cut(c.name); rest != c.rest || ok != c.ok {
			t.Errorf("%s of %s: %q, %v", c.from, c.name, rest, ok)
		}
	}
	if _, err := NewSources(SourceOptions{Roots: []string{filepath.Join(dir, "missing")}}); err == nil {
		t.Error("no error for a root that does not exist")
	}
	for text, want := range map[string]bool{"a=b": true, "a": false, "=b": false, "a=": false} {
		if _, err := ParsePathMap(text); (err == nil) != want {
			t.Errorf("path map %q: %v", text, err)
		}
	}
}

// TestErrors: what goes wrong with the streams is reported.
func TestErrors(t *testing.T) {
	r := resolver(t, filepath.Join(tracesDir, "traps-named.wasm"))
	broken := errors.New("broken")
	in := func() io.Reader {
		return io.MultiReader(strings.NewReader(mixedTrace), iotest.ErrReader(broken))
	}
	type writer func(io.Writer, io.Reader) error
	for name, f := range map[string]writer{
		"text":   func(w io.Writer, r2 io.Reader) error { _, err := Annotate(w, r2, r, AnnotateOptions{}); return err },
		"json":   func(w io.Writer, r2 io.Reader) error { _, err := WriteJSON(w, r2, r, JSONOptions{}); return err },
		"sentry": func(w io.Writer, r2 io.Reader) error { _, err := WriteSentry(w, r2, r, JSONOptions{}); return err },
	} {
		if err := f(io.Discard, in()); !errors.Is(err, broken) {
			t.Errorf("%s: reading: %v", name, err)
		}
		if err := f(failingWriter{broken}, strings.NewReader(mixedTrace)); !errors.Is(err, broken) {
			t.Errorf("%s: writing: %v", name, err)
		}
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
