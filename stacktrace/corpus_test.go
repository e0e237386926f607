package stacktrace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const tracesDir = "../testdata/traces"

// layout is the function layout of a module in testdata/traces; all positions
// but codeStart are code offsets.
type layout struct {
	CodeStart int64 `json:"code_payload_start"`
	Funcs     []struct {
		Index uint32 `json:"idx"`
		Name  string `json:"name"`
		Body  int64  `json:"body"`
		End   int64  `json:"end"`
	} `json:"funcs"`
}

func readLayout(t *testing.T, name string) layout {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(tracesDir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var l layout
	if err := json.Unmarshal(data, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// printed finds frames the obvious way, to be counted against the parser's.
var printed = regexp.MustCompile(`wasm-function\[(\d+)\]:0x([0-9a-f]+)\)?\r?\n`)

// TestCorpus parses what Chromium 156, Firefox 153 and Node.js 20 printed for
// modules whose layout is known.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(tracesDir, "*.txt"))
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d traces in %s (%v)", len(files), tracesDir, err)
	}
	for _, file := range files {
		if strings.Contains(file, "wazero") {
			continue // its modules have no layout here; see TestWazeroTrace
		}
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(base, func(t *testing.T) {
			module := regexp.MustCompile(`traps-named|traps-nonames|traps-padded|weird`).FindString(base)
			if module == "" {
				// Node.js traces are named after the variant alone.
				module = "traps-" + strings.Split(base, "-")[1]
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkTrace(t, base, text, readLayout(t, module))
		})
	}
}

func checkTrace(t *testing.T, base string, text []byte, l layout) {
	var out []byte
	var frames []Frame
	s := NewScanner(bytes.NewReader(text), 0)
	for s.Scan() {
		line := s.Line()
		out = append(append(out, line.Text...), line.EOL...)
		if line.IsFrame {
			frames = append(frames, line.Frame.Clone())
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, text) {
		t.Error("the lines do not add up to the input")
	}
	want := printed.FindAllSubmatch(text, -1)
	if len(frames) != len(want) || len(want) < 25 {
		t.Fatalf("found %d frames, %d are printed", len(frames), len(want))
	}
	wantShape, cut := ShapeV8, 0
	if strings.HasPrefix(base, "firefox") {
		wantShape = ShapeGecko
	}
	for i := range frames {
		f := &frames[i]
		index, _ := strconv.ParseUint(string(want[i][1]), 10, 32)
		offset, _ := strconv.ParseInt(string(want[i][2]), 16, 64)
		got, ok := f.Offset.File()
		if !f.HasIndex || f.Index != uint32(index) || !ok || int64(got) != offset {
			t.Errorf("frame %d: got index %d, offset %v; printed %d, 0x%x", i, f.Index, f.Offset, index, offset)
			continue
		}
		if f.Shape != wantShape {
			t.Errorf("frame %d: shape %v, want %v", i, f.Shape, wantShape)
		}
		if offset == 0 {
			// Firefox's frame for an imported function in a table.
			if !f.Doubts.Has(DoubtZero) || f.Confidence() != Low {
				t.Errorf("frame %d: offset 0 without a doubt", i)
			}
			continue
		}
		j := slices.IndexFunc(l.Funcs, func(x struct {
			Index uint32 `json:"idx"`
			Name  string `json:"name"`
			Body  int64  `json:"body"`
			End   int64  `json:"end"`
		}) bool {
			return x.Index == f.Index
		})
		if j < 0 {
			t.Errorf("frame %d: no function has index %d", i, f.Index)
			continue
		}
		fn := l.Funcs[j]
		pc := offset - l.CodeStart
		// Optimised code of Node.js 20 reports one less for some table operators.
		low := fn.Body
		if strings.Contains(base, "no-liftoff") {
			low--
		}
		if pc < low || pc >= fn.End {
			t.Errorf("frame %d: PC 0x%x is outside of function %d [0x%x, 0x%x)", i, pc, f.Index, fn.Body, fn.End)
		}
		checkName(t, base, f, fn.Name, &cut)
		checkLocation(t, base, f)
	}
	if strings.Contains(base, "weird") && cut != 1 {
		t.Errorf("%d names were reported as cut, want the one with a line break", cut)
	}
}

func checkName(t *testing.T, base string, f *Frame, want string, cut *int) {
	switch {
	case strings.Contains(base, "nonames"):
		// The trace's own heading is the only thing in front of an '@'.
		if f.HasName && string(f.Name) != "STACK " {
			t.Errorf("function %d: name %q in a module without names", f.Index, f.Name)
		}
	case f.Doubts.Has(DoubtNameCut):
		*cut++
		if f.HasName || !strings.Contains(want, "\n") || f.Confidence() != Medium {
			t.Errorf("function %d: the name %q was reported as cut, %+v", f.Index, want, f)
		}
	case strings.HasPrefix(string(f.Name), "STACK "):
		if string(f.Name) != "STACK "+want {
			t.Errorf("function %d: name %q, want %q behind its heading", f.Index, f.Name, want)
		}
	default:
		var module []byte
		if strings.Contains(base, "weird-nm") {
			module = []byte("nm")
		}
		got, ok := f.NameIn(module)
		if f.Shape == ShapeGecko && want == "" && !f.HasName {
			return // an empty name and none look the same
		}
		if !ok || string(got) != want {
			t.Errorf("function %d: name %q (%v), want %q", f.Index, got, ok, want)
		}
	}
	if f.Doubts&^(DoubtNameCut) != 0 {
		t.Errorf("function %d: unexpected doubts: %s", f.Index, f.Doubts.Reason())
	}
}

func checkLocation(t *testing.T, base string, f *Frame) {
	var want string
	kind := LocationURL
	switch {
	case strings.HasPrefix(base, "firefox") && !strings.Contains(base, "treaming"):
		kind = LocationGecko
		page, line, api, ok := f.Location.Gecko()
		if !ok || !strings.HasPrefix(string(page), "http://127.0.0.1:") || line < 12 || line > 13 ||
			string(api) != "Module" && string(api) != "instantiate" {
			t.Errorf("function %d: location %q reads as %q, %d, %q", f.Index, f.Location.Text, page, line, api)
		}
	case strings.HasPrefix(base, "node20") && !strings.Contains(base, "treaming"):
		kind = LocationV8Label
		want = "wasm://wasm/"
	default:
		want = "http://127.0.0.1:"
		if !strings.HasSuffix(string(f.Location.Text), ".wasm?v=1") {
			t.Errorf("function %d: location %q", f.Index, f.Location.Text)
		}
	}
	if f.Location.Kind != kind || !strings.HasPrefix(string(f.Location.Text), want) {
		t.Errorf("function %d: location %v %q", f.Index, f.Location.Kind, f.Location.Text)
	}
}

// TestWazeroTrace reads what wazero 1.12 printed for a Rust module with DWARF.
func TestWazeroTrace(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tracesDir, "wazero1.12-rust-nostd.txt"))
	if err != nil {
		t.Fatal(err)
	}
	frames, sources, inlined := 0, 0, 0
	var above Frame
	s := NewScanner(bytes.NewReader(text), 0)
	for s.Scan() {
		l := s.Line()
		isSource := bytes.HasPrefix(l.Text, []byte("\t\t"))
		if want := bytes.HasPrefix(l.Text, []byte("\t")); l.IsFrame != want {
			t.Errorf("%q: frame %v, want %v", l.Text, l.IsFrame, want)
			continue
		} else if !want {
			continue
		}
		f := &l.Frame
		if isSource != (f.Role == RoleSource) || f.Shape != ShapeWazero || f.Doubts != 0 {
			t.Errorf("%q: %v %v, doubts %q", l.Text, f.Role, f.Shape, f.Doubts.Reason())
		}
		if !isSource {
			frames++
			above = f.Clone()
			if name, ok := f.NameIn([]byte("trap_nostd.wasm")); !ok || bytes.Contains(name, []byte("trap_nostd.wasm")) {
				t.Errorf("%q: name %q", l.Text, name)
			}
			continue
		}
		sources++
		if f.Source.Inlined {
			inlined++
		}
		if c, ok := f.Offset.Code(); !ok || c < 0x40 || f.Source.Line == 0 || !bytes.HasSuffix(f.Source.File, []byte(".rs")) || !bytes.Equal(f.Name, above.Name) {
			t.Errorf("%q: offset %v, source %+v, name %q", l.Text, f.Offset, f.Source, f.Name)
		}
	}
	if frames != bytes.Count(text, []byte("\n\tt")) || sources != bytes.Count(text, []byte("\n\t\t")) || inlined != bytes.Count(text, []byte("(inlined)")) || inlined < 5 {
		t.Errorf("%d frames, %d source lines, %d inlined", frames, sources, inlined)
	}
}
