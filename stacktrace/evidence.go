package stacktrace

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// How much a piece of evidence weighs. One of a higher rank outweighs all of the
// lower ones together, so that URLs, which change on the way, never beat an ID.
const (
	weightID     = 1 << 16 // the build ID that a client sent
	weightLabel  = 1 << 12 // V8's label fits the size or the content of the file
	weightFile   = 1 << 8  // the file is called the same
	weightFolder = 1 << 4  // each folder above it that is called the same; at most 8
	weightModule = 1 << 3  // the engine printed the module's name
	weightCalled = 1 << 2  // the file in the URL is called as the module in its name section
	weightHashed = 1 << 1  // the same file name or module name, but for a hash that a bundler puts behind it
	weightAlike  = 1 << 0  // one of the names begins with the other
)

// origin is what a frame says about the module it is from.
type origin struct {
	frame *Frame
	image *Image // of a Sentry event; may be nil
	named int    // the module that the function's name begins with; see Store.moduleOf
}

// judge weighs what speaks for the frame being from the build. Conflict says what
// makes it impossible; it is empty otherwise.
func (b *Build) judge(o origin) (weight int, conflict string) {
	if o.image != nil {
		w, c := b.judgeImage(o.image)
		if c != "" {
			return 0, c
		}
		weight += w
	}
	loc := o.frame.Location
	var label V8Label
	isLabel := false
	if loc.Kind == LocationV8Label {
		label, isLabel = ParseV8Label(loc.Text)
	}
	if isLabel {
		w, c := b.judgeLabel(label)
		if c != "" {
			return 0, c
		}
		weight += w
	}
	if names := locationPath(loc); len(names) > 0 {
		weight += b.judgePath(names)
	}
	return weight + b.judgeModule(o.frame, label), ""
}

func (b *Build) judgeImage(image *Image) (weight int, conflict string) {
	var has, same bool
	for _, sent := range []string{image.CodeID, image.DebugID} {
		if sent == "" || strings.Trim(sent, "0-") == "" {
			continue
		}
		for _, f := range b.files() {
			if len(f.payload) > 0 {
				has = true
				same = same || f.isID(sent)
			}
		}
	}
	switch {
	case same:
		return weightID, ""
	case has:
		id := image.CodeID
		if id == "" {
			id = image.DebugID
		}
		return 0, fmt.Sprintf("the event has the build ID %s, %s has %v", id, b.Path(), b.ID())
	}
	for _, name := range []string{image.CodeFile, image.DebugFile} {
		if name != "" {
			weight = max(weight, b.judgePath(locationPath(ClassifyLocation([]byte(name)))))
		}
	}
	return weight, ""
}

// sizes returns the sizes that the module that ran can have. They are all of them
// if the module is at hand or on record.
func (b *Build) sizes() (sizes []int64, all bool) {
	for _, f := range b.files() {
		sizes = append(sizes, f.size)
		if f.record != nil {
			sizes = append(sizes, f.record.Production.Size)
			all = true
		}
	}
	return sizes, all || b.production != nil && b.production != b.companion
}

func (b *Build) judgeLabel(l V8Label) (weight int, conflict string) {
	sizes, all := b.sizes()
	small := false
	for _, size := range sizes {
		if size <= v8HashedSize {
			small = true
		} else if h, err := V8LabelHash(size, nil); err == nil && h == l.Hash {
			return weightLabel, ""
		}
	}
	if small {
		if h, ok := b.smallHash(); ok && h == l.Hash {
			return weightLabel, ""
		}
		return 0, "" // newer versions of V8 hash small files in another way
	}
	if want := l.Sizes(); all && len(want) > 0 {
		return 0, fmt.Sprintf("by its label the module that ran is %d bytes long; the one of %s is not", want[0], b.Path())
	}
	return 0, ""
}

