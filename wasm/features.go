package wasm

// Feature is one entry of a target_features section.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md#target-features-section
type Feature struct {
	Prefix byte   // '+' used, '-' must not be linked with; '=' (required) in old files
	Name   string // such as "simd128"
}

// String returns the prefix and the name: "+simd128".
func (f Feature) String() string { return string(rune(f.Prefix)) + f.Name }

// ReadTargetFeatures decodes a target_features section. When it is malformed,
// what stands in front of the error is returned with it.
func ReadTargetFeatures(sec *Section) ([]Feature, error) {
	s := sec.Stream()
	if err := checkSize(s, maxListSection); err != nil {
		return nil, err
	}
	var out []Feature
	count, err := s.Uint32("the number of features")
	if err != nil {
		return nil, err
	}
	for ; count > 0; count-- {
		at := s.Offset()
		prefix, err := s.Byte("a feature's prefix")
		if err != nil {
			return out, err
		}
		if prefix != '+' && prefix != '-' && prefix != '=' {
			return out, &FormatError{Off: at, Section: sec.Label(), Msg: "a feature's prefix is none of + - ="}
		}
		name, err := s.Name(maxListSection, "a feature's name")
		if err != nil {
			return out, err
		}
		out = append(out, Feature{prefix, name})
	}
	return out, atEnd(s, "the last feature")
}
