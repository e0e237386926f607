package testdwarf

import (
	"debug/dwarf"
	"io"
	"testing"
)

// TestAsStandardLibraryReads: what is built means what was asked for.
func TestAsStandardLibraryReads(t *testing.T) {
	for _, version := range []int{2, 3, 4, 5} {
		b := New()
		line := b.AddLine((&Line{Version: version, Dirs: []string{"/src"}, Files: []File{{Name: "a.c"}}}).
			SetAddress(0x40).Op(3, 9).Copy().Special(2, 1).Row(3, -2).Advance(1).EndSequence())
		inner := Die(TagSubprogram, A(AtName, FormString, "inner"))
		call := Die(TagInlinedSubroutine, A(AtAbstractOrigin, FormRef4, inner), A(AtLowPC, FormAddr, 0x42), A(AtHighPC, FormAddr, 0x44))
		root := Die(TagCompileUnit, A(AtName, FormStrp, "a.c"), A(AtCompDir, FormString, "/src"), A(AtStmtList, FormData4, line)).
			With(inner, Die(TagSubprogram, A(AtName, FormStrp, "outer"), A(AtLowPC, FormAddr, 0x40), A(AtHighPC, FormAddr, 0x48)).With(call))
		b.AddUnit(&Unit{Version: version, Root: root})
		s := b.Build()
		d, err := dwarf.New(s[".debug_abbrev"], nil, nil, s[".debug_info"], s[".debug_line"], nil, nil, s[".debug_str"])
		if err != nil {
			t.Fatal(err)
		}
		r := d.Reader()
		cu, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if cu.Offset != dwarf.Offset(root.Off()) || cu.Val(dwarf.AttrName) != "a.c" {
			t.Errorf("version %d: unit %v", version, cu)
		}
		names := []any{}
		for {
			e, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				break
			}
			switch e.Tag {
			case dwarf.TagSubprogram:
				names = append(names, e.Val(dwarf.AttrName))
			case dwarf.TagInlinedSubroutine:
				if e.Val(dwarf.AttrAbstractOrigin) != dwarf.Offset(inner.Off()) || e.Val(dwarf.AttrHighpc) != uint64(0x44) {
					t.Errorf("version %d: call %v", version, e)
				}
			}
		}
		if len(names) != 2 || names[0] != "inner" || names[1] != "outer" {
			t.Errorf("version %d: functions %v", version, names)
		}
		lr, err := d.LineReader(cu)
		if err != nil {
			t.Fatal(err)
		}
		var got [][2]int
		var e dwarf.LineEntry
		for {
			if err := lr.Next(&e); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			got = append(got, [2]int{int(e.Address), e.Line})
		}
		want := [][2]int{{0x40, 10}, {0x42, 11}, {0x45, 9}, {0x46, 9}}
		if len(got) != len(want) {
			t.Fatalf("version %d: rows %v", version, got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("version %d: row %d is %v, want %v", version, i, got[i], want[i])
			}
		}
	}
}
