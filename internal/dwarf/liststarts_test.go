package dwarf

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// TestStray: lists that entries lead to fill their section; what is behind an end that
// was put into a list belongs to none.
func TestStray(t *testing.T) {
	v4 := testdwarf.Bytes(nil).U32(0x10).U32(0x20).U32(0x20).U32(0x28).U32(0).U32(0).U32(0x30).U32(0x40).U32(0).U32(0)
	v5 := append(testdwarf.Bytes(nil).U32(8+2*9+1+1).U16(5).U8(4, 0).U32(0), 6)
	v5 = append(v5.U32(0x10).U32(0x20), 6)
	v5 = append(v5.U32(0x20).U32(0x28), 0, 0)
	for _, tt := range []struct {
		version int
		section string
		whole   []byte
		lists   []uint64
		hole    [2]int // filled with zeros
		want    int
		first   uint64
	}{
		{4, ".debug_ranges", v4, []uint64{0, 24}, [2]int{}, 0, 0},
		{4, ".debug_ranges", v4, []uint64{0, 24}, [2]int{0, 8}, 1, 8},
		{4, ".debug_ranges", v4, []uint64{0}, [2]int{}, 1, 24}, // nothing leads to the second
		{4, ".debug_ranges", v4, []uint64{0, 24}, [2]int{24, 32}, 0, 0},
		{5, ".debug_rnglists", v5, []uint64{12, 31}, [2]int{}, 0, 0},
		{5, ".debug_rnglists", v5, []uint64{12, 31}, [2]int{12, 21}, 1, 21},
	} {
		b := testdwarf.New()
		data := append([]byte(nil), tt.whole...)
		clear(data[tt.hole[0]:tt.hole[1]])
		b.Append(tt.section, data)
		root := testdwarf.Die(testdwarf.TagCompileUnit)
		for _, off := range tt.lists {
			root.With(testdwarf.Die(testdwarf.TagSubprogram, testdwarf.A(testdwarf.AtRanges, testdwarf.FormSecOffset, off)))
		}
		b.AddUnit(&testdwarf.Unit{Version: tt.version, Root: root})
		var sec Sections
		for name, data := range b.Build() {
			sec.Set(name, data)
		}
		d := New(sec, Options{})
		starts := d.NewListStarts()
		d.Unit(0).Lost(starts)
		id := SecRanges
		if tt.version >= 5 {
			id = SecRnglists
		}
		if n, first := starts.Stray(id); n != tt.want || first != tt.first {
			t.Errorf("%s with zeros at %v and lists at %v: %d stray entries from 0x%x on, want %d from 0x%x on", tt.section, tt.hole, tt.lists, n, first, tt.want, tt.first)
		}
	}
}
