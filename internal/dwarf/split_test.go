package dwarf_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// splitUnits resolves all skeletons of a module with attach.
func splitUnits(t *testing.T, main dwarf.Sections, attach func(*dwarf.Unit) (*dwarf.Unit, error)) []unitView {
	t.Helper()
	d := dwarf.New(main, dwarf.Options{ZeroIsDead: true})
	var units []unitView
	for i := range d.NumUnits() {
		u := d.Unit(i)
		if !u.IsSkeleton() {
			t.Fatalf("unit 0x%x is not recognised as a skeleton", u.Off)
		}
		split, err := attach(u)
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, ourUnit(t, split))
	}
	return units
}

func dwoFile(tb testing.TB, name string) *dwarf.Data {
	tb.Helper()
	_, _, sec := load(tb, file(name))
	return dwarf.New(sec, dwarf.Options{ZeroIsDead: true})
}

// TestSplitAsWhole compares split units, resolved through their skeletons,
// with the same sources compiled without splitting: the code is the same.
func TestSplitAsWhole(t *testing.T) {
	tests := []struct{ split, whole string }{
		{"c/split-dw4", "c/O2-dw4.wasm"},
		{"c/split-dw5", "c/O2-dw5.wasm"},
		{"cpp/split-dw4", "cpp/O2-dw4.wasm"},
		{"cpp/split-dw5", "cpp/O2-dw5.wasm"},
		{"cpp/split-types-dw4", "cpp/types-dw4.wasm"},
		{"cpp/split-types-dw5", "cpp/types-dw5.wasm"},
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(unitView{}, "Off", "CompDir", "Tag"),
		cmpopts.IgnoreFields(funcView{}, "Off"),
		cmpopts.IgnoreFields(inlineView{}, "Off", "Parent"),
	}
	for _, test := range tests {
		_, whole, _ := load(t, file(test.whole))
		want := ourUnits(t, dwarf.New(whole, dwarf.Options{ZeroIsDead: true}))
		want = dropTypes(want)
		_, main, _ := load(t, file(test.split+".wasm"))
		t.Run(test.split+".dwo", func(t *testing.T) {
			trap, other := dwoFile(t, test.split+".trap.dwo"), dwoFile(t, test.split+".other.dwo")
			got := splitUnits(t, main, func(u *dwarf.Unit) (*dwarf.Unit, error) {
				split, err := dwarf.AttachDWO(u, trap)
				if errors.Is(err, dwarf.ErrNoSplitUnit) {
					return dwarf.AttachDWO(u, other)
				}
				return split, err
			})
			if diff := cmp.Diff(want, got, same); diff != "" {
				t.Errorf("not split (-), split (+):\n%s", diff)
			}
		})
		t.Run(test.split+".dwp", func(t *testing.T) {
			if _, err := os.Stat(file(test.split + ".dwp")); err != nil {
				t.Skip("there is no package of this build in the corpus")
			}
			_, _, sec := load(t, file(test.split+".dwp"))
			pack, err := dwarf.OpenPackage(sec, dwarf.Options{ZeroIsDead: true})
			if err != nil {
				t.Fatal(err)
			}
			got := splitUnits(t, main, pack.Attach)
			if diff := cmp.Diff(want, got, same); diff != "" {
				t.Errorf("not split (-), split (+):\n%s", diff)
			}
		})
	}
}

func dropTypes(units []unitView) []unitView {
	var out []unitView
	for _, u := range units {
		if dwarf.Tag(u.Tag) != dwarf.TagTypeUnit {
			out = append(out, u)
		}
	}
	return out
}

