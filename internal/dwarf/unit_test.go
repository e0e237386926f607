package dwarf_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// TestHeaders reads units of all kinds and encodings from one file.
func TestHeaders(t *testing.T) {
	b := td.New()
	typ := td.Die(td.TagStructType)
	units := []*td.Unit{
		{Version: 2, Root: cu()},
		{Version: 3, AddrSize: 8, Is64: true, Root: cu()},
		{Version: 4, AddrSize: 8, Root: td.Die(td.TagPartialUnit)},
		{Version: 5, Root: cu()},
		{Version: 5, Type: td.UnitPartial, AddrSize: 8, Root: td.Die(td.TagPartialUnit)},
		{Version: 5, Type: td.UnitType, ID: 77, TypeDIE: typ, Is64: true, Root: td.Die(td.TagTypeUnit).With(typ)},
		{Version: 5, Type: td.UnitSkeleton, ID: 78, Root: td.Die(td.TagSkeletonUnit)},
		{Version: 5, Type: td.UnitSplitCompile, ID: 79, Root: cu()},
		{Version: 5, Type: td.UnitSplitType, ID: 80, TypeDIE: typ, Root: td.Die(td.TagTypeUnit)},
		{Version: 4, Type: td.UnitType, ID: 81, Root: td.Die(td.TagTypeUnit)}, // in .debug_types
	}
	for _, u := range units {
		b.AddUnit(u)
	}
	d := open(b.Build())
	if d.NumUnits() != len(units) || d.Problems().Total != 0 {
		t.Fatalf("%d units, problems %v", d.NumUnits(), d.Problems().List)
	}
	for i, want := range units {
		got := d.Unit(i)
		size, typ := want.AddrSize, want.Type
		if size == 0 {
			size = 4
		}
		if typ == 0 {
			typ = td.UnitCompile
		}
		if int(got.Version) != want.Version || int(got.AddrSize) != size || got.DWARF64 != want.Is64 ||
			int(got.Type) != typ || got.ID != want.ID || got.DIE != want.Root.Off() || got.Off != want.Off() {
			t.Errorf("unit %d: %+v", i, got.Header)
		}
		root, err := got.Root()
		if err != nil || int(root.Tag) != want.Root.Tag {
			t.Errorf("unit %d: %+v, %v", i, root, err)
		}
		if got.IsSkeleton() != (typ == td.UnitSkeleton) {
			t.Errorf("unit %d: skeleton %v", i, got.IsSkeleton())
		}
		if want := (i < 9); (d.UnitAt(got.DIE) == got) != want {
			t.Errorf("unit %d is not found by offset", i)
		}
	}
	if u := d.TypeUnit(77); u != d.Unit(5) {
		t.Errorf("type unit 77: %v", u)
	}
	if u := d.TypeUnit(81); u != d.Unit(9) || u.Section != dwarf.SecTypes {
		t.Errorf("type unit 81: %v", u)
	}
	if d.TypeUnit(78) != nil || d.TypeUnit(1) != nil {
		t.Error("type units are found that do not exist")
	}
	if u := d.UnitAt(1 << 40); u != nil {
		t.Errorf("unit at 2^40: %v", u)
	}
}

// TestMalformedHeaders: a bad header costs its unit, and the next one is read.
func TestMalformedHeaders(t *testing.T) {
	abbrevOff := uint64(0)
	good := func(name string) func(*td.Builder) {
		return func(b *td.Builder) {
			b.AddUnit(&td.Unit{Version: 4, Root: cu().With(fn(name, 0x40, 4))})
		}
	}
	header := func(version, typ, addrSize uint64) []byte {
		h := td.Bytes(nil).U16(version)
		if version >= 5 {
			h = h.U8(typ, addrSize).U32(abbrevOff)
		} else {
			h = h.U32(abbrevOff).U8(addrSize)
		}
		h = h.U8(0)
		return append(td.Bytes(nil).U32(uint64(len(h))), h...)
	}
	tests := []struct {
		name string
		bad  []byte
		want string // in the problem; "" if there is none
		next bool   // whether the unit behind is found
	}{
		{"version 0", header(0, 0, 4), "version 0", true},
		{"version 6", header(6, 1, 4), "version 6", true},
		{"address size 3", header(4, 0, 3), "address size 3", true},
		{"address size 0", header(5, 1, 0), "address size 0", true},
		{"unit type 9", header(5, 9, 4), "unknown type 0x9", true},
		{"too short", []byte{1, 0, 0, 0, 4}, "too short", true},
		{"cut off header", []byte{4, 0, 0, 0, 4, 0, 0, 0}, "too short", true},
		{"padding", make([]byte, 12), "", true},
		{"reserved length", []byte{0xf5, 0xff, 0xff, 0xff}, "reserved", false},
		{"claims too much", []byte{0xff, 0xff, 0xff, 0x7f, 9, 9}, "left", false},
		{"claims too much in 64 bits", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "left", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := td.New()
			good("f")(b)
			s := b.Build()
			info := s[".debug_info"]
			s[".debug_info"] = bytes.Join([][]byte{info, test.bad, info}, nil)
			d := open(s)
			want := 1
			if test.next {
				want = 2
			}
			if d.NumUnits() != want {
				t.Errorf("%d units, want %d", d.NumUnits(), want)
			}
			p := d.Problems()
			switch {
			case test.want == "" && p.Total > 0, test.want != "" && p.Total == 0:
				t.Errorf("problems: %v", p.List)
			case test.want != "" && !strings.Contains(p.List[0].Error(), test.want):
				t.Errorf("problem is %v", p.List[0])
			case test.want != "" && p.List[0].Off != uint64(len(info)):
				t.Errorf("problem is at 0x%x, want 0x%x", p.List[0].Off, len(info))
			}
			for i := range d.NumUnits() {
				if got := names(t, functions(t, d.Unit(i))); len(got) != 1 {
					t.Errorf("functions of unit %d: %v", i, got)
				}
			}
		})
	}
}

