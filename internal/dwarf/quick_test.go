package dwarf_test

import (
	"os"
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

// TestQuickWalk: stepping over entries changes nothing, in real modules, where
// declarations have more in them than parameters, and wherever a unit is cut off.
func TestQuickWalk(t *testing.T) {
	each := func(d *dwarf.Data) {
		for i := range d.NumUnits() {
			for _, check := range []bool{false, true} {
				sameWalk(t, d.Unit(i), dwarf.FuncOptions{CheckScopes: check})
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
	build.AddUnit(&td.Unit{Version: 5, Root: root})
	s := build.Build()
	each(open(s))
	info := s[".debug_info"]
	for n := 0; n < len(info); n += 3 {
		s[".debug_info"] = info[:n]
		each(open(s))
	}
}
