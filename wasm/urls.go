package wasm

import "fmt"

// URLRef is what a module says with its external_debug_info or sourceMappingURL
// sections.
type URLRef struct {
	Section *Section // the section that counts; nil when there is none
	URL     string   // its contents
	Count   int      // how many sections of the name there are
}

// ExternalDebugInfo returns where the module says that its debug companion is.
// Of several sections the last counts, for the convention and for V8 alike. A
// module without one gives an empty URLRef.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/Debugging.md
func (f *File) ExternalDebugInfo() (URLRef, error) {
	all := f.Customs(CustomExternalDebugInfo)
	if len(all) == 0 {
		return URLRef{}, nil
	}
	return readRef(all, all[len(all)-1])
}

// SourceMappingURL returns where the module says that its source map is. Of
// several sections the first counts, as V8 takes it; no specification decides. A
// module without one gives an empty URLRef.
//
// https://tc39.es/ecma426/#sec-linking-wasm
func (f *File) SourceMappingURL() (URLRef, error) {
	all := f.Customs(CustomSourceMappingURL)
	if len(all) == 0 {
		return URLRef{}, nil
	}
	return readRef(all, all[0])
}

func readRef(all []*Section, used *Section) (URLRef, error) {
	url, err := ReadURL(used)
	return URLRef{Section: used, URL: url, Count: len(all)}, err
}

// ReadURL decodes an external_debug_info or sourceMappingURL section: a
// length-prefixed string. A length that disagrees with the section's is an
// error.
func ReadURL(sec *Section) (string, error) {
	s := sec.Stream()
	if err := checkSize(s, MaxSmallSection); err != nil {
		return "", err
	}
	at := s.Offset()
	n, err := s.Uint32("the length of the URL")
	if err != nil {
		return "", err
	}
	if int64(n) != s.Remaining() {
		return "", &FormatError{Off: at, Section: sec.Label(),
			Msg: fmt.Sprintf("the length prefix says %d bytes, but %d follow", n, s.Remaining())}
	}
	b, err := s.Bytes(int64(n), MaxSmallSection, "the URL")
	return string(b), err
}

// AppendURL appends the contents of an external_debug_info or sourceMappingURL
// section, for AppendCustom.
func AppendURL(b []byte, url string) []byte { return AppendName(b, url) }
