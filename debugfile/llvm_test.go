package debugfile_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// llvm-symbolizer 19 and 22 as witnesses. They look DWARF up by code offset and
// symbols by file offset, so their copy of a module has no name section and no
// exports. Where they differ from us, one of these rules must apply; each is the
// witness's matter, not ours.
var llvmRules = []struct {
	kind string
	is   func(q *llvmQuestion) bool
}{
	// They know nothing of definitions that lost at link time, and answer from
	// whichever comes first in their table.
	{"DWARF of another definition is in the body", func(q *llvmQuestion) bool { return q.shadowed }},
	// A stack overflow points at the start of a body. Without a row there they
	// give the function and no line, or nothing.
	{"the start of a body before its first row", func(q *llvmQuestion) bool {
		return q.at == q.ours.Body.Start && q.theirs[0].Line == 0 && (sameNames(q) || q.theirs[0] == llvmFrame{})
	}},
	// Sizes between bodies lie in no function, but rows run on to the next address.
	{"no code", func(q *llvmQuestion) bool { return !q.ours.HasIndex }},
	// Line tables alone name only what was inlined; our names are those of the
	// name section, which their copy does not have.
	{"names of line tables", func(q *llvmQuestion) bool {
		last := len(q.theirs) - 1
		return last == len(q.ours.Frames)-1 && q.theirs[last].FunctionName == "" && q.positions()
	}},
	// Ranges whose end leaves the address space, as binaryen leaves behind, cover
	// everything for them; we drop such ranges and report them.
	{"a range that leaves the address space", func(q *llvmQuestion) bool { return q.badRanges && q.outer() }},
}

// llvmFrame is a frame of their JSON.
type llvmFrame struct {
	FunctionName string
	FileName     string
	Line, Column uint32
}

type llvmQuestion struct {
	at        wasm.CodeOffset
	ours      debugfile.Answer
	theirs    []llvmFrame
	shadowed  bool
	badRanges bool
}

func name(f *debugfile.Frame) string {
	if f.Source != debugfile.TierDWARF {
		return ""
	}
	if f.Linkage != "" {
		return f.Linkage
	}
	return f.Function
}

func sameNames(q *llvmQuestion) bool {
	if len(q.theirs) != len(q.ours.Frames) {
		return false
	}
	for i := range q.theirs {
		if q.theirs[i].FunctionName != name(&q.ours.Frames[i]) {
			return false
		}
	}
	return true
}

// positions reports whether files, lines and columns are equal.
func (q *llvmQuestion) positions() bool {
	if len(q.theirs) != len(q.ours.Frames) {
		return false
	}
	for i, t := range q.theirs {
		f := &q.ours.Frames[i]
		if t.Line != f.Line || t.Column != f.Column || path.Base(t.FileName) != path.Base(f.File) && t.FileName != "" {
			return false
		}
	}
	return true
}

// outer reports whether our frames are the outer ones of theirs, with the position
// of their innermost one.
func (q *llvmQuestion) outer() bool {
	extra := len(q.theirs) - len(q.ours.Frames)
	if extra <= 0 {
		return false
	}
	for i := range q.ours.Frames {
		if name(&q.ours.Frames[i]) != q.theirs[extra+i].FunctionName {
			return false
		}
	}
	return q.ours.Frames[0].Line == q.theirs[0].Line
}

func (q *llvmQuestion) agrees() bool {
	if len(q.ours.Frames) == 0 || q.ours.Frames[0].Source != debugfile.TierDWARF {
		return len(q.theirs) == 0 || len(q.theirs) == 1 && q.theirs[0] == (llvmFrame{})
	}
	return sameNames(q) && q.positions()
}

func TestAgainstLLVMSymbolizer(t *testing.T) {
	for _, tool := range []string{"llvm-symbolizer-19", "llvm-symbolizer-22"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			againstLLVM(t, witness(t, tool))
		})
	}
}

