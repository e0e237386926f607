package debugfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// modules lists the modules of the corpus.
func modules(t testing.TB) []string {
	t.Helper()
	list, err := filepath.Glob(corpus + "/*/*.wasm")
	if err != nil || len(list) < 100 {
		t.Fatalf("%d modules, %v", len(list), err)
	}
	return list
}

// everything prints the answers for each offset of the code.
func everything(f *debugfile.File) []string {
	var out []string
	var frames []debugfile.Frame
	span, _ := f.CodeSpan()
	for c := range span.Size + 2 {
		a := f.Lookup(wasm.CodeOffset(c), frames)
		frames = a.Frames
		out = append(out, raw(a))
	}
	return out
}

// raw prints an answer without demangling.
func raw(a debugfile.Answer) string {
	var b []byte
	for i := range a.Frames {
		f := &a.Frames[i]
		b = append(append(append(append(append(b, f.Function...), '|'), f.Linkage...), '|'), f.File...)
		b = strconv.AppendUint(append(b, ':'), uint64(f.Line), 10)
		b = strconv.AppendUint(append(b, ':'), uint64(f.Column), 10)
		b = append(b, ' ')
	}
	return string(strconv.AppendUint(b, uint64(a.Reason), 10))
}

// The answer at an offset does not depend on what was looked up before, nor on
// whether the file was indexed as a whole.
func TestLazyEqualsFull(t *testing.T) {
	for _, path := range modules(t) {
		if strings.Contains(path, "component") {
			continue
		}
		lazy, full := open(t, path, debugfile.Options{}), open(t, path, debugfile.Options{})
		if err := full.Build(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		want := everything(full)
		span, _ := lazy.CodeSpan()
		// Backwards, so that the first lookups of the two differ.
		for c := int(span.Size) + 1; c >= 0; c-- {
			if got := raw(lazy.Lookup(wasm.CodeOffset(c), nil)); got != want[c] {
				t.Errorf("%s: 0x%x: %q lazily, %q from the full index", path, c, got, want[c])
			}
		}
		if diff := cmp.Diff(want, everything(lazy)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// The same for DWARF that nobody would write: units whose ranges, functions and
// rows have nothing to do with each other.
func TestLazyEqualsFullOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.SliceOfN(rapid.IntRange(2, 40), 1, 6).Draw(t, "bodies")...)
		top := int(w.end(len(w.sizes)-1)) + 4
		at := rapid.IntRange(0, top)
		var programs []uint64
		for range rapid.IntRange(1, 5).Draw(t, "units") {
			var attrs []td.Attr
			if rapid.Bool().Draw(t, "own lines") || len(programs) == 0 {
				l := &td.Line{Version: 4, Files: []td.File{{Name: "a.c"}}}
				for range rapid.IntRange(0, 4).Draw(t, "sequences") {
					lo := at.Draw(t, "lo")
					run(l, uint64(lo+rapid.IntRange(0, 30).Draw(t, "length")), row(uint64(lo), uint64(rapid.IntRange(0, 9).Draw(t, "line"))))
				}
				programs = append(programs, w.AddLine(l))
			}
			attrs = append(attrs, td.A(td.AtStmtList, td.FormSecOffset, rapid.SampledFrom(programs).Draw(t, "program")))
			if rapid.Bool().Draw(t, "ranged") {
				attrs = append(attrs, td.A(td.AtLowPC, td.FormAddr, at.Draw(t, "low")), td.A(td.AtHighPC, td.FormData4, rapid.IntRange(0, top).Draw(t, "size")))
			}
			inner := abstract("inner")
			children := []*td.DIE{inner}
			for range rapid.IntRange(0, 4).Draw(t, "functions") {
				lo := at.Draw(t, "lo")
				hi := lo + rapid.IntRange(0, 30).Draw(t, "length")
				if rapid.Bool().Draw(t, "exact") {
					body := rapid.IntRange(0, len(w.sizes)-1).Draw(t, "body")
					lo, hi = int(w.start(body)), int(w.end(body))
				}
				fn := function("f", uint64(lo), uint64(hi))
				for range rapid.IntRange(0, 20).Draw(t, "calls") {
					lo := at.Draw(t, "lo")
					fn.With(inlined(inner, uint64(lo), uint64(lo+rapid.IntRange(0, 9).Draw(t, "length")), lo))
				}
				children = append(children, fn)
			}
			w.unit(4, attrs, children...)
		}
		b := w.module()
		open := func() *debugfile.File {
			m, err := wasm.NewFile(strings.NewReader(string(b)), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			f, err := debugfile.New(m, nil, debugfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		lazy, full, alone := open(), open(), open()
		for f, workers := range map[*debugfile.File]int{full: 3, alone: 1} {
			if err := f.Build(context.Background(), workers); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(counted(alone), counted(full)); diff != "" {
			t.Fatalf("with one worker and with three: %s", diff)
		}
		for _, c := range rapid.SliceOfN(at, 20, 20).Draw(t, "offsets") {
			if a, b := show(lazy.Lookup(wasm.CodeOffset(c), nil)), show(full.Lookup(wasm.CodeOffset(c), nil)); a != b {
				t.Fatalf("0x%x: %q lazily, %q from the full index", c, a, b)
			}
		}
	})
}

// counted returns everything that an index of everything counts and lists.
func counted(f *debugfile.File) (out []string) {
	st, _ := f.Stats()
	out = append(out, fmt.Sprintf("%+v", st))
	for r := range f.Functions() {
		out = append(out, fmt.Sprintf("%+v %+v", r, f.FunctionDecl(r)))
	}
	for s := range f.Sequences() {
		out = append(out, fmt.Sprintf("%+v", s))
		for r := range f.SequenceRows(s) {
			out = append(out, fmt.Sprintf("%+v", r))
		}
	}
	for p := range f.NestingProblems() {
		out = append(out, fmt.Sprintf("%+v", p))
	}
	for _, p := range f.Problems() {
		out = append(out, fmt.Sprintf("%+v", p))
	}
	return out
}

func TestConcurrentLookups(t *testing.T) {
	for _, name := range []string{"cpp/O2-dw4.wasm", "cpp/split-dw5.wasm", "weak/w22-ab.wasm", "assemblyscript/inc.wasm"} {
		path := filepath.Join(corpus, name)
		want := everything(open(t, path, debugfile.Options{DWO: dwos(path)}))
		f := open(t, path, debugfile.Options{DWO: dwos(path)})
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				switch i {
				case 0:
					if err := f.Build(t.Context(), 2); err != nil {
						t.Error(err)
					}
				case 1:
					for range 50 {
						f.Memory()
						f.Problems()
						for u := range f.NumUnits() {
							f.Unit(u)
						}
					}
				default:
					if diff := cmp.Diff(want, everything(f)); diff != "" {
						t.Error(diff)
					}
				}
			})
		}
		wg.Wait()
		if f.Memory() <= 0 {
			t.Error("no memory")
		}
	}
}

func dwos(path string) []string {
	list, _ := filepath.Glob(strings.TrimSuffix(path, ".wasm") + ".*.dwo")
	return list
}

func TestBuildStops(t *testing.T) {
	f := open(t, corpus+"/cpp/O2-dw4.wasm", debugfile.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Build(ctx, 1); err == nil {
		t.Error("no error")
	}
	if _, ok := f.Stats(); ok {
		t.Error("counts of half an index")
	}
	if err := f.Build(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if s, ok := f.Stats(); !ok || s.Units != 2 {
		t.Errorf("%+v", s)
	}
}

// One damaged unit costs that unit.
func TestDamagedUnit(t *testing.T) {
	make3 := func() *world {
		w := newWorld(16, 16, 16)
		for i, name := range []string{"a", "b", "c"} {
			attrs := w.lines(run(&td.Line{Files: []td.File{{Name: name + ".c"}}}, w.end(i), row(w.start(i)+1, 5)))
			attrs[1], attrs[2] = td.A(td.AtLowPC, td.FormAddr, w.start(i)), td.A(td.AtHighPC, td.FormData4, 16)
			w.unit(4, attrs, function(name, w.start(i), w.end(i)))
		}
		return w
	}
	whole := make3()
	sections := whole.Build()
	second := len(sections[".debug_info"]) / 3
	for _, c := range []struct {
		name   string
		damage func(s td.Sections)
		want   string // in unit b
		where  string
	}{
		{"unit header version", func(s td.Sections) { s[".debug_info"][second+4] = 77 }, "(no debug info)", ".debug_info"},
		{"abbreviation offset", func(s td.Sections) { s[".debug_info"][second+8] = 0x7f }, "(no debug info)", ".debug_abbrev"},
		{"code of the root entry", func(s td.Sections) { s[".debug_info"][second+11] = 0x77 }, "(no debug info)", ".debug_info"},
		{"code of the function", func(s td.Sections) { s[".debug_info"][second+11+13] = 0x77 }, "? b.c:5", ".debug_info"},
		{"line program version", func(s td.Sections) { s[".debug_line"][len(s[".debug_line"])/3+4] = 77 }, "b (no row)", ".debug_line"},
	} {
		w := make3()
		w.dwarf = w.Build()
		c.damage(w.dwarf)
		f := expect(t, w.module(), debugfile.Options{}, want{w.start(0) + 4, "a a.c:5"}, want{w.start(1) + 4, c.want}, want{w.start(2) + 4, "c c.c:5"})
		got := strings.Join(messages(f), "\n")
		if !strings.Contains(got, c.where+"+") {
			t.Errorf("%s: problems: %s", c.name, got)
		}
	}
}

func TestUnits(t *testing.T) {
	f := open(t, corpus+"/cpp/O2-dw5.wasm", debugfile.Options{})
	u := f.Unit(0)
	if f.NumUnits() != 2 || u.Name != "trap.cpp" || u.CompDir != "." || u.Version != 5 || u.AddressSize != 4 || u.DWARF64 || u.Skeleton ||
		u.Offset != 0 || u.Err != nil || u.Language.String() != "C++14" && u.Language.String() != "C++20" || !strings.Contains(u.Producer, "clang version 22") {
		t.Errorf("%+v, %v", u, u.Language)
	}
	if f.UnitLanguage(0) != u.Language {
		t.Error("languages differ")
	}
	f = open(t, corpus+"/c/split-dw5.wasm", debugfile.Options{Alone: true})
	if u := f.Unit(0); !u.Skeleton || u.Complete || !strings.HasSuffix(u.DWOName, ".dwo") {
		t.Errorf("%+v", u)
	}
	f = open(t, corpus+"/c/split-dw5.wasm", debugfile.Options{DWP: corpus + "/c/split-dw5.dwp"})
	f.Lookup(0x7b, nil)
	if u := f.Unit(0); !u.Skeleton || !u.Complete || u.Name != "trap.c" || u.Language.String() != "C11" {
		t.Errorf("%+v %v", u, u.Language)
	}
}

// Once indexed, a lookup allocates nothing.
func TestLookupAllocatesNothing(t *testing.T) {
	for _, name := range []string{"cpp/O2-dw4.wasm", "c/O0-dw4.wasm", "c/lineonly-dw5.wasm", "c/names-only.wasm", "assemblyscript/inc.wasm", "rust/nostd-O2-dw5.wasm"} {
		path := filepath.Join(corpus, name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		f := open(t, path, debugfile.Options{})
		span, _ := f.CodeSpan()
		buf := make([]debugfile.Frame, 0, 32)
		all := func() {
			for c := range span.Size {
				f.Lookup(wasm.CodeOffset(c), buf)
			}
		}
		all()
		if n := testing.AllocsPerRun(3, all); n != 0 {
			t.Errorf("%s: %v allocations for %d lookups", name, n, span.Size)
		}
	}
}
