package dwarf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

func entry(start, end uint64, class dwarf.RangeClass) dwarf.RangeEntry {
	return dwarf.RangeEntry{Range: dwarf.Range{Start: start, End: end}, Class: class}
}

const (
	live      = dwarf.RangeLive
	empty     = dwarf.RangeEmpty
	tombstone = dwarf.RangeTombstone
	reversed  = dwarf.RangeReversed
	wraps     = dwarf.RangeWraps
)

// TestLowHigh: both forms of high_pc, all classes, in each address size.
func TestLowHigh(t *testing.T) {
	const ones8 = ^uint64(0)
	tests := []struct {
		size      int
		low, high uint64
		form      int
		want      dwarf.RangeEntry
	}{
		{4, 0x40, 0x10, td.FormData4, entry(0x40, 0x50, live)},
		{4, 0x40, 0x10, td.FormUdata, entry(0x40, 0x50, live)},
		{4, 0x40, 0x10, td.FormData1, entry(0x40, 0x50, live)},
		{4, 0x40, 0x10, td.FormImplicitConst, entry(0x40, 0x50, live)},
		{4, 0x40, 0x50, td.FormAddr, entry(0x40, 0x50, live)},
		{4, 0x40, 0x30, td.FormAddr, entry(0x40, 0x30, reversed)},
		{4, 0x40, 0x40, td.FormAddr, entry(0x40, 0x40, empty)},
		{4, 0x40, 0, td.FormData4, entry(0x40, 0x40, empty)},
		{4, 0, 0x10, td.FormData4, entry(0, 0x10, tombstone)},
		{4, 0xffffffff, 0x10, td.FormData4, entry(0xffffffff, 0xffffffff, tombstone)},
		{4, 0xfffffffe, 0, td.FormData4, entry(0xfffffffe, 0xfffffffe, tombstone)},
		{4, 0xfffffffd, 2, td.FormData4, entry(0xfffffffd, 0xffffffff, live)},
		{4, 0xfffffffd, 3, td.FormData4, entry(0xfffffffd, 0xffffffff, wraps)},
		{4, 0x40, 0xffffffc0, td.FormData4, entry(0x40, 0xffffffff, wraps)},
		{4, 0x40, ones8, td.FormData8, entry(0x40, 0xffffffff, wraps)},
		{8, 0xffffffff, 0x10, td.FormData4, entry(0xffffffff, 0x10000000f, live)},
		{8, ones8, 0x10, td.FormData4, entry(ones8, ones8, tombstone)},
		{8, ones8 - 1, 0x10, td.FormData4, entry(ones8-1, ones8, tombstone)},
		{8, ones8 - 2, 0x10, td.FormData4, entry(ones8-2, ones8, wraps)},
		{8, 0x40, ones8, td.FormData8, entry(0x40, ones8, wraps)},
		{2, 0xffff, 1, td.FormData1, entry(0xffff, 0xffff, tombstone)},
		{1, 0x10, 0xff, td.FormData1, entry(0x10, 0xff, wraps)},
	}
	for _, test := range tests {
		u := unit(td.New(), &td.Unit{Version: 4, AddrSize: test.size, Root: cu(
			td.A(td.AtLowPC, td.FormAddr, test.low), td.A(td.AtHighPC, test.form, test.high))})
		got, err := allRanges(u.Ranges())
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]dwarf.RangeEntry{test.want}, got); diff != "" {
			t.Errorf("size %d, low 0x%x, high 0x%x in form 0x%x:\n%s", test.size, test.low, test.high, test.form, diff)
		}
	}
}

