package stacktrace

import (
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// facts is what the section headers of a file, and the few small sections that
// identify it, say. Neither code nor DWARF is read for it.
type facts struct {
	path    string
	size    int64
	id      buildid.ID // empty without a single ID
	payload []byte     // of the build_id section: what some clients take for the ID
	name    string     // the module's name in its name section
	span    wasm.CodeSpan
	hasCode bool
	debug   bool // it holds DWARF
	mapped  bool // it names a source map
	record  *rewrite.Record
	pointer string // the companion's URL
	problem error  // what of the above could not be read
}

// readFacts reads the facts of the file at path. The error says that it is not a
// module or cannot be read; a defect of one section does not hide the others.
func readFacts(path string) (*facts, error) {
	m, err := wasm.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	f := &facts{path: path, size: m.Size()}
	note := func(err error) {
		if err != nil && f.problem == nil {
			f.problem = err
		}
	}
	f.span, f.hasCode = m.CodeSpan()
	f.debug = m.Custom(".debug_info") != nil || m.Custom(".debug_line") != nil
	found, err := buildid.Read(m)
	note(err)
	if err == nil {
		if found.Status != buildid.StatusAbsent {
			note(found.Err())
		}
		if f.id = found.ID; len(found.ID) > 0 && len(found.Sections) > 0 {
			f.payload = found.Sections[0].Payload
		}
	}
	if sec := m.Custom(wasm.CustomName); sec != nil {
		// A map of function names that is damaged further on is no matter here.
		if names, err := wasm.ReadNames(sec); names != nil {
			note(err)
			f.name, err = names.Module()
			note(err)
		}
	}
	f.record, err = rewrite.ReadRecord(m)
	note(err)
	ref, err := m.ExternalDebugInfo()
	note(err)
	f.pointer = ref.URL
	ref, err = m.SourceMappingURL()
	note(err)
	f.mapped = ref.URL != ""
	return f, nil
}

// codeSize returns the size of the code of the module that ran, as far as the file
// tells. A companion without code may have it on record.
func (f *facts) codeSize() (int64, bool) {
	if f.record != nil && f.record.Code != nil {
		return f.record.Code.Size, true
	}
	return int64(f.span.Size), f.hasCode
}

// isID reports whether an identifier that a client sent, in hexadecimal or as a
// UUID, is one of the forms that clients make of this file's build ID: the bare
// ID; the whole section, whose first byte is the length; the first 16 bytes of
// either, filled up with zeros, with or without an age behind them.
func (f *facts) isID(sent string) bool {
	want := strings.ToLower(strings.ReplaceAll(sent, "-", ""))
	if want == "" {
		return false
	}
	for _, b := range [][]byte{f.id, f.payload} {
		if len(b) == 0 {
			continue
		}
		if want == hex.EncodeToString(b) {
			return true
		}
		short := hex.EncodeToString(b[:min(len(b), 16)])
		short += strings.Repeat("0", 32-len(short))
		if want == short || want == short+"0" {
			return true
		}
	}
	return false
}

// stem returns a file's name without what the conventions for pairs put behind
// it: .wasm, .debug.wasm (ours and wasm-bindgen's), .wasm.debug.wasm (emcc's) or
// .debug.
func stem(path string) string {
	name := filepath.Base(filepath.ToSlash(path))
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	for _, suffix := range []string{".wasm.debug.wasm", ".debug.wasm", ".wasm.debug", ".debug", ".wasm"} {
		if s, ok := cutSuffixFold(name, suffix); ok && s != "" {
			return s
		}
	}
	return name
}

func cutSuffixFold(s, suffix string) (string, bool) {
	n := len(s) - len(suffix)
	if n < 0 || !strings.EqualFold(s[n:], suffix) {
		return s, false
	}
	return s[:n], true
}
