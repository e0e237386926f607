package dwarf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// TestEveryForm puts one attribute of each form between two functions: reading
// the second one shows that it was stepped over, and Attr that it is read.
func TestEveryForm(t *testing.T) {
	data16 := []byte("0123456789abcdef")
	block := []byte{1, 2, 3}
	tests := []struct {
		form  int
		value any
		wantU uint64
		wantB string
	}{
		{td.FormAddr, 0x1234, 0x1234, ""},
		{td.FormBlock1, block, 0, "\x01\x02\x03"},
		{td.FormBlock2, block, 0, "\x01\x02\x03"},
		{td.FormBlock4, block, 0, "\x01\x02\x03"},
		{td.FormBlock, block, 0, "\x01\x02\x03"},
		{td.FormExprloc, block, 0, "\x01\x02\x03"},
		{td.FormData1, 0xfe, 0xfe, ""},
		{td.FormData2, 0xfedc, 0xfedc, ""},
		{td.FormData4, uint64(0xfedcba98), 0xfedcba98, ""},
		{td.FormData8, uint64(0xfedcba9876543210), 0xfedcba9876543210, ""},
		{td.FormData16, data16, 0, string(data16)},
		{td.FormString, "text", 0, "text"},
		{td.FormFlag, 1, 1, ""},
		{td.FormFlagPresent, nil, 1, ""},
		{td.FormSdata, -77777, ^uint64(77776), ""},
		{td.FormUdata, uint64(1 << 40), 1 << 40, ""},
		{td.FormImplicitConst, -5, ^uint64(4), ""},
		{td.FormStrp, 0x30, 0x30, ""},
		{td.FormLineStrp, 0x31, 0x31, ""},
		{td.FormSecOffset, 0x32, 0x32, ""},
		{td.FormStrx, 300, 300, ""},
		{td.FormStrx1, 3, 3, ""},
		{td.FormStrx2, 0x302, 0x302, ""},
		{td.FormStrx3, 0x30201, 0x30201, ""},
		{td.FormStrx4, 0x4030201, 0x4030201, ""},
		{td.FormAddrx, 300, 300, ""},
		{td.FormAddrx1, 3, 3, ""},
		{td.FormAddrx2, 0x302, 0x302, ""},
		{td.FormAddrx3, 0x30201, 0x30201, ""},
		{td.FormAddrx4, 0x4030201, 0x4030201, ""},
		{td.FormRef1, 0x21, 0x21, ""},
		{td.FormRef2, 0x2122, 0x2122, ""},
		{td.FormRef4, 0x21222324, 0x21222324, ""},
		{td.FormRef8, uint64(1 << 50), 1 << 50, ""},
		{td.FormRefUdata, 0x2122, 0x2122, ""},
		{td.FormRefAddr, 0x2122, 0x2122, ""},
		{td.FormRefSig8, uint64(1<<63 + 7), 1<<63 + 7, ""},
		{td.FormRefSup4, 0x2122, 0x2122, ""},
		{td.FormRefSup8, uint64(1 << 40), 1 << 40, ""},
		{td.FormStrpSup, 0x33, 0x33, ""},
		{td.FormGNURefAlt, 0x34, 0x34, ""},
		{td.FormGNUStrpAlt, 0x35, 0x35, ""},
		{td.FormGNUAddrIndex, 300, 300, ""},
		{td.FormGNUStrIndex, 301, 301, ""},
		{td.FormLoclistx, 302, 302, ""},
		{td.FormRnglistx, 303, 303, ""},
		{td.FormIndirect, td.Indirect{Form: td.FormUdata, Value: 500}, 500, ""},
		{td.FormIndirect, td.Indirect{Form: td.FormIndirect, Value: td.Indirect{Form: td.FormString, Value: "deep"}}, 0, "deep"},
	}
	for _, enc := range []td.Unit{
		{Version: 2}, {Version: 2, AddrSize: 8}, {Version: 3, Is64: true}, {Version: 4, AddrSize: 8},
		{Version: 5}, {Version: 5, AddrSize: 8, Is64: true}, {Version: 4, AddrSize: 2},
	} {
		for _, test := range tests {
			t.Run(fmt.Sprintf("v%d/%d/%v/0x%x", enc.Version, enc.AddrSize, enc.Is64, test.form), func(t *testing.T) {
				const custom = 0x2fff
				value := td.A(custom, test.form, test.value)
				// Once in an entry that is skipped and once in one that is read.
				plain := td.Die(td.TagVariable, td.A(td.AtExternal, td.FormFlagPresent, nil), value, td.A(td.AtDeclLine, td.FormData1, 9))
				enc.Root = cu().With(plain, fn("first", 0x40, 4, value, td.A(td.AtDeclLine, td.FormData1, 8)), fn("second", 0x50, 4))
				u := unit(td.New(), &enc)
				f := functions(t, u)
				if diff := cmp.Diff([]string{"first", "second"}, names(t, f)); diff != "" || f.Problems.Total > 0 {
					t.Fatalf("%s %v", diff, f.Problems.List)
				}
				decl, err := f.Decl(f.Funcs[0].Origin)
				if err != nil || decl.Line != 8 {
					t.Errorf("declared in line %d, %v", decl.Line, err)
				}
				c, err := u.CursorAt(plain.Off())
				if err != nil {
					t.Fatal(err)
				}
				v, ok := c.Attr(custom)
				if !ok || v.U != test.wantU || string(v.B) != test.wantB {
					t.Errorf("got %+v, %v", v, ok)
				}
				if line, ok := c.Attr(dwarf.AttrDeclLine); !ok || line.U != 9 {
					t.Errorf("attribute behind it: %+v, %v", line, ok)
				}
			})
		}
	}
}

