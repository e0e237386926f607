package dwarf

import (
	"encoding/binary"
	"math/rand"
	"testing"
)

// buildIndex writes an index of version 5 with one column, whose row i+1 has
// offset i, by the standard's rule for collisions (DWARF 5, 7.3.5.3).
func buildIndex(sigs []uint64, slots uint64) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32(nil, 5)
	out = le.AppendUint32(out, 1)
	out = le.AppendUint32(out, uint32(len(sigs)))
	out = le.AppendUint32(out, uint32(slots))
	hashes := make([]uint64, slots)
	rows := make([]uint32, slots)
	mask := slots - 1
	for i, sig := range sigs {
		h, step := sig&mask, sig>>32&mask|1
		for rows[h] != 0 {
			h = (h + step) & mask
		}
		hashes[h], rows[h] = sig, uint32(i+1)
	}
	for _, h := range hashes {
		out = le.AppendUint64(out, h)
	}
	for _, r := range rows {
		out = le.AppendUint32(out, r)
	}
	out = le.AppendUint32(out, 1)
	for range 2 {
		for i := range sigs {
			out = le.AppendUint32(out, uint32(i))
		}
	}
	return out
}

// TestIndexLookup finds every signature of a crowded index, and none besides.
func TestIndexLookup(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, n := range []int{0, 1, 3, 100, 700} {
		slots := uint64(1)
		for slots*3 < uint64(n)*4 {
			slots *= 2
		}
		sigs := make([]uint64, n)
		for i := range sigs {
			sigs[i] = rng.Uint64()&^0xf0 | 1 // crowd the low bits
		}
		s := Sections{DWO: true, CUIndex: buildIndex(sigs, slots)}
		var x packIndex
		if err := x.open(&s, SecCUIndex); err != nil {
			t.Fatal(err)
		}
		for i, sig := range sigs {
			if row := x.find(&s, sig); row != uint32(i+1) {
				t.Fatalf("%d signatures: %x has row %d, want %d", n, sig, row, i+1)
			}
		}
		for range 100 {
			if row := x.find(&s, rng.Uint64()|2); row != 0 {
				t.Fatalf("%d signatures: row %d for one that is not there", n, row)
			}
		}
	}
}
