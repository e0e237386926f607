// Package printable makes text from files that anyone may have made safe to show
// to a person. A name must not move the cursor of a terminal or give it commands,
// start a line or a column of its own, or turn the direction of what stands
// beside it.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s on one line: whatever does not print is written out as \n, \r, \t
// or \u{…}, and bytes that are not UTF-8 as U+FFFD.
func Line(s string) string { return escape(s, false) }

// Source is Line for a line of source code, in which tabs stay.
func Source(s string) string { return escape(s, true) }

// Clip is Line for text of any length: of more than n bytes only the first part is
// kept, and an ellipsis stands for the rest.
func Clip(s string, n int) string {
	if len(s) <= n {
		return Line(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return Line(s[:n]) + "…"
}

func escape(s string, tabs bool) string {
	if plain(s, tabs) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t' && !tabs:
			b.WriteString(`\t`)
		case r != '\t' && hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether there is nothing to escape in s.
func plain(s string, tabs bool) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf {
			return utf8.ValidString(s[i:]) && strings.IndexFunc(s[i:], func(r rune) bool { return hidden(r) && !(tabs && r == '\t') }) < 0
		} else if (c < ' ' || c == 0x7f) && !(tabs && c == '\t') {
			return false
		}
	}
	return true
}

// hidden reports whether a character is a control (C0, DEL, C1), ends a line, sets
// the direction of text or joins others unseen (Unicode's category Cf), or picks a
// glyph (variation selectors).
func hidden(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 ||
		unicode.Is(unicode.Cf, r) ||
		r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}
