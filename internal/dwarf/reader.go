package dwarf

import (
	"bytes"
	"encoding/binary"
)

// reader walks over a section. Reads past the end return zero and set bad;
// callers check bad once for each logical unit of work. data may be cut off at
// the end of a unit so that off stays an offset in the section.
type reader struct {
	data []byte
	off  int
	bad  bool
}

// readerAt returns a reader of data[off:end]; a position outside gives a
// reader that is already bad.
func readerAt(data []byte, off, end uint64) reader {
	n := uint64(len(data))
	if end > n {
		end = n
	}
	if off > end {
		return reader{data: data[:end], off: int(end), bad: true}
	}
	return reader{data: data[:end], off: int(off)}
}

func (r *reader) more() bool { return r.off < len(r.data) && !r.bad }

func (r *reader) fail() uint64 {
	r.off = len(r.data)
	r.bad = true
	return 0
}

func (r *reader) u8() uint8 {
	if r.off >= len(r.data) {
		return uint8(r.fail())
	}
	b := r.data[r.off]
	r.off++
	return b
}

func (r *reader) u16() uint16 {
	if len(r.data)-r.off < 2 {
		return uint16(r.fail())
	}
	v := binary.LittleEndian.Uint16(r.data[r.off:])
	r.off += 2
	return v
}

func (r *reader) u24() uint32 {
	if len(r.data)-r.off < 3 {
		return uint32(r.fail())
	}
	b := r.data[r.off : r.off+3]
	r.off += 3
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
}

func (r *reader) u32() uint32 {
	if len(r.data)-r.off < 4 {
		return uint32(r.fail())
	}
	v := binary.LittleEndian.Uint32(r.data[r.off:])
	r.off += 4
	return v
}

func (r *reader) u64() uint64 {
	if len(r.data)-r.off < 8 {
		return r.fail()
	}
	v := binary.LittleEndian.Uint64(r.data[r.off:])
	r.off += 8
	return v
}

// uint reads an unsigned integer of size 0, 1, 2, 3, 4 or 8 bytes.
func (r *reader) uint(size int) uint64 {
	switch size {
	case 4:
		return uint64(r.u32())
	case 8:
		return r.u64()
	case 1:
		return uint64(r.u8())
	case 2:
		return uint64(r.u16())
	case 3:
		return uint64(r.u24())
	case 0:
		return 0
	}
	return r.fail()
}

// offset reads a section offset of 4 bytes, or 8 in 64-bit DWARF.
func (r *reader) offset(is64 bool) uint64 {
	if is64 {
		return r.u64()
	}
	return uint64(r.u32())
}

// uleb reads an unsigned LEB128 number. Padding is accepted, a value that does
// not fit into 64 bits is not.
func (r *reader) uleb() uint64 {
	if r.off < len(r.data) {
		if b := r.data[r.off]; b < 0x80 {
			r.off++
			return uint64(b)
		}
	}
	return r.ulebLong()
}

func (r *reader) ulebLong() uint64 {
	v, next := ulebLongAt(r.data, r.off)
	if next > len(r.data) {
		return r.fail()
	}
	r.off = next
	return v
}

// ulebAt is uleb for loops that keep position and data in local variables. It
// returns the offset behind the number, or one past len(data) if there is none.
func ulebAt(data []byte, off int) (v uint64, next int) {
	if off < len(data) && data[off] < 0x80 {
		return uint64(data[off]), off + 1
	}
	return ulebLongAt(data, off)
}

func ulebLongAt(data []byte, off int) (v uint64, next int) {
	shift := uint(0)
	for i := off; i < len(data); i++ {
		b := data[i]
		bits := uint64(b & 0x7f)
		if shift >= 64 && bits != 0 || shift == 63 && bits > 1 {
			break
		}
		if shift < 64 {
			v |= bits << shift
		}
		if b < 0x80 {
			return v, i + 1
		}
		shift += 7
	}
	return 0, len(data) + 1
}

// sleb reads a signed LEB128 number; bits beyond the 64th are ignored.
func (r *reader) sleb() int64 {
	var v uint64
	shift := uint(0)
	for i := r.off; i < len(r.data); i++ {
		b := r.data[i]
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				v |= ^uint64(0) << shift
			}
			r.off = i + 1
			return int64(v)
		}
	}
	return int64(r.fail())
}

// skipLEB steps over a LEB128 number of either sign.
func (r *reader) skipLEB() {
	for i := r.off; i < len(r.data); i++ {
		if r.data[i] < 0x80 {
			r.off = i + 1
			return
		}
	}
	r.fail()
}

func (r *reader) skip(n uint64) {
	if n > uint64(len(r.data)-r.off) {
		r.fail()
		return
	}
	r.off += int(n)
}

// bytes returns a view of the next n bytes.
func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.data)-r.off) {
		r.fail()
		return nil
	}
	b := r.data[r.off : r.off+int(n) : r.off+int(n)]
	r.off += int(n)
	return b
}

// cstring returns a view of the string up to the next NUL, which is skipped.
func (r *reader) cstring() []byte {
	n := bytes.IndexByte(r.data[r.off:], 0)
	if n < 0 {
		r.fail()
		return nil
	}
	s := r.data[r.off : r.off+n : r.off+n]
	r.off += n + 1
	return s
}

// initialLength reads a unit length: the length, and whether the 64-bit format
// is used. Reserved values make the reader bad.
func (r *reader) initialLength() (length uint64, is64 bool) {
	n := r.u32()
	switch {
	case n < 0xfffffff0:
		return uint64(n), false
	case n == 0xffffffff:
		return r.u64(), true
	}
	return r.fail(), false
}
