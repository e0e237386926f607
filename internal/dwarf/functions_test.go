package dwarf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// tree writes the functions of a unit as text: function(call(call) call).
func tree(tb testing.TB, f *dwarf.Functions) string {
	tb.Helper()
	name := func(origin uint32) string {
		decl, err := f.Decl(origin)
		if err != nil {
			tb.Error(err)
		}
		return string(decl.Name)
	}
	var out []string
	for i, fn := range f.Funcs {
		var b strings.Builder
		b.WriteString(name(fn.Origin))
		var write func(lo, hi uint32, parent int32)
		write = func(lo, hi uint32, parent int32) {
			for lo < hi {
				in := f.Inlines[lo]
				if in.Parent != parent || int(in.Func) != i {
					tb.Errorf("call %d has parent %d and function %d, want %d and %d", lo, in.Parent, in.Func, parent, i)
				}
				b.WriteString("(" + name(in.Origin))
				write(lo+1, in.End, int32(lo))
				b.WriteString(")")
				lo = in.End
			}
		}
		write(fn.Inlines.Lo, fn.Inlines.Hi, -1)
		out = append(out, b.String())
	}
	return strings.Join(out, " ")
}

// TestInlineTrees: calls through blocks, nested functions, types, namespaces.
func TestInlineTrees(t *testing.T) {
	a, b, c := abstract("a"), abstract("b"), abstract("c")
	block := func(tag int, children ...*td.DIE) *td.DIE {
		return td.Die(tag, td.A(td.AtLowPC, td.FormAddr, 0x40), td.A(td.AtHighPC, td.FormData1, 1)).With(children...)
	}
	in := func(origin *td.DIE, children ...*td.DIE) *td.DIE { return call(origin, 0x40, 1).With(children...) }
	nested := func(name string, children ...*td.DIE) *td.DIE { return fn(name, 0x40, 1).With(children...) }
	noCode := td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, a)).With(in(b), in(c))
	tests := []struct {
		name string
		die  *td.DIE
		want string
	}{
		{"nothing inlined", nested("f"), "f"},
		{"one in the other", nested("f", in(a, in(b, in(c)))), "f(a(b(c)))"},
		{"next to each other", nested("f", in(a), in(b), in(c)), "f(a)(b)(c)"},
		{"mixed", nested("f", in(a, in(b), in(c)), in(b, in(a))), "f(a(b)(c))(b(a))"},
		{"through blocks", nested("f", block(td.TagLexicalBlock, block(td.TagTryBlock, in(a, block(td.TagCatchBlock, in(b)), in(c)))), in(a)), "f(a(b)(c))(a)"},
		{"nested function", nested("f", in(a), nested("g", in(b, in(c))), in(c)), "f(a)(c) g(b(c))"},
		{"nested in a call", nested("f", in(a, nested("g", in(b)), in(c, in(b))), in(b)), "f(a(c(b)))(b) g(b)"},
		{"nested twice", nested("f", nested("g", nested("h", in(a)), in(b)), in(c)), "f(c) g(b) h(a)"},
		{"nested in one without code", nested("f", in(a, abstract("x").With(nested("g", in(b))), in(c))), "f(a(c)) g(b)"},
		{"function in a type", td.Die(td.TagNamespace).With(td.Die(td.TagStructType).With(nested("f", in(a)))), "f(a)"},
		{"abstract function around", td.Die(td.TagSubprogram).With(nested("f", in(a))), "f(a)"},
		{"call without code", nested("f", in(a, noCode, in(b))), "f(a(b))"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(a, test.die, b, c)})
			f := functions(t, u)
			if got := tree(t, f); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if f.Problems.Total != 0 {
				t.Error(f.Problems.List)
			}
		})
	}
}

