package debugfile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

const corpus = "../testdata/corpus"

// expectation is one trap of one module: the code offsets that the engine
// reported, and the frames that the sources say are right there.
type expectation struct {
	module, name string
	offsets      []wasm.CodeOffset
	frames       []expectedFrame
}

type expectedFrame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     uint32 `json:"line"`
}

// expectations reads testdata/corpus/offsets.tsv.
func expectations(t testing.TB) []expectation {
	t.Helper()
	text, err := os.ReadFile(corpus + "/offsets.tsv")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]map[string][]expectedFrame{}
	var out []expectation
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 4 {
			continue
		}
		e := expectation{module: fields[0], name: fields[1]}
		src := map[string]string{"c": "trap.c", "cpp": "trap.cpp", "eh": "eh.cpp", "rust": "nostd"}[filepath.Dir(e.module)]
		if sources[src] == nil {
			b, err := os.ReadFile(corpus + "/src/" + src + ".expect.json")
			if err != nil {
				t.Fatal(err)
			}
			cases := map[string][]expectedFrame{}
			if err := json.Unmarshal(b, &cases); err != nil {
				t.Fatal(err)
			}
			sources[src] = cases
		}
		e.frames = sources[src][e.name]
		for _, f := range fields[3:] {
			c, err := strconv.ParseUint(f, 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			e.offsets = append(e.offsets, wasm.CodeOffset(c))
		}
		out = append(out, e)
	}
	if len(out) < 400 {
		t.Fatalf("%d expectations only", len(out))
	}
	return out
}

// path returns where the module lies.
func (e *expectation) path() string { return filepath.Join(corpus, e.module) }

// options returns what belongs to the module.
func (e *expectation) options() debugfile.Options {
	var o debugfile.Options
	o.DWO, _ = filepath.Glob(strings.TrimSuffix(e.path(), ".wasm") + ".*.dwo")
	return o
}

var arguments = regexp.MustCompile(`<.*|\(.*`)

// short reduces a name to what the markers in the sources have.
func short(f *debugfile.Frame) string {
	name := f.Function
	if name == "" {
		name = f.Linkage
	}
	if s, ok := debugfile.Demangle(name); ok {
		name = s
	}
	if i := strings.Index(name, "operator()"); i >= 0 {
		return "operator()"
	}
	name = strings.TrimPrefix(name, "(anonymous namespace)::")
	if i := strings.Index(name, " "); i >= 0 && !strings.Contains(name[:i], "<") && !strings.Contains(name[:i], "(") {
		name = name[i+1:] // a return type
	}
	name = arguments.ReplaceAllString(name, "")
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// resolve looks up all offsets of an expectation.
func resolve(f *debugfile.File, e *expectation) (got []expectedFrame, last debugfile.Answer) {
	for _, c := range e.offsets {
		last = f.Lookup(c, nil)
		for i := range last.Frames {
			fr := &last.Frames[i]
			got = append(got, expectedFrame{short(fr), filepath.Base(fr.File), fr.Line})
		}
	}
	return got, last
}

// check compares; frames of the language's own runtime that come before the first
// expected one are passed over.
func check(t *testing.T, f *debugfile.File, e *expectation) {
	t.Helper()
	got, _ := resolve(f, e)
	want := e.frames
	for len(got) > len(want) && got[0] != want[0] {
		got = got[1:]
	}
	switch {
	case strings.Contains(e.module, "linedirs"):
		// There is a .debug_line and nothing that leads to it.
		checkLineDirectives(t, f, e)
		return
	case strings.Contains(e.module, "split-single"):
		// The linker has merged the split sections, and the objects are gone.
		checkIncomplete(t, f, e)
		return
	case strings.HasPrefix(e.module, "rust/") && e.name == "1":
		// Below the panic handler come frames of the core library, which has no
		// debug information, and then of the caller.
		got = got[:1]
	case strings.Contains(e.module, "lineonly"):
		got, want = lines(got), lines(want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s case %s at %v (-want +got):\n%s", e.module, e.name, e.offsets, diff)
	}
}

// lines drops the names: line tables alone have only those of the name section.
func lines(frames []expectedFrame) []expectedFrame {
	out := slices.Clone(frames)
	for i := range out {
		out[i].Function = ""
	}
	return out
}

func checkLineDirectives(t *testing.T, f *debugfile.File, e *expectation) {
	t.Helper()
	if f.HasDWARF() || f.Tier() != debugfile.TierNames || !strings.Contains(f.TierReason(), ".debug_info") {
		t.Errorf("%s: tier %v: %s", e.module, f.Tier(), f.TierReason())
	}
	for _, c := range e.offsets {
		a := f.Lookup(c, nil)
		if len(a.Frames) != 1 || a.Frames[0].Source != debugfile.TierNames || a.Frames[0].Function == "" || a.Reason != debugfile.ReasonNoDebugInfo {
			t.Errorf("%s at %v: %+v", e.module, c, a)
		}
	}
}

func checkIncomplete(t *testing.T, f *debugfile.File, e *expectation) {
	t.Helper()
	got, a := resolve(f, e)
	if a.Reason != debugfile.ReasonSkeleton || a.Frames[0].Source != debugfile.TierDWARF {
		t.Errorf("%s at %v: %+v", e.module, e.offsets, a)
	}
	// The position is right, what was inlined there is not known.
	if got[0].Line != e.frames[0].Line || got[0].File != e.frames[0].File {
		t.Errorf("%s at %v: %v, want %v", e.module, e.offsets, got[0], e.frames[0])
	}
	if len(f.Problems()) == 0 || !strings.Contains(fmt.Sprint(f.Problems()), "merged by a linker") {
		t.Errorf("%s: problems %v", e.module, f.Problems())
	}
}

func open(t testing.TB, path string, o debugfile.Options) *debugfile.File {
	t.Helper()
	f, err := debugfile.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestCorpus(t *testing.T) {
	for _, e := range expectations(t) {
		f := open(t, e.path(), e.options())
		check(t, f, &e)
		if e.name == "0" {
			if err := f.Build(context.Background(), 2); err != nil {
				t.Fatal(err)
			}
			check(t, f, &e)
		}
	}
}

// TestCorpusCompanions splits each module and asks both kinds of companion.
func TestCorpusCompanions(t *testing.T) {
	plans := map[string]*rewrite.Plan{}
	for _, e := range expectations(t) {
		for _, kind := range []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols} {
			key := fmt.Sprint(e.module, kind)
			if plans[key] == nil {
				b, err := os.ReadFile(e.path())
				if err != nil {
					t.Fatal(err)
				}
				in, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
				if err != nil {
					t.Fatal(err)
				}
				plans[key], err = rewrite.Split(context.Background(), in, rewrite.Options{Companion: kind})
				if err != nil {
					t.Fatalf("%s: %v", e.module, err)
				}
			}
			p := plans[key]
			companion, err := wasm.NewFile(p.Companion, p.Companion.Size())
			if err != nil {
				t.Fatal(err)
			}
			o := e.options()
			o.Production = p.ProductionFile
			for _, production := range []bool{true, false} {
				if !production {
					o.Production = nil
				}
				f, err := debugfile.New(companion, nil, o)
				if err != nil {
					t.Fatal(err)
				}
				check(t, f, &e)
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
