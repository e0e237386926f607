package printable

import (
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain ASCII", "plain ASCII"},
		{"Ünïcode → 漢字 🦀", "Ünïcode → 漢字 🦀"},
		{"a\nbuild id", `a\nbuild id`},
		{"a\r\tb", `a\r\tb`},
		{"\x1b]0;title\a", `\u{1b}]0;title\u{7}`},
		{"\x00\x7f", `\u{0}\u{7f}`},
		{"csi \u009b31m", `csi \u{9b}31m`},
		{"\u202egnp.exe", `\u{202e}gnp.exe`},
		{"a\u2066b\u2069", `a\u{2066}b\u{2069}`},
		{"a\u2028b\u0085c", `a\u{2028}b\u{85}c`},
		{"zero\u200bwidth\ufeff", `zero\u{200b}width\u{feff}`},
		{"v\ufe0f \U000e0100", `v\u{fe0f} \u{e0100}`},
		{"bad \x9b\xff", "bad \ufffd\ufffd"},
	} {
		if got := Line(tt.in); got != tt.want {
			t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSourceKeepsTabs(t *testing.T) {
	if got, want := Source("\tx\x1b[2J\t// \u202e\n"), "\tx"+`\u{1b}[2J`+"\t// "+`\u{202e}\n`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Source("\tint a; // ü"); got != "\tint a; // ü" {
		t.Errorf("%q", got)
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aüb", 2, "a…"}, {"\n\n\n", 1, `\n…`}, {"\x80\x80", 1, "…"}, {"x", 0, "…"},
	} {
		if got := Clip(tt.in, tt.n); got != tt.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x1b[31m", "\u202e", "\xff", "é\t\x9b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Errorf("Line(%q) = %q", s, got)
		}
		if Line(got) != got {
			t.Errorf("Line(%q) is not final", s)
		}
		if src := Source(s); strings.ContainsFunc(src, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			t.Errorf("Source(%q) = %q", s, src)
		}
	})
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 1234567: "1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Number(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if Count(1, "unit")+Count(0, "unit")+Count(1538, "unit") != "1 unit0 units1,538 units" {
		t.Error(Count(1538, "unit"))
	}
}
