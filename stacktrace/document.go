package stacktrace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrNoFrames says that a text is valid JSON that holds no stack trace of the
// expected kind, of WebAssembly or not.
var ErrNoFrames = errors.New("no stack trace in this JSON document")

// ParseDocument reads a JSON text of any of the kinds that [ParseSentryEvent],
// [ParseCallSites] and [ParseGeckoError] read.
func ParseDocument(text []byte) (*Document, error) {
	for _, parse := range []func([]byte) (*Document, error){ParseSentryEvent, ParseCallSites} {
		d, err := parse(text)
		if err == nil || !errors.Is(err, ErrNoFrames) {
			return d, err
		}
	}
	return ParseGeckoError(text)
}

// Document is a JSON text with the WebAssembly frames found in it. Fields may
// be added to its frames; [Document.Bytes] then gives the text with these and
// everything else as it was, byte by byte.
type Document struct {
	// Frames are the WebAssembly frames in the order of the text.
	Frames []DocumentFrame
	// Images are the loaded modules that a Sentry event lists, of every type.
	Images []Image

	text   []byte
	edits  []edit
	placed map[span][]int // edits by what of the text they replace
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
	data, err := encodeJSON(value)
	if err != nil {
		return fmt.Errorf("set %q: %w", name, err)
	}
	object := &d.Frames[frame].object
	if f := object.field(name); f != nil {
		if have := d.placed[span{f.start, f.end}]; len(have) > 0 {
			d.edits[have[0]].data = data
		} else {
			d.edit(span{f.start, f.end}, data)
		}
		return nil
	}
	key, err := encodeJSON(name)
	if err != nil {
		return fmt.Errorf("set %q: %w", name, err)
	}
	head := append(key, ':')
	at := object.end - 1
	if n := len(object.members); n > 0 {
		at = object.members[n-1].value.end
		head = append([]byte{','}, head...)
	} else if len(d.placed[span{at, at}]) > 0 {
		head = append([]byte{','}, head...) // the second field of an empty object
	}
	// A field that was added before is replaced as well.
	for _, i := range d.placed[span{at, at}] {
		e := &d.edits[i]
		if bytes.HasPrefix(bytes.TrimPrefix(e.data, []byte{','}), append(key, ':')) {
			e.data = append(e.data[:bytes.Index(e.data, key)+len(key)+1:len(e.data)], data...)
			return nil
		}
	}
	d.edit(span{at, at}, append(head, data...))
	return nil
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
		d.edit(span{f.object.start, f.object.start}, append(data, ','))
	} else {
		d.edit(span{f.object.end, f.object.end}, append([]byte{','}, data...))
	}
	return nil
}

// Bytes returns the document with the additions made so far.
func (d *Document) Bytes() []byte {
	edits := slices.Clone(d.edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	pos := 0
	for _, e := range edits {
		out = append(append(out, d.text[pos:e.start]...), e.data...)
		pos = e.end
	}
	return append(out, d.text[pos:]...)
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
