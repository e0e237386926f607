package dwarf_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// fuzzSeeds are small modules of different producers and versions.
var fuzzSeeds = []string{
	"c/O2-dw4.wasm", "c/O2-dw5.wasm", "c/dw2.wasm", "c/mem64-dw5.wasm", "c/types-dw5.wasm", "c/lineonly-dw5.wasm",
	"c/split-dw4.trap.dwo", "c/split-dw5.dwp", "c/split-dw5.wasm", "cpp/types-dw4.wasm", "zig/small.wasm", "weak/w22-ab.wasm",
}

// Fuzz inputs are sections one after the other: a byte that says which, a
// 32-bit length that may lie, the bytes.
func packSections(s map[string][]byte) []byte {
	var out []byte
	for id := dwarf.SecInfo; id <= dwarf.SecTUIndex; id++ {
		for _, dwo := range []byte{0, 0x80} {
			name := id.String()
			if dwo != 0 {
				name += ".dwo"
			}
			if data := s[name]; data != nil {
				out = append(out, byte(id)|dwo)
				out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
				out = append(out, data...)
			}
		}
	}
	return out
}

func unpackSections(in []byte) (main, dwo dwarf.Sections) {
	dwo.DWO = true
	for len(in) >= 5 {
		name := dwarf.SectionID(in[0] & 0x7f).String()
		if in[0]&0x80 != 0 {
			name += ".dwo"
		}
		n := min(uint64(binary.LittleEndian.Uint32(in[1:])), uint64(len(in)-5))
		data := in[5:][:n]
		in = in[5+n:]
		main.Set(name, data)
		dwo.Set(name, data)
	}
	return main, dwo
}

func addSeeds(f *testing.F) {
	for _, name := range fuzzSeeds {
		module, err := os.ReadFile(file(name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packSections(customSections(module)), true)
	}
	b := td.New()
	b.AddUnit(&td.Unit{Version: 5, AddrSize: 8, Is64: true, Root: cu(td.A(td.AtName, td.FormStrx, "x")).With(fn("f", 0x40, 4))})
	f.Add(packSections(b.Build()), false)
	f.Add([]byte{}, false)
}

// checkFunctions looks at what must hold for the functions of any input.
func checkFunctions(t *testing.T, f *dwarf.Functions) {
	t.Helper()
	checkSpan := func(s dwarf.Span, n int) {
		if s.Lo > s.Hi || int(s.Hi) > n {
			t.Fatalf("span %v of %d", s, n)
		}
	}
	max := f.Unit.MaxAddr()
	for _, r := range f.Ranges {
		if r.Start >= r.End || r.End > max || f.Unit.IsTombstone(r.Start) {
			t.Fatalf("range %+v is not live", r)
		}
	}
	covered := 0
	for i, fn := range f.Funcs {
		checkSpan(fn.Ranges, len(f.Ranges))
		checkSpan(fn.Inlines, len(f.Inlines))
		if fn.Ranges.Len() == 0 {
			t.Fatal("function without ranges")
		}
		covered += fn.Inlines.Len()
		_, _ = f.Decl(fn.Origin)
		for j := fn.Inlines.Lo; j < fn.Inlines.Hi; j++ {
			in := f.Inlines[j]
			checkSpan(in.Ranges, len(f.Ranges))
			if int(in.Func) != i || in.End <= j || in.End > fn.Inlines.Hi || in.Parent >= int32(j) ||
				in.Parent >= 0 && (uint32(in.Parent) < fn.Inlines.Lo || f.Inlines[in.Parent].End < in.End) {
				t.Fatalf("call %d of function %d is out of place: %+v", j, i, in)
			}
			_, _ = f.Decl(in.Origin)
		}
	}
	if covered != len(f.Inlines) {
		t.Fatalf("functions hold %d of %d calls", covered, len(f.Inlines))
	}
}

// FuzzUnits reads headers, root entries, every attribute of every entry, and
// finds split units.
func FuzzUnits(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte, zero bool) {
		main, split := unpackSections(in)
		opt := dwarf.Options{ZeroIsDead: zero}
		d, dwo := dwarf.New(main, opt), dwarf.New(split, opt)
		pack, packErr := dwarf.OpenPackage(split, opt)
		work := 0
		for i := range d.NumUnits() {
			u := d.Unit(i)
			_ = u.Problems()
			if c, err := u.Cursor(); err == nil {
				var off uint64
				for c.Next() && work < 1<<16 {
					if c.Off() <= off {
						t.Fatalf("cursor goes back from 0x%x to 0x%x", off, c.Off())
					}
					off = c.Off()
					c.VisitAttrs(func(_ dwarf.Attr, v dwarf.Value) bool {
						work++
						_, _ = u.String(v)
						_, _ = u.Address(v)
						_, _ = u.Ref(v)
						return true
					})
				}
			}
			if split, err := dwarf.AttachDWO(u, dwo); err == nil {
				_, _ = split.Functions(dwarf.FuncOptions{})
			}
			if packErr == nil && i < 16 {
				if split, err := pack.Attach(u); err == nil {
					_, _ = split.Root()
				}
			}
		}
		d.Aranges(func(dwarf.ArangesEntry) bool { return true })
	})
}

