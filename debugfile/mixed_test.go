package debugfile_test

import (
	"fmt"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestMixedEncodings: units of every version, of 32- and 64-bit DWARF and with 4-
// and 8-byte addresses stand in one file, and refer to each other.
func TestMixedEncodings(t *testing.T) {
	type encoding struct {
		version, addrSize int
		is64              bool
	}
	var all []encoding
	for version := 2; version <= 5; version++ {
		for _, size := range []int{4, 8} {
			all = append(all, encoding{version, size, false})
			if version > 2 { // which has no 64-bit form
				all = append(all, encoding{version, size, true})
			}
		}
	}
	sizes := make([]int, len(all)+1)
	for i := range sizes {
		sizes[i] = 16
	}
	w := newWorld(sizes...)
	shared := abstract("shared")
	w.AddUnit(&td.Unit{Version: 4, AddrSize: 8, Root: td.Die(td.TagCompileUnit).With(shared)})
	var wants []want
	for i, e := range all {
		start, end := w.start(i), w.end(i)
		file := td.File{Name: fmt.Sprintf("f%d.c", i)}
		l := &td.Line{Version: e.version, AddrSize: e.addrSize, Is64: e.is64, Files: []td.File{file, {Name: "other.c"}}, Dirs: []string{"/src"}}
		if e.version >= 5 {
			l.Files = []td.File{file, file, {Name: "other.c"}}
		}
		// A sequence of removed code, whose address is all ones in the unit's size.
		dead := uint64(1)<<(8*e.addrSize-1)<<1 - 1
		l.SetAddress(dead).Row(0, 90).Advance(4).EndSequence()
		run(l, end, row(start+1, 5), row(start+4, 7))
		form := td.FormSecOffset
		if e.version < 4 {
			form = td.FormData4
			if e.is64 {
				form = td.FormData8
			}
		}
		attrs := []td.Attr{td.A(td.AtStmtList, form, w.AddLine(l)), td.A(td.AtLowPC, td.FormAddr, start)}
		high := td.A(td.AtHighPC, td.FormData1, end-start)
		if e.version < 4 {
			high = td.A(td.AtHighPC, td.FormAddr, end)
		}
		call := inlined(shared, start+4, start+9, 6)
		call.Attrs[0] = td.A(td.AtAbstractOrigin, td.FormRefAddr, shared)
		if e.version < 4 {
			call.Attrs[2] = td.A(td.AtHighPC, td.FormAddr, start+9)
		}
		name := fmt.Sprintf("v%d_%d_%v", e.version, e.addrSize, e.is64)
		live := td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, name), td.A(td.AtLowPC, td.FormAddr, start), high).With(call)
		removed := td.Die(td.TagSubprogram, td.A(td.AtName, td.FormString, "removed"), td.A(td.AtLowPC, td.FormAddr, dead), high)
		w.AddUnit(&td.Unit{Version: e.version, AddrSize: e.addrSize, Is64: e.is64,
			Root: td.Die(td.TagCompileUnit, append(attrs, high)...).With(removed, live)})
		wants = append(wants,
			want{start + 2, fmt.Sprintf("%s f%d.c:5", name, i)},
			want{start + 5, fmt.Sprintf("shared f%d.c:7 < %s f%d.c:6", i, name, i)},
			want{end - 1, fmt.Sprintf("%s f%d.c:7", name, i)},
			want{end, "(size)"})
	}
	wants = append(wants, want{w.start(len(all)) + 3, "(no debug info)"})
	f := expect(t, w.module(), debugfile.Options{}, wants...)
	if len(f.Problems()) != 0 {
		t.Errorf("problems: %v", f.Problems())
	}
	if s, _ := f.Stats(); s.FunctionRanges.Total() != len(all) {
		t.Errorf("%+v", s)
	}
	if a := f.Lookup(wasm.CodeOffset(w.start(0)+2), nil); len(a.Frames) != 1 {
		t.Errorf("%+v", a)
	}
}
