package symcheck_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// fn is one function of a fixture: its body, and what its DWARF says.
type fn struct {
	name string
	body testwasm.Body

	start, end wasm.CodeOffset // of the body in the code, filled in by the builder
	low, high  uint64          // what DWARF says; filled in by the builder
	rows       []row           // likewise
	rowsAt     uint64          // where the sequence begins; likewise
	rowsEnd    uint64          // where it ends; likewise
	children   []*testdwarf.DIE
	noDWARF    bool
	own        bool   // it is the only function of a unit of its own
	dwarfName  string // its name in the DWARF; filled in by the builder
	entry      string // what of its entry is missing: the name is empty (lost), or not there (none), as is the declaration (undeclared)
}

// row is a line row: bytes behind the start of the sequence, and the line.
type row struct {
	at   uint64
	line int64
}

// fixture is a module with DWARF that a test changes before it is built.
type fixture struct {
	fns      []fn
	sections func([]testwasm.Section) []testwasm.Section // last change of the module
	dwarf    func(fns []fn)                              // change of what DWARF says
	unit     func(root *testdwarf.DIE)                   // change of the unit's root entry
	after    func(testdwarf.Sections)                    // change of the sections
	second   func(b *testdwarf.Builder, fns []fn)        // adds units of its own
}

// Places in plainBody, from its start: where instructions begin.
const (
	bodyConst = 3
	bodyLoad  = 5
	bodyDrop  = 8
	bodyCall  = 9
	bodyEnd   = 11
	bodySize  = 12
)

// plainBody loads from memory and calls a function: two places that can be in a
// stack trace, besides its start.
func plainBody(callee byte) testwasm.Body {
	return testwasm.Fn(testwasm.OpI32Const, 0, testwasm.OpI32Load, 2, 0, testwasm.OpDrop, testwasm.OpCall, callee).With(1, testwasm.I32)
}

func newFixture() *fixture {
	return &fixture{fns: []fn{{name: "alpha", body: plainBody(2)}, {name: "beta", body: plainBody(3)}, {name: "gamma", body: plainBody(1)}}}
}

// build returns the module, whose first function is the import.
func (f *fixture) build(t testing.TB) []byte {
	t.Helper()
	plain := f.module()
	bodies := bodiesOf(t, testwasm.Build(plain...))
	for i := range f.fns {
		n := &f.fns[i]
		n.start, n.end = bodies[i].Start, bodies[i].End
		n.low, n.high, n.rowsAt, n.rowsEnd = uint64(n.start), uint64(n.end), uint64(n.start)+bodyConst, uint64(n.end)
		n.dwarfName = n.name
		line := int64(10 * (i + 1))
		n.rows = []row{{0, line}, {bodyLoad - bodyConst, line + 1}, {bodyCall - bodyConst, line + 2}}
	}
	if f.dwarf != nil {
		f.dwarf(f.fns)
	}
	b := testdwarf.New()
	root := f.addUnit(b, "app.c", func(i int) bool { return !f.fns[i].own })
	if f.unit != nil {
		f.unit(root)
	}
	for i := range f.fns {
		if n := &f.fns[i]; n.own {
			f.addUnit(b, n.name+".c", func(k int) bool { return k == i })
		}
	}
	if f.second != nil {
		f.second(b, f.fns)
	}
	sections := b.Build()
	if f.after != nil {
		f.after(sections)
	}
	all := plain
	for _, name := range []string{".debug_info", ".debug_abbrev", ".debug_line", ".debug_ranges", ".debug_str"} {
		if data := sections[name]; len(data) > 0 {
			all = append(all, testwasm.Custom(name, data))
		}
	}
	var names []string
	for i := range f.fns {
		names = append(names, f.fns[i].name)
	}
	all = append(all, testwasm.Names{Functions: testwasm.From(1, names...)}.Section())
	if f.sections != nil {
		all = f.sections(all)
	}
	return testwasm.Build(all...)
}

// addUnit adds a unit with some of the functions, and its line table.
func (f *fixture) addUnit(b *testdwarf.Builder, name string, of func(i int) bool) *testdwarf.DIE {
	line := &testdwarf.Line{Version: 4, Files: []testdwarf.File{{Name: name}}}
	root := testdwarf.Die(testdwarf.TagCompileUnit,
		testdwarf.A(testdwarf.AtName, testdwarf.FormString, name), testdwarf.A(testdwarf.AtLanguage, testdwarf.FormData2, 0x0c))
	low, high := uint64(1<<32-1), uint64(0)
	for i := range f.fns {
		n := &f.fns[i]
		if n.noDWARF || !of(i) {
			continue
		}
		low, high = min(low, n.low), max(high, n.high)
		root.With(n.die(i))
		n.sequence(line)
	}
	root.Attrs = append(root.Attrs, testdwarf.A(testdwarf.AtStmtList, testdwarf.FormSecOffset, b.AddLine(line)),
		testdwarf.A(testdwarf.AtLowPC, testdwarf.FormAddr, low), testdwarf.A(testdwarf.AtHighPC, testdwarf.FormData4, high-low))
	b.AddUnit(&testdwarf.Unit{Version: 4, Root: root})
	return root
}

