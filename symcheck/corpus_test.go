package symcheck_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// goodModules returns the linked modules of the corpus that hold sound DWARF.
func goodModules(t testing.TB) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(corpusDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".wasm" {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, corpusDir))
		for _, not := range []string{
			"opt132", "ghost", "linedirs", "reloc-r", // broken, without .debug_info, an object
			"/component/", "/traces/", "/feat/", "/assemblyscript/", "srcmap", // no DWARF
			"sep2.wasm", ".oc.wasm", // production modules
			"split-single-dw5", // its .dwo sections were merged by the linker
		} {
			if strings.Contains(name, not) {
				return nil
			}
		}
		out = append(out, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("%d modules only", len(out))
	}
	return out
}

// beside returns what lies beside a module of the corpus.
func beside(path string) debugfile.Options {
	o := debugfile.Options{Path: path}
	o.DWO, _ = filepath.Glob(strings.TrimSuffix(path, ".wasm") + ".*.dwo")
	return o
}

// TestCorpusPasses checks every good module by itself, and as a pair with either
// kind of companion: none is refused.
func TestCorpusPasses(t *testing.T) {
	for _, path := range goodModules(t) {
		b := readFile(t, path)
		o := symcheck.Options{Debug: beside(path)}
		if s := (pair{production: b}).check(t, path, o); s.Verdict != report.Pass {
			t.Errorf("%s: %v\n%s", path, s.Verdict, list(s))
		}
		for _, kind := range []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols} {
			p := split(t, b, rewrite.Options{Companion: kind})
			if s := p.check(t, path, o); s.Verdict != report.Pass || s.Coverage.Total.Line == 0 {
				t.Errorf("%s, %v companion: %v\n%s", path, kind, s.Verdict, list(s))
			}
		}
	}
}

// TestCoverageIsWhatLookupsAnswer looks every reportable point up by itself and
// compares with the counts of the walk, which steps through rows and code together.
func TestCoverageIsWhatLookupsAnswer(t *testing.T) {
	paths := append(goodModules(t), corpusDir+"/post/c-O0-dw4.opt132.wasm", corpusDir+"/c/split-single-dw5.wasm",
		corpusDir+"/assemblyscript/inc.wasm", corpusDir+"/traces/weird.wasm", corpusDir+"/c/linedirs.wasm")
	for _, loops := range []bool{false, true} {
		for _, path := range paths {
			b := readFile(t, path)
			o := symcheck.Options{Debug: beside(path), Loops: loops}
			s := (pair{production: b}).check(t, strings.TrimSuffix(path, ".wasm"), o)
			want := countByLookup(t, path, b, loops)
			if got := s.Coverage.Total; got != want {
				t.Errorf("%s: coverage %+v, lookups give %+v", path, got, want)
			}
			var sum report.Counts
			for _, g := range s.Coverage.Functions {
				sum.Add(g.Counts)
			}
			if sum != want {
				t.Errorf("%s: functions sum up to %+v, want %+v", path, sum, want)
			}
		}
	}
}

func countByLookup(t *testing.T, path string, b []byte, loops bool) report.Counts {
	t.Helper()
	f, err := debugfile.New(parse(t, b), nil, beside(path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c report.Counts
	count := func(at wasm.CodeOffset) {
		a := f.Lookup(at, nil)
		switch {
		case len(a.Frames) > 0 && a.HasLine():
			c.Line++
		case slices.ContainsFunc(a.Frames, func(f debugfile.Frame) bool { return f.Name() != "" }):
			c.Function++
		default:
			c.Nothing++
		}
	}
	r, err := wasm.NewBodyReader(parse(t, b))
	if err != nil {
		t.Fatal(err)
	}
	for {
		body, err := r.Next()
		if err != nil {
			return c
		}
		code, err := r.Bytes(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		count(body.Start)
		for it := body.Instructions(code); it.Next(); {
			if it.Instr().Reportable() || loops && it.Instr().Flags&wasm.OpLoop != 0 {
				count(it.At())
			}
		}
	}
}

// TestWorkersDoNotMatter: the report is the same with any number of workers, with
// views and without.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, name := range []string{"post/c-O0-dw4.opt132.wasm", "cpp/O0-dw5.wasm", "weak/w22-ab.wasm"} {
		b := readFile(t, corpusDir+"/"+name)
		var want *report.Subject
		for _, workers := range []int{1, 2, 7} {
			for _, views := range []bool{true, false} {
				m := module(t, name, b)
				if !views {
					m.Source = nil
				}
				s, err := symcheck.Check(context.Background(), m, nil, symcheck.Options{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = s
				}
				if diff := cmp.Diff(want, s); diff != "" {
					t.Errorf("%s with %d workers, views %v:\n%s", name, workers, views, diff)
				}
			}
		}
	}
}
