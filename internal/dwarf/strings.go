package dwarf

import (
	"bytes"
	"errors"
)

var (
	errNotString    = errors.New("value is not a string")
	errStringOffset = errors.New("offset lies outside of the string section")
	errStringEnd    = errors.New("string has no end")
	errStringIndex  = errors.New("index lies outside of .debug_str_offsets")
)

// String returns a view of the string that a value of class string stands for.
func (u *Unit) String(v Value) ([]byte, error) {
	st, err := u.load()
	if err != nil {
		return nil, err
	}
	return u.stringOf(st, v)
}

func (u *Unit) stringOf(st *unitState, v Value) ([]byte, error) {
	switch v.Form {
	case FormString:
		return v.B, nil
	case FormStrp:
		return stringAt(u.d.sec.Str, v.U)
	case FormLineStrp:
		return stringAt(u.d.sec.LineStr, v.U)
	case FormStrx, FormStrx1, FormStrx2, FormStrx3, FormStrx4, FormGNUStrIndex:
		return u.strx(st, v.U)
	case FormStrpSup, FormGNUStrpAlt:
		return nil, ErrSupplementary
	}
	return nil, errNotString
}

// strx returns the string of entry i of the unit's part of
// .debug_str_offsets.
func (u *Unit) strx(st *unitState, i uint64) ([]byte, error) {
	base := st.root.strBase.off
	if !st.root.strBase.set && u.Version >= 5 {
		base = 8 // right after the header of the only contribution
		if u.DWARF64 {
			base = 16
		}
	}
	table := u.d.sec.StrOffsets
	n := uint64(len(table))
	size := uint64(u.encoding().offsetSize())
	if base > n || i >= (n-base)/size {
		return nil, errStringIndex
	}
	r := reader{data: table, off: int(base + i*size)}
	return stringAt(u.d.sec.Str, r.uint(int(size)))
}

// stringAt returns the NUL-terminated string at an offset, or its first maxString
// bytes.
func stringAt(sec []byte, off uint64) ([]byte, error) {
	if off >= uint64(len(sec)) {
		return nil, errStringOffset
	}
	s := sec[off:]
	if len(s) > maxString {
		s = s[:maxString]
	}
	n := bytes.IndexByte(s, 0)
	if n < 0 && len(s) == maxString {
		n = maxString
	}
	if n < 0 {
		return nil, errStringEnd
	}
	return s[:n:n], nil
}
