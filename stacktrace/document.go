package stacktrace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrNoFrames says that a text is valid JSON that holds no stack trace of the
// expected kind, of WebAssembly or not.
var ErrNoFrames = errors.New("no stack trace in this JSON document")

// ParseDocument reads a JSON text of any of the kinds that [ParseSentryEvent],
// [ParseCallSites] and [ParseGeckoError] read. A document that holds a trace as the
// text of a string, as the stack of an error is one, gives [ErrNoFrames]: [NewLog]
// reads it.
func ParseDocument(text []byte) (*Document, error) {
	d, err := ParseSentryEvent(text)
	if err == nil || !errors.Is(err, ErrNoFrames) {
		return d, err
	}
	// A list is not one of call sites for that: entries of a log stand in lists too.
	d, err = ParseCallSites(text)
	if err == nil && (len(d.Frames) > 0 || !holdsFrames(text, true)) {
		return d, nil
	}
	d, err = ParseGeckoError(text)
	if err == nil && d.hasStack {
		return nil, fmt.Errorf("the stack of an error is text: %w", ErrNoFrames)
	}
	return d, err
}

// Document is a JSON text with the WebAssembly frames found in it. Fields may
// be added to its frames; [Document.Bytes] then gives the text with these and
// everything else as it was, byte by byte.
type Document struct {
	// Frames are the WebAssembly frames in the order of the text.
	Frames []DocumentFrame
	// Images are the loaded modules that a Sentry event lists, of every type.
	Images []Image

	text     []byte
	edits    []edit
	placed   map[span][]int // edits by what of the text they replace
	imageOf  map[string]int // the first image of type wasm with a URL, by that
	before   Summary        // frames of a Sentry event that were resolved before
	hasStack bool           // an error object of Firefox has its trace in a string
}

// span is a range of the text; an empty one is a place between two bytes.
type span struct{ start, end int }

// edit notes that data takes the place of a range of the text.
func (d *Document) edit(at span, data []byte) {
	if d.placed == nil {
		d.placed = map[span][]int{}
	}
	d.placed[at] = append(d.placed[at], len(d.edits))
	d.edits = append(d.edits, edit{at.start, at.end, data})
}

// DocumentFrame is a frame together with where it stands in the document.
type DocumentFrame struct {
	Frame
	// Path is the frame's place, such as
	// "exception.values[0].stacktrace.frames[3]".
	Path string
	// Image is the frame's index in Document.Images, or -1.
	Image int

	object jsonValue
	inList bool
}

// Image is an entry of a Sentry event's debug_meta.images. The fields hold what
// is written there; missing ones are empty.
type Image struct {
	Type      string // "wasm" for WebAssembly modules
	CodeID    string // the build ID in hexadecimal
	DebugID   string
	CodeFile  string // URL of the production module
	DebugFile string // URL or name of the companion
	Addr      int64  // image_addr; 0 when missing, as it is for WebAssembly
}

// edit replaces text[start:end] by data.
type edit struct {
	start, end int
	data       []byte
}

// Set gives a frame's object the named field, replacing one that is there.
func (d *Document) Set(frame int, name string, value any) error {
	if frame < 0 || frame >= len(d.Frames) {
		return fmt.Errorf("set %q: the document has %d frames, there is no frame %d", name, len(d.Frames), frame)
	}
	x, err := encodeField(name, value)
	if err != nil {
		return err
	}
	d.set(frame, x)
	return nil
}

// encodedField is a field of an object as it stands in JSON. Its bytes may be
// shared between frames and are never written to.
type encodedField struct {
	name      string
	key, data []byte
}

func encodeField(name string, value any) (encodedField, error) {
	data, err := encodeJSON(value)
	if err != nil {
		return encodedField{}, fmt.Errorf("set %q: %w", name, err)
	}
	key, err := encodeJSON(name)
	if err != nil {
		return encodedField{}, fmt.Errorf("set %q: %w", name, err)
	}
	return encodedField{name, key, data}, nil
}

// set is Set with a field that is encoded already.
func (d *Document) set(frame int, x encodedField) {
	object := &d.Frames[frame].object
	if f := object.field(x.name); f != nil {
		if have := d.placed[span{f.start, f.end}]; len(have) > 0 {
			d.edits[have[0]].data = x.data
		} else {
			d.edit(span{f.start, f.end}, x.data)
		}
		return
	}
	at := object.end - 1
	separator := ""
	if n := len(object.members); n > 0 {
		at = object.members[n-1].value.end
		separator = ","
	} else if len(d.placed[span{at, at}]) > 0 {
		separator = "," // the second field of an empty object
	}
	// A field that was added before is replaced as well.
	for _, i := range d.placed[span{at, at}] {
		e := &d.edits[i]
		if rest, ok := bytes.CutPrefix(bytes.TrimPrefix(e.data, []byte{','}), x.key); ok && rest[0] == ':' {
			e.data = slices.Concat(e.data[:len(e.data)-len(rest)], []byte{':'}, x.data)
			return
		}
	}
	d.edit(span{at, at}, slices.Concat([]byte(separator), x.key, []byte{':'}, x.data))
}

// Insert puts a further element into the array that holds the frame, right
// behind the frame or, with before, in front of it. That is how the frames that
// were inlined into it are added.
func (d *Document) Insert(frame int, before bool, value any) error {
	if frame < 0 || frame >= len(d.Frames) {
		return fmt.Errorf("insert: the document has %d frames, there is no frame %d", len(d.Frames), frame)
	}
	f := &d.Frames[frame]
	if !f.inList {
		return fmt.Errorf("insert: %s is not an element of a list", f.Path)
	}
	data, err := encodeJSON(value)
	if err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	if before {
		d.insertBefore(f, append(data, ','))
	} else {
		d.edit(span{f.object.end, f.object.end}, append([]byte{','}, data...))
	}
	return nil
}

// insertBefore puts elements in front of the frame, each with a comma behind it.
func (d *Document) insertBefore(f *DocumentFrame, elements []byte) {
	d.edit(span{f.object.start, f.object.start}, elements)
}

// Bytes returns the document with the additions made so far.
func (d *Document) Bytes() []byte {
	size := len(d.text)
	for _, e := range d.edits {
		size += len(e.data) - (e.end - e.start)
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	// A buffer in memory takes everything.
	_, _ = d.WriteTo(out)
	return out.Bytes()
}

// WriteTo writes the document with the additions made so far. It implements
// [io.WriterTo].
func (d *Document) WriteTo(w io.Writer) (int64, error) {
	edits := slices.Clone(d.edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var written int64
	write := func(part []byte) error {
		n, err := w.Write(part)
		written += int64(n)
		return err
	}
	pos := 0
	for _, e := range edits {
		if err := write(d.text[pos:e.start]); err != nil {
			return written, err
		}
		if err := write(e.data); err != nil {
			return written, err
		}
		pos = e.end
	}
	return written, write(d.text[pos:])
}

// encodeJSON is json.Marshal without the escapes that HTML needs.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