// FuzzRanges reads the ranges and location lists of every entry.
func FuzzRanges(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte, zero bool) {
		main, _ := unpackSections(in)
		d := dwarf.New(main, dwarf.Options{ZeroIsDead: zero})
		work := 0
		for i := range d.NumUnits() {
			u := d.Unit(i)
			c, err := u.Cursor()
			if err != nil {
				continue
			}
			for c.Next() && work < 1<<16 {
				it := c.EntryRanges()
				var e dwarf.RangeEntry
				for ; it.Next(&e); work++ {
					live := e.Start < e.End && e.End <= u.MaxAddr() && !u.IsTombstone(e.Start)
					if e.Class == dwarf.RangeLive && !live {
						t.Fatalf("%+v", e)
					}
				}
				if v, ok := c.Attr(dwarf.AttrLocation); ok {
					var e dwarf.LocEntry
					for locs := u.Locations(v); locs.Next(&e); work++ {
					}
				}
			}
		}
	})
}

// FuzzFunctions builds the functions of every unit.
func FuzzFunctions(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte, zero bool) {
		main, _ := unpackSections(in)
		d := dwarf.New(main, dwarf.Options{ZeroIsDead: zero})
		for i := range d.NumUnits() {
			for _, check := range []bool{false, true} {
				fns, err := d.Unit(i).Functions(dwarf.FuncOptions{CheckScopes: check})
				if err != nil {
					continue
				}
				checkFunctions(t, fns)
				sameWalk(t, d.Unit(i), dwarf.FuncOptions{CheckScopes: check})
				sameShadowed(t, d.Unit(i), dwarf.FuncOptions{CheckScopes: check})
			}
		}
	})
}

// FuzzLine runs every line program, twice: the rows of the sequences must be
// among the rows of the program, in order.
func FuzzLine(f *testing.F) {
	for _, name := range append(fuzzSeeds, "c/linedirs-dw5.wasm") {
		module, err := os.ReadFile(file(name))
		if err != nil {
			f.Fatal(err)
		}
		s := customSections(module)
		f.Add(s[".debug_line"], s[".debug_line_str"], uint8(4), true)
	}
	l := &td.Line{Version: 4, MinInst: 4, MaxOps: 3, Files: []td.File{{Name: "a.c"}}}
	l.SetAddress(0x40).Special(2, 1).Op(8).Ext(3, td.Bytes(nil).Str("d").U8(0, 0, 0)...).Copy().SetAddress(dead4).Copy().EndSequence()
	f.Add(header(l), []byte("x\x00"), uint8(8), false)
	f.Fuzz(func(t *testing.T, line, lineStr []byte, addrSize uint8, zero bool) {
		d := dwarf.New(dwarf.Sections{Line: line, LineStr: lineStr}, dwarf.Options{ZeroIsDead: zero})
		programs := 0
		d.LinePrograms(addrSize, func(p *dwarf.LineProgram) bool {
			programs++
			all := 0
			rr := p.Rows()
			var row dwarf.Row
			for rr.Next(&row) {
				all++
			}
			seqs := p.Sequences()
			kept := 0
			for seqs.Next() {
				s := seqs.Sequence()
				if s.Start >= s.End || len(seqs.Rows()) == 0 {
					t.Fatalf("sequence %+v with %d rows", s, len(seqs.Rows()))
				}
				last := s.Start
				for _, row := range seqs.Rows() {
					if row.Addr < last || row.Addr > s.End {
						t.Fatalf("row at 0x%x in %+v", row.Addr, s)
					}
					last = row.Addr
					kept++
				}
			}
			st := seqs.Stats()
			if kept != st.Rows || kept+st.DeadRows+st.BackwardRows+st.WrappedRows > all {
				t.Fatalf("%d rows, of which %+v", all, st)
			}
			sameShort(t, p)
			files := p.Files()
			for i := range min(files.NumFiles(), 100) {
				_, _ = files.Path(uint64(i))
			}
			return programs < 64
		})
	})
}
