package wasm

import "math"

// AppendSection appends a section with the given payload to b; the size is
// encoded minimally. It returns nil for a payload of 4 GiB or more, which no
// section can hold.
func AppendSection(b []byte, id SectionID, payload []byte) []byte {
	if uint64(len(payload)) > math.MaxUint32 {
		return nil
	}
	b, _ = AppendSectionHeader(b, id, uint32(len(payload)), 0)
	return append(b, payload...)
}

// AppendSectionWidth is AppendSection with a size encoded in exactly width
// bytes. It reports false, appending nothing, when the size does not fit.
func AppendSectionWidth(b []byte, id SectionID, payload []byte, width int) ([]byte, bool) {
	if uint64(len(payload)) > math.MaxUint32 {
		return b, false
	}
	b, ok := AppendSectionHeader(b, id, uint32(len(payload)), width)
	if !ok {
		return b, false
	}
	return append(b, payload...), true
}

// AppendCustom appends a custom section to b; all lengths are encoded
// minimally. It returns nil when name and data together need 4 GiB or more.
func AppendCustom(b []byte, name string, data []byte) []byte {
	b, ok := AppendCustomHeaderWidth(b, name, int64(len(data)), 0)
	if !ok {
		return nil
	}
	return append(b, data...)
}

// AppendCustomWidth is AppendCustom with a section size encoded in exactly width
// bytes. It reports false, appending nothing, when the size does not fit.
func AppendCustomWidth(b []byte, name string, data []byte, width int) ([]byte, bool) {
	b, ok := AppendCustomHeaderWidth(b, name, int64(len(data)), width)
	if !ok {
		return b, false
	}
	return append(b, data...), true
}

// AppendSectionHeader appends what stands in front of a payload of size bytes:
// the id and the size, encoded in width bytes, or minimally when width is 0. It
// reports false, appending nothing, when width is none of 0 and the widths that
// size allows.
func AppendSectionHeader(b []byte, id SectionID, size uint32, width int) ([]byte, bool) {
	if width == 0 {
		width = Uint32Len(size)
	}
	out, ok := AppendUint32Width(append(b, byte(id)), size, width)
	if !ok {
		return b, false
	}
	return out, true
}

// AppendCustomHeader appends what stands in front of the data of a custom
// section: id, size and name, all lengths encoded minimally. The data itself,
// dataSize bytes, follows from wherever it is. It returns nil when the section
// would need 4 GiB or more.
func AppendCustomHeader(b []byte, name string, dataSize int64) []byte {
	b, ok := AppendCustomHeaderWidth(b, name, dataSize, 0)
	if !ok {
		return nil
	}
	return b
}

// AppendCustomHeaderWidth is AppendCustomHeader with a section size encoded in
// exactly width bytes, or minimally when width is 0. It reports false, appending
// nothing, when the size does not fit.
func AppendCustomHeaderWidth(b []byte, name string, dataSize int64, width int) ([]byte, bool) {
	if dataSize < 0 || dataSize > math.MaxUint32 || uint64(len(name)) > math.MaxUint32 {
		return b, false
	}
	size := int64(Uint32Len(uint32(len(name)))) + int64(len(name)) + dataSize
	if size > math.MaxUint32 {
		return b, false
	}
	b, ok := AppendSectionHeader(b, SectionCustom, uint32(size), width)
	if !ok {
		return b, false
	}
	return AppendName(b, name), true
}

// AppendName appends a length-prefixed name, encoded minimally.
func AppendName(b []byte, name string) []byte {
	return append(AppendUint32(b, uint32(len(name))), name...)
}

// AppendPreamble appends the eight bytes that open every core module.
func AppendPreamble(b []byte) []byte { return append(b, preamble[:]...) }
