package stacktrace

import "fmt"

// ParseCallSites reads V8's structured stack traces: an array of objects with
// the values of a CallSite (functionName, fileName or scriptNameOrSourceURL,
// lineNumber, columnNumber, position, isWasm), or of the debugging protocol's
// call frames (functionName, url, lineNumber, columnNumber), either alone or as
// a field named callSites, callFrames, frames or stack, or below stackTrace.
//
// A CallSite's column is F+1 on line 1 and its position is F; the protocol
// counts from 0, so that its column is F on line 0. The protocol puts a "$" in
// front of names.
//
// The text is kept; it must not change while the document is in use.
func ParseCallSites(text []byte) (*Document, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, fmt.Errorf("call sites: %w", err)
	}
	list, path := findList(&root)
	if list == nil {
		return nil, fmt.Errorf("call sites: %w", ErrNoFrames)
	}
	d := &Document{text: text}
	for i := range list.items {
		v := &list.items[i]
		if f, ok := callSite(text, v); ok {
			d.Frames = append(d.Frames, DocumentFrame{Frame: f, Path: fmt.Sprintf("%s[%d]", path, i), Image: -1, object: *v, inList: true})
		}
	}
	return d, nil
}

// findList finds the array of frames.
func findList(root *jsonValue) (list *jsonValue, path string) {
	if root.kind == '[' {
		return root, ""
	}
	for _, name := range []string{"callSites", "callFrames", "frames", "stack"} {
		if v := root.field(name); v != nil && v.kind == '[' {
			return v, name
		}
	}
	if v := root.field("stackTrace"); v != nil {
		if v.kind == '[' {
			return v, "stackTrace"
		}
		if list, path := findList(v); list != nil {
			return list, "stackTrace." + path
		}
	}
	return nil, ""
}

// callSite reads one object; it reports false for JavaScript frames.
func callSite(text []byte, v *jsonValue) (Frame, bool) {
	f := Frame{Shape: ShapeV8CallSite, Doubts: DoubtNoIndex}
	loc := v.text(text, "fileName", "scriptNameOrSourceURL", "scriptName", "url")
	f.Location = ClassifyLocation([]byte(loc))
	isWasm, told := v.boolean(text, "isWasm")
	if !told {
		isWasm = f.Location.Kind == LocationV8Label || f.Location.Kind != LocationGecko && isWasmFile(f.Location.Text)
	}
	if v.kind != '{' || !isWasm {
		return Frame{}, false
	}
	row, hasRow := v.number(text, "lineNumber")
	col, hasCol := v.number(text, "columnNumber")
	pos, hasPos := v.number(text, "position")
	switch {
	case hasPos:
		f.setFile(pos)
	case hasCol && hasRow && row == 0:
		f.setFile(col)
	case hasCol && (!hasRow || row == 1) && col > 0:
		f.setFile(col - 1)
	}
	if hasPos && hasCol && hasRow && row == 1 && col != pos+1 {
		f.Doubts |= DoubtForm
	}
	if i, ok := v.number(text, "wasmFunctionIndex"); ok && i <= 1<<32-1 {
		f.Index, f.HasIndex = uint32(i), true
		f.Doubts &^= DoubtNoIndex
	}
	if name := v.text(text, "functionName"); name != "" {
		if hasRow && row == 0 && name[0] == '$' {
			name = name[1:]
		}
		f.setName([]byte(name), '.')
	}
	return f, true
}

// ParseGeckoError reads Firefox's error object as JSON: fileName, lineNumber
// and columnNumber. For a trap, lineNumber is F in decimal and columnNumber is
// 1. The object may be wrapped in others. An error that was thrown by
// JavaScript gives a document without frames.
//
// The text is kept; it must not change while the document is in use.
func ParseGeckoError(text []byte) (*Document, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, fmt.Errorf("firefox error: %w", err)
	}
	d := &Document{text: text}
	if !d.geckoErrors(&root, "", 0) {
		return nil, fmt.Errorf("firefox error: %w", ErrNoFrames)
	}
	return d, nil
}

// geckoErrors collects the error objects in v and reports whether there is any.
func (d *Document) geckoErrors(v *jsonValue, path string, depth int) bool {
	if depth > 64 {
		return false
	}
	found := false
	for i := range v.items {
		found = d.geckoErrors(&v.items[i], fmt.Sprintf("%s[%d]", path, i), depth+1) || found
	}
	for i := range v.members {
		p := v.members[i].name
		if path != "" {
			p = path + "." + p
		}
		found = d.geckoErrors(&v.members[i].value, p, depth+1) || found
	}
	line, ok := v.number(d.text, "lineNumber")
	loc, isString := jsonString(d.text, v.field("fileName"))
	if !ok || !isString {
		return found
	}
	if stack, ok := jsonString(d.text, v.field("stack")); ok && HoldsFrames([]byte(stack)) {
		d.hasStack = true
	}
	l := ClassifyLocation([]byte(loc))
	if l.Kind == LocationGecko || isWasmFile(l.Text) {
		f := Frame{Shape: ShapeGeckoLine, Location: l, Doubts: DoubtNoIndex}
		if col, ok := v.number(d.text, "columnNumber"); ok && col != 1 {
			f.Doubts |= DoubtForm
		}
		f.setFile(line)
		d.Frames = append(d.Frames, DocumentFrame{Frame: f, Path: path, Image: -1, object: *v})
	}
	return true
}
