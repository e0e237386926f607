package dwarf

import (
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// leadingUnit is a unit with a value of each class that leads into other sections.
func leadingUnit(version int) testdwarf.Sections {
	b := testdwarf.New()
	root := testdwarf.Die(testdwarf.TagCompileUnit, testdwarf.A(testdwarf.AtName, testdwarf.FormStrp, "unit.c"))
	fn := testdwarf.Die(testdwarf.TagSubprogram, testdwarf.A(testdwarf.AtName, testdwarf.FormStrp, "function"),
		testdwarf.A(testdwarf.AtRanges, testdwarf.FormSecOffset, 8))
	ranges, list := ".debug_ranges", testdwarf.Bytes(nil).U32(0x10).U32(0x20).U32(0).U32(0).U32(0x30).U32(0x40).U32(0).U32(0)
	if version >= 5 {
		ranges, list = ".debug_rnglists", append(testdwarf.Bytes(nil).U32(15).U16(5).U8(4, 0).U32(0), 6, 16, 0, 0, 0, 32, 0, 0, 0, 0)
		fn.Attrs[1].Value = 12
		fn.Attrs = append(fn.Attrs, testdwarf.A(testdwarf.AtLinkageName, testdwarf.FormStrx1, "_Zfunction"))
		root.Attrs = append(root.Attrs, testdwarf.A(testdwarf.AtStrOffsetsBase, testdwarf.FormSecOffset, 8), testdwarf.A(testdwarf.AtAddrBase, testdwarf.FormSecOffset, 8),
			testdwarf.A(testdwarf.AtCompDir, testdwarf.FormLineStrp, "/dir"), testdwarf.A(testdwarf.AtLowPC, testdwarf.FormAddrx, testdwarf.Addr(0x10)))
	}
	b.Append(ranges, list)
	b.AddUnit(&testdwarf.Unit{Version: version, Root: root.With(fn)})
	return b.Build()
}

// TestLost damages each section that a unit leads into, in each way.
func TestLost(t *testing.T) {
	for _, version := range []int{4, 5} {
		whole := leadingUnit(version)
		if lost := lostIn(whole); len(lost) > 0 {
			t.Fatalf("version %d: %+v", version, lost)
		}
		for name, data := range whole {
			if name == ".debug_info" || name == ".debug_abbrev" {
				continue
			}
			for how, damaged := range map[string][]byte{"is missing": nil, "holds nothing but zeros": make([]byte, len(data)), "too short": data[:len(data)-1], "cut": data[:1]} {
				s := testdwarf.Sections{}
				for k, v := range whole {
					s[k] = v
				}
				if s[name] = damaged; damaged == nil {
					delete(s, name)
				}
				lost := lostIn(s)
				if how == "too short" && (name == ".debug_ranges" || name == ".debug_rnglists") {
					continue // a list without an end: the walk over ranges says so
				}
				want := 1
				if name == ".debug_str" && version == 5 {
					want = 2 // directly, and by .debug_str_offsets
				}
				if how == "too short" && len(lost) == 1 {
					want = 1 // the last string
				}
				if len(lost) != want || lost[0].Section.String() != name || lost[0].Count == 0 || lost[0].Entry == 0 || lost[0].Msg == "" {
					t.Errorf("version %d, %s %s: %+v", version, name, how, lost)
					continue
				}
				if (how == "is missing" || how == "holds nothing but zeros") && lost[0].Msg != how {
					t.Errorf("version %d, %s %s: it %s", version, name, how, lost[0].Msg)
				}
			}
		}
	}
}

func lostIn(s testdwarf.Sections) []Lost {
	var sec Sections
	for name, data := range s {
		sec.Set(name, data)
	}
	return New(sec, Options{}).Unit(0).Lost(nil)
}

// TestLostCountsAndPlaces: the first entry with a value that leads nowhere is named,
// and all are counted.
func TestLostCountsAndPlaces(t *testing.T) {
	b := testdwarf.New()
	root := testdwarf.Die(testdwarf.TagCompileUnit, testdwarf.A(testdwarf.AtName, testdwarf.FormStrp, "a"))
	var second *testdwarf.DIE
	for _, name := range []string{"b", "c", "d"} {
		d := testdwarf.Die(testdwarf.TagSubprogram, testdwarf.A(testdwarf.AtName, testdwarf.FormStrp, name))
		if root.With(d); name == "c" {
			second = d
		}
	}
	b.AddUnit(&testdwarf.Unit{Version: 4, Root: root})
	s := b.Build()
	s[".debug_str"] = s[".debug_str"][:4] // "a" and "b"
	lost := lostIn(s)
	if len(lost) != 1 || lost[0].Count != 2 || lost[0].Entry != second.Off() || lost[0].Value != 4 {
		t.Errorf("%+v, want two from 0x%x on", lost, second.Off())
	}
}

// TestLostWorkIsBounded: units that share one large table of strings cost no more
// than the table.
func TestLostWorkIsBounded(t *testing.T) {
	const n = 20000
	b := testdwarf.New()
	for range 50 {
		b.AddUnit(&testdwarf.Unit{Version: 5, Root: testdwarf.Die(testdwarf.TagCompileUnit,
			testdwarf.A(testdwarf.AtStrOffsetsBase, testdwarf.FormSecOffset, 8), testdwarf.A(testdwarf.AtName, testdwarf.FormStrx4, uint64(n-1)))})
	}
	s := b.Build()
	s[".debug_str"] = []byte("x\x00")
	s[".debug_str_offsets"] = append(testdwarf.Bytes(nil).U32(4+4*n).U16(5).U16(0), make([]byte, 4*n)...)
	var sec Sections
	for name, data := range s {
		sec.Set(name, data)
	}
	d := New(sec, Options{})
	refused := 0
	for i := range d.NumUnits() {
		for _, l := range d.Unit(i).Lost(nil) {
			if strings.Contains(l.Msg, "overlap") {
				refused++
			}
		}
	}
	if refused < 40 {
		t.Errorf("%d units of 50 are refused, whose parts are all the whole table", refused)
	}
}

func TestHasHole(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, "\x00": false, "a\x00b\x00": false, "a\x00\x00b\x00": false, "\x00\x00\x00\x00\x00a\x00": false,
		"a\x00\x00\x00\x00\x00": false, "a\x00\x00\x00\x00b\x00": true, "a\x00\x00\x00b\x00": false, "ab\x00\x00\x00\x00\x00\x00c\x00\x00\x00\x00\x00": true,
	} {
		if got := hasHole([]byte(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// TestZeroIndices: each string has one entry in a part of .debug_str_offsets, so that
// several that lead to the first string were overwritten.
func TestZeroIndices(t *testing.T) {
	b := testdwarf.New()
	root := testdwarf.Die(testdwarf.TagCompileUnit, testdwarf.A(testdwarf.AtStrOffsetsBase, testdwarf.FormSecOffset, 8))
	for _, name := range []string{"a", "b", "c"} {
		root.With(testdwarf.Die(testdwarf.TagSubprogram, testdwarf.A(testdwarf.AtName, testdwarf.FormStrx1, name)))
	}
	b.AddUnit(&testdwarf.Unit{Version: 5, Root: root})
	s := b.Build()
	if lost := lostIn(s); len(lost) > 0 {
		t.Errorf("%+v", lost)
	}
	clear(s[".debug_str_offsets"][12:16])
	lost := lostIn(s)
	if len(lost) != 1 || lost[0].Section != SecStrOffsets || lost[0].Value != 1 || lost[0].Count != 2 {
		t.Errorf("%+v, want the entries with the indices 1 and 2", lost)
	}
}