// TestRangesV4 reads .debug_ranges.
func TestRangesV4(t *testing.T) {
	tests := []struct {
		name string
		size int
		low  any // of the unit
		list []uint64
		want []dwarf.RangeEntry
		err  string
	}{
		{"base 0 of the unit is no tombstone", 4, 0, []uint64{0x40, 0x50, 0x60, 0x68, 0, 0},
			[]dwarf.RangeEntry{entry(0x40, 0x50, live), entry(0x60, 0x68, live)}, ""},
		{"no base at all", 4, nil, []uint64{0x40, 0x50, 0, 0}, []dwarf.RangeEntry{entry(0x40, 0x50, live)}, ""},
		{"relative to low_pc", 4, 0x100, []uint64{0, 0x10, 0x20, 0x28, 0, 0},
			[]dwarf.RangeEntry{entry(0x100, 0x110, live), entry(0x120, 0x128, live)}, ""},
		{"base selection", 4, 0x100, []uint64{dead4, 0x200, 0, 0x10, dead4, 0, 0x40, 0x50, 0, 0},
			[]dwarf.RangeEntry{entry(0x200, 0x210, live), entry(0x40, 0x50, live)}, ""},
		{"tombstones of lld", 4, 0, []uint64{dead4 - 1, dead4 - 1, 0x40, 0x50, 0, 0},
			[]dwarf.RangeEntry{entry(dead4-1, dead4-1, tombstone), entry(0x40, 0x50, live)}, ""},
		{"tombstone with a base", 4, 0x100, []uint64{dead4 - 1, dead4 - 1, 0x40, 0x50, 0, 0},
			[]dwarf.RangeEntry{entry(dead4-1, dead4-1, tombstone), entry(0x140, 0x150, live)}, ""},
		{"tombstone as base, with addends", 4, 0, []uint64{dead4, dead4 - 1, 0, 0x10, 4, 8, dead4, 0x300, 0, 8, 0, 0},
			[]dwarf.RangeEntry{entry(dead4-1, dead4, tombstone), entry(dead4+3, dead4, tombstone), entry(0x300, 0x308, live)}, ""},
		{"low_pc is a tombstone", 4, dead4, []uint64{0, 0x10, 0, 0}, []dwarf.RangeEntry{entry(dead4, dead4, tombstone)}, ""},
		{"starts at 0", 4, 0, []uint64{0, 0x10, 0x40, 0x50, 0, 0},
			[]dwarf.RangeEntry{entry(0, 0x10, tombstone), entry(0x40, 0x50, live)}, ""},
		{"empty, reversed, wrapping", 4, 0x100, []uint64{8, 8, 9, 8, 0x10, 0xffffff80, 0x20, 0x28, 0, 0},
			[]dwarf.RangeEntry{entry(0x108, 0x108, empty), entry(0x109, 0x108, reversed), entry(0x110, dead4, wraps), entry(0x120, 0x128, live)}, ""},
		{"no end", 4, 0, []uint64{0x40, 0x50}, []dwarf.RangeEntry{entry(0x40, 0x50, live)}, ".debug_ranges+0x8: range list has no end"},
		{"eight bytes", 8, 0, []uint64{dead4, 0x100000010, ^uint64(0), 0x1000, 1, 2, ^uint64(0) - 1, 0, 0, 0},
			[]dwarf.RangeEntry{entry(dead4, 0x100000010, live), entry(0x1001, 0x1002, live), entry(^uint64(0)-1, 0, tombstone)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := td.New()
			var list td.Bytes
			for _, v := range test.list {
				list = list.Uint(v, test.size)
			}
			root := cu(td.A(td.AtRanges, td.FormSecOffset, b.Append(".debug_ranges", list)))
			if test.low != nil {
				root.Attrs = append(root.Attrs, td.A(td.AtLowPC, td.FormAddr, test.low))
			}
			u := unit(b, &td.Unit{Version: 4, AddrSize: test.size, Root: root})
			checkRanges(t, u, test.want, test.err)
		})
	}
}

func checkRanges(t *testing.T, u *dwarf.Unit, want []dwarf.RangeEntry, wantErr string) {
	t.Helper()
	got, err := allRanges(u.Ranges())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if wantErr == "" && err != nil || wantErr != "" && (err == nil || !strings.HasPrefix(err.Error(), wantErr)) {
		t.Errorf("error %v, want %q", err, wantErr)
	}
}

