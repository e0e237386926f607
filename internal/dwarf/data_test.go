package dwarf

import "testing"

// Padding between units is passed over, whatever its length, and only in whole
// words: a unit behind it is found where it stands.
func TestZeroPadding(t *testing.T) {
	for _, c := range []struct {
		b    []byte
		want int
	}{
		{nil, 0}, {[]byte{0, 0, 0}, 0}, {[]byte{0, 0, 0, 0}, 4}, {[]byte{0, 0, 0, 0, 0, 0, 1, 0}, 4},
		{make([]byte, 4096), 4096}, {make([]byte, 3*4096+7), 3*4096 + 4}, {append(make([]byte, 4100), 1), 4100},
	} {
		if got := zeroWords(c.b); got != c.want {
			t.Errorf("zeroWords of %d bytes = %d, want %d", len(c.b), got, c.want)
		}
	}
}
