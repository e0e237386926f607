package stacktrace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// ParseSentryEvent reads the stack traces of an error event in Sentry's format:
// exception.values[].stacktrace, threads.values[].stacktrace and stacktrace,
// each with its frames, and debug_meta.images. A frame is a WebAssembly frame
// if its address is relative to an image of type wasm, if its file is the one
// of such an image, or if its file name says so. The address is F: images of
// WebAssembly modules start at 0. Frames stand with the oldest first. Those that
// [Document.Enrich] resolved before are left alone, so that an event can be
// completed in several runs, with the symbols that each has.
//
// The text is kept; it must not change while the document is in use.
//
// The format is described at
// https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/ and
// https://develop.sentry.dev/sdk/data-model/event-payloads/debugmeta/.
func ParseSentryEvent(text []byte) (*Document, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, fmt.Errorf("sentry event: %w", err)
	}
	d := &Document{text: text, imageOf: map[string]int{}}
	if images := root.path("debug_meta", "images"); images != nil {
		for i := range images.items {
			v := &images.items[i]
			image := Image{
				Type:      v.text(text, "type"),
				CodeID:    v.text(text, "code_id"),
				DebugID:   v.text(text, "debug_id"),
				CodeFile:  v.text(text, "code_file"),
				DebugFile: v.text(text, "debug_file"),
			}
			image.Addr, _ = v.number(text, "image_addr")
			if _, twice := d.imageOf[image.CodeFile]; !twice && image.Type == "wasm" && image.CodeFile != "" {
				d.imageOf[image.CodeFile] = len(d.Images)
			}
			d.Images = append(d.Images, image)
		}
	}
	found := len(d.Images) > 0
	for _, key := range []string{"exception", "threads"} {
		list, path := root.field(key), key
		if list != nil && list.kind == '{' {
			list, path = list.field("values"), key+".values"
		}
		if list == nil {
			continue
		}
		for i := range list.items {
			found = d.sentryTrace(&list.items[i], fmt.Sprintf("%s[%d].", path, i)) || found
		}
	}
	if !d.sentryTrace(&root, "") && !found {
		return nil, fmt.Errorf("sentry event: %w", ErrNoFrames)
	}
	return d, nil
}

// sentryTrace reads the stacktrace field of v and reports whether it has frames.
func (d *Document) sentryTrace(v *jsonValue, path string) bool {
	frames := v.path("stacktrace", "frames")
	if frames == nil || frames.kind != '[' {
		return false
	}
	for i := range frames.items {
		o := &frames.items[i]
		if d.wasResolved(o) {
			continue
		}
		if f, image, ok := d.sentryFrame(o); ok {
			p := fmt.Sprintf("%sstacktrace.frames[%d]", path, i)
			d.Frames = append(d.Frames, DocumentFrame{Frame: f, Path: p, Image: image, object: *o, inList: true})
		}
	}
	return len(frames.items) > 0
}

// wasResolved reports whether a frame is what [Document.Enrich] has made of one: it
// is not resolved again, and those that it has added are not taken for further
// frames. Each frame of the trace is counted once.
func (d *Document) wasResolved(v *jsonValue) bool {
	status := v.field(statusField)
	if status == nil {
		return false
	}
	if resolved, _ := status.boolean(d.text, "resolved"); !resolved {
		return false
	}
	if inlined, _ := status.boolean(d.text, "inlined"); inlined {
		return true
	}
	d.before.Frames++
	if v.field("lineno") != nil {
		d.before.Lines++
	} else {
		d.before.Functions++
	}
	return true
}

// sentryFrame reads one frame object; it reports false for other frames.
func (d *Document) sentryFrame(v *jsonValue) (f Frame, image int, ok bool) {
	if v.kind != '{' {
		return Frame{}, -1, false
	}
	loc := v.text(d.text, "abs_path", "filename")
	pkg := v.text(d.text, "package")
	mode := v.text(d.text, "addr_mode")
	addr, hasAddr := v.number(d.text, "instruction_addr")
	name := v.text(d.text, "raw_function", "function")

	image = d.sentryImage(loc, pkg, v.text(d.text, "filename"), mode)
	// Without its WebAssembly integration the SDK leaves the engine's whole
	// location in the file name.
	if t, ok := parseBracketTail([]byte(loc), len(loc)); ok && !t.paren && strings.HasSuffix(loc[:t.open], ":wasm-function") {
		f.setTail(t)
		loc = loc[:t.open-len(":wasm-function")]
		if image < 0 {
			image = d.sentryImage(loc, pkg, loc, "")
		}
	} else if image < 0 && !isSentryWasm(v, d.text, loc, pkg) {
		return Frame{}, -1, false
	}

	f.Shape = ShapeSentry
	if loc == "" {
		loc = pkg
	}
	f.Location = ClassifyLocation([]byte(loc))
	if hasAddr {
		f.setSentryAddr(addr, mode, d.Images, image)
	}
	f.sentryName(name)
	if !f.HasIndex {
		f.Doubts |= DoubtNoIndex
	}
	return f, image, true
}

// sentryImage returns the index of the wasm image that a frame belongs to.
func (d *Document) sentryImage(loc, pkg, file, mode string) int {
	if s, ok := strings.CutPrefix(mode, "rel:"); ok {
		if i, ok := parseUint32([]byte(s)); ok && int64(i) < int64(len(d.Images)) && d.Images[i].Type == "wasm" {
			return int(i)
		}
		return -1
	}
	for _, want := range []string{loc, file, pkg} {
		if i, ok := d.imageOf[want]; ok {
			return i
		}
	}
	return -1
}

// isSentryWasm reports whether a frame without an image is WebAssembly: its
// platform or its file says so, and it has an address.
func isSentryWasm(v *jsonValue, text []byte, loc, pkg string) bool {
	if v.text(text, "platform") == "wasm" {
		return true
	}
	if v.field("instruction_addr") == nil {
		return false
	}
	l := ClassifyLocation([]byte(loc))
	return l.Kind == LocationV8Label || l.Kind == LocationGecko || isWasmFile(l.Text) || isWasmFile([]byte(pkg))
}

// setSentryAddr stores an address: relative to its image, or absolute and then
// counted from where the image starts.
func (f *Frame) setSentryAddr(addr int64, mode string, images []Image, image int) {
	if !strings.HasPrefix(mode, "rel:") && image >= 0 {
		if addr < images[image].Addr {
			f.Doubts |= DoubtRange
			return
		}
		addr -= images[image].Addr
	}
	if o, ok := f.Offset.File(); ok && o != wasm.FileOffset(addr) {
		f.Doubts |= DoubtForm // the file name told another offset
	}
	f.setFile(addr)
}

// sentryName stores the function's name. The SDK writes wasm-function[I] for a
// function that has none, and "?" for an unknown one.
func (f *Frame) sentryName(name string) {
	switch {
	case name == "" || name == "?" || name == "<anonymous>" || name == "<unknown>":
		return
	case strings.HasPrefix(name, "wasm-function["):
		if t, ok := parseBracketTail([]byte(name), len(name)); ok && !t.paren && bytes.Equal([]byte(name[:t.open]), wasmFunction) {
			if !f.HasIndex {
				f.setIndex(t.index)
			}
			return
		}
	}
	f.setName([]byte(name), '.')
}
