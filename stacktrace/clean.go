package stacktrace

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// cleaner makes of a line what an engine printed, and remembers where each byte
// of that stood: without the colours and links that tools put in for terminals,
// and with the escapes of a quoted string resolved.
type cleaner struct {
	text []byte
	from []Span // where in the line each byte of the text stood
}

const escape = 0x1b

// maxCommand is the length of the longest operating system command that is passed
// over: a link with its address.
const maxCommand = 4096

// clean returns the text of a line, which is the line itself if there is nothing
// to do, and then reports false. Quoted says that the line is of a string in
// quotes, as JSON has them.
func (c *cleaner) clean(line []byte, quoted bool) ([]byte, bool) {
	quoted = quoted && bytes.IndexByte(line, '\\') >= 0
	if !quoted && bytes.IndexByte(line, escape) < 0 {
		return line, false
	}
	c.text, c.from = c.text[:0], c.from[:0]
	if quoted {
		c.unquote(line)
	} else {
		for i, b := range line {
			c.text, c.from = append(c.text, b), append(c.from, Span{i, i + 1})
		}
	}
	c.strip()
	return c.text, true
}

// span returns where in the line a range of the text stands.
func (c *cleaner) span(s Span) Span {
	if s.Start >= s.End || s.End > len(c.from) {
		return Span{}
	}
	return Span{c.from[s.Start].Start, c.from[s.End-1].End}
}

// unquote resolves the escapes of JSON strings, and leaves others as they are.
func (c *cleaner) unquote(line []byte) {
	for i := 0; i < len(line); {
		n := 1
		var r [utf8.UTFMax]byte
		out := append(r[:0], line[i])
		if line[i] == '\\' && i+1 < len(line) {
			switch line[i+1] {
			case '"', '\\', '/':
				n, out[0] = 2, line[i+1]
			case 't':
				n, out[0] = 2, '\t'
			case 'u':
				if v, width, ok := unicodeEscape(line[i:]); ok {
					n, out = width, utf8.AppendRune(r[:0], v)
				}
			}
		}
		for _, b := range out {
			c.text, c.from = append(c.text, b), append(c.from, Span{i, i + n})
		}
		i += n
	}
}

// unicodeEscape reads \u and four digits, or two of these for a character that needs both.
func unicodeEscape(text []byte) (r rune, width int, ok bool) {
	unit := func(i int) (rune, bool) {
		if len(text) < i+6 || text[i] != '\\' || text[i+1] != 'u' {
			return 0, false
		}
		v, ok := parseHex(text[i+2 : i+6])
		return rune(v), ok
	}
	if r, ok = unit(0); !ok || !utf16.IsSurrogate(r) {
		return r, 6, ok
	}
	if low, ok := unit(6); ok {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, 12, true
		}
	}
	return utf8.RuneError, 6, true
}

// strip takes the sequences for terminals out of the text.
func (c *cleaner) strip() {
	if bytes.IndexByte(c.text, escape) < 0 {
		return
	}
	n := 0
	for i := 0; i < len(c.text); {
		if width := terminalSequence(c.text[i:]); width > 0 {
			i += width
			continue
		}
		c.text[n], c.from[n] = c.text[i], c.from[i]
		n++
		i++
	}
	c.text, c.from = c.text[:n], c.from[:n]
}

// terminalSequence returns the length of the control sequence (ESC [ ... letter)
// or operating system command (ESC ] ... BEL or ESC \) that text begins with, and
// 0 if there is none.
//
// https://ecma-international.org/publications-and-standards/standards/ecma-48/
func terminalSequence(text []byte) int {
	if len(text) < 2 || text[0] != escape {
		return 0
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			if c := text[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			} else if c < 0x20 || c > 0x3f {
				return 0
			}
		}
	case ']':
		for i := 2; i < min(len(text), maxCommand); i++ {
			switch {
			case text[i] == 0x07:
				return i + 1
			case text[i] == escape && i+1 < len(text) && text[i+1] == '\\':
				return i + 2
			case text[i] == escape:
				return 0
			}
		}
	}
	return 0
}
