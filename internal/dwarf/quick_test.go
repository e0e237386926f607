package dwarf_test

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// sameWalk compares a walk with one that looks closely at every entry.
func sameWalk(t *testing.T, u *dwarf.Unit, o dwarf.FuncOptions) {
	t.Helper()
	got, err := u.Functions(o)
	if err != nil {
		return
	}
	want, err := u.Functions(dwarf.Careful(o))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Same(want) {
		t.Fatalf("unit at 0x%x: the walk finds\n%+v\n%+v\nand, looking closely,\n%+v\n%+v", u.Off, got, got.Stats, want, want.Stats)
	}
}

// sameShadowed compares a walk that keeps nothing of some functions with one that
// keeps everything.
func sameShadowed(t *testing.T, u *dwarf.Unit, o dwarf.FuncOptions) {
	t.Helper()
	all, err := u.Functions(o)
	if err != nil {
		return
	}
	for n := range uint64(3) {
		var asked []dwarf.Range
		o.Shadowed = func(r dwarf.Range) bool {
			asked = append(asked, r)
			return r.Start/2%3 != n
		}
		sameWalk(t, u, o)
		asked = asked[:0]
		some, err := u.Functions(o)
		if err != nil {
			t.Fatal(err)
		}
		if some.Stats != all.Stats || some.Problems.Total != all.Problems.Total || some.Incomplete != all.Incomplete || len(some.Funcs) != len(all.Funcs) ||
			!reflect.DeepEqual(some.Outside, all.Outside) {
			t.Fatalf("unit at 0x%x: without what is shadowed the walk finds\n%+v\n%+v\nand with it\n%+v\n%+v", u.Off, some.Stats, some.Outside, all.Stats, all.Outside)
		}
		for i := range some.Funcs {
			sameFunc(t, some, all, i)
		}
		for _, fn := range some.Funcs {
			if fn.Origin == dwarf.NoOrigin {
				for len(asked) > 0 && asked[0].Start/2%3 == n {
					asked = asked[1:]
				}
				if len(asked) == 0 {
					t.Fatalf("function at 0x%x is not kept, and nobody was asked", fn.Off)
				}
				asked = asked[1:]
			}
		}
	}
}

// sameFunc compares a function that may be shadowed with the same one of a walk
// that keeps everything.
func sameFunc(t *testing.T, some, all *dwarf.Functions, i int) {
	t.Helper()
	fn, full := some.Funcs[i], all.Funcs[i]
	a, _ := some.FuncDecl(uint32(i))
	b, _ := all.FuncDecl(uint32(i))
	if fn.Off != full.Off || !reflect.DeepEqual(a, b) {
		t.Fatalf("function %d at 0x%x is %+v, and at 0x%x %+v where everything is kept", i, fn.Off, a, full.Off, b)
	}
	if fn.Origin == dwarf.NoOrigin {
		if fn.Ranges.Len() != 0 || fn.Inlines.Len() != 0 {
			t.Fatalf("function at 0x%x is %+v, though it is shadowed", fn.Off, fn)
		}
		return
	}
	if fn.Inlines.Len() != full.Inlines.Len() || !slices.Equal(some.Ranges[fn.Ranges.Lo:fn.Ranges.Hi], all.Ranges[full.Ranges.Lo:full.Ranges.Hi]) {
		t.Fatalf("function at 0x%x is %+v, and %+v where everything is kept", fn.Off, fn, full)
	}
	for k := range uint32(fn.Inlines.Len()) {
		c, d := some.Inlines[fn.Inlines.Lo+k], all.Inlines[full.Inlines.Lo+k]
		if !slices.Equal(some.Ranges[c.Ranges.Lo:c.Ranges.Hi], all.Ranges[d.Ranges.Lo:d.Ranges.Hi]) || some.Origin(c.Origin) != all.Origin(d.Origin) ||
			c.End-fn.Inlines.Lo != d.End-full.Inlines.Lo || c.Parent >= 0 != (d.Parent >= 0) || c.Parent >= 0 && uint32(c.Parent)-fn.Inlines.Lo != uint32(d.Parent)-full.Inlines.Lo {
			t.Fatalf("call at 0x%x is %+v, and %+v where everything is kept", c.Off, c, d)
		}
		c.Ranges, c.Origin, c.End, c.Parent = d.Ranges, d.Origin, d.End, d.Parent
		if c != d {
			t.Fatalf("call at 0x%x is %+v, and %+v where everything is kept", c.Off, c, d)
		}
	}
}

// lateCall is an inlined call whose line, of a form of varying size perhaps, stands
// before everything else.
func lateCall(lineForm int, line uint64, lowForm int, low any, origin *td.DIE) *td.DIE {
	return td.Die(td.TagInlinedSubroutine, td.A(td.AtCallLine, lineForm, line), td.A(td.AtLowPC, lowForm, low),
		td.A(td.AtAbstractOrigin, td.FormRef4, origin), td.A(td.AtHighPC, td.FormData2, 4))
}

