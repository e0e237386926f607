package stacktrace

import "bytes"

// parseWazeroFrame reads "\tMOD.NAME(types) types". Outside of a wazero trace
// (inTrace) a line is taken only if nothing else looks like it: indented, and
// with a type between its parentheses or a $I for a name.
func parseWazeroFrame(line []byte, f *Frame, inTrace bool) bool {
	end := backSpace(line, len(line))
	start := 0
	if i := bytes.IndexByte(line[:end], '\t'); i > 0 && !isSpace(line[0]) {
		start = i // behind a log prefix
	}
	lead := start
	start = skipSpace(line[:end], start)
	if start == end || start == lead && !inTrace {
		return false
	}
	open, typed, ok := wazeroSignature(line[start:end])
	if !ok || open == 0 {
		return false
	}
	name := line[start : start+open]
	dot := bytes.IndexByte(name, '.')
	if dot < 0 {
		return false
	}
	f.Shape = ShapeWazero
	f.Span = Span{start, end}
	if i := backDigits(name, len(name)); i < len(name) && i >= 2 && name[i-1] == '$' && name[i-2] == '.' {
		if i > 2 {
			f.Module = name[:i-2]
		}
		f.setIndex(name[i:])
		return true
	}
	if !inTrace && (!typed || isSpace(name[len(name)-1]) || bytes.Contains(name, assignMark)) {
		return false // source code and assembler are written so
	}
	if dot == 0 {
		f.setName(name[1:], 0) // the module has no name
	} else {
		f.setName(name, '.')
	}
	return true
}

var assignMark = []byte("= ")

// wazeroSignature returns the length of the name in front of a printed
// signature, and whether the signature names any type.
func wazeroSignature(text []byte) (open int, typed, ok bool) {
	if text[len(text)-1] == ')' {
		open, n, ok := typeList(text)
		if !ok {
			return 0, false, false
		}
		if n < 2 || open < 2 || text[open-1] != ' ' || text[open-2] != ')' {
			return open, n > 0, true // parameters and no results
		}
		text = text[:open-1]
	} else {
		i := bytes.LastIndexByte(text, ' ')
		if i < 1 || !isValueType(text[i+1:]) || text[i-1] != ')' {
			return 0, false, false
		}
		text = text[:i]
	}
	open, _, ok = typeList(text)
	return open, true, ok
}

// typeList reads "(t,t,...)" at the end of text; it returns where it begins and
// how many types it holds.
func typeList(text []byte) (open, n int, ok bool) {
	open = bytes.LastIndexByte(text, '(')
	if open < 0 {
		return 0, 0, false
	}
	list := text[open+1 : len(text)-1]
	for len(list) > 0 {
		word := list
		if i := bytes.IndexByte(list, ','); i >= 0 {
			word, list = list[:i], list[i+1:]
		} else {
			list = nil
		}
		if !isValueType(word) {
			return 0, 0, false
		}
		n++
	}
	return open, n, true
}

// isValueType reports whether wazero prints a value type so; it writes
// "unknown" for those outside its API, such as v128.
func isValueType(word []byte) bool {
	switch string(word) {
	case "i32", "i64", "f32", "f64", "v128", "externref", "funcref", "exnref", "unknown":
		return true
	}
	return false
}

// parseWazeroSource reads "0xH: file:line:col[ (inlined)]" and the lines below
// it, which stand without the number. It reports whether the number was there.
func parseWazeroSource(line []byte, f *Frame) (addressed, ok bool) {
	end := backSpace(line, len(line))
	start := skipSpace(line[:end], 0)
	if i := bytes.IndexByte(line[:end], '\t'); i > 0 && start == 0 {
		start = skipSpace(line[:end], i)
	}
	if start == 0 || start == end {
		return false, false
	}
	f.Role, f.Shape = RoleSource, ShapeWazero
	text := line[start:end]
	if len(text) > 4 && text[0] == '0' && text[1] == 'x' {
		i := 2
		for i < len(text) && isHex(text[i]) {
			i++
		}
		if i+1 >= len(text) || text[i] != ':' || text[i+1] != ' ' {
			return false, false
		}
		offset, fits := codeOffset(parseHex(text[2:i]))
		if !fits {
			f.Doubts |= DoubtRange
		}
		f.Offset = offset
		addressed = true
		text = text[i+2:]
	}
	f.Span = Span{end - len(text), end}
	if addressed {
		f.Span.Start = start
	}
	text, f.Source.Inlined = bytes.CutSuffix(text, inlinedMark)
	f.Source.set(text)
	return addressed, len(f.Source.File) > 0
}

var inlinedMark = []byte(" (inlined)")

// set reads file[:line[:col]].
func (s *Source) set(text []byte) {
	s.File = text
	file, last, ok := cutNumber(text)
	if !ok {
		return
	}
	s.File, s.Line = file, last
	if file, line, ok := cutNumber(file); ok {
		s.File, s.Line, s.Column = file, line, last
	}
}

// cutNumber takes ":N" off the end of text.
func cutNumber(text []byte) (rest []byte, n uint32, ok bool) {
	d := backDigits(text, len(text))
	if d < 2 || text[d-1] != ':' {
		return text, 0, false
	}
	n, ok = parseUint32(text[d:])
	if !ok {
		return text, 0, false
	}
	return text[:d-1], n, true
}
