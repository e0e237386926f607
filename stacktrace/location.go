package stacktrace

import "bytes"

// LocationKind says what a printed location is.
type LocationKind uint8

// The kinds of location.
const (
	LocationNone      LocationKind = iota // the shape has no location
	LocationEmpty                         // printed, but empty: a response without a URL
	LocationURL                           // http, https or another hierarchical scheme
	LocationFile                          // file:
	LocationBlob                          // blob:
	LocationData                          // data:
	LocationV8Label                       // wasm://wasm/[MOD-]HASH; see [ParseV8Label]
	LocationGecko                         // PAGE line N > WebAssembly.API; see [Location.Gecko]
	LocationPath                          // a path or file name without a scheme
	LocationCode                          // [wasm code]
	LocationAnonymous                     // <anonymous>
)

var locationNames = [...]string{"none", "empty", "url", "file", "blob", "data", "v8-label", "gecko", "path", "code", "anonymous"}

// String returns the kind's name in lower case.
func (k LocationKind) String() string {
	if int(k) < len(locationNames) {
		return locationNames[k]
	}
	return locationNames[0]
}

// Location names the module that a frame belongs to, as the engine printed it:
// a URL with its query, a label that the engine made up, or nothing.
type Location struct {
	Kind LocationKind
	Text []byte
}

var (
	wasmScheme = []byte("wasm://")
	v8Prefix   = []byte("wasm://wasm/")
	lineMark   = []byte(" line ")
	geckoMark  = []byte(" > WebAssembly.")
	anonymous  = []byte("<anonymous>")
)

// ClassifyLocation finds the kind of a printed location.
func ClassifyLocation(text []byte) Location {
	l := Location{Text: text}
	switch {
	case len(text) == 0:
		l.Kind = LocationEmpty
	case isGeckoLocation(text):
		l.Kind = LocationGecko
	case bytes.HasPrefix(text, v8Prefix):
		l.Kind = LocationV8Label
	case bytes.Equal(text, anonymous):
		l.Kind = LocationAnonymous
	case hasFold(text, "file:"):
		l.Kind = LocationFile
	case hasFold(text, "blob:"):
		l.Kind = LocationBlob
	case hasFold(text, "data:"):
		l.Kind = LocationData
	case startsURL(text):
		l.Kind = LocationURL
	default:
		l.Kind = LocationPath
	}
	return l
}

// Gecko divides a location that Firefox made up for a module compiled from a
// buffer: the page or script, the line in it, and the function that compiled,
// such as "instantiate" or "Module". It reports false for other locations.
func (l Location) Gecko() (page []byte, line uint32, api []byte, ok bool) {
	if !bytes.Contains(l.Text, geckoMark) { // cheaper than LastIndex
		return nil, 0, nil, false
	}
	m := bytes.LastIndex(l.Text, geckoMark)
	d := backDigits(l.Text, m)
	line, ok = parseUint32(l.Text[d:m])
	if !ok || !bytes.HasSuffix(l.Text[:d], lineMark) {
		return nil, 0, nil, false
	}
	return l.Text[:d-len(lineMark)], line, l.Text[m+len(geckoMark):], true
}

// isGeckoLocation reports whether the text has Firefox's " line N >
// WebAssembly." in it.
func isGeckoLocation(text []byte) bool {
	_, _, _, ok := Location{Text: text}.Gecko()
	return ok
}

// isWasmFile reports whether a location names a .wasm file: its path, without
// query and fragment, ends in .wasm.
func isWasmFile(text []byte) bool {
	if i := bytes.IndexByte(text, '#'); i >= 0 {
		text = text[:i]
	}
	if i := bytes.IndexByte(text, '?'); i >= 0 {
		text = text[:i]
	}
	return len(text) >= 5 && hasFold(text[len(text)-5:], ".wasm")
}

// hasFold reports whether text begins with the lower-case prefix, in any case.
func hasFold(text []byte, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

// startsURL reports whether text begins like a URL: a scheme followed by "//",
// or one of the schemes that go without. A C++ or Rust name such as a::b is
// none.
func startsURL(text []byte) bool {
	if len(text) == 0 || !isLetter(text[0]) {
		return false
	}
	for i := 1; i < len(text) && i <= 32; i++ {
		c := text[i]
		if c == ':' {
			if len(text) > i+2 && text[i+1] == '/' && text[i+2] == '/' {
				return true
			}
			return hasFold(text, "blob:") || hasFold(text, "data:") && len(text) > 5 && text[5] != ':' ||
				hasFold(text, "about:") && len(text) > 6 && text[6] != ':' ||
				hasFold(text, "file:/")
		}
		if !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return false
}