// TestCutOffUnit: a unit whose end is missing is read as far as it goes.
func TestCutOffUnit(t *testing.T) {
	b := td.New()
	second := fn("b", 0x50, 4)
	b.AddUnit(&td.Unit{Version: 4, Root: cu().With(fn("a", 0x40, 4), second)})
	s := b.Build()
	s[".debug_info"] = s[".debug_info"][:second.Off()+3]
	d := open(s)
	if p := d.Problems(); p.Total != 1 || !strings.Contains(p.List[0].Msg, "left") {
		t.Errorf("problems: %v", p.List)
	}
	f := functions(t, d.Unit(0))
	if diff := cmp.Diff([]string{"a"}, names(t, f)); diff != "" || !f.Incomplete {
		t.Errorf("%s, incomplete %v", diff, f.Incomplete)
	}
}

// TestAbbreviations: codes in any order, gaps, doubles, tables without end.
func TestAbbreviations(t *testing.T) {
	b := td.New()
	b.AddUnit(&td.Unit{Version: 4, Root: cu().With(fn("a", 0x40, 4))})
	s := b.Build()
	root, function := "\x11\x01\x00\x00", "\x2e\x00\x03\x08\x11\x01\x12\x06\x00\x00"
	abbrev := func(codes ...string) []byte { return []byte(strings.Join(codes, "")) }
	recode := func(code string) []byte {
		return []byte(strings.Replace(string(s[".debug_info"]), "\x02a\x00", code+"a\x00", 1))
	}
	tests := []struct {
		name    string
		abbrev  []byte
		code    string
		problem string
	}{
		{"as written", s[".debug_abbrev"], "\x02", ""},
		{"backwards", abbrev("\x02", function, "\x01", root, "\x00"), "\x02", ""},
		{"gap", abbrev("\x01", root, "\x09", function, "\x00"), "\x09", ""},
		{"no end", abbrev("\x01", root, "\x02", function), "\x02", "no terminator"},
		{"double", abbrev("\x01", root, "\x02", function, "\x02", root, "\x00"), "\x02", "defined twice"},
		{"cut off", abbrev("\x01", root, "\x02", function, "\x03\x05"), "\x02", "cut off"},
		{"padded code", abbrev("\x81\x80\x00", root, "\x02", function, "\x00"), "\x02", ""},
		{"large code", abbrev("\x01", root, "\x7e", function, "\x00"), "\x7e", ""},
		{"large double", abbrev("\x01", root, "\x7e", function, "\x7e", root, "\x00"), "\x7e", "defined twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := open(td.Sections{".debug_info": recode(test.code), ".debug_abbrev": test.abbrev}).Unit(0)
			if diff := cmp.Diff([]string{"a"}, names(t, functions(t, u))); diff != "" {
				t.Error(diff)
			}
			p := u.Problems()
			if test.problem == "" && p.Total > 0 || test.problem != "" && (p.Total != 1 || !strings.Contains(p.List[0].Msg, test.problem)) {
				t.Errorf("problems: %v", p.List)
			}
		})
	}
	if _, err := open(td.Sections{".debug_info": s[".debug_info"]}).Unit(0).Root(); err == nil {
		t.Error("a unit without abbreviations has a root entry")
	}
	u := open(td.Sections{".debug_info": recode("\x55"), ".debug_abbrev": s[".debug_abbrev"]}).Unit(0)
	if f := functions(t, u); !f.Incomplete || f.Problems.Total != 1 || !strings.Contains(f.Problems.List[0].Msg, "abbreviation 85") {
		t.Errorf("problems: %v", f.Problems.List)
	}
}

