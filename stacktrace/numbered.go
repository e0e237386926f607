package stacktrace

import "bytes"

// parseNumbered reads the frames of wasmtime and WAMR, which begin with a
// number: "N: 0xH - MOD!NAME" and "#NN: 0xH - NAME". Text in front, such as a
// log prefix, is skipped. In a wasmtime backtrace (inList) the module's name
// may be missing; elsewhere that is how native Rust backtraces look.
func parseNumbered(line []byte, f *Frame, inList bool) bool {
	bang := -2 // not looked for yet
	for from := 0; ; {
		i := bytes.Index(line[from:], dashMark)
		if i < 0 {
			break
		}
		if bang == -2 {
			bang = bytes.LastIndexByte(line, '!')
		}
		i += from
		if parseAddressed(line, i, f, inList, bang) {
			return true
		}
		from = i + 1
	}
	if parseUnaddressed(line, f, inList) || parseWAMROld(line, f, false) {
		return true
	}
	*f = Frame{}
	return false
}

// numberBefore reads "N:" or "#N:" that ends at end, after blanks, and returns
// where it starts.
func numberBefore(line []byte, end int) (start int, number uint32, hash, ok bool) {
	end = backSpace(line, end)
	if end == 0 || line[end-1] != ':' {
		return 0, 0, false, false
	}
	d := backDigits(line, end-1)
	number, ok = parseUint32(line[d : end-1])
	if !ok {
		return 0, 0, false, false
	}
	if d > 0 && line[d-1] == '#' {
		d--
		hash = true
	}
	if d > 0 && !isSpace(line[d-1]) && line[d-1] != '|' && line[d-1] != ']' && line[d-1] != '>' {
		return 0, 0, false, false
	}
	return d, number, hash, true
}

// parseAddressed reads the frame whose " - " stands at dash. The last exclamation
// mark of the line stands at bang.
func parseAddressed(line []byte, dash int, f *Frame, inList bool, bang int) bool {
	h := backHex(line, dash)
	if h == dash || h < 2 || line[h-1] != 'x' || line[h-2] != '0' {
		return false
	}
	start, number, hash, ok := numberBefore(line, h-2)
	if !ok || h-2 == 0 || line[h-3] == ':' {
		return false
	}
	text := line[dash+len(dashMark):]
	if len(text) == 0 {
		return false
	}
	if hash {
		f.Shape = ShapeWAMR
		f.Doubts |= DoubtMode
		f.PastOpcode = true
		f.wamrName(text)
	} else {
		// Addresses beyond any module and names without one are native.
		if v, ok := parseHex(line[h:dash]); !inList && (!ok || v > 1<<32-1 || bang < dash) {
			return false
		}
		f.Shape = ShapeWasmtime
		f.wasmtimeName(text)
	}
	f.Number, f.HasNumber = number, true
	f.Span = Span{skipSpace(line, start+numberWidth(line[start:])), len(line)}
	f.setFileOffset(line[h:dash])
	if hash && f.Doubts.Has(DoubtZero) {
		// WAMR prints 0 for a position it does not know.
		f.Offset = Offset{}
	}
	return true
}

// numberWidth returns the length of "N:" or "#N:" at the start of text.
func numberWidth(text []byte) int { return bytes.IndexByte(text, ':') + 1 }

// parseUnaddressed reads wasmtime's "N: MOD!NAME", the frame of a stack
// overflow, which has no offset.
func parseUnaddressed(line []byte, f *Frame, inList bool) bool {
	bang := bytes.IndexByte(line, '!')
	if bang < 0 {
		return false
	}
	// The last "N: " in front of the mark: a log's prefix may hold another.
	var number uint32
	p := -1
	for i := bang; p < 0; {
		if i = bytes.LastIndex(line[:i], colonMark); i < 0 {
			return false
		}
		if _, v, hash, ok := numberBefore(line, i+1); ok && !hash {
			number, p = v, skipSpace(line, i+1)
		}
	}
	text := line[p:]
	if p >= bang {
		return false
	}
	if !inList && !bytes.HasPrefix(text, unknownBang) && !bytes.Contains(text, unnamedMark) {
		return false
	}
	f.Shape = ShapeWasmtime
	f.Number, f.HasNumber = number, true
	f.Span = Span{p, len(line)}
	f.wasmtimeName(text)
	return true
}

var colonMark = []byte(": ")

var unnamedMark = []byte("!<wasm function ")

// wasmtimeName stores MOD!NAME, MOD!<wasm function I>, or a bare symbol.
func (f *Frame) wasmtimeName(text []byte) {
	if i := bytes.LastIndex(text, unnamedMark); i >= 0 && text[len(text)-1] == '>' {
		if digits := text[i+len(unnamedMark) : len(text)-1]; len(digits) > 0 && backDigits(digits, len(digits)) == 0 {
			f.setIndex(digits)
			if mod := text[:i]; len(mod)+1 != len(unknownBang) || !bytes.HasPrefix(text, unknownBang) {
				f.Module = mod
			}
			return
		}
	}
	if name, ok := bytes.CutPrefix(text, unknownBang); ok {
		f.setName(name, 0)
		return
	}
	f.setName(text, 0)
	if bytes.IndexByte(text, '!') > 0 {
		f.Separator = '!'
	}
}

// wamrName stores NAME or $fI.
func (f *Frame) wamrName(text []byte) {
	if digits, ok := bytes.CutPrefix(text, wamrIndex); ok && len(digits) > 0 && backDigits(digits, len(digits)) == 0 {
		f.setIndex(digits)
		return
	}
	f.setName(text, 0)
}

var wamrIndex = []byte("$f")

// parseWAMROld reads "#NN $fI" and, where the lines around it say so (inList),
// "#NN NAME": WAMR before it printed offsets.
func parseWAMROld(line []byte, f *Frame, inList bool) bool {
	if bytes.IndexByte(line, '#') < 0 {
		return false
	}
	// A log's prefix can hold the sign as well; the last one that opens a word counts.
	start := len(line) - 1
	for start >= 0 && (line[start] != '#' || start > 0 && !isSpace(line[start-1])) {
		start--
	}
	i := start + 1
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	if start < 0 || start+3 > i || i+1 >= len(line) || line[i] != ' ' || isSpace(line[i+1]) {
		return false
	}
	number, ok := parseUint32(line[start+1 : i])
	if !ok {
		return false
	}
	f.Shape = ShapeWAMROld
	f.Number, f.HasNumber = number, true
	f.Span = Span{i + 1, len(line)}
	f.wamrName(line[i+1:])
	if !f.HasIndex {
		f.Doubts |= DoubtForm
	}
	return f.HasIndex || inList
}

// parseWasmer reads "at NAME (MOD[I]:0xH)".
func parseWasmer(line []byte, t bracketTail, f *Frame) bool {
	open := lastOpen(line[:t.open])
	if open < 0 {
		return false
	}
	p, ok := afterAt(line, open)
	if !ok {
		return false
	}
	f.Shape = ShapeWasmer
	f.Span = Span{p, t.end}
	f.Module = line[open+2 : t.open]
	f.setTail(t)
	if name := line[p:open]; !bytes.Equal(name, wasmerUnnamed) {
		f.setName(name, 0)
	}
	return true
}

var wasmerUnnamed = []byte("<unnamed>")