// TestDecl: names through origins and specifications, in the same unit, in
// another, in type units of both kinds, with the definition's own place.
func TestDecl(t *testing.T) {
	b := td.New()
	decl := td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "method"), td.A(td.AtLinkageName, td.FormString, "_Zmethod"),
		td.A(td.AtDeclFile, td.FormData1, 1), td.A(td.AtDeclLine, td.FormData1, 10))
	spec := td.Die(td.TagSubprogram, td.A(td.AtSpecification, td.FormRef4, decl), td.A(td.AtDeclLine, td.FormData1, 20))
	pc := func(attrs ...td.Attr) *td.DIE {
		return td.Die(td.TagSubprogram, append(attrs, td.A(td.AtLowPC, td.FormAddr, 0x40), td.A(td.AtHighPC, td.FormData1, 4))...)
	}
	far := abstract("far")
	for _, version := range []int{2, 3, 5} {
		b.AddUnit(&td.Unit{Version: version, AddrSize: 8, Root: cu().With(pc(td.A(td.AtAbstractOrigin, td.FormRefAddr, far)))})
	}
	b.AddUnit(&td.Unit{Version: 4, Root: cu().With(
		td.Die(td.TagStructType).With(decl), spec,
		pc(td.A(td.AtAbstractOrigin, td.FormRef4, spec)),
		pc(td.A(td.AtSpecification, td.FormRef4, decl), td.A(td.AtDeclLine, td.FormData1, 30), td.A(td.AtDeclFile, td.FormData1, 2)),
		pc(td.A(td.AtAbstractOrigin, td.FormRefSig8, uint64(7))),
		pc(td.A(td.AtAbstractOrigin, td.FormRefSig8, uint64(8))),
		pc())})
	b.AddUnit(&td.Unit{Version: 4, Root: td.Die(td.TagPartialUnit).With(far)})
	t4, t5 := abstract("type4"), abstract("type5")
	b.AddUnit(&td.Unit{Version: 4, Type: td.UnitType, ID: 7, TypeDIE: t4, Root: td.Die(td.TagTypeUnit).With(t4)})
	b.AddUnit(&td.Unit{Version: 5, Type: td.UnitType, ID: 8, TypeDIE: t5, Root: td.Die(td.TagTypeUnit).With(t5)})
	d := open(b.Build())
	for i := range 3 {
		if got := tree(t, functions(t, d.Unit(i))); got != "far" {
			t.Errorf("unit %d: %q", i, got)
		}
	}
	f := functions(t, d.Unit(3))
	type view struct {
		Name, Linkage string
		File          uint64
		Line          uint32
		InUnit        bool
	}
	var got []view
	for _, fn := range f.Funcs {
		d, err := f.Decl(fn.Origin)
		if err != nil {
			t.Error(err)
		}
		got = append(got, view{string(d.Name), string(d.LinkageName), d.File, d.Line, d.FileUnit == f.Unit})
	}
	want := []view{
		{"method", "_Zmethod", 1, 20, true},
		{"method", "_Zmethod", 2, 30, true},
		{"type4", "", 0, 0, false},
		{"type5", "", 0, 0, false},
		{"", "", 0, 0, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLongChain: an origin's origin's specification; and an entry with both, of
// which the origin counts.
func TestLongChain(t *testing.T) {
	last := abstract("last")
	at := last
	root := cu().With(last)
	for i := range 8 {
		form := td.AtAbstractOrigin
		if i%2 == 0 {
			form = td.AtSpecification
		}
		at = td.Die(td.TagSubprogram, td.A(form, td.FormRef4, at))
		root.With(at)
	}
	wrong := abstract("wrong")
	root.With(wrong,
		td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddr, 0x40), td.A(td.AtHighPC, td.FormData1, 4), td.A(td.AtAbstractOrigin, td.FormRef4, at)),
		td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddr, 0x40), td.A(td.AtHighPC, td.FormData1, 4),
			td.A(td.AtAbstractOrigin, td.FormRef4, last), td.A(td.AtSpecification, td.FormRef4, wrong)),
		td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddr, 0x40), td.A(td.AtHighPC, td.FormData1, 4), td.A(td.AtDeclLine, td.FormData1, 7),
			td.A(td.AtAbstractOrigin, td.FormRef4, last), td.A(td.AtSpecification, td.FormRef4, wrong)))
	f := functions(t, unit(td.New(), &td.Unit{Version: 4, Root: root}))
	if diff := cmp.Diff([]string{"last", "last", "last"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
}

// TestSharedOrigins: calls of one function share one origin, also when there
// are many functions.
func TestSharedOrigins(t *testing.T) {
	root := cu()
	var origins []*td.DIE
	for i := range 300 {
		origins = append(origins, abstract(fmt.Sprint("f", i)))
	}
	outer := fn("outer", 0x40, 0x10)
	for i := range 3000 {
		outer.With(call(origins[i*7%300], 0x41, 1))
	}
	f := functions(t, unit(td.New(), &td.Unit{Version: 4, Root: root.With(origins...).With(outer)}))
	if f.NumOrigins() != 301 || len(f.Inlines) != 3000 {
		t.Fatalf("%d origins, %d calls", f.NumOrigins(), len(f.Inlines))
	}
	for i, in := range f.Inlines {
		if d, err := f.Decl(in.Origin); err != nil || string(d.Name) != fmt.Sprint("f", i*7%300) {
			t.Fatalf("call %d: %s, %v", i, d.Name, err)
		}
	}
}

// TestReferenceCycle: origins that lead in a circle, and to nowhere.
func TestReferenceCycle(t *testing.T) {
	a, b := td.Die(td.TagSubprogram), td.Die(td.TagSubprogram)
	a.Attrs = []td.Attr{td.A(td.AtAbstractOrigin, td.FormRef4, b)}
	b.Attrs = []td.Attr{td.A(td.AtSpecification, td.FormRef4, a)}
	self := td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddr, 0x50), td.A(td.AtHighPC, td.FormData1, 4))
	self.Attrs = append(self.Attrs, td.A(td.AtAbstractOrigin, td.FormRef4, self))
	u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(a, b, self, fn("outer", 0x40, 4).With(
		call(a, 0x41, 1),
		td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRef4, 0xffffff), td.A(td.AtLowPC, td.FormAddr, 0x41), td.A(td.AtHighPC, td.FormData1, 1)),
		td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRefSig8, 9), td.A(td.AtLowPC, td.FormAddr, 0x41), td.A(td.AtHighPC, td.FormData1, 1)),
		td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormRefAddr, 3), td.A(td.AtLowPC, td.FormAddr, 0x41), td.A(td.AtHighPC, td.FormData1, 1)),
		td.Die(td.TagInlinedSubroutine, td.A(td.AtAbstractOrigin, td.FormUdata, 3), td.A(td.AtLowPC, td.FormAddr, 0x41), td.A(td.AtHighPC, td.FormData1, 1)),
	))})
	f := functions(t, u)
	if len(f.Funcs) != 2 || len(f.Inlines) != 5 || f.Problems.Total != 4 {
		t.Fatalf("%d functions, %d calls, problems %v", len(f.Funcs), len(f.Inlines), f.Problems.List)
	}
	for _, origin := range []uint32{f.Funcs[0].Origin, f.Inlines[0].Origin} {
		if _, err := f.Decl(origin); err == nil || !strings.Contains(err.Error(), "circle") {
			t.Errorf("circle: %v", err)
		}
	}
	for _, in := range f.Inlines[1:] {
		if _, err := f.Decl(in.Origin); err == nil {
			t.Error("a name is found where a reference leads nowhere")
		}
	}
}