// TestRangesV5 reads .debug_rnglists: every kind of entry.
func TestRangesV5(t *testing.T) {
	const ones8 = ^uint64(0)
	list := func() td.Bytes { return nil }
	kind := func(b td.Bytes, k uint64, ulebs ...uint64) td.Bytes {
		b = b.U8(k)
		for _, v := range ulebs {
			b = b.ULEB(v)
		}
		return b
	}
	// Addresses by index: 0 → 0x40, 1 → 0x50, 2 → all ones, 3 → 0x200.
	tests := []struct {
		name string
		list td.Bytes
		want []dwarf.RangeEntry
		err  string
	}{
		{"startx_endx", kind(list(), td.RLEStartxEndx, 0, 1).U8(0), []dwarf.RangeEntry{entry(0x40, 0x50, live)}, ""},
		{"startx_endx dead", kind(list(), td.RLEStartxEndx, 2, 2).U8(0), []dwarf.RangeEntry{entry(dead4, dead4, tombstone)}, ""},
		{"startx_length", kind(list(), td.RLEStartxLength, 1, 4).U8(0), []dwarf.RangeEntry{entry(0x50, 0x54, live)}, ""},
		{"startx_length dead", kind(list(), td.RLEStartxLength, 2, 4).U8(0), []dwarf.RangeEntry{entry(dead4, dead4, tombstone)}, ""},
		{"startx_length wraps", kind(list(), td.RLEStartxLength, 1, ones8).U8(0), []dwarf.RangeEntry{entry(0x50, dead4, wraps)}, ""},
		{"offset_pair", kind(list(), td.RLEOffsetPair, 1, 5).U8(0), []dwarf.RangeEntry{entry(0x101, 0x105, live)}, ""},
		{"offset_pair reversed", kind(list(), td.RLEOffsetPair, 5, 1).U8(0), []dwarf.RangeEntry{entry(0x105, 0x101, reversed)}, ""},
		{"offset_pair wraps", kind(list(), td.RLEOffsetPair, 1, ones8).U8(0), []dwarf.RangeEntry{entry(0x101, dead4, wraps)}, ""},
		{"base_address", kind(list().U8(td.RLEBaseAddress).U32(0x300), td.RLEOffsetPair, 0, 5).U8(0), []dwarf.RangeEntry{entry(0x300, 0x305, live)}, ""},
		{"base_address dead", kind(list().U8(td.RLEBaseAddress).U32(dead4), td.RLEOffsetPair, 0x50, 0x60).U8(0), []dwarf.RangeEntry{entry(0x10000004f, dead4, tombstone)}, ""},
		{"base_addressx", kind(kind(list(), td.RLEBaseAddressx, 3), td.RLEOffsetPair, 0, 5).U8(0), []dwarf.RangeEntry{entry(0x200, 0x205, live)}, ""},
		{"base_addressx dead", kind(kind(list(), td.RLEBaseAddressx, 2), td.RLEOffsetPair, 0, 5).U8(0), []dwarf.RangeEntry{entry(dead4, dead4, tombstone)}, ""},
		{"start_end", list().U8(td.RLEStartEnd).U32(0x60).U32(0x70).U8(0), []dwarf.RangeEntry{entry(0x60, 0x70, live)}, ""},
		{"start_end dead", list().U8(td.RLEStartEnd).U32(0).U32(0x70).U8(0), []dwarf.RangeEntry{entry(0, 0x70, tombstone)}, ""},
		{"start_length", list().U8(td.RLEStartLength).U32(0x60).ULEB(3).U8(0), []dwarf.RangeEntry{entry(0x60, 0x63, live)}, ""},
		{"start_length empty", list().U8(td.RLEStartLength).U32(0x60).ULEB(0).U8(0), []dwarf.RangeEntry{entry(0x60, 0x60, empty)}, ""},
		{"index out of range", kind(kind(kind(list(), td.RLEStartxLength, 99, 4), td.RLEStartxLength, 0, 4), td.RLEStartxLength, 1, 4).U8(0),
			[]dwarf.RangeEntry{entry(0x40, 0x44, live), entry(0x50, 0x54, live)}, ".debug_rnglists+0x10: "},
		{"base out of range", kind(kind(kind(list(), td.RLEBaseAddressx, 99), td.RLEOffsetPair, 0, 4), td.RLEStartxLength, 0, 4).U8(0),
			[]dwarf.RangeEntry{entry(0x40, 0x44, live)}, ".debug_rnglists+0x12: "},
		{"unknown kind", kind(list(), td.RLEStartxLength, 0, 4).U8(0x77), []dwarf.RangeEntry{entry(0x40, 0x44, live)}, ".debug_rnglists+0x13: "},
		{"no end", kind(list(), td.RLEStartxLength, 0, 4), []dwarf.RangeEntry{entry(0x40, 0x44, live)}, ".debug_rnglists+0x13: range list has no end"},
		{"cut off", list().U8(td.RLEStartEnd).U32(0x60), nil, ".debug_rnglists+0x10: range list entry is cut off"},
	}
	for _, test := range tests {
		for _, form := range []int{td.FormRnglistx, td.FormSecOffset} {
			t.Run(test.name, func(t *testing.T) {
				b := td.New()
				for _, a := range []uint64{0x40, 0x50, dead4, 0x200} {
					b.Addrx(a, 4)
				}
				// A header with a table of one offset, then the list at 0x10.
				lists := td.Bytes(nil).U32(uint64(12+len(test.list))).U16(5).U8(4, 0).U32(1).U32(4)
				b.Append(".debug_rnglists", append(lists, test.list...))
				value := 0
				if form == td.FormSecOffset {
					value = 0x10
				}
				u := unit(b, &td.Unit{Version: 5, Root: cu(
					td.A(td.AtRanges, form, value), td.A(td.AtLowPC, td.FormAddr, 0x100),
					td.A(td.AtRnglistsBase, td.FormSecOffset, 12), td.A(td.AtAddrBase, td.FormSecOffset, 8))})
				checkRanges(t, u, test.want, test.err)
			})
		}
	}
}