// TestSplitSingle resolves the units of a -gsplit-dwarf=single build. They are
// in the object files. The linked module has ".dwo" sections too, but linking
// has merged their strings without adjusting anything that points to them:
// llvm-dwarfdump 22 reads a producer "ek" there.
func TestSplitSingle(t *testing.T) {
	_, main, linked := load(t, file("c/split-single.wasm"))
	_, whole, _ := load(t, file("c/O2-dw5.wasm"))
	want := ourUnits(t, dwarf.New(whole, dwarf.Options{ZeroIsDead: true}))
	trap, other := dwoFile(t, "c/split-single.trap.o"), dwoFile(t, "c/split-single.other.o")
	got := splitUnits(t, main, func(u *dwarf.Unit) (*dwarf.Unit, error) {
		split, err := dwarf.AttachDWO(u, trap)
		if errors.Is(err, dwarf.ErrNoSplitUnit) {
			return dwarf.AttachDWO(u, other)
		}
		return split, err
	})
	same := cmp.Options{
		cmpopts.IgnoreFields(unitView{}, "Off", "CompDir", "Tag"),
		cmpopts.IgnoreFields(funcView{}, "Off"),
		cmpopts.IgnoreFields(inlineView{}, "Off", "Parent"),
	}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("not split (-), split (+):\n%s", diff)
	}
	dwo := dwarf.New(linked, dwarf.Options{ZeroIsDead: true})
	skeleton := dwarf.New(main, dwarf.Options{ZeroIsDead: true}).Unit(0)
	if _, err := dwarf.AttachDWO(skeleton, dwo); !errors.Is(err, dwarf.ErrLinkedSplit) {
		t.Errorf("attaching the linked module's own split sections: %v", err)
	}
}

// TestSkeletonAlone: without its split unit a skeleton says what is missing,
// has ranges and lines, and no functions.
func TestSkeletonAlone(t *testing.T) {
	_, main, _ := load(t, file("c/split-dw5.wasm"))
	d := dwarf.New(main, dwarf.Options{ZeroIsDead: true})
	u := d.Unit(0)
	root, err := u.Root()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(root.DWOName); got != "/home/build/out/c/split-dw5.trap.dwo" {
		t.Errorf("name of the split file is %q", got)
	}
	if !root.HasDWOID || root.DWOID == 0 {
		t.Error("skeleton has no id")
	}
	p, err := u.LineProgram()
	if err != nil || p == nil {
		t.Fatalf("line program: %v, %v", p, err)
	}
	ranges, e := 0, dwarf.RangeEntry{}
	for it := u.Ranges(); it.Next(&e); {
		ranges++
	}
	if ranges == 0 {
		t.Error("skeleton has no ranges")
	}
	other := dwoFile(t, "c/split-dw5.other.dwo")
	if _, err := dwarf.AttachDWO(u, other); !errors.Is(err, dwarf.ErrNoSplitUnit) {
		t.Errorf("attaching another unit's file: %v", err)
	}
	if _, err := dwarf.AttachDWO(other.Unit(0), other); err == nil {
		t.Error("attaching to a unit that is no skeleton works")
	}
}

