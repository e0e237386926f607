package stacktrace

import "bytes"

// Structured logs hold a whole trace in one line, as a string with its line breaks
// written as \n. Such a line is read in pieces: what stands around the string, and
// each line in it. Together the pieces are the line, byte by byte.

// quotedLine cuts a line into pieces.
type quotedLine struct {
	rest   []byte // what is left of the line
	eol    []byte // the line break behind it
	inside bool   // rest begins in a string
}

// isQuoted reports whether a line holds a string with an escaped line break.
func isQuoted(line []byte) bool {
	if bytes.IndexByte(line, '\\') < 0 {
		return false
	}
	_, at := openingQuote(line)
	return at >= 0 && firstQuote(line[at:]) >= 0
}

// openingQuote returns where the string begins that holds the next escaped break,
// and where that stands, or −1.
func openingQuote(text []byte) (open, at int) {
	if open = firstQuote(text); open < 0 {
		return -1, -1
	}
	if at, _ = escapedBreak(text[open:]); at < 0 {
		return -1, -1
	}
	at += open
	return lastQuote(text[:at]), at
}

// more reports whether there is a further piece.
func (q *quotedLine) more() bool { return len(q.rest)+len(q.eol) > 0 }

// next returns the next piece, and whether it is a line of a string.
func (q *quotedLine) next() (text, eol []byte, quoted bool) {
	if q.inside {
		at, width := escapedBreak(q.rest)
		before := q.rest
		if at >= 0 {
			before = q.rest[:at]
		}
		switch end := firstQuote(before); {
		case end > 0:
			q.inside = false
			text, _ = q.cut(end, 0)
			return text, nil, true
		case end == 0:
			q.inside = false
		case at >= 0:
			text, eol = q.cut(at, width)
			return text, eol, true
		default: // the string has no end
			return q.tail(true)
		}
	}
	open, _ := openingQuote(q.rest)
	if open < 0 {
		return q.tail(false)
	}
	q.inside = true
	text, _ = q.cut(open+1, 0)
	return text, nil, false
}

// cut takes n bytes off the rest, and a break of that width behind them.
func (q *quotedLine) cut(n, width int) (text, eol []byte) {
	text, eol, q.rest = q.rest[:n:n], q.rest[n:n+width:n+width], q.rest[n+width:]
	return text, eol
}

// tail takes all that is left.
func (q *quotedLine) tail(quoted bool) (text, eol []byte, isQuoted bool) {
	text, eol = q.rest, q.eol
	*q = quotedLine{}
	return text, eol, quoted
}

// escapedBreak returns where \n or \r\n stands in text, and its length, or −1.
func escapedBreak(text []byte) (at, width int) {
	for from := 0; ; {
		i := bytes.Index(text[from:], breakMark)
		if i < 0 {
			return -1, 0
		}
		i += from
		if !isEscaped(text, i) {
			if i >= 2 && text[i-1] == 'r' && text[i-2] == '\\' && !isEscaped(text, i-2) {
				return i - 2, 4
			}
			return i, 2
		}
		from = i + 1
	}
}

var breakMark = []byte(`\n`)

// isEscaped reports whether an odd number of backslashes stands in front of i.
func isEscaped(text []byte, i int) bool {
	n := i
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (i-n)%2 == 1
}

// firstQuote returns where the first quote stands that is not escaped, or −1.
func firstQuote(text []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '"')
		if i < 0 {
			return -1
		}
		if i += from; !isEscaped(text, i) {
			return i
		}
		from = i + 1
	}
}

// lastQuote is firstQuote from the end.
func lastQuote(text []byte) int {
	for end := len(text); ; {
		i := bytes.LastIndexByte(text[:end], '"')
		if i < 0 || !isEscaped(text, i) {
			return i
		}
		end = i
	}
}
