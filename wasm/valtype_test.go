package wasm

import (
	"errors"
	"testing"
)

// TestTypeCodes goes through every byte as a type: in a select, as a heap type
// and as a block type.
func TestTypeCodes(t *testing.T) {
	const (
		numbers  = "\x7b\x7c\x7d\x7e\x7f"                                     // v128, f64, f32, i64, i32
		abstract = "\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f\x70\x71\x72\x73\x74\x75" // cont to nocont
	)
	in := func(set string, b int) bool {
		for i := range len(set) {
			if int(set[i]) == b {
				return true
			}
		}
		return false
	}
	for b := range 256 {
		c := byte(b)
		index := b < 0x40
		needsMore := b >= 0x80
		for _, f := range []struct {
			name string
			code []byte
			want bool
			more bool // what follows decides
		}{
			{"value type", []byte{0x1c, 1, c}, in(numbers, b) || in(abstract, b), c == typeRef || c == typeRefNull},
			{"heap type", []byte{0xd0, c}, in(abstract, b) || index, c == typeExact || needsMore},
			{"block type", []byte{0x02, c}, in(numbers, b) || in(abstract, b) || index || c == typeEmpty, c == typeRef || c == typeRefNull || needsMore},
		} {
			got, err := DecodeInstr(f.code, 0, 0)
			switch {
			case f.want:
				if err != nil || int(got.Len) != len(f.code) {
					t.Errorf("%s 0x%02x: %d bytes, %v", f.name, b, got.Len, err)
				}
			case f.more:
				if !errors.Is(err, ErrTruncated) {
					t.Errorf("%s 0x%02x: %v, want ErrTruncated", f.name, b, err)
				}
			default:
				if !errors.Is(err, ErrUnknownType) {
					t.Errorf("%s 0x%02x: %v, want ErrUnknownType", f.name, b, err)
				}
			}
		}
	}
}