// TestDeepTree: entries ten thousand levels deep, as blocks and as calls.
func TestDeepTree(t *testing.T) {
	const levels = 10000
	origin := abstract("f")
	for name, level := range map[string]func() *td.DIE{
		"blocks": func() *td.DIE { return td.Die(td.TagLexicalBlock) },
		"calls":  func() *td.DIE { return call(origin, 0x41, 1) },
		"functions": func() *td.DIE {
			return fn("n", 0x41, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			outer := fn("outer", 0x40, 0x10)
			for at, i := outer, 0; i < levels; i++ {
				next := level()
				at.With(next)
				at = next
				if i == levels-1 {
					at.With(call(origin, 0x41, 1))
				}
			}
			u := unit(td.New(), &td.Unit{Version: 4, Root: cu().With(origin, outer, fn("last", 0x60, 1))})
			f := functions(t, u)
			if last := f.Funcs[len(f.Funcs)-1]; f.Ranges[last.Ranges.Lo].Start != 0x60 || f.Problems.Total != 0 {
				t.Errorf("last function %+v, problems %v", last, f.Problems.List)
			}
			if f.Stats.DeepestScope != levels+2 {
				t.Errorf("depth %d", f.Stats.DeepestScope)
			}
			want := 1
			if name == "calls" {
				want = levels + 1
			}
			if len(f.Inlines) != want {
				t.Fatalf("%d calls", len(f.Inlines))
			}
			if in := f.Inlines[want-1]; int(in.Parent) != want-2 || int(in.End) != want {
				t.Errorf("innermost call: %+v", in)
			}
			c, err := u.Cursor()
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for c.Next() {
				n++
			}
			if c.Err() != nil || n != f.Stats.Entries {
				t.Errorf("cursor saw %d entries, the walk %d; %v", n, f.Stats.Entries, c.Err())
			}
		})
	}
}