// TestRnglistx: the offset table, its limits, its default place, 64 bits.
func TestRnglistx(t *testing.T) {
	b := td.New()
	b.Append(".debug_rnglists", td.Bytes(nil).U32(0xffffffff).U64(100).U16(5).U8(8, 0).U32(3).
		U64(24).U64(36).U64(1<<63).                       // offsets from the table itself
		U8(td.RLEStartLength).U64(0x40).ULEB(1).U8(0, 0). // list 0
		U8(td.RLEStartLength).U64(0x50).ULEB(2).U8(0, 0)) // list 1
	for index, want := range map[int][]dwarf.RangeEntry{
		0: {entry(0x40, 0x41, live)}, 1: {entry(0x50, 0x52, live)}, 2: nil, 3: nil,
	} {
		b2 := td.New()
		b2.AddUnit(&td.Unit{Version: 5, AddrSize: 8, Is64: true, Root: cu(td.A(td.AtRanges, td.FormRnglistx, index))})
		s := b2.Build()
		s[".debug_rnglists"] = b.Build()[".debug_rnglists"]
		wantErr := ""
		switch index {
		case 2:
			wantErr = ".debug_rnglists+0x24: offset table leads outside"
		case 3:
			wantErr = ".debug_rnglists+0x14: index 3 lies outside"
		}
		checkRanges(t, open(s).Unit(0), want, wantErr)
	}
	// No section at all.
	u := unit(td.New(), &td.Unit{Version: 5, Root: cu(td.A(td.AtRanges, td.FormRnglistx, 0))})
	checkRanges(t, u, nil, ".debug_rnglists+0xc: offset table lies outside")
}

// TestBadLowOfUnit: when the unit's low_pc cannot be read, lists that need it
// are refused and others are not.
func TestBadLowOfUnit(t *testing.T) {
	b := td.New()
	b.Addrx(0x40, 4)
	relative := b.Append(".debug_rnglists", td.Bytes(nil).U8(td.RLEOffsetPair, 1, 2, 0))
	absolute := b.Append(".debug_rnglists", td.Bytes(nil).U8(td.RLEStartxLength, 0, 8, 0))
	f := functions(t, unit(b, &td.Unit{Version: 5, Root: cu(td.A(td.AtLowPC, td.FormAddrx, 99)).With(
		td.Die(td.TagSubprogram, td.A(td.AtRanges, td.FormSecOffset, relative)),
		td.Die(td.TagSubprogram, td.A(td.AtRanges, td.FormSecOffset, absolute)))}))
	if diff := cmp.Diff([]dwarf.Range{{Start: 0x40, End: 0x48}}, f.Ranges); diff != "" || f.Problems.Total != 1 {
		t.Errorf("%s %v", diff, f.Problems.List)
	}
	if p := f.Unit.Problems(); p.Total != 1 || !strings.Contains(p.List[0].Msg, "low_pc") {
		t.Errorf("problems: %v", p.List)
	}
}

