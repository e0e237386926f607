package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain ünï 漢字":       "plain ünï 漢字",
		"a\x1b[31mb":         `a\u{1b}[31mb`,
		"a\r\n\tb":           `a\r\n\tb`,
		"a\u202eb\u2066":     `a\u{202e}b\u{2066}`,
		"a\x7f\u0085\u2028b": `a\u{7f}\u{85}\u{2028}b`,
		"a\xffb":             "a\ufffdb",
		"a\u200bb\ufe0f":     `a\u{200b}b\u{fe0f}`,
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b]0;title\x07")
	f.Add("\u061c\ufeff\U000e0001")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if clean(got) != got {
			t.Errorf("clean(%q) changes when it is cleaned again", s)
		}
	})
}

// TestNumbers: only everything is 100 %, and only nothing is 0 %.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{{0, 0, "–"}, {0, 5, "0 %"}, {5, 5, "100 %"}, {1, 1_000_000, "0.1 %"}, {999_999, 1_000_000, "99.9 %"}, {1, 3, "33.3 %"}, {2, 3, "66.7 %"}} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("percent(%d, %d) = %q, want %q", c.part, c.whole, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 123456: "123,456"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 9999: "9,999 B", 10_240: "10 KiB", 10_485_760: "10 MiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "…", 3: "ab…", 4: "abcü", 9: "abcü"} {
		if got := clip("abcü", n); got != want {
			t.Errorf("clip to %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "", 1: "…", 3: "…cü", 4: "abcü"} {
		if got := clipFront("abcü", n); got != want {
			t.Errorf("clipFront to %d: %q, want %q", n, got, want)
		}
	}
}

// TestWrap: no line is too long unless it is one word, and no word is lost.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zä]{1,12}`), 1, 30).Draw(t, "words")
		width, first, rest := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(0, 9).Draw(t, "first"), rapid.IntRange(0, 9).Draw(t, "rest")
		lines := wrap(strings.Join(words, " "), width, first, rest)
		in := first
		for i, l := range lines {
			if in+utf8.RuneCountInString(l) > width && strings.Contains(l, " ") {
				t.Fatalf("line %d of %q is too long", i, lines)
			}
			if i > 0 && in+utf8.RuneCountInString(lines[i-1])+1+utf8.RuneCountInString(strings.Fields(l)[0]) <= width && i > 1 {
				t.Fatalf("line %d of %q has room for the next word", i-1, lines)
			}
			in = rest
		}
		if got := strings.Join(lines, " "); got != strings.Join(words, " ") {
			t.Fatalf("words are lost: %q", got)
		}
	})
}

// TestTextFits: whatever the width, lines are only longer for a word that is, and
// the last line is the verdict.
func TestTextFits(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		text := string(written(t, FormatText, sampleReport(), Options{Width: width, Verbose: true}))
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for _, l := range lines[:len(lines)-1] {
			if n := utf8.RuneCountInString(l); n > width && strings.Contains(strings.TrimSpace(l), " ") {
				t.Errorf("width %d: a line of %d: %q", width, n, l)
			}
		}
		if last := lines[len(lines)-1]; last != VerdictLine(sampleReport()) {
			t.Errorf("the last line is %q", last)
		}
	}
}

// TestTextColor: colours add nothing but colours.
func TestTextColor(t *testing.T) {
	plain := string(written(t, FormatText, sampleReport(), Options{}))
	colored := string(written(t, FormatText, sampleReport(), Options{Color: true}))
	if strings.Contains(plain, "\x1b") || !strings.Contains(colored, "\x1b[1;31mfail:\x1b[0m") {
		t.Error("colours where none should be, or none")
	}
	var b strings.Builder
	for s := colored; ; {
		before, after, ok := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !ok {
			break
		}
		_, s, _ = strings.Cut(after, "m")
	}
	if b.String() != plain {
		t.Errorf("without its colours the text is another:\n%s", b.String())
	}
}

// TestOrder: the worst comes first, in subjects and in findings.
func TestOrder(t *testing.T) {
	r := sampleReport()
	r.Subjects[0], r.Subjects[2] = r.Subjects[2], r.Subjects[0]
	text := string(written(t, FormatText, r, Options{Verbose: true}))
	at := -1
	for _, want := range []string{"dist/app.wasm", "error WD101", "error WD112", "warning WD160", "info WD115", "dist/odd", "dist/good.wasm"} {
		i := strings.Index(text, want)
		if i <= at {
			t.Errorf("%q stands at %d, behind %d", want, i, at)
		}
		at = i
	}
}

func TestVerdictLine(t *testing.T) {
	for _, c := range []struct {
		r    *Report
		want string
	}{
		{&Report{}, "could not check: there was nothing to check"},
		{passReport(), "pass: dist/good.wasm + dist/good.debug.wasm; no findings; 100 % of 10 places resolve to file and line"},
		{&Report{Subjects: []Subject{{Production: "a.wasm", Verdict: CouldNotCheck, NotChecked: []string{"x"}}}}, "could not check: a.wasm; no findings, 1 thing not checked"},
		{&Report{Subjects: []Subject{{Production: "a.wasm"}}}, "pass: a.wasm; no findings; coverage not measured"},
	} {
		if got := VerdictLine(c.r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
