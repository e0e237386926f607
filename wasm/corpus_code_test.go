package wasm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeModules returns the core modules under testdata, by path.
func codeModules(t testing.TB, roots ...string) map[string]*File {
	t.Helper()
	out := map[string]*File{}
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join("../testdata", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".wasm" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if Sniff(data) == KindModule {
				out[filepath.ToSlash(path)] = openRaw(t, data)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatal("no modules in ../testdata")
	}
	return out
}

// codeOf lists, for each body of a module, C of its instructions.
func codeOf(t testing.TB, f *File) (bodies []Body, locals []Locals, starts [][]CodeOffset) {
	t.Helper()
	r, err := NewBodyReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return bodies, locals, starts
		}
		if err != nil {
			t.Fatal(err)
		}
		code, err := r.Bytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := r.Locals(b)
		if err != nil {
			t.Fatal(err)
		}
		var at []CodeOffset
		it := b.Instructions(code)
		for it.Next() {
			at = append(at, it.At())
			if in, err := DecodeInstr(code, int(it.At()-b.Start), 0); err != nil || in != it.Instr() {
				t.Fatalf("function %d, %v: the walk has %+v, DecodeInstr %+v (%v)", b.Index, it.At(), it.Instr(), in, err)
			}
		}
		if it.Err() != nil {
			t.Fatal(it.Err())
		}
		bodies, locals, starts = append(bodies, b), append(locals, l), append(starts, at)
	}
}

func TestCorpusDecodes(t *testing.T) {
	n := 0
	for path, f := range codeModules(t, "corpus", "instr") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			bodies, locals, starts := codeOf(t, f)
			for i, b := range bodies {
				n++
				if len(starts[i]) == 0 || starts[i][0] != locals[i].End || starts[i][len(starts[i])-1] != b.End-1 {
					t.Errorf("function %d: instructions from %v to %v; want %v to %v", b.Index, starts[i][0], starts[i][len(starts[i])-1], locals[i].End, b.End-1)
				}
			}
		})
	}
	if n < 500 {
		t.Errorf("%d bodies in all: the corpus is missing", n)
	}
}