// TestStrings resolves every string form, in both offset sizes.
func TestStrings(t *testing.T) {
	for _, form := range []int{td.FormString, td.FormStrp, td.FormLineStrp, td.FormStrx, td.FormStrx1, td.FormStrx2, td.FormStrx3, td.FormStrx4} {
		for _, version := range []int{4, 5} {
			u := unit(td.New(), &td.Unit{Version: version, Root: cu(
				td.A(td.AtName, form, "a.c"), td.A(td.AtProducer, form, "b"), td.A(td.AtStrOffsetsBase, td.FormSecOffset, 8))})
			root, err := u.Root()
			if err != nil {
				t.Fatal(err)
			}
			if string(root.Name) != "a.c" || string(root.Producer) != "b" {
				t.Errorf("form 0x%x: %q, %q, %v", form, root.Name, root.Producer, u.Problems().List)
			}
		}
	}
}

// TestBrokenStrings: a string that cannot be found costs only itself.
func TestBrokenStrings(t *testing.T) {
	for _, attr := range []td.Attr{
		td.A(td.AtName, td.FormStrp, 9999),
		td.A(td.AtName, td.FormLineStrp, 0),
		td.A(td.AtName, td.FormStrx, 9999),
		td.A(td.AtName, td.FormStrx, ^uint64(0)),
		td.A(td.AtName, td.FormGNUStrIndex, uint64(1)<<62),
		td.A(td.AtName, td.FormData4, 1),
	} {
		u := unit(td.New(), &td.Unit{Version: 5, Root: cu(attr, td.A(td.AtProducer, td.FormStrp, "p")).With(fn("f", 0x40, 4))})
		root, err := u.Root()
		if err != nil {
			t.Fatal(err)
		}
		if p := u.Problems(); root.Name != nil || string(root.Producer) != "p" || p.Total != 1 || p.List[0].Off != u.DIE+1 {
			t.Errorf("form 0x%x: %q, %q, %v", attr.Form, root.Name, root.Producer, p.List)
		}
		if got := names(t, functions(t, u)); len(got) != 1 {
			t.Errorf("functions: %v", got)
		}
	}
}

