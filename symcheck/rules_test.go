package symcheck_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

const docPath = "../docs/checks.md"

// TestRulesAreDocumented holds the page against the table, both ways.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if *update {
		page = replaceBetween(t, page, "<!-- rules -->\n", "<!-- end of rules -->\n", ruleSections())
		if err := os.WriteFile(docPath, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(ruleSections(), between(t, page, "<!-- rules -->\n", "<!-- end of rules -->\n")); diff != "" {
		t.Errorf("docs/checks.md does not say what the rules say; run go test ./symcheck -update (-want +got):\n%s", diff)
	}
	for _, code := range regexp.MustCompile(`WD\d{3}`).FindAllString(page, -1) {
		if _, ok := symcheck.FindRule(code); !ok {
			t.Errorf("docs/checks.md names %s, which is no rule", code)
		}
	}
}

// ruleSections is the part of the page with a section for each rule.
func ruleSections() string {
	var b strings.Builder
	for _, r := range symcheck.Rules() {
		fmt.Fprintf(&b, "### %s %s\n\n%s. By default: **%v**.\n\n%s\n\n*What to do:* %s.\n\n", r.Code, r.Name, r.Title, r.Default, r.Meaning, r.Remedy)
	}
	return b.String()
}

func between(t *testing.T, s, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, from)
	in, _, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("the page lacks %q or %q", from, to)
	}
	return in
}

func replaceBetween(t *testing.T, s, from, to, with string) string {
	t.Helper()
	return strings.Replace(s, from+between(t, s, from, to)+to, from+with+to, 1)
}

func TestRuleTable(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for _, r := range symcheck.Rules() {
		if r.Code <= last || seen[r.Name] {
			t.Errorf("%s %s is out of order or twice", r.Code, r.Name)
		}
		last, seen[r.Name] = r.Code, true
		if !regexp.MustCompile(`^WD1\d\d$`).MatchString(r.Code) || !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(r.Name) {
			t.Errorf("%q %q are no code and name", r.Code, r.Name)
		}
		if r.Title == "" || r.Meaning == "" || r.Remedy == "" || strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Meaning, ".") || strings.HasSuffix(r.Remedy, ".") {
			t.Errorf("%s: title %q, meaning %q, remedy %q", r.Code, r.Title, r.Meaning, r.Remedy)
		}
		if r.Default == report.Off {
			t.Errorf("%s is off by default", r.Code)
		}
		if got, ok := symcheck.FindRule(r.Name); !ok || got.Code != r.Code {
			t.Errorf("%s is not found by its name", r.Code)
		}
	}
}