// TestStartsOfWasmparser compares with the instruction starts that the parser of
// wasm-tools finds in testdata/instr, one module for each proposal, and in some
// modules of the corpus. Lines are "body INDEX START END FIRST: starts".
func TestStartsOfWasmparser(t *testing.T) {
	lists, _ := filepath.Glob("../testdata/instr/*.starts")
	if len(lists) < 10 {
		t.Fatalf("%d lists", len(lists))
	}
	for _, list := range lists {
		path := strings.TrimSuffix(list, ".starts") + ".wasm"
		if name, ok := strings.CutPrefix(filepath.Base(path), "corpus-"); ok {
			path = "../testdata/corpus/" + strings.Replace(name, "-", "/", 1)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := openRaw(t, data)
		want, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		bodies, locals, starts := codeOf(t, f)
		for i, b := range bodies {
			fmt.Fprintf(&got, "body %d %d %d %d:", b.Index, b.Start, b.End, locals[i].End)
			for _, c := range starts[i] {
				fmt.Fprintf(&got, " %d", uint32(c))
			}
			got.WriteByte('\n')
		}
		if g := strings.TrimSpace(got.String()); g != starLines(string(want)) {
			t.Errorf("%s:\n%s\nwant\n%s", path, g, starLines(string(want)))
		}
	}
}

// starLines returns the lines about bodies.
func starLines(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if strings.HasPrefix(l, "body ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// TestLayoutsOfTheAssembler compares with the layouts that the assembler of the
// trap modules wrote down.
func TestLayoutsOfTheAssembler(t *testing.T) {
	layouts, _ := filepath.Glob("../testdata/corpus/traces/*.json")
	if len(layouts) < 3 {
		t.Fatalf("%d layouts", len(layouts))
	}
	for _, name := range layouts {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var layout struct {
			Start FileOffset `json:"code_payload_start"`
			Funcs []struct {
				Idx                     uint32
				SizeAt                  CodeOffset `json:"size_at"`
				Body, Code, End, Unused CodeOffset
			}
		}
		if err := json.Unmarshal(data, &layout); err != nil {
			t.Fatal(err)
		}
		wasm, err := os.ReadFile(strings.TrimSuffix(name, ".json") + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		f := openRaw(t, wasm)
		if span, _ := f.CodeSpan(); span.Start != layout.Start {
			t.Errorf("%s: code start %v, want %v", name, span.Start, layout.Start)
		}
		bodies, locals, _ := codeOf(t, f)
		if len(bodies) != len(layout.Funcs) {
			t.Fatalf("%s: %d bodies, want %d", name, len(bodies), len(layout.Funcs))
		}
		for i, want := range layout.Funcs {
			b := bodies[i]
			if b.Index != want.Idx || b.SizeAt != want.SizeAt || b.Start != want.Body || b.End != want.End || locals[i].End != want.Code {
				t.Errorf("%s: %+v with instructions at %v, want %+v", name, b, locals[i].End, want)
			}
		}
	}
}

// TestTracePointsAreReportable checks the classes against what engines did: each
// offset in their stack traces is a body's start or a reportable instruction.
func TestTracePointsAreReportable(t *testing.T) {
	frame := regexp.MustCompile(`:?wasm-function\[(\d+)\]:0x([0-9a-f]+)\)?$`)
	kinds := map[string]int{}
	for module, traces := range map[string][]string{
		"traps-named":   {"node20-named-sync", "chromium156-traps-named-sync", "firefox153-traps-named-sync"},
		"traps-padded":  {"node20-padded-sync"},
		"traps-nonames": {"node20-nonames-sync"},
		"weird":         {"node20-weird-sync", "firefox153-weird-sync"},
	} {
		data, err := os.ReadFile("../testdata/corpus/traces/" + module + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		f := openRaw(t, data)
		span, _ := f.CodeSpan()
		bodies, _, starts := codeOf(t, f)
		imported, _ := f.ImportedFunctions()
		for _, name := range traces {
			text, err := os.ReadFile("../testdata/corpus/traces/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			points := 0
			for _, line := range strings.Split(string(text), "\n") {
				m := frame.FindStringSubmatch(strings.TrimSpace(line))
				if m == nil {
					continue
				}
				index, _ := strconv.Atoi(m[1])
				off, _ := strconv.ParseUint(m[2], 16, 32)
				if off == 0 { // Firefox's frame of an imported function
					continue
				}
				points++
				c, ok := span.Code(FileOffset(off))
				if !ok || index < int(imported) || index-int(imported) >= len(bodies) {
					t.Errorf("%s: %s is not code", name, line)
					continue
				}
				b := bodies[index-int(imported)]
				if c == b.Start { // stack overflow
					kinds["overflow"]++
					continue
				}
				if !slices.Contains(starts[index-int(imported)], c) {
					t.Errorf("%s: %s is inside of an instruction", name, line)
					continue
				}
				file, _ := span.File(c)
				in, err := DecodeInstr(data, int(file), 0)
				if err != nil || !in.Reportable() {
					t.Errorf("%s: %s is %s, which is not a reportable point (%v)", name, line, in.Name(), err)
				}
				kinds[in.Name()]++
			}
			if points < 20 {
				t.Errorf("%s: %d frames found", name, points)
			}
		}
	}
	for _, name := range []string{"overflow", "unreachable", "call", "call_indirect", "i32.load", "i32.store", "i32.div_s",
		"i32.rem_u", "i32.trunc_f32_s", "memory.copy", "memory.fill", "memory.init", "table.get", "table.set"} {
		if kinds[name] == 0 {
			t.Errorf("no trace has a frame of kind %s: %v", name, kinds)
		}
	}
}

// tool finds a witness program, or skips the test.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path
		}
	}
	t.Skipf("none of %v is installed", names)
	return ""
}

// compareDisassembly runs a disassembler over the modules and compares its
// instruction starts. Parse returns those in C, given the text and F of the code
// start.
func compareDisassembly(t *testing.T, roots []string, parse func(out string, start FileOffset) []CodeOffset, args ...string) {
	compared, seen := 0, map[string]bool{}
	for path, f := range codeModules(t, roots...) {
		span, _ := f.CodeSpan()
		payload := make([]byte, span.Size)
		if _, err := f.ReadAt(payload, int64(span.Start)); err != nil {
			t.Fatal(err)
		}
		if seen[string(payload)] {
			continue // the same code with other debug information
		}
		seen[string(payload)] = true
		out, err := exec.Command(args[0], append(args[1:], path)...).Output()
		if err != nil || bytes.Contains(out, []byte("<unknown>")) {
			continue // an instruction of a proposal that the tool does not know
		}
		want := parse(string(out), span.Start)
		_, _, starts := codeOf(t, f)
		got := slices.Concat(starts...)
		if len(want) == 0 {
			continue
		}
		compared += len(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d instructions, the disassembler lists %d; first difference at C %s", path, len(got), len(want), firstDifference(got, want))
		}
	}
	t.Logf("%d instructions compared", compared)
	if compared < 5000 {
		t.Errorf("only %d instructions compared", compared)
	}
}

func firstDifference(a, b []CodeOffset) string {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return a[i].String()
		}
	}
	return "the end"
}

func parseHex(t *testing.T, s string) int64 {
	v, err := strconv.ParseInt(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAgainstLLVM(t *testing.T) {
	objdump := tool(t, "llvm-objdump-22", "llvm-objdump-19", "llvm-objdump")
	line := regexp.MustCompile(`(?m)^ +([0-9a-f]+): [0-9a-f]{2} |^([0-9a-f]{8,16}) <CODE>:`)
	compareDisassembly(t, []string{"corpus"}, func(out string, _ FileOffset) (at []CodeOffset) {
		base := int64(0) // F, but 0 in files that hold relocations
		for _, m := range line.FindAllStringSubmatch(out, -1) {
			if m[2] != "" {
				base = parseHex(t, m[2])
				continue
			}
			at = append(at, CodeOffset(parseHex(t, m[1])-base))
		}
		return at
	}, objdump, "-d", "-z")
}

func TestAgainstWabt(t *testing.T) {
	objdump := tool(t, "wasm-objdump")
	// Long instructions go on in further lines, whose right column is empty.
	line := regexp.MustCompile(`(?m)^ ([0-9a-f]+): (?:[0-9a-f]{2} )+ *\| +([a-z]\S*)`)
	compareDisassembly(t, []string{"corpus", "instr"}, func(out string, start FileOffset) (at []CodeOffset) {
		for _, m := range line.FindAllStringSubmatch(out, -1) {
			if !strings.HasPrefix(m[2], "local[") { // a local declaration
				at = append(at, CodeOffset(FileOffset(parseHex(t, m[1]))-start))
			}
		}
		return at
	}, objdump, "-d")
}