// TestUnsortedRangeList: the ranges of a function come out sorted.
func TestUnsortedRangeList(t *testing.T) {
	b := td.New()
	off := b.Append(".debug_ranges", td.Bytes(nil).U32(0x80).U32(0x90).U32(0x40).U32(0x60).U32(0x40).U32(0x50).U32(0).U32(0))
	origin := abstract("inner")
	f := functions(t, unit(b, &td.Unit{Version: 4, Root: cu().With(origin,
		td.Die(td.TagSubprogram, td.A(td.AtRanges, td.FormSecOffset, off)).With(call(origin, 0x58, 8)))}))
	want := []dwarf.Range{{Start: 0x40, End: 0x50}, {Start: 0x40, End: 0x60}, {Start: 0x80, End: 0x90}, {Start: 0x58, End: 0x60}}
	if diff := cmp.Diff(want, f.Ranges); diff != "" || f.Stats.Outside != 0 {
		t.Errorf("%s %v", diff, f.Problems.List)
	}
}

// TestSharedRangeList: many functions that share one long list must not cost
// quadratic time or memory.
func TestSharedRangeList(t *testing.T) {
	b := td.New()
	var list td.Bytes
	for i := range 20000 {
		list = list.U32(uint64(0x40 + 2*i)).U32(uint64(0x41 + 2*i))
	}
	off := b.Append(".debug_ranges", list.U32(0).U32(0))
	root := cu()
	for range 2000 {
		root.With(td.Die(td.TagSubprogram, td.A(td.AtRanges, td.FormData4, off)))
	}
	f := functions(t, unit(b, &td.Unit{Version: 3, Root: root}))
	if len(f.Ranges) > 20000+5000 || f.Problems.Total == 0 {
		t.Errorf("%d ranges were stored, %d problems", len(f.Ranges), f.Problems.Total)
	}
}

// TestLocationListsV5 reads each kind of entry of .debug_loclists.
func TestLocationListsV5(t *testing.T) {
	b := td.New()
	b.Addrx(0x40, 4)
	b.Addrx(0x50, 4)
	off := b.Append(".debug_loclists", td.Bytes(nil).
		U8(1, 1).                              // base_addressx
		U8(4, 1, 2, 1, 0x50).                  // offset_pair
		U8(2, 0, 1, 1, 0x51).                  // startx_endx
		U8(3, 0, 9, 1, 0x52).                  // startx_length
		U8(5, 1, 0x53).                        // default
		U8(6).U32(0x300).U8(4, 0, 1, 1, 0x54). // base_address, offset_pair
		U8(7).U32(0x60).U32(0x62).U8(1, 0x55). // start_end
		U8(8).U32(0x70).U8(3, 1, 0x56).        // start_length
		U8(3, 77, 1, 0).                       // index out of range
		U8(7).U32(0x60).U32(0x60).U8(0).       // empty
		U8(99))                                // unknown
	v := td.Die(td.TagVariable, td.A(td.AtLocation, td.FormSecOffset, off))
	u := unit(b, &td.Unit{Version: 5, Root: cu(td.A(td.AtAddrBase, td.FormSecOffset, 8)).With(v)})
	var got []string
	c, err := u.CursorAt(v.Off())
	if err != nil {
		t.Fatal(err)
	}
	value, _ := c.Attr(dwarf.AttrLocation)
	locs := u.Locations(value)
	var e dwarf.LocEntry
	for locs.Next(&e) {
		text := fmt.Sprintf("%x-%x %v %s", e.Start, e.End, e.Class, e.Expr)
		if e.Default {
			text = "default " + string(e.Expr)
		}
		got = append(got, text)
	}
	want := []string{
		"51-52 live P", "40-50 live Q", "40-49 live R", "default S", "300-301 live T", "60-62 live U", "70-73 live V", "60-60 empty ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := locs.Err(); err == nil || !strings.Contains(err.Error(), "unknown kind 0x63") {
		t.Error(err)
	}
}
