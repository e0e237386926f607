package stacktrace

import (
	"bufio"
	"io"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/internal/printable"
)

// WriteDocumentJSON writes the frames of a document as WriteJSON writes those of a
// text.
func WriteDocumentJSON(w io.Writer, d *Document, res *Resolver, o JSONOptions) (Summary, error) {
	out := newDocumentWriter(w)
	for i, r := range d.Resolve(res) {
		j := NewJSONFrame(&d.Frames[i].Frame, r, o.Sources, o.Context)
		j.Path = d.Frames[i].Path
		if err := out.frame(&j, r); err != nil {
			return out.sum, err
		}
	}
	return out.sum, out.end(res)
}

// AnnotateDocument writes the frames of a document as text, each below its path.
func AnnotateDocument(w io.Writer, d *Document, res *Resolver, o AnnotateOptions) (Summary, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	a := annotator{out: out, opt: o, many: len(res.store.builds) > 1, told: map[string]bool{}}
	for i, r := range d.Resolve(res) {
		f := &d.Frames[i]
		text := f.Path
		if text == "" {
			text = "."
		}
		for _, part := range []string{cleanName(string(f.Name)), string(f.Location.Text)} {
			if part != "" {
				text += " " + part
			}
		}
		if f.Offset.unit != UnitNone {
			text += " " + f.Offset.String()
		}
		out.WriteString(printable.Line(text)) // decoded, and so of any characters
		a.sum.add(r)
		a.begin(nil, newline)
		a.frame(r)
		out.Write(newline)
	}
	return a.sum, out.Flush()
}

// EnrichDocument resolves a document and writes it with what was found; see
// [Document.Enrich].
func EnrichDocument(w io.Writer, d *Document, res *Resolver, o JSONOptions) (Summary, error) {
	sum := d.before
	resolved := d.Resolve(res)
	for _, r := range resolved {
		sum.add(r)
	}
	if err := d.Enrich(resolved, o.Sources, o.Context); err != nil {
		return sum, err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := d.WriteTo(out); err != nil {
		return sum, err
	}
	return sum, out.Flush()
}

// WriteSentry reads a text and writes an event in Sentry's format with one
// exception for each trace in it. Frames that are not WebAssembly are left out.
func WriteSentry(w io.Writer, r io.Reader, res *Resolver, o JSONOptions) (Summary, error) {
	s := sentryWriter{opt: o}
	log := NewLog(r, res, o.MaxLine)
	for log.Next() {
		l := log.Line()
		if l.Resolution == nil {
			s.other(&l.Line)
		} else {
			s.frame(l)
		}
	}
	if err := log.Err(); err != nil {
		return s.sum, err
	}
	s.flush()
	values := s.values
	if values == nil {
		values = []sentryException{}
	}
	b, err := encodeJSON(map[string]any{"platform": "native", "exception": map[string]any{"values": values}})
	if err != nil {
		return s.sum, err
	}
	_, err = w.Write(append(b, '\n'))
	return s.sum, err
}

// maxExceptions bounds the traces of one event. Sentry takes far fewer.
const maxExceptions = 10_000

type sentryException struct {
	Stacktrace struct {
		Frames []map[string]any `json:"frames"` // the oldest first
	} `json:"stacktrace"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// sentryWriter collects the traces of a text.
type sentryWriter struct {
	opt    JSONOptions
	sum    Summary
	values []sentryException
	title  string // the last line that is not part of a trace
	frames []map[string]any
	inside bool
}

// other takes a line that is no WebAssembly frame. Frames of JavaScript do not end
// a trace.
func (s *sentryWriter) other(l *Line) {
	text := strings.TrimSpace(string(l.Text[:min(len(l.Text), 1000)]))
	if s.inside && (strings.HasPrefix(text, "at ") || strings.Contains(text, "@") && !strings.Contains(text, ": ")) {
		return
	}
	s.flush()
	if text != "" {
		s.title = text
	}
}

func (s *sentryWriter) frame(l *LogLine) {
	s.inside = true
	r := l.Resolution
	s.sum.add(r)
	base := func(inlined bool) map[string]any {
		m := map[string]any{"platform": "native", statusField: newSentryStatus(r, inlined)}
		if len(l.Frame.Location.Text) > 0 {
			m["package"] = string(l.Frame.Location.Text)
		}
		if f, ok := l.Frame.Offset.File(); ok {
			m["instruction_addr"] = f.String()
		}
		return m
	}
	if !r.Resolved() {
		m := base(false)
		if l.Frame.HasName {
			m["function"] = string(l.Frame.Name)
		}
		s.frames = append(s.frames, m)
	}
	for k := range r.Frames {
		m := base(r.Frames[k].Inlined)
		for _, x := range sentryFields(r, k, s.opt.Sources, s.opt.Context) {
			m[x.name] = x.value
		}
		s.frames = append(s.frames, m)
	}
}

// flush ends a trace.
func (s *sentryWriter) flush() {
	if len(s.frames) > 0 && len(s.values) < maxExceptions {
		var e sentryException
		for i := len(s.frames) - 1; i >= 0; i-- {
			e.Stacktrace.Frames = append(e.Stacktrace.Frames, s.frames[i])
		}
		e.Type, e.Value = "WebAssembly", s.title
		if kind, value, ok := strings.Cut(s.title, ": "); ok && !strings.Contains(kind, " ") {
			e.Type, e.Value = kind, value
		}
		s.values = append(s.values, e)
	}
	s.frames, s.inside = nil, false
}
