package stacktrace

import (
	"fmt"
	"maps"
)

// Resolve resolves the frames of a document. The result has an entry for each of
// its frames.
func (d *Document) Resolve(res *Resolver) []*Resolution {
	out := make([]*Resolution, len(d.Frames))
	for lo := 0; lo < len(d.Frames); {
		hi := lo + 1
		for hi < len(d.Frames) && d.Frames[hi].list() == d.Frames[lo].list() {
			hi++
		}
		d.resolveTrace(res, lo, hi, out)
		lo = hi
	}
	return out
}

// list names the array that the frame stands in, or the object itself.
func (f *DocumentFrame) list() string {
	for i := len(f.Path) - 1; i >= 0 && f.inList; i-- {
		if f.Path[i] == '[' {
			return f.Path[:i]
		}
	}
	return f.Path
}

// number is the frame's position in its array.
func (f *DocumentFrame) number() int {
	n := 0
	fmt.Sscanf(f.Path[len(f.list()):], "[%d]", &n)
	return n
}

// resolveTrace resolves the frames lo to hi, which are of one array.
func (d *Document) resolveTrace(res *Resolver, lo, hi int, out []*Resolution) {
	var frames []*Frame
	var images []*Image
	var place []int
	add := func(i int) {
		f := &d.Frames[i]
		if n := len(place); n > 0 && f.inList {
			// What stands between them is no WebAssembly frame.
			if gap := f.number() - d.Frames[place[n-1]].number(); gap != 1 && gap != -1 {
				frames, images, place = append(frames, nil), append(images, nil), append(place, i)
			}
		}
		frames, place = append(frames, &f.Frame), append(place, i)
		if f.Image >= 0 && f.Image < len(d.Images) {
			images = append(images, &d.Images[f.Image])
		} else {
			images = append(images, nil)
		}
	}
	if d.Frames[lo].Shape == ShapeSentry { // the oldest stands first
		for i := hi - 1; i >= lo; i-- {
			add(i)
		}
	} else {
		for i := lo; i < hi; i++ {
			add(i)
		}
	}
	for i, r := range res.trace(frames, images, &traceMemory{}) {
		if r != nil {
			out[place[i]] = r
		}
	}
}

