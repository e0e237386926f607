package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestJSONIsSorted: keys are sorted at every depth, and the types say the same.
func TestJSONIsSorted(t *testing.T) {
	doc := written(t, FormatJSON, sampleReport(), Options{})
	var v any
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // writes the keys of a map in order
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(doc) {
		t.Error("the keys are not sorted")
	}
	top := v.(map[string]any)
	if top["schema"] != "wasm-debugid/check" || top["version"] != json.Number("1") {
		t.Errorf("schema %v, version %v", top["schema"], top["version"])
	}
	if !bytes.Contains(written(t, FormatJSON, &Report{Subjects: []Subject{{}}}, Options{}), []byte(`"coverage": null`)) {
		t.Error("a coverage that was not measured is not null")
	}
}

// TestJSONIsDescribed: docs/checks-json.md names every field, and no other.
func TestJSONIsDescribed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "checks-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ = bytes.Cut(page, []byte("## The other formats"))
	var keys []string
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				key := typ.Field(i).Tag.Get("json")
				keys = append(keys, key)
				if !bytes.Contains(page, []byte("`"+key+"`")) {
					t.Errorf("%v: %q is not described", typ, key)
				}
				walk(typ.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[jsonDocument]())
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			if !slices.Contains(keys, m[1]) {
				t.Errorf("%q is described and does not exist", m[1])
			}
		}
	}
}

// TestJUnitCounts: the counts of suites are those of their cases, and a subject
// that does not pass has a case that does not.
func TestJUnitCounts(t *testing.T) {
	r := sampleReport()
	r.Subjects = append(r.Subjects, Subject{Production: "stranger.wasm", Verdict: NotProven}, Subject{Production: "silent.wasm", Verdict: CouldNotCheck}, Subject{Production: "mute.wasm", Verdict: Fail},
		Subject{Production: "control\x00\x1b]]>.wasm", Verdict: Fail, Findings: []Finding{{Rule: "WD999", Severity: Error, Message: "]]> \ufffe \x00"}}})
	var doc junitSuites
	out := written(t, FormatJUnit, r, Options{})
	if err := xml.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Suites) != len(r.Subjects) {
		t.Fatalf("%d suites", len(doc.Suites))
	}
	tests, failures, errs, skipped := 0, 0, 0, 0
	for i, s := range doc.Suites {
		n := [4]int{len(s.Cases)}
		names := map[string]bool{}
		for _, c := range s.Cases {
			if names[c.Name] {
				t.Errorf("%s has two cases %q", s.Name, c.Name)
			}
			names[c.Name] = true
			switch {
			case c.Failure != nil:
				n[1]++
			case c.Error != nil:
				n[2]++
			case c.Skipped != nil:
				n[3]++
			}
		}
		if n != [4]int{s.Tests, s.Failures, s.Errors, s.Skipped} {
			t.Errorf("%s: counted %v, said %d %d %d %d", s.Name, n, s.Tests, s.Failures, s.Errors, s.Skipped)
		}
		if bad := n[1]+n[2] > 0; bad != (r.Subjects[i].Verdict == Fail || r.Subjects[i].Verdict == CouldNotCheck) {
			t.Errorf("%s: verdict %s with %d failures and %d errors", s.Name, r.Subjects[i].Verdict, n[1], n[2])
		}
		tests, failures, errs, skipped = tests+n[0], failures+n[1], errs+n[2], skipped+n[3]
	}
	if tests != doc.Tests || failures != doc.Failures || errs != doc.Errors || skipped != doc.Skipped {
		t.Error("the sums are wrong")
	}
	var none junitSuites
	if err := xml.Unmarshal(written(t, FormatJUnit, &Report{}, Options{}), &none); err != nil || none.Errors != 1 {
		t.Errorf("a report about nothing: %+v, %v", none, err)
	}
}

// TestJUnitSkips: a rule without findings passes where everything was checked, and
// is skipped where not, even when the verdict is that the subject fails.
func TestJUnitSkips(t *testing.T) {
	for _, reasons := range [][]string{nil, {"no DWARF of app.dwo"}} {
		r := &Report{Tool: "t", Command: "check", Rules: sampleRules, Subjects: []Subject{{Production: "a.wasm", Verdict: Fail, NotChecked: reasons,
			Findings: []Finding{{Rule: "WD101", Severity: Error, Message: "m"}}}}}
		var doc junitSuites
		if err := xml.Unmarshal(written(t, FormatJUnit, r, Options{}), &doc); err != nil {
			t.Fatal(err)
		}
		if want := (len(sampleRules) - 1) * min(len(reasons), 1); doc.Skipped != want || doc.Failures != 1 || doc.Errors != len(reasons) {
			t.Errorf("with %d reasons: %d skipped, %d failures, %d errors", len(reasons), doc.Skipped, doc.Failures, doc.Errors)
		}
	}
}

// parseCommand reads a workflow command as the runner of GitHub Actions does.
func parseCommand(line string) (level string, props map[string]string, message string, ok bool) {
	if !strings.HasPrefix(line, "::") {
		return "", nil, "", false
	}
	head, message, ok := strings.Cut(line[2:], "::")
	if !ok {
		return "", nil, "", false
	}
	level, list, _ := strings.Cut(head, " ")
	props = map[string]string{}
	for _, p := range strings.Split(list, ",") {
		k, v, _ := strings.Cut(p, "=")
		props[k] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(v)
	}
	return level, props, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(message), true
}

