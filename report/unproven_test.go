package report

import (
	"bytes"
	"strings"
	"testing"
)

// What was not proven is a pass in no format, and not of the report either, unless
// something else was proven.
func TestNotProven(t *testing.T) {
	stranger := Subject{Production: "dist/stranger.wasm", Verdict: NotProven}
	for _, c := range []struct {
		name     string
		subjects []Subject
		want     Verdict
		says     map[Format]string
	}{
		{"beside a pass", []Subject{stranger, passReport().Subjects[0]}, Pass, map[Format]string{
			FormatText:     "  not proven       dist/stranger.wasm\n",
			FormatJSON:     "\"unproven\": 1,\n  \"verdict\": \"pass\"",
			FormatGitHub:   "::warning file=dist/stranger.wasm,title=not proven::dist/stranger.wasm: nothing was proven",
			FormatSARIF:    "dist/stranger.wasm: nothing was proven",
			FormatJUnit:    `<skipped message="nothing was proven for it`,
			FormatMarkdown: "| not proven | <code>dist/stranger.wasm</code>",
			FormatHTML:     "not proven",
		}},
		{"alone", []Subject{stranger}, CouldNotCheck, map[Format]string{
			FormatText:   "\ncould not check: dist/stranger.wasm; no findings\n",
			FormatJSON:   "\"unproven\": 1,\n  \"verdict\": \"could not check\"",
			FormatGitHub: "could not check: dist/stranger.wasm; no findings\n",
			FormatSARIF:  `"executionSuccessful": false`,
			FormatJUnit:  `<error message="nothing was proven for it`,
		}},
		{"beside a failure", []Subject{stranger, {Production: "a.wasm", Verdict: Fail}}, Fail, nil},
	} {
		r := &Report{Tool: "wasm-debugid", Command: "check", Rules: sampleRules, Subjects: c.subjects}
		if got := r.Verdict(); got != c.want {
			t.Errorf("%s: the verdict is %v, want %v", c.name, got, c.want)
		}
		for format, want := range c.says {
			var b bytes.Buffer
			if err := Write(&b, format, r, Options{Width: -1}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %s lacks %q:\n%s", c.name, format, want, b.String())
			}
		}
	}
	for _, v := range []Verdict{Pass, Fail, CouldNotCheck} {
		if got, again := v.Worse(NotProven), NotProven.Worse(v); got != v || again != v {
			t.Errorf("%v and what was not proven are %v and %v", v, got, again)
		}
	}
}