func TestSettings(t *testing.T) {
	s := symcheck.Settings{}
	for _, text := range []string{"WD112=warning", "shadowed-definitions=off", "WD101=info"} {
		if err := s.Set(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	want := symcheck.Settings{"WD112": report.Warning, "WD115": report.Off, "WD101": report.Info}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "WD112", "WD999=error", "WD112=bad", "=error", "wd112=error"} {
		if err := s.Set(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestSettingsApply(t *testing.T) {
	p := good(t)
	p.companion = edit(t, p.companion, func(s sections) sections { s[0].Width = 5; return s })
	for severity, verdict := range map[report.Severity]report.Verdict{report.Error: report.Fail, report.Warning: report.Pass, report.Info: report.Pass, report.Off: report.Pass} {
		o := symcheck.Options{Rules: symcheck.Settings{symcheck.CodeStartDiffers: severity, symcheck.RecordDisagrees: report.Off,
			symcheck.PointerBroken: report.Off, symcheck.IDNotFresh: report.Off}}
		s := p.check(t, "app", o)
		if s.Verdict != verdict || has(s, symcheck.CodeStartDiffers) != (severity != report.Off) {
			t.Errorf("%v: %v\n%s", severity, s.Verdict, list(s))
		}
	}
}

// TestOffIsNoPass: a rule that says that something could not be checked can be shown
// or not, and the result is the same.
func TestOffIsNoPass(t *testing.T) {
	for i := range catalogue {
		b := &catalogue[i]
		if !b.undecided {
			continue
		}
		p := b.make(t)
		for _, severity := range []report.Severity{report.Off, report.Info, report.Warning} {
			o := b.options
			o.Debug.Alone = true
			o.Rules = symcheck.Settings{b.rule: severity}
			s := p.check(t, b.name, o)
			if s.Verdict != report.CouldNotCheck || len(s.NotChecked) == 0 || has(s, b.rule) != (severity != report.Off) {
				t.Errorf("%s with %s=%v: %v\n%s", b.name, b.rule, severity, s.Verdict, list(s))
			}
		}
	}
}

func TestThresholds(t *testing.T) {
	for text, want := range map[string]symcheck.Thresholds{
		"95": {"user": 95}, "95%": {"user": 95}, "user=99.5,runtime=0": {"user": 99.5, "runtime": 0}, "glue=1": {"glue": 1},
	} {
		got, err := symcheck.ParseThresholds(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"", "x", "101", "-1", "NaN", "user=", "other=3", "user=1,,"} {
		if got, err := symcheck.ParseThresholds(text); err == nil {
			t.Errorf("%q is accepted: %v", text, got)
		}
	}
}

func TestConfig(t *testing.T) {
	var o symcheck.Options
	_, err := o.ReadConfig(strings.NewReader(`{"rules": {"WD112": "warning", "shadowed-definitions": "off"}, "for": "sentry",
		"min_coverage": {"user": 95, "runtime": 0}, "loops": true, "require_id": true, "forbid_dwarf": false}`))
	want := symcheck.Options{For: symcheck.Sentry, Rules: symcheck.Settings{"WD112": report.Warning, "WD115": report.Off},
		MinCoverage: symcheck.Thresholds{"user": 95, "runtime": 0}, Loops: true, RequireID: true}
	if diff := cmp.Diff(want, o); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		``:                          "line 1: this is no JSON: the text ends too early",
		`[]`:                        `line 1: the configuration is one JSON object, as in {"for": "sentry"}`,
		"{\n":                       "line 2: this is no JSON: the text ends too early",
		"{\n\"loops\": }":           "line 2: this is no JSON: invalid character",
		`{"rule": {}}`:              `line 1: there is no field "rule"; the fields are rules, for, min_coverage, loops, require_id, forbid_dwarf`,
		`{"rules": {"WD1": "off"}}`: `line 1: the field "rules": there is no rule "WD1"`,
		"{\n\"loops\": true,\n \"rules\": {\"WD112\": \"on\"}}": `line 3: the field "rules": `,
		`{"rules": {"WD112": 3}}`:                               `line 1: the field "rules" should be an object with a severity for each rule, as in {"WD112": "warning"}, and is an object with other values`,
		`{"for": "x"}`:                                          `line 1: the field "for": unknown client "x"`,
		`{"for": ["x"]}`:                                        `line 1: the field "for" should be the name of a client, as in "sentry", and is a list`,
		`{"min_coverage": {"user": 200}}`:                       "line 1: the field \"min_coverage\": a coverage of 200",
		`{"min_coverage": {"nobody": 2}}`:                       `there is no class "nobody"`,
		"{\"for\":\n\"sentry\",\n\"min_coverage\": 95}":         `line 3: the field "min_coverage" should be an object with a percentage for each class, as in {"user": 95}, and is a number`,
		`{} {}`:                           "line 1: there is something behind the configuration's closing brace",
		`{"loops": 1}`:                    `line 1: the field "loops" should be true or false, and is a number`,
		`{"loops": "true"}`:               `and is a text`,
		`{"loops": null}`:                 `and is null`,
		`{"loops": true, "loops": false}`: `line 1: the field "loops" stands there twice`,
	} {
		_, err := new(symcheck.Options).ReadConfig(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		for _, internal := range []string{"Go ", "cannot unmarshal", "struct", "json:"} {
			if err != nil && strings.Contains(err.Error(), internal) {
				t.Errorf("%s: %v tells of the program's insides", text, err)
			}
		}
	}
}
