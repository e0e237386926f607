package stacktrace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

const corpusDir = "../testdata/corpus"

// files is a split module on disk.
type files struct{ production, companion string }

// split splits a module of the corpus into dir under a name.
func split(t testing.TB, input, dir, name string, o rewrite.Options) files {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpusDir, filepath.FromSlash(input)))
	if err != nil {
		t.Fatal(err)
	}
	return splitBytes(t, b, dir, name, o)
}

func splitBytes(t testing.TB, b []byte, dir, name string, o rewrite.Options) files {
	t.Helper()
	in, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rewrite.Split(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	f := files{filepath.Join(dir, name+".wasm"), filepath.Join(dir, name+".debug.wasm")}
	for path, l := range map[string]*rewrite.Layout{f.production: plan.Production, f.companion: plan.Companion} {
		var out bytes.Buffer
		if err := l.WriteStream(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, out.Bytes())
	}
	return f
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func openStore(t testing.TB, o StoreOptions) *Store {
	t.Helper()
	s, err := OpenStore(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// resolver opens companions, unsplit modules or directories.
func resolver(t testing.TB, debug ...string) *Resolver {
	t.Helper()
	return NewResolver(openStore(t, StoreOptions{Debug: debug}), ResolverOptions{})
}

// lineOf resolves one line of text.
func lineOf(t testing.TB, r *Resolver, line string) *Resolution {
	t.Helper()
	all := linesOf(t, r, line)
	if len(all) != 1 {
		t.Fatalf("%q holds %d frames", line, len(all))
	}
	return all[0]
}

// linesOf resolves the frames of a text.
func linesOf(t testing.TB, r *Resolver, text string) []*Resolution {
	t.Helper()
	var out []*Resolution
	log := NewLog(strings.NewReader(text), r, 0)
	for log.Next() {
		if res := log.Line().Resolution; res != nil {
			out = append(out, res)
		}
	}
	if err := log.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// brief puts a resolution into one line.
func brief(r *Resolution) string {
	if !r.Resolved() {
		return r.Cause.String() + ": " + r.Reason
	}
	var parts []string
	for i := range r.Frames {
		parts = append(parts, string(appendFrame(nil, r, i)))
	}
	return strings.Join(parts, "; ")
}

// place is a function with file and line.
type place struct {
	Function, File string
	Line           uint32
}

// places returns what resolutions come down to, without types and folders.
func places(list []*Resolution) []place {
	var out []place
	for _, r := range list {
		for i := range r.Frames {
			f := &r.Frames[i]
			name := f.Function
			if name == "" {
				name = f.Display
			}
			if j := strings.IndexByte(name, '<'); j > 0 {
				name = name[:j]
			}
			out = append(out, place{name, baseName(f.File), f.Line})
		}
	}
	return out
}

var sourceMark = regexp.MustCompile(`/\*@(\d+)\.(\d+)=(.*?)\*/`)

// marked reads the right frames of every case from marks in the sources of the
// corpus, "@CASE.DEPTH=FUNCTION" on the line that the frame is at.
func marked(t testing.TB, sources ...string) map[int][]place {
	t.Helper()
	out := map[int][]place{}
	for _, name := range sources {
		text, err := os.ReadFile(filepath.Join(corpusDir, "src", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, m := range sourceMark.FindAllStringSubmatch(line, -1) {
				kase, _ := strconv.Atoi(m[1])
				depth, _ := strconv.Atoi(m[2])
				for len(out[kase]) <= depth {
					out[kase] = append(out[kase], place{})
				}
				out[kase][depth] = place{m[3], filepath.Base(name), uint32(n + 1)}
			}
		}
	}
	return out
}