// TestManyProblems: a file full of damage gives a bounded list and the count.
func TestManyProblems(t *testing.T) {
	root := cu()
	for range 1000 {
		root.With(td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddrx, 5), td.A(td.AtHighPC, td.FormData1, 1)))
	}
	f := functions(t, unit(td.New(), &td.Unit{Version: 5, Root: root}))
	if f.Problems.Total != 1000 || len(f.Problems.List) != dwarf.MaxProblems {
		t.Errorf("%d problems, %d in the list", f.Problems.Total, len(f.Problems.List))
	}
}

// TestFunctionWithoutEnd: low_pc alone is one address, not a function.
func TestFunctionWithoutEnd(t *testing.T) {
	f := functions(t, unit(td.New(), &td.Unit{Version: 4, Root: cu().With(
		td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddr, 0x40)),
		td.Die(td.TagSubprogram, td.A(td.AtLowPC, td.FormAddr, 0)),
		fn("empty", 0x40, 0))}))
	if len(f.Funcs) != 0 || f.Stats.EmptyFuncs != 2 || f.Stats.DeadFuncs != 1 {
		t.Errorf("%+v", f.Stats)
	}
}

// TestEntriesBehindTheTree: what follows the entries of a unit is padding if it is
// zero, and entries that are lost if it is not.
func TestEntriesBehindTheTree(t *testing.T) {
	abbrevs := []byte{1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0x11, 0x01, 0x12, 0x0b, 0, 0, 3, 0x11, 0, 0, 0, 0}
	function := []byte{2, 9, 0, 0, 0, 4}
	for _, test := range []struct {
		name    string
		entries [][]byte
		funcs   int
		lost    bool
	}{
		{"sound", [][]byte{{1}, function, function, {0}}, 2, false},
		{"padded", [][]byte{{1}, function, {0}, make([]byte, 40)}, 1, false},
		{"ends too early", [][]byte{{1}, function, {0}, function, {0}}, 1, true},
		{"padding, then entries", [][]byte{{1}, function, {0}, make([]byte, 40), function}, 1, true},
		{"a root without children", [][]byte{{3}, make([]byte, 3)}, 0, false},
		{"entries behind a root without children", [][]byte{{3}, function}, 0, true},
	} {
		body := append([]byte{4, 0, 0, 0, 0, 0, 4}, bytes.Join(test.entries, nil)...)
		d := dwarf.New(dwarf.Sections{Info: append([]byte{byte(len(body)), 0, 0, 0}, body...), Abbrev: abbrevs}, dwarf.Options{ZeroIsDead: true})
		f, err := d.Unit(0).Functions(dwarf.FuncOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Funcs) != test.funcs || f.Incomplete != test.lost || (f.Problems.Total > 0) != test.lost {
			t.Errorf("%s: %d functions, incomplete %v, problems %v", test.name, len(f.Funcs), f.Incomplete, f.Problems.List)
		}
	}
}
