package stacktrace

import (
	"bytes"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// ParseLine reads one line, without its line break, and reports whether it is a
// WebAssembly frame. Lines of JavaScript, native and host frames are none. The
// line is read from its end, because names, module names and URLs can hold text
// that looks like the end of a frame.
//
// A line alone does not show everything: the source lines of wazero, wazero
// frames without typed parameters and wasmtime frames without a module name are
// recognised by a [Scanner] only.
func ParseLine(line []byte) (Frame, bool) {
	var f Frame
	var c cleaner
	text, cleaned := c.clean(line, false)
	if !parseLine(text, &f) {
		return Frame{}, false
	}
	if cleaned {
		f.Span = c.span(f.Span)
	}
	return f, true
}

var (
	wasmFunction = []byte("wasm-function")
	wasmCodeAt   = []byte("@[wasm code]")
	wasmCodeIn   = []byte(" ([wasm code])")
	dashMark     = []byte(" - ")
	unknownBang  = []byte("<unknown>!")
	unknownMark  = []byte("<?>")
)

// parseLine fills f, which must be zero; f is in an undefined state when it
// returns false.
func parseLine(line []byte, f *Frame) bool {
	end := trimEnd(line)
	if end == 0 {
		return false
	}
	last := line[end-1]
	if last == ')' || last == ']' || isHex(last) {
		if t, ok := parseBracketTail(line, end); ok {
			switch {
			case bytes.HasSuffix(line[:t.open], wasmFunction):
				if parseAnchored(line, t, f) {
					return true
				}
				*f = Frame{}
			case t.paren && t.form == formHex:
				if parseWasmer(line, t, f) {
					return true
				}
			}
		}
		if last == ']' || last == ')' {
			if parseWasmCode(line, end, f) || parseV8Old(line, end, f) || parseSanitizer(line, end, f) {
				return true
			}
		}
		if last != ']' && (parseColumn(line, end, f) || parseNoIndex(line, end, f)) {
			return true
		}
	}
	if parseNumbered(line[:backSpace(line, len(line))], f, false) {
		return true
	}
	if bytes.HasSuffix(line[:end], bunUnknown) {
		return parseBunUnknown(line, end, f)
	}
	return parseWazeroFrame(line, f, false)
}

// setIndex stores a printed function index, refusing one that does not fit.
func (f *Frame) setIndex(digits []byte) {
	v, ok := parseUint32(digits)
	if !ok {
		f.Doubts |= DoubtRange
		return
	}
	f.Index, f.HasIndex = v, true
}

// setFileOffset stores hexadecimal digits as F, refusing what does not fit.
func (f *Frame) setFileOffset(digits []byte) {
	v, ok := parseHex(digits)
	if !ok {
		f.Doubts |= DoubtRange
		return
	}
	f.setFile(v)
}

// setFile stores F. Offset 0 is kept, with its doubt: it is where a file
// begins and never code.
func (f *Frame) setFile(v int64) {
	f.Offset = InFile(wasm.FileOffset(v))
	if v == 0 {
		f.Doubts |= DoubtZero
	}
}

// setTail stores index and offset of a bracketTail.
func (f *Frame) setTail(t bracketTail) {
	f.setIndex(t.index)
	switch t.form {
	case formHex:
		f.setFileOffset(t.value)
	case formDecimal:
		f.Doubts |= DoubtDecimal
		if v, ok := parseUint32(t.value); ok {
			f.Offset = InFunction(FunctionOffset(v))
		} else {
			f.Doubts |= DoubtRange
		}
	}
}

// setName stores a name.
func (f *Frame) setName(name []byte, separator byte) {
	f.Name, f.HasName, f.Separator = name, true, separator
}
