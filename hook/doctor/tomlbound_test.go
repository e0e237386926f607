package doctor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTOMLLimits(t *testing.T) {
	deep := maxTOMLDepth + 8
	for name, c := range map[string]struct {
		text string
		read bool
	}{
		"nothing":                  {"", true},
		"many keys":                {strings.Repeat("a.b = 1.5\n", 100), false}, // the decoder's own complaint: a key twice
		"many numbers":             {"a = [" + strings.Repeat("1.5, ", 1000) + "]", true},
		"many tables":              {"a = [" + strings.Repeat("{b.c = 1.5, d = [1, 2]}, ", 1000) + "]", true},
		"many headers":             {strings.Repeat("[[a.b]]\nc.d = 1\n", 1000), true},
		"dots in strings":          {"a = \"" + strings.Repeat(".\\\"", 1000) + "\"\nb = '" + strings.Repeat(".[", 1000) + "'\n\"" + strings.Repeat(".", 100) + "\" = 1", true},
		"dots in long strings":     {"a = \"\"\"\n" + strings.Repeat(".[\"\n", 1000) + "\"\"\"\"\"\nb = '''" + strings.Repeat(".{'\n", 1000) + "'''", true},
		"dots in a comment":        {"# " + strings.Repeat(".[{", 1000) + "\na = 1 # " + strings.Repeat(".[{", 1000), true},
		"a deep key":               {"a" + strings.Repeat(".a", deep) + " = 1", false},
		"a deep header":            {"[a" + strings.Repeat(".a", deep) + "]", false},
		"deep headers of tables":   {strings.Repeat("[[a"+strings.Repeat(".a", deep)+"]]\n", 10), false},
		"a header and keys":        {"[a" + strings.Repeat(".a", deep/2) + "]\nb" + strings.Repeat(".b", deep/2) + " = 1", false},
		"deep arrays":              {"a = " + strings.Repeat("[", deep) + strings.Repeat("]", deep), false},
		"deep arrays over lines":   {"a = " + strings.Repeat("[\n", deep) + strings.Repeat("]", deep), false},
		"deep tables":              {"a = " + strings.Repeat("{a = ", deep) + "1" + strings.Repeat("}", deep), false},
		"deep tables of deep keys": {"a = " + strings.Repeat("{a.a.a.a = ", deep/4) + "1" + strings.Repeat("}", deep/4), false},
		"spaces around dots":       {"a" + strings.Repeat(" . a", deep) + " = 1", false},
		"quoted parts":             {"a" + strings.Repeat(".'a'.\"b\"", deep) + " = 1", false},
		"behind a closed header":   {"[a] [" + strings.Repeat("[", deep), false},
		"too large":                {"#" + strings.Repeat(" ", maxTOML), false},
	} {
		var into map[string]any
		if err := decodeTOML(c.text, &into); (err == nil) != c.read {
			t.Errorf("%s: %.200v", name, err)
		}
		if err := boundTOML(c.text); (err == nil) != (c.read || name == "many keys") {
			t.Errorf("%s: the limits: %v", name, err)
		}
	}
}

// A key of 200,000 parts took the decoder 23 GB; the scanner has to stop it before.
func TestHostileTOML(t *testing.T) {
	text := "a" + strings.Repeat(".a", 60_000) + " = 1\n"
	if err := boundTOML(text); err == nil {
		t.Fatal("the key is let through") // and not decoded here
	}
	_, got := examine(t, Options{Dir: project(t, map[string]string{"Cargo.toml": "\n" + text, "Trunk.toml": text, ".cargo/config.toml": text})})
	if diff := cmp.Diff([]string{"warning WD340 .cargo/config.toml:1", "warning WD340 Cargo.toml:2", "warning WD340 Trunk.toml:1"}, got); diff != "" {
		t.Error(diff)
	}
}

// Lines that are continued are put together without copying what came before.
func TestLinesOfContinuedLines(t *testing.T) {
	text := strings.Repeat("a\\\n", 300_000) + "b\nc\\\n"
	lines := 0
	for line := range splitLines(text) {
		if lines++; lines == 1 && len(line) != 900_002 {
			t.Errorf("the first has %d bytes", len(line))
		}
	}
	if lines != 2 {
		t.Errorf("%d lines", lines)
	}
	if allocs := testing.AllocsPerRun(1, func() {
		for range splitLines(text) {
		}
	}); allocs > 100 {
		t.Errorf("%v allocations", allocs)
	}
}

// Profiles that inherit each other in a long row, or a circle, are not followed to
// the end, once for each of them.
func TestInheritedProfiles(t *testing.T) {
	m := &manifest{Profile: map[string]profile{"a": {Inherits: "b"}, "b": {Inherits: "a"}, "p0": {Inherits: "release"}}}
	for i := 1; i < 100; i++ {
		m.Profile[fmt.Sprintf("p%d", i)] = profile{Inherits: fmt.Sprintf("p%d", i-1)}
	}
	e := &examiner{}
	for name, want := range map[string]bool{"release": true, "p0": true, "p9": true, "a": false, "p99": false} {
		if got := e.inherits(m, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A run that is called off ends, whatever is in the files.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Examine(ctx, Options{Dir: project(t, map[string]string{"Cargo.toml": ""})}); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

func FuzzTOML(f *testing.F) {
	for _, s := range []string{"a.b = 1", "[[a.b]]\nc = [{d.e = '''x'''}]", "a = \"\\\"\" # x\n[[", "a = {b = [\n1.5]}", "'", "\"\"\"\\", "]]}}a.b"} {
		f.Add(s, uint16(50))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		for _, s := range []string{text, strings.Repeat(text, min(int(times), 1+20_000/(1+len(text))))} {
			var into map[string]any
			_ = decodeTOML(s, &into)
		}
	})
}
