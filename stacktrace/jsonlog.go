package stacktrace

import (
	"bufio"
	"io"
)

// JSONSchema and JSONVersion identify the documents that WriteJSON writes.
const (
	JSONSchema  = "wasm-debugid/symbolicate"
	JSONVersion = 1
)

// JSONOptions say what WriteJSON writes.
type JSONOptions struct {
	Sources *Sources // nil for no source lines
	Context int      // source lines before and behind the one of a frame
	MaxLine int      // see [NewLog]
}

// WriteJSON reads a text and writes one JSON document with every WebAssembly frame
// of it. The document is written frame by frame, so that a log of any size needs
// no more memory than a short one.
func WriteJSON(w io.Writer, r io.Reader, res *Resolver, o JSONOptions) (Summary, error) {
	d := newDocumentWriter(w)
	log := NewLog(r, res, o.MaxLine)
	for log.Next() {
		l := log.Line()
		if l.Resolution == nil {
			continue
		}
		j := NewJSONFrame(&l.Frame, l.Resolution, o.Sources, o.Context)
		j.Line, j.Text = l.Number, string(l.Text[l.Frame.Span.Start:l.Frame.Span.End])
		if err := d.frame(&j, l.Resolution); err != nil {
			return d.sum, err
		}
	}
	if err := log.Err(); err != nil {
		return d.sum, err
	}
	return d.sum, d.end(res)
}

// documentWriter writes the document: {"frames":[...],"modules":...}.
type documentWriter struct {
	out *bufio.Writer
	sum Summary
}

func newDocumentWriter(w io.Writer) *documentWriter {
	d := &documentWriter{out: bufio.NewWriterSize(w, 64<<10)}
	return d
}

func (d *documentWriter) frame(j *JSONFrame, r *Resolution) error {
	sep := ",\n    "
	if d.sum.Frames == 0 {
		sep = "{\n  \"frames\": [\n    "
	}
	d.sum.add(r)
	d.out.WriteString(sep)
	b, err := encodeJSON(j)
	if err != nil {
		return err
	}
	_, err = d.out.Write(b)
	return err
}

// end writes what stands behind the frames.
func (d *documentWriter) end(res *Resolver) error {
	if d.sum.Frames == 0 {
		d.out.WriteString("{\n  \"frames\": [")
	} else {
		d.out.WriteString("\n  ")
	}
	modules := []*JSONBuild{}
	for _, b := range res.store.builds {
		if b.named || b.open != nil {
			modules = append(modules, newJSONBuild(b))
		}
	}
	tail := []struct {
		name  string
		value any
	}{{"modules", modules}, {"schema", JSONSchema}, {"summary", d.sum}, {"version", JSONVersion}}
	d.out.WriteString("]")
	for _, t := range tail {
		b, err := encodeJSON(t.value)
		if err != nil {
			return err
		}
		d.out.WriteString(",\n  \"" + t.name + "\": ")
		d.out.Write(b)
	}
	d.out.WriteString("\n}\n")
	return d.out.Flush()
}
