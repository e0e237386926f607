package report

import (
	"bytes"
	"strings"
	"testing"
)

// A finding about a line of a text file is shown at that line in every format.
func TestLineOfAFile(t *testing.T) {
	r := &Report{Tool: "t", Rules: []Rule{{Code: "X1", Name: "x", Title: "a title"}}, Unmeasured: true,
		Subjects: []Subject{{Production: ".", Findings: []Finding{{Rule: "X1", Severity: Warning, Message: "m", Location: Location{Path: "Makefile", Line: 7}}}}}}
	for format, want := range map[Format]string{
		FormatText:   "    at Makefile:7\n",
		FormatGitHub: "::warning file=Makefile,line=7,title=X1 x::m%0Aat Makefile:7\n",
		FormatSARIF:  `"startLine": 7`,
		FormatJSON:   `"line": 7`,
	} {
		var b bytes.Buffer
		if err := Write(&b, format, r, Options{Width: -1}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %q:\n%s", format, want, b.String())
		}
	}
	if got, want := VerdictLine(r), "pass: .; 1 warning"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Unexamined = "the modules are not checked"
	if got, want := VerdictLine(r), "pass: .; 1 warning; the modules are not checked"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
