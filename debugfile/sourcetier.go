package debugfile

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// sourceTier answers from a source map. The map is read when it is needed first.
type sourceTier struct {
	once sync.Once
	maps atomic.Pointer[mapTable]
	span wasm.CodeSpan // of the module that the map describes
	err  error
}

// loaded returns the table if it has been read, without reading it.
func (t *sourceTier) loaded() *mapTable { return t.maps.Load() }

// table returns the source map, or nil.
func (t *sourceTier) table(f *File) *mapTable {
	t.once.Do(func() { t.load(f) })
	return t.maps.Load()
}

// SourceMapError returns what was wrong with the source map, or nil. What could
// be read of it is used.
func (f *File) SourceMapError() error {
	f.sources.table(f)
	return f.sources.err
}

// load finds the map. Columns are file offsets in the module that the map was
// written for: the one that names it, or else the production module.
func (t *sourceTier) load(f *File) {
	type source struct {
		module *wasm.File
		path   string
		url    string
	}
	var found source
	for _, s := range []source{{f.opt.Production, f.opt.ProductionPath, ""}, {f.module, f.opt.Path, ""}} {
		if s.module == nil {
			continue
		}
		ref, err := s.module.SourceMappingURL()
		if err != nil {
			t.err = errors.Join(t.err, err)
		}
		if s.url = ref.URL; found.module == nil || found.url == "" && s.url != "" {
			found = s
		}
	}
	span, ok := found.module.CodeSpan()
	if !ok {
		return
	}
	t.span = span
	m, err := readSourceMap(f.opt, found.path, found.url)
	switch {
	case m == nil:
	case len(m.mappings) > 0:
		t.maps.Store(m)
	case err == nil:
		err = errors.New("the source map holds no mappings")
	}
	if err != nil {
		t.err = errors.Join(t.err, err)
	}
}

// readSourceMap reads the map that the options name, or else the one that the
// module at path names. It returns nil if there is none.
func readSourceMap(o Options, path, ref string) (*mapTable, error) {
	name := o.SourceMap
	if name == "" {
		if ref == "" {
			return nil, nil
		}
		if data, ok := strings.CutPrefix(ref, "data:"); ok {
			return dataMap(data)
		}
		if o.Alone || path == "" {
			return nil, nil
		}
		var ok bool
		if name, ok = besideURL(path, ref); !ok {
			return nil, fmt.Errorf("the source map at %s is not read: it is not a file beside the module", ref)
		}
	}
	file, _, err := regular.Open(name)
	if err != nil {
		if o.SourceMap == "" && errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("the source map that the module names is not there: %w", err)
		}
		return nil, err
	}
	defer file.Close()
	m, err := parseSourceMap(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return m, err
}

// besideURL returns the path of the file that a relative URL in the module at path
// names.
func besideURL(path, ref string) (string, bool) {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return "", false
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(u.Path)), true
}

// dataMap reads a map that stands in the URL itself (RFC 2397).
func dataMap(data string) (*mapTable, error) {
	kind, text, ok := strings.Cut(data, ",")
	if !ok {
		return nil, errors.New("the data: URL of the source map holds no data")
	}
	if strings.HasSuffix(kind, ";base64") {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("the data: URL of the source map: %w", err)
		}
		return parseSourceMap(strings.NewReader(string(b)))
	}
	text, err := url.PathUnescape(text)
	if err != nil {
		return nil, fmt.Errorf("the data: URL of the source map: %w", err)
	}
	return parseSourceMap(strings.NewReader(text))
}

// complete adds to a frame what the source map says about c, and sets the reason.
// Only mappings of the same body count: one before it is of another function.
func (t *sourceTier) complete(f *File, a *Answer, frame *Frame, c wasm.CodeOffset) {
	m := t.table(f)
	if m == nil || !a.HasIndex {
		return
	}
	at := func(c wasm.CodeOffset) int64 { return int64(t.span.Start) + int64(c) }
	hit, ok := m.find(at(a.Body.Start), at(c))
	if !ok && c == a.Body.Start {
		// As with rows: the start of a body is where its first place is.
		hit, ok = m.first(at(a.Body.Start), at(a.Body.End))
	}
	switch {
	case !ok:
		a.Reason = ReasonNoRow
		return
	case hit.source < 0:
		a.Reason = ReasonLineZero
	case m.sources[hit.source] == "":
		a.Reason = ReasonNoFile
		frame.Line, frame.Column = hit.line, hit.col
	default:
		a.Reason = ReasonNone
		frame.File, frame.Line, frame.Column = m.sources[hit.source], hit.line, hit.col
	}
	frame.Source = TierSourceMap
	if frame.Function == "" && hit.name >= 0 {
		frame.Function = m.names[hit.name]
	}
}

// Mapping is a place of the module that a source map names.
type Mapping struct {
	At     wasm.FileOffset // in the module that the map was written for
	Source bool            // a source is named; otherwise the map says that none is responsible
	File   string
	Line   uint32 // 1-based
	Column uint32 // 1-based
}

// NumMappings returns the number of mappings of the source map, 0 without one. Of
// several at one place there is one, the last.
func (f *File) NumMappings() int {
	if t := f.sources.table(f); t != nil {
		return len(t.mappings)
	}
	return 0
}

// Mapping returns mapping i. They are in order of their places.
func (f *File) Mapping(i int) Mapping {
	t := f.sources.table(f)
	m := &t.mappings[i]
	out := Mapping{At: wasm.FileOffset(m.column), Source: m.source >= 0, Line: m.line, Column: m.col}
	if out.Source {
		out.File = t.sources[m.source]
	}
	return out
}

// MappedCode returns where the code lies in the module that the source map was
// written for.
func (f *File) MappedCode() wasm.CodeSpan {
	f.sources.table(f)
	return f.sources.span
}
