package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// evil is a name that clears the screen, sets the title, rings, turns what follows
// around and begins a line that looks like one of ours.
const evil = "x\x1b[2J\x1b]0;pwned\a\x9b31m\u009b31m\u202e\r\n  build id    deadbeefdeadbeef\nwasm-debugid: note: all is well\tcell\vend"

// evilSections has evil wherever a file has a text.
func evilSections() []tw.Section {
	valid := strings.ToValidUTF8(evil, "\ufffd")
	return append(bodies(),
		tw.Custom(".debug_"+valid, []byte("1")),
		tw.Custom(valid, []byte("2")),
		tw.Names{Module: valid, Functions: tw.List(valid, valid)}.Section(),
		tw.Producers(tw.Producer{Field: valid, Name: valid, Version: valid}),
		tw.TargetFeatures("+"+valid),
		tw.SourceMappingURL(valid),
	)
}

// TestNothingIsForged: whatever a file says, and whatever it is called, no command
// writes a control character to a person, nor a line of its own.
func TestNothingIsForged(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put := func(name string, sections ...tw.Section) string {
		t.Helper()
		if err := os.WriteFile(name, tw.Build(sections...), 0o644); err != nil {
			t.Skipf("this system knows no such name: %v", err)
		}
		return name
	}
	in := put(strings.ReplaceAll(evil, "/", "")+".wasm", evilSections()...)
	plain := put("plain.wasm", evilSections()...)
	pointing := put("pointing.wasm", append(bodies(), tw.ExternalDebugInfo(strings.ToValidUTF8(evil, "?")), tw.BuildID(uuid))...)
	record := put("record.wasm", append(evilSections(), tw.Custom(wasm.CustomWasmDebugID,
		[]byte(`{"version":1,"kind":"\u001b[2Jfull\n  build id    deadbeefdeadbeef","build_id":"\u009b31m\n  build id    deadbeefdeadbeef"}`)))...)
	two := put("two.wasm", append(evilSections(), tw.BuildID(uuid), tw.BuildID([]byte(evil)))...)
	bad := put("bad.wasm", tw.Custom(strings.ToValidUTF8(evil, "?"), nil).Claim(1000))
	missing := evil + "/none.wasm"

	forged := regexp.MustCompile(`(?m)^ *build id +deadbeef|^wasm-debugid: note: all is well`)
	color := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	for _, args := range [][]string{
		{"info", in, plain, pointing, record, two, bad, missing, "-v"},
		{"info", "--ids", in, two, pointing},
		{"split", in, "--out-dir", "."},
		{"split", in, "-o", "out.wasm", "-v"},
		{"split", in, "-o", "again.wasm", "-v", "--remove", "*"},
		{"split", in, "-o", evil + ".out.wasm", "-d", evil},
		{"split", plain, in, "-o", "out.wasm"},
		{"split", in}, {"split", in, plain}, {"split", missing, "-o", "out.wasm"}, {"split", pointing, "--in-place"}, {"split", record, "--in-place"},
		{"split", two, "-o", "out.wasm"}, {"split", bad, "-o", "out.wasm"}, {"split", plain, "-o", missing}, {"split", plain, "--out-dir", missing},
		{"inject", in, "-o", evil}, {"inject", in, plain, "--out-dir", evil},
		{"check", in}, {"check", pointing}, {"check", plain, in}, {"check", record, "--fix"}, {"check", missing}, {"check", "-n", in}, {"check", in, "-v"},
		{"diff", plain, in},
		{"addr2line", "-e", plain, "-fp", "0x20", "0x40"}, {"addr2line", "-e", in, "-fa", "0x20", evil}, {"addr2line", "-e", pointing, "0x1"},
		{"symbolicate", "trace.txt", "--debug", in}, {"symbolicate", "trace.txt", "--debug", plain, "--debug", in}, {"symbolicate", missing, "--debug", pointing},
		{"symbolicate", "trace.json", "--debug", plain, "--format", "text"},
		{evil}, {"--" + evil}, {"info", "--" + evil}, {"split", in, "--color=" + evil}, {"split", in, "--build-id", evil, "--in-place"}, {"help", evil},
		{"check", in, "--rule", evil}, {"diff", plain, in, "--top", evil},
	} {
		if err := os.WriteFile("trace.txt", []byte("    at run (http://h/app.wasm:wasm-function[0]:0x20)\n    at https://h/app.wasm:wasm-function[1]:0x26\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		const event = `[{"functionName": "a\u001b[2J\n  build id    deadbeef", "fileName": "https://h/app.wasm:wasm-function[0]:0x20\n  build id    deadbeef"}]`
		if err := os.WriteFile("trace.json", []byte(event), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, when := range []string{"never", "always"} {
			var stdout, stderr bytes.Buffer
			line := append([]string{program, "--color", when}, args...)
			run(context.Background(), line, nil, &stdout, &stderr)
			for name, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
				if when == "always" {
					text = color.ReplaceAllString(text, "")
				}
				if i := strings.IndexFunc(text, func(r rune) bool {
					return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
				}); i >= 0 {
					t.Errorf("%q: %s holds %q", args, name, text[max(0, i-60):min(len(text), i+60)])
				}
				if forged.MatchString(text) {
					t.Errorf("%q: %s has a forged line:\n%s", args, name, text)
				}
				// The parts of the name never stand at the beginning of a line.
				for l := range strings.Lines(text) {
					if strings.HasPrefix(strings.TrimLeft(l, " "), "build id    deadbeef") {
						t.Errorf("%q: %s has the line %q", args, name, l)
					}
				}
			}
		}
	}
}

// TestNothingIsForgedInADiff: names of functions and files, and messages.
func TestNothingIsForgedInADiff(t *testing.T) {
	d := &debugid.Difference{Files: []debugid.Change{{Name: evil, New: 1}}, Functions: []debugid.Change{{Name: evil, File: evil, New: 1}},
		Appeared: []report.Finding{{Rule: "WD101", Message: evil}}}
	d.Old.Subject.BuildID = "\x1b[2J\n"
	for _, markdown := range []bool{false, true} {
		var b bytes.Buffer
		w := diffWriter{&b, d, 0, markdown, painter{}}
		w.write()
		if text := b.String(); strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) || strings.Contains(text, "\n  build id") {
			t.Errorf("markdown %v:\n%q", markdown, text)
		}
	}
}

// TestLongListsAreCut: a file with very many sections, or texts, does not fill the
// screen, unless that is asked for.
func TestLongListsAreCut(t *testing.T) {
	t.Chdir(t.TempDir())
	sections := append(bodies(), tw.SourceMappingURL(strings.Repeat("u", 1<<20)))
	var producers []tw.Producer
	for i := range 3000 {
		sections = append(sections, tw.Custom(fmt.Sprint(".debug_", i), nil))
		producers = append(producers, tw.Producer{Field: "language", Name: fmt.Sprint("L", i)})
	}
	if err := os.WriteFile("many.wasm", tw.Build(append(sections, tw.Producers(producers...))...), 0o644); err != nil {
		t.Fatal(err)
	}
	for line, most := range map[string]int{"info many.wasm": 1200, "split many.wasm -o out.wasm -n": 100} {
		r := try(t, strings.Fields(line)...)
		text := r.stdout + r.stderr
		if n := strings.Count(text, "\n"); r.code != exitOK || n > most || len(text) > 200_000 || !strings.Contains(text, " more (--verbose lists them)") {
			t.Errorf("%s: %d lines, %d bytes, exit code %d", line, n, len(text), r.code)
		}
		if r := try(t, strings.Fields(line+" -v")...); strings.Count(r.stdout+r.stderr, ".debug_") < 3000 || strings.Contains(r.stdout+r.stderr, " more (--verbose") {
			t.Errorf("%s -v leaves something out", line)
		}
	}
}
