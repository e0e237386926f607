package stacktrace

import "bytes"

// parseAnchored reads the frames that end in wasm-function[I] with or without
// an offset: those of the JavaScript engines.
func parseAnchored(line []byte, t bracketTail, f *Frame) bool {
	start := t.open - len(wasmFunction)
	f.setTail(t)
	f.Span.End = t.end
	if start == 0 {
		return parseBare(line, start, t, f)
	}
	switch line[start-1] {
	case ':':
		return parseLocated(line, start-1, t, f)
	case '@':
		// JavaScriptCore after it dropped the module's name.
		if t.paren {
			f.Span.End--
		}
		f.Shape = ShapeJSC
		f.jscName(line, skipSpace(line[:start-1], 0), start-1)
		return true
	}
	return parseBare(line, start, t, f)
}

// parseLocated reads LOC:wasm-function[I]..., where LOC ends at locEnd.
func parseLocated(line []byte, locEnd int, t bracketTail, f *Frame) bool {
	if t.paren {
		if open, doubt, ok := v8Location(line, locEnd); ok {
			f.Shape = ShapeV8
			f.Doubts |= doubt
			f.Location = ClassifyLocation(line[open+2 : locEnd])
			f.v8Name(line, open)
			return true
		}
		// The parenthesis belongs to the text around the frame.
		f.Span.End--
	}
	if p, ok := afterAt(line, locEnd); ok {
		loc := line[p:locEnd]
		if len(loc) == 0 || startsURL(loc) || bytes.HasPrefix(loc, wasmScheme) || bytes.Equal(loc, anonymous) {
			f.Shape = ShapeV8
			f.Location = ClassifyLocation(loc)
			f.Span.Start = p
			return true
		}
	}
	lead := skipSpace(line[:locEnd], 0)
	if sep := geckoSeparator(line[:locEnd], lead); sep >= 0 {
		f.Shape = ShapeGecko
		f.Span.Start = lead
		if t.form == formNone {
			f.Doubts |= DoubtForm
		}
		if sep > lead {
			f.setName(line[lead:sep], '.')
		}
		f.Location = ClassifyLocation(line[sep+1 : locEnd])
		return true
	}
	if !t.paren && parseCut(line, locEnd, t, f) {
		return true
	}
	if sep := bytes.LastIndexByte(line[:locEnd], '@'); sep >= lead {
		mod := line[sep+1 : locEnd]
		f.Span.Start = lead
		if t.form != formNone {
			// An offset and a location without a scheme: Firefox's form for a
			// script that has only a name.
			f.Shape = ShapeGecko
			f.Doubts |= DoubtForm
			f.Location = ClassifyLocation(mod)
			if sep > lead {
				f.setName(line[lead:sep], '.')
			}
			return true
		}
		f.Shape = ShapeJSCModule
		if !bytes.Equal(mod, unknownMark) {
			f.Module = mod
		}
		f.jscName(line, lead, sep)
		return true
	}
	// The conventions' form with nothing around it that names an engine.
	f.Shape = ShapeLocation
	f.Doubts |= DoubtUnmarked
	p := urlStart(line[:locEnd], lead)
	if p == lead {
		// No URL: a file's name may stand behind other text.
		if w := bytes.LastIndexAny(line[lead:locEnd], " \t(") + 1; w > 0 && isWasmFile(line[lead+w:locEnd]) {
			p += w
		}
	}
	f.Span.Start = p
	f.Location = ClassifyLocation(line[p:locEnd])
	return true
}

// parseCut reads a frame of V8 that was cut off in front of the parenthesis that
// closes its location. Of an offset there some digits may be missing.
func parseCut(line []byte, locEnd int, t bracketTail, f *Frame) bool {
	open, doubt, ok := v8Location(line, locEnd)
	if !ok {
		return false
	}
	if _, ok := afterAt(line, open); !ok {
		return false
	}
	loc := line[open+2 : locEnd]
	if !startsURL(loc) && !bytes.HasPrefix(loc, wasmScheme) && !bytes.Equal(loc, anonymous) {
		return false
	}
	f.Shape = ShapeV8
	f.Doubts |= doubt
	if t.form != formNone {
		f.Doubts = f.Doubts&^(DoubtZero|DoubtDecimal) | DoubtCut
		f.Offset = Offset{}
	}
	f.Location = ClassifyLocation(loc)
	f.v8Name(line, open)
	return true
}

// v8Location finds " (LOC" in front of locEnd and returns the position of the
// space. The last " (" opens the location, unless that lies in the name of the
// module in a wasm:// label: names are printed raw and hold parentheses.
func v8Location(line []byte, locEnd int) (open int, doubt Doubts, ok bool) {
	open = lastOpen(line[:locEnd])
	if open < 0 {
		return 0, 0, false
	}
	loc := line[open+2 : locEnd]
	if len(loc) == 0 || bytes.HasPrefix(loc, wasmScheme) || startsURL(loc) || bytes.Equal(loc, anonymous) {
		return open, 0, true
	}
	if i := bytes.LastIndex(line[:open], labelMark); i >= 0 {
		return i, DoubtBoundary, true
	}
	return open, 0, true
}

// lastOpen returns the position of the last " (" in text, or -1.
func lastOpen(text []byte) int {
	for i := len(text) - 1; i > 0; i-- {
		if text[i] == '(' && text[i-1] == ' ' {
			return i - 1
		}
	}
	return -1
}

var (
	openMark  = []byte(" (")
	labelMark = []byte(" (wasm://wasm/")
)