// Enrich puts what frames were resolved to into the document. Frames of Sentry
// events get the fields of symbolicated native frames, with one more frame for
// each function that was inlined; the module's URL moves to the field package.
// Frames of other documents get a field "symbolicated". Everything else stays as
// it is.
func (d *Document) Enrich(resolved []*Resolution, sources *Sources, context int) error {
	if len(resolved) != len(d.Frames) {
		return fmt.Errorf("the document has %d frames, not %d", len(d.Frames), len(resolved))
	}
	known := map[sentryKey]*sentryEdits{}
	for i, r := range resolved {
		var err error
		if d.Frames[i].Shape == ShapeSentry {
			err = d.enrichSentry(i, r, sources, context, known)
		} else {
			err = d.Set(i, "symbolicated", NewJSONFrame(&d.Frames[i].Frame, r, sources, context))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sentryField is a field of a frame in Sentry's format.
type sentryField struct {
	name  string
	value any
}

// sentryFields returns the fields of one function.
func sentryFields(r *Resolution, k int, sources *Sources, context int) []sentryField {
	x := &r.Frames[k]
	fields := []sentryField{{"function", x.Display}}
	if x.Linkage != "" {
		fields = append(fields, sentryField{"symbol", x.Linkage})
	}
	if x.File != "" {
		fields = append(fields, sentryField{"filename", baseName(x.File)}, sentryField{"abs_path", x.File})
	}
	if x.Line != 0 && !r.FunctionOnly {
		fields = append(fields, sentryField{"lineno", x.Line})
		if x.Column != 0 {
			fields = append(fields, sentryField{"colno", x.Column})
		}
	}
	if sources == nil || x.Line == 0 || r.FunctionOnly {
		return fields
	}
	lines, first := sources.Context(x.File, x.Line, context)
	before, after := []string{}, []string{}
	for i, text := range lines {
		switch n := first + uint32(i); {
		case n < x.Line:
			before = append(before, string(text))
		case n > x.Line:
			after = append(after, string(text))
		default:
			fields = append(fields, sentryField{"context_line", string(text)})
		}
	}
	if len(lines) > 0 {
		fields = append(fields, sentryField{"pre_context", before}, sentryField{"post_context", after})
	}
	return fields
}

func baseName(file string) string {
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' || file[i] == '\\' {
			return file[i+1:]
		}
	}
	return file
}

// sentryStatus says under a name of ours what became of a frame: Sentry passes
// over fields that it does not know.
type sentryStatus struct {
	BuildID      string   `json:"build_id"`
	Confidence   string   `json:"confidence"`
	FunctionOnly bool     `json:"function_only"`
	Inferred     bool     `json:"inferred"`
	Inlined      bool     `json:"inlined"`
	Notes        []string `json:"notes,omitempty"`
	Reason       string   `json:"reason"`
	Resolved     bool     `json:"resolved"`
}

func newSentryStatus(r *Resolution, inlined bool) sentryStatus {
	s := sentryStatus{Confidence: r.Confidence.String(), FunctionOnly: r.FunctionOnly, Inferred: r.Inferred, Inlined: inlined, Notes: r.Notes, Reason: r.Reason, Resolved: r.Resolved()}
	if r.Build != nil {
		s.BuildID = r.Build.ID().String()
	}
	return s
}

// statusField is the name of the field that holds a sentryStatus.
const statusField = "wasm_debugid"

// sentryOwn are the fields of a frame that the functions it was inlined into
// share with it.
var sentryOwn = [...]string{"instruction_addr", "addr_mode", "package", "platform", "in_app"}

// sentryKey is all that the additions to a frame depend on: equal frames, which
// recursion repeats without end, get the same bytes.
type sentryKey struct {
	resolution *Resolution
	own        [len(sentryOwn)]string // as they stand in the document; empty where missing
	url        string
}

// sentryEdits are the additions to a frame, as JSON.
type sentryEdits struct {
	older  []byte         // the frames in front of it, each with a comma behind it
	fields []encodedField // of the frame itself
}

// enrichSentry fills in a frame: the object becomes the innermost function, and
// the functions that it was inlined into stand in front of it as older frames.
func (d *Document) enrichSentry(i int, r *Resolution, sources *Sources, context int, known map[sentryKey]*sentryEdits) error {
	f := &d.Frames[i]
	key := sentryKey{resolution: r, url: string(f.Location.Text)}
	for k, name := range sentryOwn {
		if v := f.object.field(name); v != nil {
			key.own[k] = string(d.text[v.start:v.end])
		}
	}
	edits := known[key]
	if edits == nil {
		var err error
		if edits, err = newSentryEdits(&key, sources, context); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		known[key] = edits
	}
	if len(edits.older) > 0 {
		d.insertBefore(f, edits.older)
	}
	for _, x := range edits.fields {
		d.set(i, x)
	}
	return nil
}

func newSentryEdits(key *sentryKey, sources *Sources, context int) (*sentryEdits, error) {
	r := key.resolution
	out := &sentryEdits{}
	if !r.Resolved() {
		return out, out.add(statusField, newSentryStatus(r, false))
	}
	hasPackage := false
	own := map[string]any{}
	for k, name := range sentryOwn {
		if key.own[k] != "" {
			own[name] = rawJSON(key.own[k])
			hasPackage = hasPackage || name == "package"
		}
	}
	if !hasPackage && key.url != "" {
		own["package"] = key.url
	}
	for k := len(r.Frames) - 1; k > 0; k-- {
		extra := maps.Clone(own)
		extra[statusField] = newSentryStatus(r, r.Frames[k].Inlined)
		for _, x := range sentryFields(r, k, sources, context) {
			extra[x.name] = x.value
		}
		data, err := encodeJSON(extra)
		if err != nil {
			return nil, err
		}
		out.older = append(append(out.older, data...), ',')
	}
	fields := sentryFields(r, 0, sources, context)
	if !hasPackage && key.url != "" {
		fields = append(fields, sentryField{"package", key.url})
	}
	fields = append(fields, sentryField{statusField, newSentryStatus(r, r.Frames[0].Inlined)})
	for _, x := range fields {
		if err := out.add(x.name, x.value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add adds a field to the frame itself.
func (e *sentryEdits) add(name string, value any) error {
	x, err := encodeField(name, value)
	e.fields = append(e.fields, x)
	return err
}

// rawJSON is a value that is JSON already.
type rawJSON []byte

// MarshalJSON implements json.Marshaler.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }
