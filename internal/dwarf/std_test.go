package dwarf_test

import (
	stddwarf "debug/dwarf"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// stdData opens the same sections with the standard library.
func stdData(tb testing.TB, sections map[string][]byte) *stddwarf.Data {
	tb.Helper()
	s := sections
	d, err := stddwarf.New(s[".debug_abbrev"], s[".debug_aranges"], nil, s[".debug_info"], s[".debug_line"], nil, s[".debug_ranges"], s[".debug_str"])
	if err != nil {
		tb.Fatalf("standard library: %v", err)
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists", ".debug_loclists"} {
		if s[name] != nil {
			if err := d.AddSection(name, s[name]); err != nil {
				tb.Fatalf("standard library: %v", err)
			}
		}
	}
	if s[".debug_types"] != nil {
		if err := d.AddTypes(".debug_types", s[".debug_types"]); err != nil {
			tb.Fatalf("standard library: %v", err)
		}
	}
	return d
}

// unitView, funcView and inlineView are what both readers are asked for.
type unitView struct {
	Off                     uint64
	Tag                     uint32
	Name, CompDir, Producer string
	Language                int64
	Functions               []funcView
	Dead                    int
}

type funcView struct {
	Off           uint64
	Name, Linkage string
	Line          int64
	Ranges        []dwarf.Range
	Inlines       []inlineView
}

type inlineView struct {
	Off, Parent   uint64
	Name, Linkage string
	Ranges        []dwarf.Range
	File          string
	Line, Colm    int64
}

// stdUnits collects the view with the standard library, following rules of its
// own making rather than the reader's.
func stdUnits(tb testing.TB, d *stddwarf.Data) []unitView {
	tb.Helper()
	var units []unitView
	r := d.Reader()
	type open struct {
		tag  stddwarf.Tag
		fn   *funcView // nil: removed or none
		in   uint64    // offset of the call
		live bool
	}
	var stack []open
	var addrMax uint64
	var files []*stddwarf.LineFile
	for {
		e, err := r.Next()
		if err != nil {
			tb.Fatalf("standard library: %v", err)
		}
		if e == nil {
			return units
		}
		if e.Tag == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		this := open{tag: e.Tag}
		if len(stack) > 0 {
			this.fn, this.in, this.live = stack[len(stack)-1].fn, stack[len(stack)-1].in, stack[len(stack)-1].live
		}
		switch e.Tag {
		case stddwarf.TagCompileUnit, stddwarf.TagPartialUnit, stddwarf.TagTypeUnit, stddwarf.TagSkeletonUnit:
			addrMax = 1<<(8*r.AddressSize()) - 1
			if r.AddressSize() == 8 {
				addrMax = ^uint64(0)
			}
			stack = nil
			files = nil
			if lr, err := d.LineReader(e); err != nil {
				tb.Fatalf("standard library: %v", err)
			} else if lr != nil {
				files = lr.Files()
			}
			u := unitView{Off: uint64(e.Offset), Tag: uint32(e.Tag)}
			u.Name, _ = e.Val(stddwarf.AttrName).(string)
			u.CompDir, _ = e.Val(stddwarf.AttrCompDir).(string)
			u.Producer, _ = e.Val(stddwarf.AttrProducer).(string)
			u.Language, _ = e.Val(stddwarf.AttrLanguage).(int64)
			units = append(units, u)
		case stddwarf.TagSubprogram:
			u := &units[len(units)-1]
			this.fn, this.in, this.live = nil, 0, false
			if e.Val(stddwarf.AttrLowpc) == nil && e.Val(stddwarf.AttrRanges) == nil {
				break
			}
			live, dead := stdRanges(tb, d, e, addrMax)
			if len(live) == 0 {
				if dead {
					u.Dead++
				}
				break
			}
			f := funcView{Off: uint64(e.Offset), Ranges: live}
			f.Name, f.Linkage, f.Line = stdDecl(tb, d, e)
			u.Functions = append(u.Functions, f)
			this.fn, this.live = &u.Functions[len(u.Functions)-1], true
		case stddwarf.TagInlinedSubroutine:
			if !this.live {
				break
			}
			live, _ := stdRanges(tb, d, e, addrMax)
			if len(live) == 0 {
				this.live = false
				break
			}
			in := inlineView{Off: uint64(e.Offset), Parent: this.in, Ranges: live}
			in.Name, in.Linkage, _ = stdDecl(tb, d, e)
			if i, ok := e.Val(stddwarf.AttrCallFile).(int64); ok {
				in.File = cleanPath(units[len(units)-1].CompDir, files[i].Name)
			}
			in.Line, _ = e.Val(stddwarf.AttrCallLine).(int64)
			in.Colm, _ = e.Val(stddwarf.AttrCallColumn).(int64)
			this.fn.Inlines = append(this.fn.Inlines, in)
			this.in = in.Off
		}
		if e.Children {
			stack = append(stack, this)
		}
	}
}

func stdRanges(tb testing.TB, d *stddwarf.Data, e *stddwarf.Entry, addrMax uint64) (live []dwarf.Range, dead bool) {
	tb.Helper()
	all, err := d.Ranges(e)
	if err != nil {
		tb.Fatalf("standard library: ranges of 0x%x: %v", e.Offset, err)
	}
	for _, r := range all {
		switch {
		case r[0] == 0 || r[0] >= addrMax-1:
			dead = true
		case r[1] > r[0] && r[1] <= addrMax:
			live = append(live, dwarf.Range{Start: r[0], End: r[1]})
		}
	}
	slices.SortFunc(live, func(a, b dwarf.Range) int { return int(a.Start) - int(b.Start) })
	return live, dead
}

func stdDecl(tb testing.TB, d *stddwarf.Data, e *stddwarf.Entry) (name, linkage string, line int64) {
	tb.Helper()
	const mipsLinkageName = stddwarf.Attr(0x2007) // what DWARF 2 and 3 have
	for range 10 {
		if s, ok := e.Val(stddwarf.AttrName).(string); ok && name == "" {
			name = s
		}
		for _, attr := range []stddwarf.Attr{stddwarf.AttrLinkageName, mipsLinkageName} {
			if s, ok := e.Val(attr).(string); ok && linkage == "" {
				linkage = s
			}
		}
		if n, ok := e.Val(stddwarf.AttrDeclLine).(int64); ok && line == 0 {
			line = n
		}
		to, ok := e.Val(stddwarf.AttrAbstractOrigin).(stddwarf.Offset)
		if !ok {
			to, ok = e.Val(stddwarf.AttrSpecification).(stddwarf.Offset)
		}
		if !ok {
			break
		}
		r := d.Reader()
		r.Seek(to)
		var err error
		if e, err = r.Next(); err != nil || e == nil {
			tb.Fatalf("standard library: entry 0x%x: %v", to, err)
		}
	}
	return name, linkage, line
}

// ourUnits collects the view with this package.
func ourUnits(tb testing.TB, d *dwarf.Data) []unitView {
	tb.Helper()
	if p := d.Problems(); p.Total > 0 {
		tb.Errorf("unit headers: %v", p.List[0])
	}
	var units []unitView
	for i := range d.NumUnits() {
		u := d.Unit(i)
		if u.Section != dwarf.SecInfo {
			continue
		}
		units = append(units, ourUnit(tb, u))
	}
	return units
}

func ourUnit(tb testing.TB, u *dwarf.Unit) unitView {
	tb.Helper()
	root, err := u.Root()
	if err != nil {
		tb.Fatal(err)
	}
	v := unitView{
		Off: u.DIE, Tag: uint32(root.Tag), Name: string(root.Name), CompDir: string(root.CompDir),
		Producer: string(root.Producer), Language: int64(root.Language),
	}
	fns, err := u.Functions(dwarf.FuncOptions{CheckScopes: true})
	if err != nil {
		tb.Fatal(err)
	}
	v.Dead = fns.Stats.DeadFuncs
	p, err := u.LineProgram()
	if err != nil {
		tb.Fatal(err)
	}
	files := new(dwarf.FileTable)
	if p != nil {
		files = p.Files()
	}
	for _, f := range fns.Funcs {
		decl, err := fns.Decl(f.Origin)
		if err != nil {
			tb.Error(err)
		}
		fv := funcView{Off: f.Off, Name: string(decl.Name), Linkage: string(decl.LinkageName), Line: int64(decl.Line)}
		fv.Ranges = append(fv.Ranges, fns.Ranges[f.Ranges.Lo:f.Ranges.Hi]...)
		for j := f.Inlines.Lo; j < f.Inlines.Hi; j++ {
			in := fns.Inlines[j]
			decl, err := fns.Decl(in.Origin)
			if err != nil {
				tb.Error(err)
			}
			iv := inlineView{
				Off: in.Off, Name: string(decl.Name), Linkage: string(decl.LinkageName),
				Line: int64(in.CallLine), Colm: int64(in.CallColumn),
			}
			if file, ok := files.Path(uint64(in.CallFile)); ok {
				iv.File = path.Clean(file)
			}
			iv.Ranges = append(iv.Ranges, fns.Ranges[in.Ranges.Lo:in.Ranges.Hi]...)
			if in.Parent >= 0 {
				iv.Parent = fns.Inlines[in.Parent].Off
				if j >= fns.Inlines[in.Parent].End {
					tb.Errorf("call 0x%x is not before the end of its parent", in.Off)
				}
			}
			fv.Inlines = append(fv.Inlines, iv)
		}
		v.Functions = append(v.Functions, fv)
	}
	return v
}

// TestFunctionsAsStandardLibrary compares units, functions, ranges and inlined
// calls with debug/dwarf.
func TestFunctionsAsStandardLibrary(t *testing.T) {
	functions, inlines := 0, 0
	for _, path := range corpus(t) {
		t.Run(name(path), func(t *testing.T) {
			sections, main, _ := load(t, path)
			if main.Info == nil {
				t.Skip("has no .debug_info")
			}
			want := stdUnits(t, stdData(t, sections))
			got := ourUnits(t, dwarf.New(main, dwarf.Options{ZeroIsDead: true}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("standard library (-), this package (+):\n%s", diff)
			}
			for _, u := range got {
				functions += len(u.Functions)
				for _, f := range u.Functions {
					inlines += len(f.Inlines)
				}
			}
		})
	}
	if functions < 200 || inlines < 100 {
		t.Errorf("only %d functions and %d inlined calls were compared", functions, inlines)
	}
}

func name(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(path, corpusDir+"/", ""), "/")
}

// rowView is a row as both readers see it.
type rowView struct {
	Addr               uint64
	File               string
	Line, Column, Disc int
	Stmt, Block, End   bool
	Prologue, Epilogue bool
	OpIndex            int
}

func (r rowView) String() string { return fmt.Sprintf("%+v", struct{ rowView }{r}) }

// TestRowsAsStandardLibrary compares every row of every line program.
func TestRowsAsStandardLibrary(t *testing.T) {
	rows := 0
	for _, path := range corpus(t) {
		t.Run(name(path), func(t *testing.T) {
			sections, main, _ := load(t, path)
			if main.Info == nil {
				t.Skip("has no .debug_info")
			}
			std := stdData(t, sections)
			d := dwarf.New(main, dwarf.Options{ZeroIsDead: true})
			r := std.Reader()
			for i := range d.NumUnits() {
				u := d.Unit(i)
				if u.Section != dwarf.SecInfo {
					continue
				}
				r.Seek(stddwarf.Offset(u.DIE))
				e, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				want := stdRows(t, std, e, u.MaxAddr())
				got := ourRows(t, u)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("unit 0x%x: standard library (-), this package (+):\n%s", u.Off, diff)
				}
				rows += len(got)
			}
		})
	}
	if rows < 2000 {
		t.Errorf("only %d rows were compared", rows)
	}
}

