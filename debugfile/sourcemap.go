package debugfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// maxSourceMap bounds the size in bytes of a source map.
	maxSourceMap = 2 << 30
	// maxMapDepth bounds index maps inside of index maps; the specification has
	// one level.
	maxMapDepth = 4
)

// parseSourceMap reads a source map (https://tc39.es/ecma426/), an index map
// included. The contents of sources, most of many maps, are passed over. What
// stands before an error is returned with it.
func parseSourceMap(r io.Reader) (*mapTable, error) {
	limited := &io.LimitedReader{R: r, N: maxSourceMap}
	in := bufio.NewReaderSize(limited, 64<<10)
	// A line that begins with )]}' keeps browsers from running the map as a script.
	if head, _ := in.Peek(3); string(head) == ")]}" {
		if _, err := in.ReadSlice('\n'); err != nil {
			return &mapTable{}, errors.New("the source map holds no JSON")
		}
	}
	t := &mapTable{}
	d := json.NewDecoder(in)
	err := t.document(d, 0, 0)
	t.sort()
	switch {
	case err == nil:
	case limited.N <= 0:
		err = fmt.Errorf("the source map is longer than the %d bytes that are read", int64(maxSourceMap))
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("the source map ends too early: %w", io.ErrUnexpectedEOF)
	}
	return t, err
}

// rawMap is one map, without the contents of sources.
type rawMap struct {
	version    int
	sourceRoot string
	sources    []string
	names      []string
	mappings   string
	sections   bool
}

// document reads one map whose generated columns are moved by column. The fields
// of a map come in any order, so its mappings are decoded at its end.
func (t *mapTable) document(d *json.Decoder, column int64, depth int) error {
	if err := open(d, '{'); err != nil {
		return err
	}
	var m rawMap
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "version":
			err = d.Decode(&m.version)
		case "sourceRoot":
			var root *string
			if err = d.Decode(&root); root != nil {
				m.sourceRoot = *root
			}
		case "sources":
			err = texts(d, &m.sources)
		case "names":
			err = texts(d, &m.names)
		case "mappings":
			err = d.Decode(&m.mappings)
		case "sections":
			m.sections = true
			err = t.index(d, column, depth)
		default:
			err = pass(d)
		}
		if err != nil {
			return fmt.Errorf("%v of the source map: %w", key, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if m.version != 3 {
		return fmt.Errorf("the source map has version %d; known is 3", m.version)
	}
	if m.sections {
		return nil
	}
	firstSource, firstName := len(t.sources), len(t.names)
	for _, s := range m.sources {
		t.sources = append(t.sources, joinSource(m.sourceRoot, s))
	}
	t.names = append(t.names, m.names...)
	t.mappings = slices.Grow(t.mappings, strings.Count(m.mappings, ",")+1)
	return t.add(m.mappings, column, len(m.sources), len(m.names), firstSource, firstName)
}

// index reads the sections of an index map: maps that are put together, each with
// where it begins.
func (t *mapTable) index(d *json.Decoder, column int64, depth int) error {
	if depth == maxMapDepth {
		return errors.New("index maps are nested too deeply")
	}
	if err := open(d, '['); err != nil {
		return err
	}
	for d.More() {
		var section struct {
			Offset struct{ Line, Column int64 }
			URL    string
			Map    json.RawMessage
		}
		if err := d.Decode(&section); err != nil {
			return err
		}
		switch {
		case section.URL != "":
			return errors.New("a section is at a URL, which is not fetched")
		case section.Offset.Line != 0:
			continue // a module is one line
		case section.Offset.Column < 0 || section.Offset.Column > 1<<32-1:
			return fmt.Errorf("a section begins at column %d", section.Offset.Column)
		}
		inner := json.NewDecoder(strings.NewReader(string(section.Map)))
		if err := t.document(inner, column+section.Offset.Column, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// texts reads a list of strings, in which null stands for an unknown one.
func texts(d *json.Decoder, to *[]string) error {
	if err := open(d, '['); err != nil {
		return err
	}
	for d.More() {
		var s *string
		if err := d.Decode(&s); err != nil {
			return err
		}
		if s == nil {
			s = new(string)
		}
		*to = append(*to, *s)
	}
	_, err := d.Token()
	return err
}

// open reads an opening delimiter.
func open(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("%v where %v should be", token, want)
	}
	return nil
}

// pass passes over a value.
func pass(d *json.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// joinSource puts the root in front of a source, which is a matter of text: roots
// are prefixes.
func joinSource(root, source string) string {
	if root == "" || source == "" {
		return source
	}
	if !strings.HasSuffix(root, "/") {
		root += "/"
	}
	return root + source
}
