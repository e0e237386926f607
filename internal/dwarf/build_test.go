package dwarf_test

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

var wasmOptions = dwarf.Options{ZeroIsDead: true}

// open reads built sections.
func open(s td.Sections) *dwarf.Data {
	var sec dwarf.Sections
	for name, data := range s {
		sec.Set(name, data)
	}
	return dwarf.New(sec, wasmOptions)
}

// unit builds a file of one unit.
func unit(b *td.Builder, u *td.Unit) *dwarf.Unit {
	b.AddUnit(u)
	return open(b.Build()).Unit(0)
}

// functions reads the functions of a unit.
func functions(tb testing.TB, u *dwarf.Unit) *dwarf.Functions {
	tb.Helper()
	f, err := u.Functions(dwarf.FuncOptions{CheckScopes: true})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// names returns the names of the functions.
func names(tb testing.TB, f *dwarf.Functions) []string {
	tb.Helper()
	var out []string
	for _, fn := range f.Funcs {
		decl, err := f.Decl(fn.Origin)
		if err != nil {
			tb.Error(err)
		}
		out = append(out, string(decl.Name))
	}
	return out
}

// cu makes a compile unit entry.
func cu(attrs ...td.Attr) *td.DIE { return td.Die(td.TagCompileUnit, attrs...) }

// fn makes a function with a start and a length.
func fn(name string, low, length uint64, attrs ...td.Attr) *td.DIE {
	return td.Die(td.TagSubprogram, append([]td.Attr{
		td.A(td.AtName, td.FormString, name),
		td.A(td.AtLowPC, td.FormAddr, low),
		td.A(td.AtHighPC, td.FormData4, length),
	}, attrs...)...)
}

// call makes an inlined call with a start and a length.
func call(origin *td.DIE, low, length uint64, attrs ...td.Attr) *td.DIE {
	return td.Die(td.TagInlinedSubroutine, append([]td.Attr{
		td.A(td.AtAbstractOrigin, td.FormRef4, origin),
		td.A(td.AtLowPC, td.FormAddr, low),
		td.A(td.AtHighPC, td.FormData4, length),
	}, attrs...)...)
}

// abstract makes a function without code.
func abstract(name string) *td.DIE {
	return td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, name))
}

// allRanges reads an iterator to its end.
func allRanges(it dwarf.RangeIter) ([]dwarf.RangeEntry, error) {
	var out []dwarf.RangeEntry
	var e dwarf.RangeEntry
	for it.Next(&e) {
		e.Off = 0
		out = append(out, e)
	}
	return out, it.Err()
}

// sequences reads a program to its end.
func sequences(p *dwarf.LineProgram) ([]dwarf.Sequence, [][]dwarf.Row, *dwarf.SequenceReader) {
	r := p.Sequences()
	var seqs []dwarf.Sequence
	var rows [][]dwarf.Row
	for r.Next() {
		seq := r.Sequence()
		seq.Off = 0
		seqs = append(seqs, seq)
		rows = append(rows, append([]dwarf.Row(nil), r.Rows()...))
	}
	return seqs, rows, &r
}

// program builds a file with one line program and reads its header.
func program(tb testing.TB, l *td.Line) *dwarf.LineProgram {
	tb.Helper()
	b := td.New()
	b.AddLine(l)
	var p *dwarf.LineProgram
	problems := open(b.Build()).LinePrograms(4, func(x *dwarf.LineProgram) bool { p = x; return false })
	if problems.Total > 0 {
		tb.Fatal(problems.List[0])
	}
	return p
}
