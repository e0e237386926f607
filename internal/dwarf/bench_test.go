package dwarf_test

import (
	stddwarf "debug/dwarf"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// bigSections is about 19 MB of units like those of C++: many types and
// declarations, functions with calls inlined three deep. WASM_DEBUGID_BIG may
// name a real module to be measured in its place.
func bigSections(tb testing.TB) map[string][]byte {
	tb.Helper()
	if path := os.Getenv("WASM_DEBUGID_BIG"); path != "" {
		module, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		return customSections(module)
	}
	b := td.New()
	addr := uint64(2)
	for i := range 8 {
		l := &td.Line{Version: 4, Dirs: []string{"/src"}, Files: []td.File{{Name: "a.c", Dir: 1}}}
		root := cu(td.A(td.AtName, td.FormStrp, fmt.Sprint("unit", i, ".cc")), td.A(td.AtLowPC, td.FormAddr, 0))
		member := func(n int) *td.DIE {
			return td.Die(td.TagVariable, td.A(td.AtName, td.FormStrp, fmt.Sprint("member", n%500)),
				td.A(td.AtType, td.FormRef4, 0x20), td.A(td.AtDeclFile, td.FormData1, 1), td.A(td.AtDeclLine, td.FormData2, n%1000))
		}
		for j := range 4000 {
			method := td.Die(td.TagSubprogram, td.A(td.AtLinkageName, td.FormStrp, fmt.Sprint("_ZN4type", j, "Ev")),
				td.A(td.AtName, td.FormStrp, fmt.Sprint("method", j)), td.A(td.AtDeclFile, td.FormData1, 1), td.A(td.AtDeclLine, td.FormData2, j%1000))
			root.With(td.Die(td.TagStructType, td.A(td.AtName, td.FormStrp, fmt.Sprint("type", j))).With(
				member(j), member(j+1), member(j+2), member(j+3),
				method.With(td.Die(td.TagFormalParameter, td.A(td.AtType, td.FormRef4, 0x20)))))
			const size = 40
			low := addr
			addr += size + 2
			inline := func(at uint64) *td.DIE {
				return call(method, low+at, size-2*at, td.A(td.AtCallFile, td.FormData1, 1), td.A(td.AtCallLine, td.FormData2, j%900), td.A(td.AtCallColumn, td.FormData1, 9))
			}
			loc := td.A(td.AtLocation, td.FormExprloc, []byte{0x91, 0x10})
			root.With(fn("f", low, size).With(
				td.Die(td.TagFormalParameter, loc, td.A(td.AtType, td.FormRef4, 0x20)),
				td.Die(td.TagVariable, loc, td.A(td.AtType, td.FormRef4, 0x20)),
				inline(2).With(inline(4).With(td.Die(td.TagFormalParameter, loc), inline(6))), inline(8)))
			l.SetAddress(low)
			for k := range 18 {
				l.Op(5, int64(k)).Special(2, k%5)
			}
			l.Advance(4).EndSequence()
		}
		root.Attrs = append(root.Attrs, td.A(td.AtStmtList, td.FormSecOffset, b.AddLine(l)))
		b.AddUnit(&td.Unit{Version: 4, Root: root})
	}
	return b.Build()
}

// size sets the throughput in bytes of what is walked over.
func size(b *testing.B, s map[string][]byte, names ...string) {
	n := 0
	for _, name := range names {
		n += len(s[name])
	}
	b.SetBytes(int64(n))
	b.ReportAllocs()
	b.ResetTimer()
}

// BenchmarkIndex does all that an index needs: units, functions and rows.
func BenchmarkIndex(b *testing.B) {
	s := bigSections(b)
	size(b, s, ".debug_info", ".debug_line")
	for b.Loop() {
		d := open(s)
		var seqs dwarf.SequenceReader
		for i := range d.NumUnits() {
			if _, err := d.Unit(i).Functions(dwarf.FuncOptions{}); err != nil {
				b.Fatal(err)
			}
			if p, err := d.Unit(i).LineProgram(); err == nil && p != nil {
				for seqs.Reset(p); seqs.Next(); {
				}
			}
		}
	}
}

// BenchmarkFunctions builds the functions of all units.
func BenchmarkFunctions(b *testing.B) {
	s := bigSections(b)
	d := open(s)
	size(b, s, ".debug_info")
	entries, functions, inlines := 0, 0, 0
	for b.Loop() {
		entries, functions, inlines = 0, 0, 0
		for i := range d.NumUnits() {
			f, err := d.Unit(i).Functions(dwarf.FuncOptions{})
			if err != nil {
				b.Fatal(err)
			}
			entries += f.Stats.Entries
			functions += len(f.Funcs)
			inlines += len(f.Inlines)
		}
	}
	b.ReportMetric(float64(entries), "entries")
	b.ReportMetric(float64(functions), "functions")
	b.ReportMetric(float64(inlines), "inlines")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
}

// BenchmarkDecl resolves the names of all functions and calls.
func BenchmarkDecl(b *testing.B) {
	s := bigSections(b)
	d := open(s)
	var all []*dwarf.Functions
	n := 0
	for i := range d.NumUnits() {
		f, err := d.Unit(i).Functions(dwarf.FuncOptions{})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, f)
		n += f.NumOrigins()
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range all {
			for i := range f.NumOrigins() {
				if _, err := f.Decl(uint32(i)); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/name")
}

// BenchmarkCursor steps over all entries.
func BenchmarkCursor(b *testing.B) {
	s := bigSections(b)
	d := open(s)
	size(b, s, ".debug_info")
	for b.Loop() {
		for i := range d.NumUnits() {
			c, err := d.Unit(i).Cursor()
			if err != nil {
				b.Fatal(err)
			}
			for c.Next() {
			}
		}
	}
}

// BenchmarkRows runs all line programs.
func BenchmarkRows(b *testing.B) {
	s := bigSections(b)
	d := open(s)
	size(b, s, ".debug_line")
	rows := 0
	var seqs dwarf.SequenceReader
	for b.Loop() {
		rows = 0
		d.LinePrograms(4, func(p *dwarf.LineProgram) bool {
			for seqs.Reset(p); seqs.Next(); {
			}
			rows += seqs.Stats().Rows + seqs.Stats().DeadRows
			return true
		})
	}
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

// BenchmarkRowCount runs all line programs without keeping a row.
func BenchmarkRowCount(b *testing.B) {
	s := bigSections(b)
	d := open(s)
	size(b, s, ".debug_line")
	rows := 0
	var seqs dwarf.SequenceReader
	for b.Loop() {
		rows = 0
		d.LinePrograms(4, func(p *dwarf.LineProgram) bool {
			for seqs.Reset(p); seqs.NextCounted(nil); {
			}
			rows += seqs.Stats().Rows + seqs.Stats().DeadRows
			return true
		})
	}
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

// BenchmarkStandardLibraryEntries steps over all entries with debug/dwarf.
func BenchmarkStandardLibraryEntries(b *testing.B) {
	s := bigSections(b)
	d := stdData(b, s)
	size(b, s, ".debug_info")
	for b.Loop() {
		r := d.Reader()
		for {
			e, err := r.Next()
			if err != nil {
				b.Fatal(err)
			}
			if e == nil {
				break
			}
			if e.Tag == stddwarf.TagSubprogram || e.Tag == stddwarf.TagInlinedSubroutine {
				_, _ = d.Ranges(e)
			}
		}
	}
}

// BenchmarkStandardLibraryRows runs all line programs with debug/dwarf.
func BenchmarkStandardLibraryRows(b *testing.B) {
	s := bigSections(b)
	d := stdData(b, s)
	size(b, s, ".debug_line")
	for b.Loop() {
		r := d.Reader()
		for {
			e, err := r.Next()
			if err != nil {
				b.Fatal(err)
			}
			if e == nil {
				break
			}
			if lr, err := d.LineReader(e); err == nil && lr != nil {
				var le stddwarf.LineEntry
				for {
					if err := lr.Next(&le); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			r.SkipChildren()
		}
	}
}
