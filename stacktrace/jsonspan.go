package stacktrace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// jsonValue is a value of a JSON text by position. Documents are changed by
// inserting into their text, so that every field, known or not, keeps its
// spelling and its place.
type jsonValue struct {
	kind       byte // '{', '[', '"', or the first byte of anything else
	start, end int
	members    []jsonMember // of an object, in order
	items      []jsonValue  // of an array
}

type jsonMember struct {
	name  string
	value jsonValue
}

// parseJSON reads a whole JSON text. Nesting is limited by json.Valid.
func parseJSON(text []byte) (jsonValue, error) {
	if !json.Valid(text) {
		var raw json.RawMessage
		err := json.Unmarshal(text, &raw)
		return jsonValue{}, fmt.Errorf("not a JSON document: %w", err)
	}
	p := jsonParser{text: text}
	return p.value(), nil
}

// jsonParser walks a text that is known to be valid.
type jsonParser struct {
	text []byte
	pos  int
}

func (p *jsonParser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *jsonParser) value() jsonValue {
	p.space()
	v := jsonValue{kind: p.text[p.pos], start: p.pos}
	switch v.kind {
	case '{':
		for p.next('}') {
			start := p.pos
			p.skipString()
			name := unquote(p.text[start:p.pos])
			p.space()
			p.pos++ // the colon
			v.members = append(v.members, jsonMember{name, p.value()})
		}
	case '[':
		for p.next(']') {
			v.items = append(v.items, p.value())
		}
	case '"':
		p.skipString()
	default:
		for p.pos < len(p.text) && !endsScalar(p.text[p.pos]) {
			p.pos++
		}
	}
	v.end = p.pos
	return v
}

// next steps over the opening bracket or a comma to the next element, or over
// the closing bracket, and reports which.
func (p *jsonParser) next(closing byte) bool {
	p.space()
	if p.text[p.pos] == closing {
		p.pos++
		return false
	}
	p.pos++
	p.space()
	if p.text[p.pos] == closing {
		p.pos++
		return false
	}
	return true
}

func (p *jsonParser) skipString() {
	for p.pos++; p.text[p.pos] != '"'; p.pos++ {
		if p.text[p.pos] == '\\' {
			p.pos++
		}
	}
	p.pos++
}

func endsScalar(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// unquote returns the string that raw, with its quotes, stands for.
func unquote(raw []byte) string {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	// Valid text: the error cannot occur.
	_ = json.Unmarshal(raw, &s)
	return s
}

// field returns the member of that name, the last one when there are several.
func (v *jsonValue) field(name string) *jsonValue {
	for i := range slices.Backward(v.members) {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// path follows names through objects.
func (v *jsonValue) path(names ...string) *jsonValue {
	for _, name := range names {
		if v = v.field(name); v == nil {
			return nil
		}
	}
	return v
}

// jsonString returns the string in v, and false for anything else.
func jsonString(text []byte, v *jsonValue) (string, bool) {
	if v == nil || v.kind != '"' {
		return "", false
	}
	return unquote(text[v.start:v.end]), true
}

// text returns the string in the first of the named members that has one.
func (v *jsonValue) text(doc []byte, names ...string) string {
	for _, name := range names {
		if s, ok := jsonString(doc, v.field(name)); ok && s != "" {
			return s
		}
	}
	return ""
}

// number returns a whole number not below 0: a JSON number, or a string in
// decimal or with 0x in hexadecimal. It reports false for anything else.
func (v *jsonValue) number(doc []byte, name string) (int64, bool) {
	f := v.field(name)
	if f == nil {
		return 0, false
	}
	if s, ok := jsonString(doc, f); ok {
		return parseAddress(s)
	}
	raw := string(doc[f.start:f.end])
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return n, n >= 0
	}
	// Numbers such as 61.0 and 6.1e1 come from languages without integers.
	x, err := strconv.ParseFloat(raw, 64)
	if err != nil || x != math.Trunc(x) || x < 0 || x >= 1<<53 {
		return 0, false
	}
	return int64(x), true
}

// boolean returns the value of a member that is true or false.
func (v *jsonValue) boolean(doc []byte, name string) (value, ok bool) {
	f := v.field(name)
	if f == nil || f.kind != 't' && f.kind != 'f' {
		return false, false
	}
	return doc[f.start] == 't', true
}

// parseAddress reads a number in decimal, or in hexadecimal behind 0x.
func parseAddress(s string) (int64, bool) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return parseHex([]byte(s[2:]))
	}
	return parseDecimal([]byte(s))
}
