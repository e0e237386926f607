package stacktrace

import (
	"bytes"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// parseV8Old reads "at NAME (<WASM>[I]+N)", which V8 printed until 2018; N
// counted from the start of the function, in decimal.
func parseV8Old(line []byte, end int, f *Frame) bool {
	if line[end-1] != ')' {
		return false
	}
	d := backDigits(line, end-1)
	if d == end-1 || d < 2 || line[d-1] != '+' || line[d-2] != ']' {
		return false
	}
	i := backDigits(line, d-2)
	if !bytes.HasSuffix(line[:i], oldMark) {
		return false
	}
	open := i - len(oldMark)
	p, ok := afterAt(line, open)
	if !ok {
		return false
	}
	f.Shape = ShapeV8Old
	f.Doubts |= DoubtForm
	f.Span = Span{p, end}
	f.setTail(bracketTail{index: line[i : d-2], form: formDecimal, value: line[d : end-1]})
	if name := line[p:open]; !bytes.Equal(name, oldUnnamed) {
		f.setName(name, 0)
	}
	return true
}

var (
	oldMark    = []byte(" (<WASM>[")
	oldUnnamed = []byte("<WASM UNNAMED>")
)

// parseColumn reads LOC:LINE:COL where LOC is a WebAssembly module: as V8
// counts (line 1, column F+1), which Deno printed until 2.6, and as Firefox
// does in the position of an error (line F, column 1).
func parseColumn(line []byte, end int, f *Frame) bool {
	n := end
	paren := line[n-1] == ')'
	if paren {
		n--
	}
	c := backDigits(line, n)
	if c == n || c == 0 || line[c-1] != ':' {
		return false
	}
	l := backDigits(line, c-1)
	if l == c-1 || l == 0 || line[l-1] != ':' {
		// One number only. Firefox's made-up locations tell that it is F.
		return parseGeckoLine(line, end, paren, c-1, line[c:n], f)
	}
	row, ok1 := parseDecimal(line[l : c-1])
	col, ok2 := parseDecimal(line[c:n])
	if !ok1 || !ok2 {
		return false
	}
	locEnd := l - 1
	if col == 1 && row > 1 {
		return parseGeckoLine(line, end, paren, locEnd, line[l:c-1], f)
	}
	if row != 1 || col < 1 {
		return false
	}
	if !bytes.HasSuffix(line[:locEnd], dotWasm) && !bytes.Contains(line[:locEnd], wasmPrefix) &&
		!bytes.Contains(line[:locEnd], dotWasmQuery) {
		return false
	}
	start, open := 0, -1
	var doubt Doubts
	if paren {
		var ok bool
		if open, doubt, ok = v8Location(line, locEnd); !ok {
			return false
		}
		start = open + 2
	} else {
		p, ok := afterAt(line, locEnd)
		if !ok {
			return false
		}
		start = p
	}
	loc := line[start:locEnd]
	if !bytes.HasPrefix(loc, v8Prefix) && !isWasmFile(loc) {
		return false
	}
	f.Shape = ShapeV8Column
	f.Doubts |= DoubtNoIndex | doubt
	f.Span = Span{start, end}
	f.Location = ClassifyLocation(loc)
	f.setFile(col - 1)
	if open >= 0 {
		f.v8Name(line, open)
	}
	return true
}

var (
	dotWasm      = []byte(".wasm")
	dotWasmQuery = []byte(".wasm?")
)

// parseGeckoLine reads the position that Firefox gives to an error itself,
// LOC:F[:1], which reaches logs through window.onerror. LOC ends at locEnd.
func parseGeckoLine(line []byte, end int, paren bool, locEnd int, digits []byte, f *Frame) bool {
	text := line[:locEnd]
	start := skipSpace(text, 0)
	if i := geckoSeparator(text, start); i >= 0 {
		start = i + 1
	} else {
		start = urlStart(text, start)
	}
	loc := text[start:]
	gecko := isGeckoLocation(loc)
	if !gecko && !isWasmFile(loc) || !gecko && !startsURL(loc) {
		return false
	}
	v, ok := parseDecimal(digits)
	// Node.js prints LOC:1 above the trace of an error that nobody caught. No code
	// stands in the preamble of a module.
	if !ok || v < preambleSize {
		return false
	}
	if paren {
		end--
	}
	f.Shape = ShapeGeckoLine
	f.Doubts |= DoubtNoIndex
	f.Span = Span{start, end}
	f.Location = ClassifyLocation(loc)
	f.setFile(v)
	return true
}

// preambleSize is the length of what every module begins with, in bytes.
// https://webassembly.github.io/spec/core/binary/modules.html#binary-module
const preambleSize = 8

// parseNoIndex reads a module's file name followed by an offset and no index:
// [NAME] FILE.wasm:0xH, as developer tools show it.
func parseNoIndex(line []byte, end int, f *Frame) bool {
	n := end
	paren := line[n-1] == ')'
	if paren {
		n--
	}
	h := backHex(line, n)
	if h == n || h < 4 || line[h-1] != 'x' || line[h-2] != '0' || line[h-3] != ':' {
		return false
	}
	locEnd := h - 3
	text := line[:locEnd]
	start := -1
	if paren {
		if i, _, ok := v8Location(line, locEnd); ok && isWasmFile(line[i+2:locEnd]) {
			if _, at := afterAt(line, i); at {
				f.v8Name(line, i)
				start = f.Span.Start
				f.Location = ClassifyLocation(line[i+2 : locEnd])
			}
		}
	}
	if start < 0 {
		// The location is the last word; a name and an '@' may precede it.
		start = locEnd
		for start > 0 && !isSpace(text[start-1]) && text[start-1] != '@' && text[start-1] != '(' {
			start--
		}
		if !isWasmFile(text[start:]) {
			return false
		}
		f.Location = ClassifyLocation(text[start:])
		if paren {
			end--
		}
		at := backSpace(text, start)
		lead := skipSpace(text, 0)
		if at > lead && text[at-1] == '@' {
			if name := text[lead:max(lead, backSpace(text, at-1))]; len(name) > 0 {
				f.setName(name, '.')
			}
			start = lead
		}
	}
	f.Shape = ShapeNoIndex
	f.Doubts |= DoubtNoIndex | DoubtForm
	f.Span = Span{start, end}
	f.setFileOffset(line[h:n])
	return true
}

// parseSanitizer reads "#N 0xH in NAME (FILE.wasm+0xH)", the form of
// emscripten's sanitizers. Addresses with the highest bit set are lines of
// JavaScript.
func parseSanitizer(line []byte, end int, f *Frame) bool {
	if line[end-1] != ')' {
		return false
	}
	h := backHex(line, end-1)
	if h == end-1 || h < 3 || line[h-1] != 'x' || line[h-2] != '0' || line[h-3] != '+' {
		return false
	}
	open := lastOpen(line[:h-3])
	if open < 0 || !isWasmFile(line[open+2:h-3]) {
		return false
	}
	in := bytes.Index(line[:open], inMark)
	if in < 0 {
		return false
	}
	a := backHex(line, in)
	if a == in || a < 3 || line[a-1] != 'x' || line[a-2] != '0' || !isSpace(line[a-3]) {
		return false
	}
	e := backSpace(line, a-2)
	d := backDigits(line, e)
	number, ok := parseUint32(line[d:e])
	if !ok || d == 0 || line[d-1] != '#' {
		return false
	}
	v, ok := parseHex(line[h : end-1])
	if !ok || v >= 1<<31 {
		return false
	}
	f.Shape = ShapeSanitizer
	f.Doubts |= DoubtNoIndex
	f.Number, f.HasNumber = number, true
	name := line[in+len(inMark) : open]
	if i := bytes.LastIndex(name, plusHex); i >= 0 {
		name = name[:i]
	}
	if len(name) > 0 {
		f.setName(name, 0)
	}
	f.Span = Span{in + len(inMark), end}
	f.Location = ClassifyLocation(line[open+2 : h-3])
	f.setFile(v)
	return true
}

var (
	inMark  = []byte(" in ")
	plusHex = []byte("+0x")
)

// codeOffset converts a parsed number to C, refusing what does not fit.
func codeOffset(v int64, ok bool) (Offset, bool) {
	if !ok || v > 1<<32-1 {
		return Offset{}, false
	}
	return InCode(wasm.CodeOffset(v)), true
}
