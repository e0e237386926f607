package wasm

import "strings"

// Producers is the content of a producers section.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/ProducersSection.md
type Producers []ProducersField

// ProducersField is one field: "language", "processed-by" or "sdk".
type ProducersField struct {
	Name   string
	Values []ProducersValue
}

// ProducersValue is a language or tool with its version, which may be empty.
type ProducersValue struct {
	Name, Version string
}

// String returns "clang 22.1.8".
func (v ProducersValue) String() string { return strings.TrimSpace(v.Name + " " + v.Version) }

// Field returns the values of the named field, or nil.
func (p Producers) Field(name string) []ProducersValue {
	var out []ProducersValue
	for _, f := range p {
		if f.Name == name {
			out = append(out, f.Values...)
		}
	}
	return out
}

// ReadProducers decodes a producers section. When it is malformed, what stands
// in front of the error is returned with it.
func ReadProducers(sec *Section) (Producers, error) {
	s := sec.Stream()
	if err := checkSize(s, maxListSection); err != nil {
		return nil, err
	}
	var p Producers
	fields, err := s.Uint32("the number of fields")
	for ; err == nil && fields > 0; fields-- {
		var f ProducersField
		if f, err = readProducersField(s); f.Name != "" || err == nil {
			p = append(p, f)
		}
	}
	if err != nil {
		return p, err
	}
	return p, atEnd(s, "the last field")
}

func readProducersField(s *Stream) (ProducersField, error) {
	var f ProducersField
	var err error
	if f.Name, err = s.Name(maxListSection, "a field name"); err != nil {
		return f, err
	}
	values, err := s.Uint32("the number of values")
	for ; err == nil && values > 0; values-- {
		var v ProducersValue
		if v.Name, err = s.Name(maxListSection, "a value name"); err != nil {
			break
		}
		if v.Version, err = s.Name(maxListSection, "a version"); err == nil {
			f.Values = append(f.Values, v)
		}
	}
	return f, err
}

// checkSize refuses a section that is too large to be decoded in memory.
func checkSize(s *Stream, limit int64) error {
	if s.Remaining() > limit {
		return s.Errorf(ErrLimit, "the section has %d bytes, more than the %d that are read", s.Remaining(), limit)
	}
	return nil
}

// atEnd reports bytes that a section holds behind its contents.
func atEnd(s *Stream, what string) error {
	if s.Remaining() > 0 {
		return s.Errorf(nil, "%d bytes follow %s", s.Remaining(), what)
	}
	return nil
}
