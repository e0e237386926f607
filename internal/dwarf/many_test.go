package dwarf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// TestManyUnits: units of a few bytes are read up to a number, and the loss of the
// others is a problem.
func TestManyUnits(t *testing.T) {
	one := append(binary.LittleEndian.AppendUint32(nil, 8), 4, 0, 0, 0, 0, 0, 4, 1)
	for _, test := range []struct {
		n    int
		lost bool
	}{{16_000, false}, {200_000, true}} {
		d := dwarf.New(dwarf.Sections{Info: bytes.Repeat(one, test.n), Abbrev: []byte{1, 0x11, 0, 0, 0, 0}}, dwarf.Options{})
		if lost := d.NumUnits() < test.n; lost != test.lost || (d.Problems().Total > 0) != test.lost {
			t.Errorf("%d units: %d are read, problems %v", test.n, d.NumUnits(), d.Problems().List)
		}
		if d.NumUnits() > 40_000 {
			t.Errorf("%d of %d units are read", d.NumUnits(), test.n)
		}
	}
}

// TestManyFiles: entries of the tables are found wherever they stand.
func TestManyFiles(t *testing.T) {
	for _, version := range []int{4, 5} {
		for _, n := range []int{1, 15, 16, 17, 100} {
			l := &td.Line{Version: version}
			for i := range n {
				l.Dirs = append(l.Dirs, fmt.Sprintf("/dir%d", i))
				l.Files = append(l.Files, td.File{Name: fmt.Sprintf("file%d.c", i), Dir: i + 1 - version/5})
			}
			b := td.New()
			off := b.AddLine(l)
			b.AddUnit(&td.Unit{Version: version, Root: td.Die(td.TagCompileUnit, td.A(td.AtStmtList, td.FormSecOffset, off))})
			d := open(b.Build())
			p, err := d.Unit(0).LineProgram()
			if err != nil {
				t.Fatal(err)
			}
			f := p.Files()
			if f.NumFiles() != n || f.NumDirs() != n || f.Problems().Total > 0 {
				t.Fatalf("version %d: %d files and %d directories of %d, problems %v", version, f.NumFiles(), f.NumDirs(), n, f.Problems().List)
			}
			for i := range n {
				want := fmt.Sprintf("/dir%d/file%d.c", i, i)
				if got, ok := f.Path(uint64(i) + f.FirstFile()); !ok || got != want {
					t.Errorf("version %d: file %d of %d is %q, want %q", version, i, n, got, want)
				}
			}
			if _, ok := f.File(uint64(n) + f.FirstFile()); ok {
				t.Errorf("version %d: there is a file behind the last one", version)
			}
		}
	}
}

// TestLongString: a string is cut where it is longer than anybody wants to read.
func TestLongString(t *testing.T) {
	for _, test := range []struct{ length, want int }{{1 << 10, 1 << 10}, {1 << 17, 1 << 17}, {1 << 20, 1 << 17}} {
		b := td.New()
		b.AddUnit(&td.Unit{Version: 4, Root: td.Die(td.TagCompileUnit, td.A(td.AtName, td.FormStrp, strings.Repeat("n", test.length)))})
		root, err := open(b.Build()).Unit(0).Root()
		if err != nil || len(root.Name) != test.want {
			t.Errorf("%d bytes: %d are read, %v", test.length, len(root.Name), err)
		}
	}
}

// TestManyAttributes: entries of an abbreviation with more attributes than there
// are cannot be read; they may have no bytes, and each entry is read with all.
func TestManyAttributes(t *testing.T) {
	for _, test := range []struct {
		n   int
		bad bool
	}{{250, false}, {100_000, true}} {
		abbrev := append([]byte{1, 0x11, 0}, bytes.Repeat([]byte{0x3f, 0x19}, test.n)...)
		info := append(binary.LittleEndian.AppendUint32(nil, 8), 4, 0, 0, 0, 0, 0, 4, 1)
		d := dwarf.New(dwarf.Sections{Info: info, Abbrev: append(abbrev, 0, 0, 0)}, dwarf.Options{})
		if _, err := d.Unit(0).Root(); (err != nil) != test.bad {
			t.Errorf("%d attributes: %v", test.n, err)
		}
	}
}
