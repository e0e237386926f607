package symcheck_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// wrecks are what is done to a whole section.
var wrecks = []struct {
	name string
	do   func(s sections, i int) sections
}{
	{"removed", func(s sections, i int) sections { return slices.Delete(s, i, i+1) }},
	{"zeroed", func(s sections, i int) sections { s[i].Payload = make([]byte, len(s[i].Payload)); return s }},
	{"cut in half", func(s sections, i int) sections { s[i].Payload = s[i].Payload[:len(s[i].Payload)/2]; return s }},
	{"second half zeroed", func(s sections, i int) sections {
		s[i].Payload = bytes.Clone(s[i].Payload)
		clear(s[i].Payload[len(s[i].Payload)/2:])
		return s
	}},
}

// harmless are the sections without which nothing of a crash report is lost: where
// variables are, and tables that help to find units by name or address.
var harmless = []string{".debug_loc", ".debug_loclists", ".debug_aranges", ".debug_pubnames", ".debug_pubtypes", ".debug_names", ".debug_macro"}

// TestSectionDamage wrecks each debug section in turn, before a split that is given
// an ID: the pair then agrees with itself in all that is hashed, so that nothing but
// the structure of the DWARF can tell.
func TestSectionDamage(t *testing.T) {
	var table strings.Builder
	table.WriteString("| DWARF | section |")
	for _, w := range wrecks {
		fmt.Fprintf(&table, " %s |", w.name)
	}
	table.WriteString("\n|---|---|" + strings.Repeat("---|", len(wrecks)) + "\n")
	for _, m := range []struct{ version, name string }{{"4", "cpp/O2-dw4.wasm"}, {"5", "cpp/O2-dw5.wasm"}} {
		b := readFile(t, corpusDir+"/"+m.name)
		whole := answersOf(t, b)
		f := parse(t, b)
		for i := range f.Sections {
			name := f.Sections[i].Name
			if !f.Sections[i].IsDebug() {
				continue
			}
			fmt.Fprintf(&table, "| %s | `%s` |", m.version, name)
			for _, w := range wrecks {
				hurt := edit(t, b, func(s sections) sections { return w.do(s, testwasm.Find(s, name)) })
				loses := !slices.Equal(whole, answersOf(t, hurt))
				var cells []string
				for _, kind := range []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols} {
					p := split(t, hurt, rewrite.Options{Companion: kind, BuildID: buildid.Policy{Mode: buildid.ModeGiven, ID: make(buildid.ID, 16)}})
					s := p.check(t, "app", symcheck.Options{Debug: debugfile.Options{Alone: true}})
					cells = append(cells, cell(s))
					if loses && s.Verdict == report.Pass {
						t.Errorf("%s, %s %s, %v companion: answers are lost, and the check passes\n%s", m.name, name, w.name, kind, list(s))
					}
					if slices.Contains(harmless, name) == (s.Verdict != report.Pass) {
						t.Errorf("%s, %s %s, %v companion: %v\n%s", m.name, name, w.name, kind, s.Verdict, list(s))
					}
				}
				if cells[0] != cells[1] {
					t.Errorf("%s, %s %s: %s with a full companion, %s with one of symbols", m.name, name, w.name, cells[0], cells[1])
				}
				fmt.Fprintf(&table, " %s |", cells[0])
			}
			table.WriteByte('\n')
		}
	}
	text := string(readFile(t, docPath))
	if *update {
		text = replaceBetween(t, text, "<!-- sections -->\n", "<!-- end of sections -->\n", table.String())
		if err := os.WriteFile(docPath, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(table.String(), between(t, text, "<!-- sections -->\n", "<!-- end of sections -->\n")); diff != "" {
		t.Errorf("docs/checks.md has another table; run go test ./symcheck -update (-want +got):\n%s", diff)
	}
}

// answersOf returns what a module by itself answers.
func answersOf(t *testing.T, b []byte) []string { return answers(t, b, nil) }

// cell says what came of a check: the verdict, and the rules that made it.
func cell(s *report.Subject) string {
	worst := report.Info
	for i := range s.Findings {
		worst = max(worst, s.Findings[i].Severity)
	}
	var codes []string
	for i := range s.Findings {
		if f := &s.Findings[i]; f.Severity == worst && worst > report.Info && !slices.Contains(codes, f.Rule) {
			codes = append(codes, f.Rule)
		}
	}
	text := s.Verdict.String()
	if worst == report.Warning {
		text += ", warns"
	}
	if len(codes) > 0 {
		text += ": " + strings.Join(codes, " ")
	}
	return text
}

// TestLossesWithAnyWorkers: what is found of damage does not depend on the order in
// which units are read.
func TestLossesWithAnyWorkers(t *testing.T) {
	for _, name := range []string{".debug_str", ".debug_rnglists", ".debug_addr", ".debug_line_str"} {
		b := edit(t, readFile(t, corpusDir+"/cpp/O2-dw5.wasm"), contents(name, func(b []byte) []byte { return b[:len(b)/3] }))
		var want *report.Subject
		for _, workers := range []int{1, 2, 7} {
			s := (pair{production: b}).check(t, "app", symcheck.Options{Workers: workers, Debug: debugfile.Options{Alone: true}})
			if want == nil {
				want = s
			}
			if diff := cmp.Diff(want, s); diff != "" || s.Verdict != report.Fail {
				t.Errorf("%s with %d workers: %v\n%s", name, workers, s.Verdict, diff)
			}
		}
	}
}
