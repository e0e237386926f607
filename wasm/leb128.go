package wasm

import "math/bits"

// LEB128 limits of the binary format: an N-bit number takes at most ceil(N/7)
// bytes, and the bits of the last byte that do not fit must repeat the sign
// (signed) or be zero (unsigned).
//
// https://webassembly.github.io/spec/core/binary/values.html#integers
const (
	maxLen32 = 5
	maxLen64 = 10
)

// Uint32 decodes a u32 from the start of b and returns it with the number of
// bytes it takes. Non-minimal encodings of up to five bytes are accepted, as
// the specification accepts them. The error is ErrTruncated or ErrOverflow.
func Uint32(b []byte) (uint32, int, error) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint32(b[0]), 1, nil
	}
	v, n, err := unsigned(b, 32, maxLen32)
	return uint32(v), n, err
}

// Uint64 decodes a u64 from the start of b; see Uint32.
func Uint64(b []byte) (uint64, int, error) { return unsigned(b, 64, maxLen64) }

// Int32 decodes an s32 from the start of b; see Uint32.
func Int32(b []byte) (int32, int, error) {
	v, n, err := signed(b, 32, maxLen32)
	return int32(v), n, err
}

// Int33 decodes an s33, the type of block types and heap types, from the start
// of b; see Uint32.
func Int33(b []byte) (int64, int, error) { return signed(b, 33, maxLen32) }

// Int64 decodes an s64 from the start of b; see Uint32.
func Int64(b []byte) (int64, int, error) { return signed(b, 64, maxLen64) }

func unsigned(b []byte, width, maxLen int) (uint64, int, error) {
	var v uint64
	for i := 0; i < maxLen; i++ {
		if i >= len(b) {
			return 0, i, ErrTruncated
		}
		c := b[i]
		shift := 7 * i
		if free := width - shift; free < 7 && (c&0x7f)>>free != 0 {
			return 0, i, ErrOverflow
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i + 1, nil
		}
	}
	return 0, maxLen, ErrOverflow
}

func signed(b []byte, width, maxLen int) (int64, int, error) {
	var v int64
	for i := 0; i < maxLen; i++ {
		if i >= len(b) {
			return 0, i, ErrTruncated
		}
		c := b[i]
		shift := 7 * i
		if free := width - shift; free < 7 {
			// Everything above the number's own bits must repeat its sign.
			top := int8(c<<1) >> free // bit free-1 is the sign; the bits above it follow
			if top != 0 && top != -1 {
				return 0, i, ErrOverflow
			}
		}
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if s := shift + 7; s < 64 && c&0x40 != 0 {
				v |= -1 << s
			}
			return v, i + 1, nil
		}
	}
	return 0, maxLen, ErrOverflow
}

// AppendUint32 appends the minimal encoding of v to b.
func AppendUint32(b []byte, v uint32) []byte { return AppendUint64(b, uint64(v)) }

// AppendUint64 appends the minimal encoding of v to b.
func AppendUint64(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendInt64 appends the minimal signed encoding of v to b. It serves s32, s33
// and s64 alike, because a minimal encoding does not depend on the type.
func AppendInt64(b []byte, v int64) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// AppendUint32Width appends v encoded in exactly width bytes, padded with
// continuation bytes where the minimal encoding is shorter. It reports false,
// appending nothing, when width is not between the minimal width and five.
func AppendUint32Width(b []byte, v uint32, width int) ([]byte, bool) {
	if width < Uint32Len(v) || width > maxLen32 {
		return b, false
	}
	for i := 1; i < width; i++ {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)), true
}

// Uint32Len returns the number of bytes of the minimal encoding of v.
func Uint32Len(v uint32) int {
	return (bits.Len32(v|1) + 6) / 7
}