// stdRows collects rows with the standard library. It computes with 64 bits
// whatever the address size and lets them run over in sequences of removed
// code; there this package stays at the highest address.
func stdRows(tb testing.TB, d *stddwarf.Data, e *stddwarf.Entry, addrMax uint64) []rowView {
	tb.Helper()
	lr, err := d.LineReader(e)
	if err != nil {
		tb.Fatalf("standard library: %v", err)
	}
	if lr == nil {
		return nil
	}
	compDir, _ := e.Val(stddwarf.AttrCompDir).(string)
	var rows []rowView
	var le stddwarf.LineEntry
	over := false // in a sequence of removed code
	for {
		if err := lr.Next(&le); err == io.EOF {
			return rows
		} else if err != nil {
			tb.Fatalf("standard library: %v", err)
		}
		v := rowView{
			Addr: le.Address, Line: le.Line, Column: le.Column, Disc: le.Discriminator, OpIndex: le.OpIndex,
			Stmt: le.IsStmt, Block: le.BasicBlock, End: le.EndSequence, Prologue: le.PrologueEnd, Epilogue: le.EpilogueBegin,
		}
		if over = over || le.Address > addrMax-2; over {
			v.Addr = addrMax
		}
		over = over && !le.EndSequence
		if le.File != nil {
			v.File = cleanPath(compDir, le.File.Name)
		}
		rows = append(rows, v)
	}
}