// TestTypeUnitsOfPackage follows a signature into the type index.
func TestTypeUnitsOfPackage(t *testing.T) {
	for _, version := range []string{"4", "5"} {
		_, main, _ := load(t, file("cpp/split-types-dw"+version+".wasm"))
		_, _, sec := load(t, file("cpp/split-types-dw"+version+".dwp"))
		pack, err := dwarf.OpenPackage(sec, dwarf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if units, types := pack.NumUnits(); units != 2 || types != 9 {
			t.Errorf("version %s: %d units and %d types, want 2 and 9 (llvm-dwarfdump --debug-tu-index)", version, units, types)
		}
		d := dwarf.New(main, dwarf.Options{})
		split, err := pack.Attach(d.Unit(0))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		c, err := split.Cursor()
		if err != nil {
			t.Fatal(err)
		}
		for c.Next() {
			v, ok := c.Attr(dwarf.AttrSignature)
			if !ok {
				continue
			}
			ref, err := split.Ref(v)
			if err != nil {
				t.Errorf("version %s: signature %x: %v", version, v.U, err)
				continue
			}
			at, err := ref.Unit.CursorAt(ref.Off)
			if err != nil {
				t.Fatal(err)
			}
			if tag := at.Tag(); tag != dwarf.TagStructType && tag != dwarf.TagClassType {
				t.Errorf("version %s: signature %x leads to tag 0x%x", version, v.U, tag)
			}
			found++
		}
		if found == 0 {
			t.Errorf("version %s: no entry with a signature", version)
		}
	}
}

// TestBrokenPackage: damage in the index is an error, never more.
func TestBrokenPackage(t *testing.T) {
	_, main, _ := load(t, file("c/split-dw5.wasm"))
	_, _, sec := load(t, file("c/split-dw5.dwp"))
	d := dwarf.New(main, dwarf.Options{})
	if _, err := dwarf.OpenPackage(dwarf.Sections{}, dwarf.Options{}); err == nil {
		t.Error("a package without index opens")
	}
	good := sec.CUIndex
	for i := range good {
		for _, flip := range []byte{0xff, 0x80, 0x01} {
			index := append([]byte(nil), good...)
			index[i] ^= flip
			sec.CUIndex = index
			pack, err := dwarf.OpenPackage(sec, dwarf.Options{})
			if err != nil {
				continue
			}
			if split, err := pack.Attach(d.Unit(0)); err == nil {
				_, _ = split.Functions(dwarf.FuncOptions{})
			}
		}
		sec.CUIndex = good[:i]
		if _, err := dwarf.OpenPackage(sec, dwarf.Options{}); err == nil {
			t.Fatalf("an index cut off at %d of %d bytes opens", i, len(good))
		}
	}
}

// TestOffsetsInPackage: an error in a unit of a package names the offset in the
// whole section.
func TestOffsetsInPackage(t *testing.T) {
	_, main, _ := load(t, file("c/split-dw5.wasm"))
	_, _, sec := load(t, file("c/split-dw5.dwp"))
	skeletons := dwarf.New(main, wasmOptions)
	whole := dwarf.New(sec, wasmOptions) // the headers are the same, one after the other
	sec.Info = append([]byte(nil), sec.Info...)
	second := whole.Unit(1)
	sec.Info[second.DIE] = 0x7f // no such abbreviation
	pack, err := dwarf.OpenPackage(sec, wasmOptions)
	if err != nil {
		t.Fatal(err)
	}
	failed := false
	for i := range skeletons.NumUnits() {
		split, err := pack.Attach(skeletons.Unit(i))
		if err == nil {
			_, err = split.Root()
		}
		if err == nil {
			continue
		}
		failed = true
		if !errors.Is(err, dwarf.ErrNoSplitUnit) {
			t.Error(err)
		}
	}
	if !failed {
		t.Error("a unit without a root entry is found")
	}
	// Damage behind the root entry is reported where it is.
	sec.Info[second.DIE] = 1
	c, err := whole.Unit(1).Cursor()
	if err != nil {
		t.Fatal(err)
	}
	c.Next()
	c.Next()
	sec.Info[c.Off()] = 0x7f
	if pack, err = dwarf.OpenPackage(sec, wasmOptions); err != nil {
		t.Fatal(err)
	}
	reported := false
	for i := range skeletons.NumUnits() {
		split, err := pack.Attach(skeletons.Unit(i))
		if err != nil {
			t.Fatal(err)
		}
		fns, err := split.Functions(dwarf.FuncOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range fns.Problems.List {
			reported = true
			if p.Off != c.Off() || p.Section != ".debug_info.dwo" {
				t.Errorf("%v, want offset 0x%x", p, c.Off())
			}
		}
	}
	if !reported {
		t.Error("nothing is reported")
	}
}

// TestLocationsOfSplitUnits reads the location lists of GNU split DWARF 4 and
// of DWARF 5: all lie in their functions.
func TestLocationsOfSplitUnits(t *testing.T) {
	for _, name := range []string{"c/split-dw4", "c/split-dw5", "cpp/split-types-dw4", "cpp/split-types-dw5"} {
		_, main, _ := load(t, file(name+".wasm"))
		split, err := dwarf.AttachDWO(dwarf.New(main, wasmOptions).Unit(0), dwoFile(t, name+".trap.dwo"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := split.Cursor()
		if err != nil {
			t.Fatal(err)
		}
		live := 0
		for c.Next() {
			v, ok := c.Attr(dwarf.AttrLocation)
			if !ok || v.Form.IsBlock() {
				continue
			}
			locs := split.Locations(v)
			var e dwarf.LocEntry
			for locs.Next(&e) {
				switch e.Class {
				case dwarf.RangeLive:
					live++
					if e.End > 0x1000 || len(e.Expr) == 0 {
						t.Errorf("%s: %+v", name, e)
					}
				case dwarf.RangeTombstone, dwarf.RangeEmpty:
				default:
					t.Errorf("%s: %+v", name, e)
				}
			}
			if locs.Err() != nil {
				t.Errorf("%s: %v", name, locs.Err())
			}
		}
		if live == 0 {
			t.Errorf("%s has no locations", name)
		}
	}
}
