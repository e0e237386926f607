package stacktrace

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestCorpusResolves resolves what engines printed for modules with names and no
// DWARF: every frame must come out as the function that the module's layout has
// at the offset.
func TestCorpusResolves(t *testing.T) {
	list, err := filepath.Glob(filepath.Join(tracesDir, "*.txt"))
	if err != nil || len(list) < 10 {
		t.Fatalf("found %d traces (%v)", len(list), err)
	}
	for _, file := range list {
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		if strings.Contains(base, "wazero") {
			continue
		}
		t.Run(base, func(t *testing.T) {
			module := regexp.MustCompile(`traps-named|traps-nonames|traps-padded|weird`).FindString(base)
			if module == "" {
				module = "traps-" + strings.Split(base, "-")[1]
			}
			path := filepath.Join(tracesDir, module+".wasm")
			if strings.Contains(base, "weird-nm") {
				t.Skip("the module with a module name is not kept")
			}
			l := readLayout(t, module)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			log := NewLog(bytes.NewReader(text), resolver(t, path), 0)
			frames := 0
			for log.Next() {
				line := log.Line()
				if line.Resolution == nil {
					continue
				}
				frames++
				checkResolution(t, base, line, l, module != "traps-nonames")
			}
			if frames < 25 {
				t.Errorf("only %d frames", frames)
			}
		})
	}
}

func checkResolution(t *testing.T, base string, line *LogLine, l layout, named bool) {
	t.Helper()
	r := line.Resolution
	printed, _ := line.Frame.Offset.File()
	if printed == 0 {
		if r.Cause != CauseHost {
			t.Errorf("line %d: offset 0 is %s", line.Number, brief(r))
		}
		return
	}
	want := wasm.CodeOffset(int64(printed) - l.CodeStart)
	for _, fn := range l.Funcs {
		if fn.Index != line.Frame.Index {
			continue
		}
		quirk := int64(want) == fn.Body-1
		switch {
		case fn.Name == "" && r.Cause == CauseNoInfo:
		case !named && r.Cause != CauseNoInfo:
			t.Errorf("line %d: %s, but nothing is known of function %d", line.Number, brief(r), fn.Index)
		case !r.HasIndex || r.Index != fn.Index:
			t.Errorf("line %d: function %d: %s", line.Number, fn.Index, brief(r))
		case quirk != r.FunctionOnly || !quirk && r.Code != want:
			t.Errorf("line %d: code offset %v, want %v; function only: %v", line.Number, r.Code, want, r.FunctionOnly)
		case named && (!r.Resolved() || r.Frames[0].Function != fn.Name):
			t.Errorf("line %d: %s, want %q", line.Number, brief(r), fn.Name)
		case quirk && !strings.Contains(base, "no-liftoff"):
			t.Errorf("line %d: a position that only optimised code of old versions of V8 reports", line.Number)
		case r.suspicious:
			t.Errorf("line %d: %v", line.Number, r.Notes)
		}
		return
	}
	t.Errorf("line %d: there is no function %d", line.Number, line.Frame.Index)
}
