package main

import (
	"bufio"
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonWriter writes a value as encoding/json would, but indented, with sorted keys,
// and piece by piece: a description of many sections is never held as text.
type jsonWriter struct {
	w      *bufio.Writer
	leaf   bytes.Buffer
	leaves *json.Encoder // into leaf
	types  map[reflect.Type]jsonType
}

// jsonType is what is known of a type.
type jsonType struct {
	foreign bool        // left to encoding/json
	fields  []jsonField // of a struct, in the order of their keys
}

// jsonField is a field of a struct type.
type jsonField struct {
	key       []byte // as JSON, with what stands behind it
	index     int
	omitEmpty bool
}

// writeJSON writes a document and a line feed.
func writeJSON(w io.Writer, doc any) error {
	j := &jsonWriter{w: bufio.NewWriterSize(w, 64<<10), types: map[reflect.Type]jsonType{}}
	j.leaves = json.NewEncoder(&j.leaf)
	j.leaves.SetEscapeHTML(false)
	if err := j.value(reflect.ValueOf(doc), "\n"); err != nil {
		return err
	}
	j.w.WriteByte('\n')
	if err := j.w.Flush(); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	return nil
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// value writes v. The line break has the indentation of the line that v begins on.
// Failures of the writer show when it is flushed.
func (j *jsonWriter) value(v reflect.Value, lineBreak string) error {
	if !v.IsValid() {
		j.w.WriteString("null")
		return nil
	}
	t := v.Type()
	known, ok := j.types[t]
	if !ok {
		known = j.typeOf(t)
		j.types[t] = known
	}
	if known.foreign {
		return j.foreign(v, lineBreak)
	}
	switch t.Kind() {
	case reflect.Bool:
		j.w.Write(strconv.AppendBool(j.w.AvailableBuffer(), v.Bool()))
		return nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		j.w.Write(strconv.AppendInt(j.w.AvailableBuffer(), v.Int(), 10))
		return nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		j.w.Write(strconv.AppendUint(j.w.AvailableBuffer(), v.Uint(), 10))
		return nil
	case reflect.Pointer, reflect.Interface:
		return j.value(v.Elem(), lineBreak)
	case reflect.Struct:
		return j.structure(v, known.fields, lineBreak)
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && v.IsNil() {
			return j.value(reflect.Value{}, lineBreak)
		}
		l := j.list("[", "]", lineBreak)
		for i := range v.Len() {
			l.next()
			if err := j.value(v.Index(i), l.inner); err != nil {
				return err
			}
		}
		l.end()
		return nil
	case reflect.Map:
		if v.IsNil() {
			return j.value(reflect.Value{}, lineBreak)
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		l := j.list("{", "}", lineBreak)
		for _, k := range keys {
			l.next()
			if err := j.scalar(k.String()); err != nil {
				return err
			}
			j.w.WriteString(": ")
			if err := j.value(v.MapIndex(k), l.inner); err != nil {
				return err
			}
		}
		l.end()
		return nil
	}
	return j.scalar(v.Interface())
}

func (j *jsonWriter) structure(v reflect.Value, fields []jsonField, lineBreak string) error {
	l := j.list("{", "}", lineBreak)
	for i := range fields {
		f := &fields[i]
		x := v.Field(f.index)
		if f.omitEmpty && isEmpty(x) {
			continue
		}
		l.next()
		j.w.Write(f.key)
		if err := j.value(x, l.inner); err != nil {
			return err
		}
	}
	l.end()
	return nil
}

// typeOf looks at a type.
func (j *jsonWriter) typeOf(t reflect.Type) jsonType {
	foreign := jsonType{foreign: true}
	if p := reflect.PointerTo(t); p.Implements(marshalerType) || p.Implements(textMarshalerType) {
		return foreign
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return jsonType{foreign: t.Elem().Kind() == reflect.Uint8}
	case reflect.Map:
		return jsonType{foreign: t.Key() != reflect.TypeFor[string]()}
	case reflect.Struct:
	default:
		return jsonType{}
	}
	var names []string
	byName := map[string]jsonField{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous || options != "" && options != "omitempty":
			return foreign
		case !f.IsExported() || tag == "-":
			continue
		case name == "":
			name = f.Name
		}
		if j.scalarText(name) != nil {
			return foreign
		}
		names = append(names, name)
		byName[name] = jsonField{append(bytes.Clone(j.leaf.Bytes()), ": "...), i, options != ""}
	}
	var out []jsonField
	slices.Sort(names)
	for _, name := range names {
		out = append(out, byName[name])
	}
	return jsonType{fields: out}
}

// isEmpty reports whether omitempty leaves v out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// foreign writes a value that encodes itself, or that only encoding/json knows how
// to encode.
func (j *jsonWriter) foreign(v reflect.Value, lineBreak string) error {
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return err
	}
	var x any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&x); err != nil {
		return err
	}
	return j.value(reflect.ValueOf(x), lineBreak)
}

func (j *jsonWriter) scalar(x any) error {
	err := j.scalarText(x)
	j.w.Write(j.leaf.Bytes())
	return err
}

// scalarText puts the text of a number, a bool or a string into leaf.
func (j *jsonWriter) scalarText(x any) error {
	if s, ok := x.(string); ok && !utf8.ValidString(s) {
		x = string([]rune(s)) // U+FFFD itself, and not its escape
	}
	j.leaf.Reset()
	if err := j.leaves.Encode(x); err != nil {
		return err
	}
	j.leaf.Truncate(j.leaf.Len() - 1) // without the line feed
	return nil
}

// jsonList is an object or an array that is being written.
type jsonList struct {
	w            *bufio.Writer
	outer, inner string // line breaks with indentation
	close        string
	some         bool
}

func (j *jsonWriter) list(open, close, lineBreak string) *jsonList {
	j.w.WriteString(open)
	return &jsonList{w: j.w, outer: lineBreak, inner: lineBreak + "  ", close: close}
}

// next begins an element.
func (l *jsonList) next() {
	if l.some {
		l.w.WriteByte(',')
	}
	l.some = true
	l.w.WriteString(l.inner)
}

func (l *jsonList) end() {
	if l.some {
		l.w.WriteString(l.outer)
	}
	l.w.WriteString(l.close)
}
