package stacktrace

import "bytes"

// Some logs have their line breaks taken out, so that a trace of V8 stands in one
// line. The indentation in front of each frame is left of it.

// joinedLine cuts a line into the lines that it once was.
type joinedLine struct {
	rest, eol []byte
	quoted    bool
}

// isJoined reports whether a line holds several frames of V8, and one at least of
// WebAssembly.
func isJoined(line []byte) bool {
	i := bytes.Index(line, atIndented)
	return i >= 0 && bytes.Contains(line[i+1:], atIndented) && bytes.Contains(line, functionMark)
}

var functionMark = []byte(":wasm-function[")

// joint returns where the next frame begins behind something else, or −1.
func joint(line []byte) int {
	from := skipSpace(line, 0)
	if i := bytes.Index(line[from:], atIndented); i >= 0 {
		return from + i
	}
	return -1
}

// endsFrame reports whether a frame of V8 can end in a byte.
func endsFrame(c byte) bool { return c == ')' || isHex(c) }

func (j *joinedLine) more() bool { return len(j.rest)+len(j.eol) > 0 }

// next returns the next piece. That of the last one is the line's break.
func (j *joinedLine) next() (text, eol []byte) {
	if i := joint(j.rest); i >= 0 {
		text, j.rest = j.rest[:i:i], j.rest[i:]
		return text, nil
	}
	text, eol = j.rest, j.eol
	*j = joinedLine{}
	return text, eol
}