// cleanLines is clean for each line of a text.
func cleanLines(s string) string {
	var out []string
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' }) {
		out = append(out, clean(line))
	}
	return strings.Join(out, "\n")
}

func FuzzGitHubEscapes(f *testing.F) {
	for _, s := range []string{"x", "a,b:c%d", "%0A::error::y", "\n::add-mask::z", "a=b,title=c", "::stop-commands::x", "\r\n", "%25", "a\x1b[2Jb", "\x00", "\xff", "\u2028", "\u202e", "\x9b", "a\vb", "\xcc\r\xb2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		r := named(name)
		out := string(written(t, FormatGitHub, r, Options{}))
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != 3 {
			t.Fatalf("%d lines for %q:\n%s", len(lines), name, out)
		}
		for _, l := range lines[:2] {
			level, props, _, ok := parseCommand(l)
			if !ok || level != "error" || len(props) < 1 {
				t.Fatalf("%q is no error", l)
			}
			want := relative(name, "")
			prints := strings.NewReplacer("\r", ".", "\n", ".").Replace(want) // not joined: halves of a character may stand around
			if want != "" && (cleanLines(props["file"]) != cleanLines(want) || clean(prints) == prints && props["file"] != want) {
				t.Errorf("the file is %q, want %q", props["file"], want)
			}
			// What a terminal or the log would act on is written out.
			for _, r := range l {
				if string(r) != clean(string(r)) {
					t.Errorf("%q holds %q", l, r)
				}
			}
		}
		if _, _, _, ok := parseCommand(lines[2]); ok {
			t.Errorf("the verdict became a command: %q", lines[2])
		}
	})
}

func TestGitHubLimits(t *testing.T) {
	r := &Report{Tool: "wasm-debugid", Subjects: []Subject{{Production: "a.wasm", Verdict: Fail}}}
	for range 30 {
		r.Subjects[0].Findings = append(r.Subjects[0].Findings, Finding{Rule: "WD1", Severity: Error, Message: "m"}, Finding{Rule: "WD2", Severity: Info, Message: "n"})
	}
	n := map[string]int{}
	last := map[string]string{}
	for l := range strings.Lines(string(written(t, FormatGitHub, r, Options{}))) {
		if level, _, message, ok := parseCommand(strings.TrimSuffix(l, "\n")); ok {
			n[level]++
			last[level] = message
		}
	}
	if n["error"] != 10 || n["notice"] != 10 || last["error"] != "21 more errors: see the summary of the step" {
		t.Errorf("%v, %v", n, last)
	}
}

func TestOutputsWithLineBreaks(t *testing.T) {
	r := passReport()
	r.Subjects[0].Companion = "a\nverdict=pass\n.wasm"
	var b bytes.Buffer
	if err := Outputs(&b, r); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)\ncompanion<<(end-[0-9a-f]{32})\na\nverdict=pass\n\.wasm\n(end-[0-9a-f]{32})\n`).FindStringSubmatch(b.String())
	if m == nil || m[1] != m[2] {
		t.Errorf("%s", b.String())
	}
}

// FuzzMarkdown: text has no character left that means something, and code none
// that could end it or a cell.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"x", "a|b", "`x`", "<b>", "[a](b)", "@me", "- x", "1. x", "# x", "\\", "&amp;", "***", "</code>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := MarkdownText(s)
		if strings.ContainsAny(text, "\n\r") || regexp.MustCompile("(^|[^\\\\])(\\\\\\\\)*[`*_{}\\[\\]|~]").MatchString(text) {
			t.Errorf("MarkdownText(%q) = %q", s, text)
		}
		if rest := strings.ReplaceAll(text, "@<!-- -->", ""); strings.ContainsAny(rest, "<>@") {
			t.Errorf("MarkdownText(%q) = %q", s, text)
		}
		code := strings.TrimSuffix(strings.TrimPrefix(MarkdownCode(s), "<code>"), "</code>")
		if strings.ContainsAny(code, "\n\r<>|`@*_[]\\") {
			t.Errorf("MarkdownCode(%q) = %q", s, code)
		}
	})
}

func TestMarkdownIsBounded(t *testing.T) {
	r := bigReport(200)
	s := r.Subjects[0]
	for range 2000 {
		r.Subjects = append(r.Subjects, s)
	}
	short, long := written(t, FormatMarkdown, r, Options{}), &bytes.Buffer{}
	if err := Summary(long, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if len(short) > 65_536 || long.Len() > 1<<20 || len(short) >= long.Len() {
		t.Errorf("%d and %d bytes", len(short), long.Len())
	}
	if !strings.Contains(string(short), "subjects are left out") {
		t.Error("it does not say that something is left out")
	}
}

func TestPlace(t *testing.T) {
	l := Location{Path: "a.wasm", Section: "code", File: at(wasm.FileOffset(0x10)), Code: at(wasm.CodeOffset(2)), Index: at(uint32(7)), Function: "f", Source: "f.c", Line: 3, Column: 4}
	if got, want := l.place(""), "a.wasm, F 0x10 C 0x2, section code, f (function 7), f.c:3:4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := l.place("a.wasm"), "F 0x10 C 0x2, section code, f (function 7), f.c:3:4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&Location{}).place(""); got != "" {
		t.Errorf("%q", got)
	}
}

func BenchmarkHTML(b *testing.B) {
	r := bigReport(20_000)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := WriteHTML(&out, r); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}
