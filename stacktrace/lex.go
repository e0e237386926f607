package stacktrace

import "bytes"

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// skipSpace returns the position of the first byte from i on that is neither a
// space nor a tab.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// backSpace returns the end of b[:i] without trailing spaces and tabs.
func backSpace(b []byte, i int) int {
	for i > 0 && isSpace(b[i-1]) {
		i--
	}
	return i
}

// backDigits returns the start of the run of decimal digits that ends at i.
func backDigits(b []byte, i int) int {
	for i > 0 && isDigit(b[i-1]) {
		i--
	}
	return i
}

// backHex returns the start of the run of hexadecimal digits that ends at i.
func backHex(b []byte, i int) int {
	for i > 0 && isHex(b[i-1]) {
		i--
	}
	return i
}

// parseDecimal reads a run of digits; it reports false for an empty run, other
// characters, and values above 2⁶³−1.
func parseDecimal(b []byte) (int64, bool) {
	var v uint64
	for _, c := range b {
		if !isDigit(c) || v > (1<<63-1)/10 {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return int64(v), len(b) > 0 && v < 1<<63
}

// parseUint32 is parseDecimal for values that fit 32 bits.
func parseUint32(b []byte) (uint32, bool) {
	v, ok := parseDecimal(b)
	return uint32(v), ok && v <= 1<<32-1
}

// parseHex reads hexadecimal digits without a prefix; it reports false for an
// empty run, other characters, and values above 2⁶³−1.
func parseHex(b []byte) (int64, bool) {
	var v uint64
	for _, c := range b {
		if !isHex(c) || v >= 1<<59 {
			return 0, false
		}
		v = v<<4 | uint64(hexValue(c))
	}
	return int64(v), len(b) > 0 && v < 1<<63
}

// trimEnd returns the end of the text that can belong to a frame: without
// trailing blanks, quotes and commas of a quoting log, what Chromium's log puts
// behind a message of the console, and the " {" that Node.js adds when an error
// has properties of its own.
func trimEnd(b []byte) int {
	n := len(b)
	for n > 0 {
		switch c := b[n-1]; {
		case isSpace(c), c == '\r', c == ',', c == ';', c == '"', c == '\'', c == '`':
			n--
		case c == 0xa0 && n > 1 && b[n-2] == 0xc2: // a blank of web pages, U+00A0
			n -= 2
		case c == ')':
			i := consoleSource(b[:n])
			if i < 0 {
				return n
			}
			n = i
		case c == '{' && n > 1 && b[n-2] == ' ':
			n -= 2
		default:
			return n
		}
	}
	return 0
}

// consoleSource returns where the end of a console message begins in Chromium's
// log, ", source: URL (LINE)" with the quote in front of it, or −1.
func consoleSource(b []byte) int {
	d := backDigits(b, len(b)-1)
	if d == len(b)-1 || d < 2 || b[d-1] != '(' || b[d-2] != ' ' {
		return -1
	}
	return bytes.LastIndex(b[:d], consoleMark)
}

var consoleMark = []byte(`", source: `)

// numberForm says how a trailing number is written.
type numberForm uint8

const (
	formNone    numberForm = iota // no number
	formHex                       // 0xH
	formDecimal                   // digits only
)

// bracketTail is the end of a line of the form ...[INDEX], ...[INDEX]:0xH or
// ...[INDEX]:N, each with or without a closing parenthesis.
type bracketTail struct {
	open  int // position of '['
	end   int // end of the frame's text
	paren bool
	index []byte
	form  numberForm
	value []byte // digits without the 0x
}

// parseBracketTail reads a bracketTail backwards from end.
func parseBracketTail(b []byte, end int) (t bracketTail, ok bool) {
	t.end = end
	i := end
	if i > 0 && b[i-1] == ')' {
		t.paren = true
		i--
	}
	if i == 0 {
		return t, false
	}
	if b[i-1] != ']' {
		if h := backHex(b, i); h < i && h >= 2 && (b[h-1] == 'x' || b[h-1] == 'X') && b[h-2] == '0' {
			t.form, t.value = formHex, b[h:i]
			i = h - 2
		} else if d := backDigits(b, i); d < i {
			t.form, t.value = formDecimal, b[d:i]
			i = d
		} else {
			return t, false
		}
		if i == 0 || b[i-1] != ':' {
			return t, false
		}
		i--
		if i == 0 || b[i-1] != ']' {
			return t, false
		}
	}
	i--
	d := backDigits(b, i)
	if d == i || d == 0 || b[d-1] != '[' {
		return t, false
	}
	t.index = b[d:i]
	t.open = d - 1
	return t, true
}

// afterAt returns the position behind the "at " that introduces a frame in
// b[:limit]. Text in front of it, such as a log prefix, is skipped.
func afterAt(b []byte, limit int) (int, bool) {
	b = b[:limit]
	i := skipSpace(b, 0)
	if bytes.HasPrefix(b[i:], atMark) {
		return i + 3, true
	}
	if i := bytes.Index(b, atIndented); i >= 0 {
		return i + len(atIndented), true
	}
	if i := bytes.Index(b, atSpace); i >= 0 {
		return i + len(atSpace), true
	}
	if i := bytes.Index(b, atTab); i >= 0 {
		return i + len(atTab), true
	}
	return 0, false
}

var (
	atMark     = []byte("at ")
	atIndented = []byte("    at ")
	atSpace    = []byte(" at ")
	atTab      = []byte("\tat ")
)