// TestQuickWalk: stepping over entries changes nothing, in real modules, where
// declarations have more in them than parameters, and wherever a unit is cut off.
func TestQuickWalk(t *testing.T) {
	each := func(d *dwarf.Data) {
		for i := range d.NumUnits() {
			for _, check := range []bool{false, true} {
				sameWalk(t, d.Unit(i), dwarf.FuncOptions{CheckScopes: check})
				sameShadowed(t, d.Unit(i), dwarf.FuncOptions{CheckScopes: check})
			}
		}
	}
	for _, name := range fuzzSeeds {
		module, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		each(open(customSections(module)))
	}
	a, b := abstract("a"), abstract("b")
	param := func(form int, v any) *td.DIE { return td.Die(td.TagFormalParameter, td.A(td.AtLocation, form, v)) }
	long := make([]byte, 300)
	decl := func(children ...*td.DIE) *td.DIE {
		return td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "declared")).With(children...)
	}
	block := func(children ...*td.DIE) *td.DIE {
		return td.Die(td.TagLexicalBlock, td.A(td.AtLowPC, td.FormAddr, 0x41), td.A(td.AtHighPC, td.FormData1, 90)).With(children...)
	}
	noCode := td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, a))
	root := cu().With(a, b,
		decl(param(td.FormExprloc, []byte{1, 2}), param(td.FormUdata, uint64(1<<40))),
		decl(param(td.FormExprloc, long), decl(param(td.FormUdata, 1), decl()), fn("inner", 0x10, 8), param(td.FormBlock1, []byte{3})),
		decl(td.Die(td.TagStructType).With(decl(param(td.FormUdata, 3)), td.Die(td.TagVariable)), fn("method", 0x20, 8).With(call(a, 0x22, 2))),
		fn("g", 0x42, 60).With( // shadowed where f is kept
			call(a, 0x44, 20).With(call(b, 0x46, 4).With(param(td.FormUdata, 1)), call(b, 0x70, 4), call(a, 0x50, 2).With(fn("nested", 0x46, 4).With(call(a, 0x46, 1)))),
			call(a, 0x90, 4), call(a, 0x50, 300), td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, 0xffffff), td.A(td.AtLowPC, td.FormAddr, 0x50), td.A(td.AtHighPC, td.FormData2, 9)),
			td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, a), td.A(td.AtLowPC, td.FormAddr, uint64(0xffffffff)), td.A(td.AtHighPC, td.FormData2, 9)).With(call(a, 0x50, 2)),
			block(call(a, 0x52, 2), decl(call(a, 0x54, 2)))),
		fn("h", 0x44, 60).With(
			td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, 0xffffff), td.A(td.AtLowPC, td.FormAddr, 0x50), td.A(td.AtHighPC, td.FormData2, 9)),
			td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, a), td.A(td.AtLowPC, td.FormAddr, 0), td.A(td.AtHighPC, td.FormData2, 0x60)),
			call(a, 0x4a, 2, td.A(td.AtCallLine, td.FormUdata, 7), td.A(td.AtCallColumn, td.FormData1, 7)),
			call(a, 0x4a, 2, td.A(td.AtCallLine, td.FormUdata, 300), td.A(td.AtCallColumn, td.FormData1, 7)).With(call(b, 0x4b, 2)),
			call(a, 0x4c, 2, td.A(td.AtCallLine, td.FormUdata, 1<<20), td.A(td.AtCallColumn, td.FormData1, 7)),
			lateCall(td.FormUdata, 7, td.FormAddr, 0x50, a), lateCall(td.FormUdata, 300, td.FormAddr, 0x50, b), lateCall(td.FormUdata, 300, td.FormAddr, 0x90, b)),
		fn("f", 0x40, 60).With(
			noCode.With(call(a, 0x42, 2)), decl(call(a, 0x44, 2)), block(decl(param(td.FormUdata, 2)), call(a, 0x46, 2).With(param(td.FormUdata, 1))),
			block(), call(a, 0x48, 2),
			call(a, 0x4a, 2, td.A(td.AtCallLine, td.FormUdata, 300), td.A(td.AtCallColumn, td.FormUdata, 7), td.A(td.AtCallFile, td.FormData2, 1)),
			call(a, 0x4c, 2, td.A(td.AtCallLine, td.FormUdata, 1<<20), td.A(td.AtCallColumn, td.FormUdata, 1<<30)),
			call(a, 0x4e, 2, td.A(td.AtCallLine, td.FormImplicitConst, 77), td.A(td.AtSpecification, td.FormRef4, b))),
		td.Die(td.TagVariable, td.A(td.AtName, td.FormString, "a name"), td.A(td.AtLocation, td.FormExprloc, long)))
	for i := range 300 { // abbreviations with codes of two bytes
		at := []td.Attr{td.A(td.AtName, td.FormString, "v")}
		for bit := range 9 {
			form := td.FormData1
			if i>>bit&1 == 1 {
				form = td.FormUdata
			}
			at = append(at, td.A(td.AtDeclLine, form, bit))
		}
		root.With(td.Die(td.TagVariable, at...))
	}
	root.With(fn("last", 0x80, 8).With(call(a, 0x82, 2)))
	build := td.New()
	// Addresses by index: of one byte and of two, in three forms, one that is not in
	// the table, and one that leaves its function.
	build.Addrx(0x44, 4)
	for i := range uint64(200) {
		build.Addrx(0x200+i, 4)
	}
	indexed := fn("k", 0x44, 60)
	for _, form := range []int{td.FormAddrx, td.FormAddrx1, td.FormAddrx2} {
		for _, at := range []uint64{0x46, 0x58, 0x90} {
			indexed.With(lateCall(td.FormData1, 1, form, build.Addrx(at, 4), a).With(call(b, 0x47, 2)), lateCall(td.FormUdata, 1, form, build.Addrx(at, 4), a))
		}
		indexed.With(lateCall(td.FormData1, 1, form, 250, a))
	}
	root.With(indexed)
	build.AddUnit(&td.Unit{Version: 5, Root: root})
	s := build.Build()
	each(open(s))
	info := s[".debug_info"]
	for n := 0; n < len(info); n += 3 {
		s[".debug_info"] = info[:n]
		each(open(s))
	}
}