// v8Name stores the name between "at " and the space at open.
func (f *Frame) v8Name(line []byte, open int) {
	p, ok := afterAt(line, open)
	if !ok {
		// The name holds a line break: what is left of it here is its end.
		f.Doubts |= DoubtNameCut
		f.Span.Start = skipSpace(line[:open], 0)
		return
	}
	f.Span.Start = p
	name := line[p:open]
	if !bytes.Equal(name, anonymous) {
		f.setName(name, '.')
	} else if f.HasIndex && f.Index == 0 {
		// V8 prints no name in place of a missing one. Deno does, and calls every
		// function number 0.
		f.Index, f.HasIndex = 0, false
		f.Doubts |= DoubtNoIndex
	}
}

// jscName stores the name line[lead:sep]. JavaScriptCore prints the index in
// place of a missing name.
func (f *Frame) jscName(line []byte, lead, sep int) {
	f.Span.Start = lead
	name := line[lead:sep]
	if v, ok := parseUint32(name); len(name) == 0 || ok && f.HasIndex && v == f.Index {
		return
	}
	f.setName(name, 0)
}

// geckoSeparator returns the position of the '@' between name and location in
// text[lead:], or -1. It is the first one that a location follows; names and
// URLs hold '@' themselves.
func geckoSeparator(text []byte, lead int) int {
	first := -1
	for i := lead; i < len(text); i++ {
		j := bytes.IndexByte(text[i:], '@')
		if j < 0 {
			break
		}
		i += j
		if first < 0 {
			first = i
		}
		if rest := text[i+1:]; startsURL(rest) || bytes.HasPrefix(rest, wasmPrefix) {
			return i
		}
	}
	if first < 0 {
		return -1
	}
	if isGeckoLocation(text[first+1:]) {
		return first
	}
	// A location may be empty, which leaves the '@' as the last byte.
	if text[len(text)-1] == '@' {
		return len(text) - 1
	}
	return -1
}

var wasmPrefix = []byte("wasm:")

// urlStart returns where a location begins in text: at the first word that
// starts like a URL, with or without a parenthesis in front, else at lead.
func urlStart(text []byte, lead int) int {
	for i := lead; i < len(text); i++ {
		if (i == lead || isSpace(text[i-1]) || text[i-1] == '(') && (startsURL(text[i:]) || bytes.HasPrefix(text[i:], wasmScheme)) {
			return i
		}
	}
	return lead
}

// parseBare reads wasm-function[I] frames that have no location.
func parseBare(line []byte, start int, t bracketTail, f *Frame) bool {
	before := line[:start]
	if t.paren && bytes.HasSuffix(before, openMark) {
		p, ok := afterAt(before, start-2)
		if !ok {
			return false
		}
		f.Shape = ShapeV8Bare
		f.Span.Start = p
		if name := line[p : start-2]; !bytes.Equal(name, anonymous) {
			f.setName(name, '.')
		}
		return true
	}
	if t.paren {
		f.Span.End--
	}
	if p, ok := afterAt(line, start); ok && p == start {
		f.Shape = ShapeV8Bare
		f.Span.Start = start
		return true
	}
	if skipSpace(before, 0) == start {
		f.Shape = ShapeJSC
		f.Span.Start = start
		return true
	}
	if isSpace(line[start-1]) && t.form == formHex {
		f.Shape = ShapeLocation
		f.Doubts |= DoubtUnmarked
		f.Span.Start = start
		return true
	}
	return false
}

var bunUnknown = []byte("at unknown")

// parseBunUnknown reads the line that bun prints for every WebAssembly frame.
func parseBunUnknown(line []byte, end int, f *Frame) bool {
	if skipSpace(line, 0) != end-len(bunUnknown) {
		return false
	}
	f.Shape = ShapeBun
	f.Doubts |= DoubtNothing
	f.Span = Span{end - len("unknown"), end}
	return true
}

// parseWasmCode reads MOD.wasm-function[NAME] followed by @[wasm code], as
// JavaScriptCore printed it until 2025, or by ([wasm code]), as bun does.
// Stub frames name no function and are left alone.
func parseWasmCode(line []byte, end int, f *Frame) bool {
	shape := ShapeJSCCode
	body, jsc := bytes.CutSuffix(line[:end], wasmCodeAt)
	if !jsc {
		var bun bool
		if body, bun = bytes.CutSuffix(line[:end], wasmCodeIn); !bun {
			return false
		}
		shape = ShapeBun
	}
	i := bytes.Index(body, wasmFunction)
	if i < 0 || !bytes.HasSuffix(body, closeMark) {
		return false
	}
	name := i + len(wasmFunction)
	if name >= len(body)-1 || body[name] != '[' {
		return false
	}
	inner := body[name+1 : len(body)-1]
	start := skipSpace(body, 0)
	if !jsc {
		p, ok := afterAt(body, i)
		if !ok {
			return false
		}
		start = p
	}
	if i > start && body[i-1] != '.' {
		return false
	}
	if i > start && !bytes.Equal(body[start:i-1], unknownMark) {
		f.Module = body[start : i-1]
	}
	f.Shape = shape
	f.Span = Span{start, end}
	code := end - len("[wasm code]")
	if !jsc {
		code-- // the closing parenthesis
	}
	f.Location = Location{LocationCode, line[code : code+len("[wasm code]")]}
	if _, ok := parseUint32(inner); ok {
		f.setIndex(inner)
	} else {
		f.setName(inner, 0)
	}
	return true
}

var closeMark = []byte("]")
