package testdwarf

import "encoding/binary"

// Bytes is a buffer that numbers are appended to. Methods return the longer
// buffer so that calls can be chained.
type Bytes []byte

// U8 appends one byte for each number.
func (b Bytes) U8(vs ...uint64) Bytes {
	for _, v := range vs {
		b = append(b, byte(v))
	}
	return b
}

// U16 appends two bytes.
func (b Bytes) U16(v uint64) Bytes { return binary.LittleEndian.AppendUint16(b, uint16(v)) }

// U32 appends four bytes.
func (b Bytes) U32(v uint64) Bytes { return binary.LittleEndian.AppendUint32(b, uint32(v)) }

// U64 appends eight bytes.
func (b Bytes) U64(v uint64) Bytes { return binary.LittleEndian.AppendUint64(b, v) }

// Uint appends the low size bytes of v.
func (b Bytes) Uint(v uint64, size int) Bytes {
	for range size {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// ULEB appends an unsigned LEB128 number.
func (b Bytes) ULEB(v uint64) Bytes { return binary.AppendUvarint(b, v) }

// ULEBPadded appends an unsigned LEB128 number of exactly n bytes.
func (b Bytes) ULEBPadded(v uint64, n int) Bytes {
	for range n - 1 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// SLEB appends a signed LEB128 number.
func (b Bytes) SLEB(v int64) Bytes {
	for {
		c := byte(v) & 0x7f
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// Str appends a string and its NUL.
func (b Bytes) Str(s string) Bytes { return append(append(b, s...), 0) }

// initialLength appends body with its unit length.
func (b Bytes) withLength(body []byte, is64 bool) Bytes {
	if is64 {
		b = b.U32(0xffffffff).U64(uint64(len(body)))
	} else {
		b = b.U32(uint64(len(body)))
	}
	return append(b, body...)
}

// offset appends a section offset.
func (b Bytes) offset(v uint64, is64 bool) Bytes {
	if is64 {
		return b.U64(v)
	}
	return b.U32(v)
}