// judgePath compares the folders and name of a location with the build's files
// and with the name of the module.
func (b *Build) judgePath(names []string) int {
	best := 0
	want := stem(names[len(names)-1])
	for _, f := range b.files() {
		if have := stem(f.path); have == want {
			dirs := strings.Split(filepath.ToSlash(filepath.Dir(f.path)), "/")
			same := 0
			for same < 8 && same < len(dirs) && same+1 < len(names) && dirs[len(dirs)-1-same] == names[len(names)-2-same] && dirs[len(dirs)-1-same] != "." {
				same++
			}
			best = max(best, weightFile+same*weightFolder)
		} else {
			best = max(best, likeness(have, want))
		}
		// Companions in a store are called after their IDs; the name section still
		// says how the linker called the module.
		if f.name == "" {
			continue
		}
		if called := stem(f.name); called == want {
			best = max(best, weightCalled)
		} else {
			best = max(best, likeness(called, want))
		}
	}
	return best
}

// likeness compares two names that differ.
func likeness(a, b string) int {
	x, y := unhashed(a), unhashed(b)
	switch {
	case x != "" && x == y:
		return weightHashed
	case alike(a, b), alike(b, a):
		return weightAlike
	}
	return 0
}

// alike reports whether long is short with something put behind it: app_bg.
func alike(short, long string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && short != "" && len(rest) > 1 && strings.IndexByte("-._", rest[0]) >= 0
}

// unhashed returns a name without the hash that a bundler or cargo has put behind
// it, as in app-3f2a1b, app.3f2a1b and app-DiwrgTda.
func unhashed(name string) string {
	for i := 1; i < len(name); i++ {
		// The hash may hold separators itself: base64 for URLs has two of them.
		if strings.IndexByte("-._", name[i]) >= 0 && isHash(name[i+1:]) {
			return name[:i]
		}
	}
	return name
}

// isHash reports whether a part of a file name looks like a hash and not like a
// word: hexadecimal digits, or letters and digits mixed as in base32 and base64.
func isHash(s string) bool {
	const shortest, longest = 6, 64
	if len(s) < shortest || len(s) > longest {
		return false
	}
	var digits, upper, lower int
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c != '-' && c != '_':
			return false
		}
	}
	if isHexText(s) {
		return digits > 0
	}
	separators := len(s) - digits - upper - lower
	return separators <= len(s)/4 && (digits > 0 && upper+lower > 0 || upper > 1 && lower > 0 || upper >= shortest && lower == 0) && (separators == 0 || upper > 0)
}

func (b *Build) judgeModule(f *Frame, label V8Label) int {
	for _, file := range b.files() {
		name := []byte(file.name)
		if len(name) == 0 {
			continue
		}
		if bytes.Equal(name, label.Module) || bytes.Equal(name, f.Module) {
			return weightModule
		}
		if f.Separator != 0 && beginsWithModule(f, name) {
			return weightModule
		}
	}
	if len(f.Module) > 0 {
		// Runtimes that name modules themselves call them after their files.
		for _, file := range b.files() {
			if stem(string(f.Module)) == stem(file.path) {
				return weightModule
			}
		}
	}
	return 0
}

// beginsWithModule reports whether the frame's name is the one of the module, the
// separator, and something more.
func beginsWithModule(f *Frame, module []byte) bool {
	if len(f.Name) > len(module) && bytes.HasPrefix(f.Name, module) && f.Name[len(module)] == f.Separator {
		return true
	}
	if !f.unmarked() {
		return false
	}
	i := bytes.LastIndex(f.Name, append(bytes.Clone(module), f.Separator))
	return i > 0 && endsPrefix(f.Name[i-1])
}

// locationPath returns the folders and the file name of a location, decoded, or
// nil for a location that names no file. URLs are not parsed strictly: whatever
// an engine prints must survive.
func locationPath(l Location) []string {
	switch l.Kind {
	case LocationURL, LocationFile, LocationPath:
	default:
		return nil
	}
	text := string(l.Text)
	if i := strings.IndexAny(text, "?#"); i >= 0 && l.Kind != LocationPath {
		text = text[:i]
	}
	if l.Kind != LocationPath {
		if i := strings.Index(text, "://"); i >= 0 {
			text = text[i+3:]
		}
	}
	parts := strings.Split(path.Clean("/"+strings.ReplaceAll(text, `\`, "/")), "/")[1:]
	for i, p := range parts {
		if d, err := url.PathUnescape(p); err == nil {
			parts[i] = d
		}
	}
	if parts[len(parts)-1] == "" {
		return nil
	}
	return parts
}