// module returns the sections of the program itself.
func (f *fixture) module() []testwasm.Section {
	var types []uint32
	var bodies []testwasm.Body
	for i := range f.fns {
		types, bodies = append(types, 0), append(bodies, f.fns[i].body)
	}
	return []testwasm.Section{
		testwasm.Types(testwasm.FuncType{}),
		testwasm.Imports(testwasm.Import{Module: "env", Name: "host", Kind: testwasm.KindFunc}),
		testwasm.Functions(types...),
		testwasm.Memories(testwasm.Limits{Min: 1}),
		testwasm.Exports(testwasm.Export{Name: "run", Kind: testwasm.KindFunc, Index: 1}),
		testwasm.Code(bodies...),
		testwasm.Data(testwasm.Segment{Bytes: []byte("some data of the program")}),
	}
}

func (n *fn) die(i int) *testdwarf.DIE {
	name := n.dwarfName
	if n.entry == "lost" {
		name = ""
	}
	d := testdwarf.Die(testdwarf.TagSubprogram)
	if n.entry == "" || n.entry == "lost" {
		d.Attrs = append(d.Attrs, testdwarf.A(testdwarf.AtName, testdwarf.FormString, name))
	}
	d.Attrs = append(d.Attrs, testdwarf.A(testdwarf.AtLowPC, testdwarf.FormAddr, n.low), testdwarf.A(testdwarf.AtHighPC, testdwarf.FormData4, n.high-n.low))
	if n.entry != "undeclared" {
		d.Attrs = append(d.Attrs, testdwarf.A(testdwarf.AtDeclFile, testdwarf.FormData1, 1), testdwarf.A(testdwarf.AtDeclLine, testdwarf.FormData1, 10*(i+1)-1))
	}
	return d.With(n.children...)
}

func (n *fn) sequence(l *testdwarf.Line) {
	if len(n.rows) == 0 {
		return
	}
	l.SetAddress(n.rowsAt)
	at, line := uint64(0), int64(1)
	for _, r := range n.rows {
		l.Row(r.at-at, r.line-line)
		at, line = r.at, r.line
	}
	l.Advance(n.rowsEnd - n.rowsAt - at).EndSequence()
}

func bodiesOf(t testing.TB, b []byte) []wasm.Body {
	t.Helper()
	r, err := wasm.NewBodyReader(parse(t, b))
	if err != nil {
		t.Fatal(err)
	}
	var out []wasm.Body
	for {
		body, err := r.Next()
		if err != nil {
			return out
		}
		out = append(out, body)
	}
}

func parse(t testing.TB, b []byte) *wasm.File {
	t.Helper()
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pair is a production module and its companion as bytes; a nil companion stands
// for one unsplit module.
type pair struct{ production, companion []byte }

// split splits a module.
func split(t testing.TB, b []byte, o rewrite.Options) pair {
	t.Helper()
	p, err := rewrite.Split(context.Background(), parse(t, b), o)
	if err != nil {
		t.Fatal(err)
	}
	return pair{bytesOf(t, p.Production), bytesOf(t, p.Companion)}
}

func bytesOf(t testing.TB, l *rewrite.Layout) []byte {
	t.Helper()
	b := make([]byte, l.Size())
	if _, err := l.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// memory is a module in memory whose views cost nothing.
type memory struct{ *bytes.Reader }

func (memory) Mapped() bool { return true }

func (m memory) Bytes(off, n int64) ([]byte, error) {
	b := make([]byte, n)
	_, err := m.ReadAt(b, off)
	return b, err
}

var _ debugfile.Source = memory{}

// module opens bytes as a module of a check.
func module(t testing.TB, path string, b []byte) *symcheck.Module {
	t.Helper()
	return &symcheck.Module{Path: path, File: parse(t, b), Source: memory{bytes.NewReader(b)}}
}

// check checks a pair that is not on disk.
func (p pair) check(t testing.TB, path string, o symcheck.Options) *report.Subject {
	t.Helper()
	var companion *symcheck.Module
	if p.companion != nil {
		companion = module(t, path+".debug.wasm", p.companion)
	}
	s, err := symcheck.Check(context.Background(), module(t, path+".wasm", p.production), companion, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// edit takes a module apart, has its sections changed, and puts it together again.
func edit(t testing.TB, b []byte, change func([]testwasm.Section) []testwasm.Section) []byte {
	t.Helper()
	f := parse(t, b)
	var sections []testwasm.Section
	for i := range f.Sections {
		s := &f.Sections[i]
		sections = append(sections, testwasm.Section{ID: s.ID, Name: s.Name, Payload: b[s.Data:s.End()], Width: s.SizeWidth})
	}
	return testwasm.Build(change(sections)...)
}

// flip changes one bit of the byte at an offset of a section's contents.
func flip(t testing.TB, b []byte, section string, at int) []byte {
	t.Helper()
	return edit(t, b, func(s []testwasm.Section) []testwasm.Section {
		i := testwasm.Find(s, section)
		if i < 0 {
			t.Fatalf("there is no section %s", section)
		}
		if s[i].Payload = bytes.Clone(s[i].Payload); at < 0 {
			at += len(s[i].Payload)
		}
		s[i].Payload[at] ^= 1
		return s
	})
}

// flipText changes one bit of the first letter of a text in a section's contents.
func flipText(t testing.TB, b []byte, section, text string) []byte {
	t.Helper()
	s := parse(t, b).Custom(section)
	at := bytes.Index(b[s.Data:s.End()], []byte(text))
	if at < 0 {
		t.Fatalf("there is no %q in %s", text, section)
	}
	return flip(t, b, section, at)
}

// idOf returns the contents of a build_id section.
func idOf(id string) []byte { return buildid.Encode(buildid.ID(id)) }