// TestSupplementary: names and origins in another file are reported, and the
// rest works.
func TestSupplementary(t *testing.T) {
	for _, origin := range []td.Attr{
		td.A(td.AtAbstractOrigin, td.FormRefSup4, 0x10),
		td.A(td.AtAbstractOrigin, td.FormRefSup8, 0x10),
		td.A(td.AtAbstractOrigin, td.FormGNURefAlt, 0x10),
	} {
		for _, name := range []int{td.FormStrpSup, td.FormGNUStrpAlt} {
			b := td.New()
			inlined := td.Die(td.TagInlinedSubroutine, origin,
				td.A(td.AtLowPC, td.FormAddr, 0x42), td.A(td.AtHighPC, td.FormData1, 2))
			u := unit(b, &td.Unit{Version: 5, Root: cu().With(
				td.Die(td.TagSubprogram, td.A(td.AtName, name, 0x20), td.A(td.AtLowPC, td.FormAddr, 0x40), td.A(td.AtHighPC, td.FormData1, 8)).With(inlined))})
			f := functions(t, u)
			if len(f.Funcs) != 1 || len(f.Inlines) != 1 {
				t.Fatalf("%d functions, %d calls", len(f.Funcs), len(f.Inlines))
			}
			if _, err := f.Decl(f.Funcs[0].Origin); !errors.Is(err, dwarf.ErrSupplementary) {
				t.Errorf("name form 0x%x: %v", name, err)
			}
			if _, err := f.Decl(f.Inlines[0].Origin); !errors.Is(err, dwarf.ErrSupplementary) {
				t.Errorf("origin form 0x%x: %v", origin.Form, err)
			}
		}
	}
}

// TestAddresses resolves every address form, in both address sizes.
func TestAddresses(t *testing.T) {
	for _, size := range []int{4, 8} {
		for _, form := range []int{td.FormAddrx, td.FormAddrx1, td.FormAddrx2, td.FormAddrx3, td.FormAddrx4, td.FormGNUAddrIndex} {
			for _, set := range []bool{true, false} {
				root := cu().With(td.Die(td.TagSubprogram,
					td.A(td.AtLowPC, form, td.Addr(0x40)), td.A(td.AtHighPC, form, td.Addr(0x4c))))
				if set {
					root.Attrs = append(root.Attrs, td.A(td.AtAddrBase, td.FormSecOffset, 8))
				}
				f := functions(t, unit(td.New(), &td.Unit{Version: 5, AddrSize: size, Root: root}))
				if diff := cmp.Diff([]dwarf.Range{{Start: 0x40, End: 0x4c}}, f.Ranges); diff != "" {
					t.Errorf("size %d, form 0x%x, base %v: %s", size, form, set, diff)
				}
			}
		}
	}
}

// TestBrokenAddresses: an index outside of the table costs its function.
func TestBrokenAddresses(t *testing.T) {
	for _, index := range []uint64{1, 1 << 31, ^uint64(0)} {
		b := td.New()
		b.Addrx(0x40, 4)
		f := functions(t, unit(b, &td.Unit{Version: 5, Root: cu().With(
			td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddrx, index), td.A(td.AtHighPC, td.FormData1, 4)),
			fn("g", 0x50, 4))}))
		if diff := cmp.Diff([]string{"g"}, names(t, f)); diff != "" || f.Problems.Total != 1 {
			t.Errorf("index %d: %s %v", index, diff, f.Problems.List)
		}
	}
}

// TestUnknownForm: entries with a form that nobody knows end the unit, with
// what came before kept.
func TestUnknownForm(t *testing.T) {
	b := td.New()
	b.AddUnit(&td.Unit{Version: 4, Root: cu().With(fn("a", 0x40, 4), td.Die(td.TagVariable, td.A(td.AtName, td.FormData1, 1)), fn("b", 0x50, 4))})
	s := b.Build()
	i := strings.Index(string(s[".debug_abbrev"]), "\x34\x00\x03\x0b")
	s[".debug_abbrev"][i+3] = 0x7e
	u := open(s).Unit(0)
	f := functions(t, u)
	if diff := cmp.Diff([]string{"a"}, names(t, f)); diff != "" || !f.Incomplete {
		t.Errorf("%s, incomplete %v", diff, f.Incomplete)
	}
	if p := u.Problems(); p.Total != 1 || !strings.Contains(p.List[0].Msg, "unknown form 0x7e") {
		t.Errorf("problems: %v", p.List)
	}
}