// cleanPath makes paths comparable: the standard library leaves directories of
// DWARF 5 relative, and cleans what it joins.
func cleanPath(compDir, file string) string {
	if !path.IsAbs(file) {
		file = path.Join(compDir, file)
	}
	return path.Clean(file)
}

func ourRows(tb testing.TB, u *dwarf.Unit) []rowView {
	tb.Helper()
	p, err := u.LineProgram()
	if err != nil {
		tb.Fatal(err)
	}
	if p == nil {
		return nil
	}
	files := p.Files()
	if problems := files.Problems(); problems.Total > 0 {
		tb.Error(problems.List[0])
	}
	var rows []rowView
	var row dwarf.Row
	rr := p.Rows()
	for rr.Next(&row) {
		v := rowView{
			Addr: row.Addr, Line: int(row.Line), Column: int(row.Column), Disc: int(row.Discriminator), OpIndex: int(row.OpIndex),
			Stmt: row.Flags&dwarf.RowIsStmt != 0, Block: row.Flags&dwarf.RowBasicBlock != 0, End: row.Flags&dwarf.RowEndSequence != 0,
			Prologue: row.Flags&dwarf.RowPrologueEnd != 0, Epilogue: row.Flags&dwarf.RowEpilogueBegin != 0,
		}
		if file, ok := files.Path(uint64(row.File)); ok {
			v.File = path.Clean(file)
		}
		rows = append(rows, v)
	}
	if problems := rr.Problems(); problems.Total > 0 {
		tb.Error(problems.List[0])
	}
	return rows
}