// TestOverlappingAbbreviations: units that each use a table of their own inside
// one long run of abbreviations must not cost quadratic time or memory.
func TestOverlappingAbbreviations(t *testing.T) {
	var abbrev td.Bytes
	for i := range 20000 {
		abbrev = abbrev.ULEB(uint64(i+1)).U8(0x34, 0, 0, 0)
	}
	var info td.Bytes
	for i := range 4000 {
		info = info.U32(8).U16(4).U32(uint64(4*i)).U8(4, 1)
	}
	d := open(td.Sections{".debug_info": info, ".debug_abbrev": abbrev})
	failed := 0
	for i := range d.NumUnits() {
		if _, err := d.Unit(i).Root(); err != nil && strings.Contains(err.Error(), "overlap") {
			failed++
		}
	}
	if failed < 3900 {
		t.Errorf("only %d of %d units were refused", failed, d.NumUnits())
	}
}

// TestCursor walks over a tree, with and without its branches.
func TestCursor(t *testing.T) {
	root := cu().With(
		fn("a", 0x40, 4).With(td.Die(td.TagLexicalBlock).With(td.Die(td.TagVariable)), td.Die(td.TagVariable)),
		fn("b", 0x50, 4))
	u := unit(td.New(), &td.Unit{Version: 4, Root: root})
	walk := func(skip dwarf.Tag) string {
		var out []string
		c, err := u.Cursor()
		if err != nil {
			t.Fatal(err)
		}
		for c.Next() {
			out = append(out, fmt.Sprintf("%d:%x", c.Depth(), uint16(c.Tag())))
			if c.Tag() == skip {
				c.SkipChildren()
			}
		}
		if c.Err() != nil {
			t.Error(c.Err())
		}
		return strings.Join(out, " ")
	}
	for skip, want := range map[dwarf.Tag]string{
		0:                     "0:11 1:2e 2:b 3:34 2:34 1:2e",
		dwarf.TagSubprogram:   "0:11 1:2e 1:2e",
		dwarf.TagLexicalBlock: "0:11 1:2e 2:b 2:34 1:2e",
		dwarf.TagCompileUnit:  "0:11",
	} {
		if got := walk(skip); got != want {
			t.Errorf("skipping 0x%x: %s, want %s", uint16(skip), got, want)
		}
	}
	if _, err := u.CursorAt(0); err == nil {
		t.Error("there is an entry in the header")
	}
	if _, err := u.CursorAt(u.End - 1); err == nil {
		t.Error("there is an entry at the end")
	}
	// A function's own cursor ends where the function does.
	c, err := u.CursorAt(root.Children[0].Off())
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for c.Next() {
		n++
	}
	if n != 4 {
		t.Errorf("walked over %d entries, want 4", n)
	}
}

// TestSibling: DW_AT_sibling is followed forward only.
func TestSibling(t *testing.T) {
	b := fn("b", 0x50, 4)
	a := fn("a", 0x40, 4, td.A(td.AtSibling, td.FormRef4, b)).With(td.Die(td.TagVariable), td.Die(td.TagVariable))
	back := fn("back", 0x60, 4, td.A(td.AtSibling, td.FormRef4, a)).With(td.Die(td.TagVariable))
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(a, b, back)})
	c, err := u.Cursor()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c.Next() {
		n++
		if c.Tag() == dwarf.TagSubprogram {
			c.SkipChildren()
		}
	}
	if n != 4 || c.Err() != nil {
		t.Errorf("walked over %d entries, want 4; %v", n, c.Err())
	}
}

// TestConcurrentUse reads one file from many goroutines; the race detector
// sees the rest.
func TestConcurrentUse(t *testing.T) {
	_, main, _ := load(t, file("cpp/types-dw4.wasm"))
	d := dwarf.New(main, wasmOptions)
	want := ourUnits(t, dwarf.New(main, wasmOptions))
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if diff := cmp.Diff(want, ourUnits(t, d)); diff != "" {
				t.Error(diff)
			}
			d.TypeUnit(1)
		}()
	}
	wg.Wait()
}

// TestSectionNames tells the sections of a file apart.
func TestSectionNames(t *testing.T) {
	var main dwarf.Sections
	dwo := dwarf.Sections{DWO: true}
	for _, name := range []string{".debug_info", ".debug_info.dwo", ".debug_cu_index", ".debug_frame", "x", ".debug_macro"} {
		data := []byte(name)
		main.Set(name, data)
		dwo.Set(name, data)
	}
	if string(main.Info) != ".debug_info" || string(dwo.Info) != ".debug_info.dwo" || string(dwo.CUIndex) != ".debug_cu_index" {
		t.Errorf("%+v %+v", main, dwo)
	}
	for _, name := range []string{"debug_info", ".debug_info.dwo.dwo", "", ".dwo", ".debugger"} {
		if main.Set(name, nil) || dwo.Set(name, nil) {
			t.Errorf("%q is taken for a section", name)
		}
	}
}