// witness returns the path of a tool that is asked for its opinion. Where it is not
// installed the test is skipped, or fails if WASM_DEBUGID_WITNESS=all demands it.
func witness(t *testing.T, tool string) string {
	t.Helper()
	bin, err := exec.LookPath(tool)
	switch {
	case err == nil:
		return bin
	case os.Getenv("WASM_DEBUGID_WITNESS") == "all":
		t.Fatalf("the witness %s is needed: %v", tool, err)
	}
	t.Skipf("%s is not installed and was not asked", tool)
	return ""
}

func againstLLVM(t *testing.T, bin string) {
	dir := t.TempDir()
	used := map[string]int{}
	questions := 0
	for _, file := range modules(t) {
		if strings.HasPrefix(path.Base(file), "split-") {
			continue // they would need the .dwo files where the compiler left them
		}
		f, err := debugfile.Open(file, debugfile.Options{Alone: true})
		if err != nil || !f.HasDWARF() || f.Module().Custom("linking") != nil {
			continue // of modules with kept relocations they apply those once more
		}
		if err := f.Build(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		st, _ := f.Stats()
		shadowed := shadowedBodies(f)
		copied := filepath.Join(dir, "m.wasm")
		write(t, copied, withoutNames(t, file))
		offsets := sample(f)
		theirs := askLLVM(t, bin, copied, offsets)
		bad := 0
		for i, c := range offsets {
			q := &llvmQuestion{at: c, ours: f.Lookup(c, nil), theirs: theirs[i], badRanges: st.BadRanges > 0}
			q.shadowed = q.ours.HasIndex && shadowed[q.ours.Body.Start]
			if questions++; q.agrees() {
				continue
			}
			kind := ""
			for _, r := range llvmRules {
				if kind == "" && r.is(q) {
					kind = r.kind
				}
			}
			if used[kind]++; kind == "" {
				if bad++; bad <= 3 {
					t.Errorf("%s at %v: we say %s, they say %+v", file, c, show(q.ours), q.theirs)
				}
			}
		}
		f.Close()
	}
	t.Logf("%d questions; allowed: %v", questions, used)
	if questions < 10000 {
		t.Errorf("only %d questions", questions)
	}
}

// sample returns the starts of all bodies and offsets in between: 20,000 of a
// module, or all of a small one, when WASM_DEBUGID_WITNESS=all; else every ninth.
func sample(f *debugfile.File) []wasm.CodeOffset {
	span, _ := f.CodeSpan()
	step := max(1, int(span.Size)/20000)
	if os.Getenv("WASM_DEBUGID_WITNESS") != "all" {
		step = max(step, 9)
	}
	var out []wasm.CodeOffset
	for i := range f.NumBodies() {
		_, e := f.Body(i)
		out = append(out, e.Start)
	}
	for c := 1; c < int(span.Size); c += step {
		out = append(out, wasm.CodeOffset(c))
	}
	return out
}

// withoutNames returns a module without what names its functions.
func withoutNames(t *testing.T, file string) []byte {
	t.Helper()
	b := readAll(t, file)
	m := moduleOf(t, b)
	out := append([]byte{}, b[:8]...)
	for i := range m.Sections {
		if s := &m.Sections[i]; s.ID != wasm.SectionExport && !s.IsCustom("name") {
			out = append(out, b[s.Offset:s.End()]...)
		}
	}
	return out
}

func askLLVM(t *testing.T, bin, file string, offsets []wasm.CodeOffset) [][]llvmFrame {
	t.Helper()
	var in bytes.Buffer
	for _, c := range offsets {
		fmt.Fprintf(&in, "%v\n", c)
	}
	cmd := exec.Command(bin, "--output-style=JSON", "--no-demangle", "--inlines", "-e", file)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]llvmFrame
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a struct{ Symbol []llvmFrame }
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		out = append(out, a.Symbol)
	}
	if len(out) != len(offsets) {
		t.Fatalf("%d answers to %d questions", len(out), len(offsets))
	}
	return out
}
