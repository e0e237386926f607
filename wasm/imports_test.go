package wasm

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func importModule(payload []byte) []byte { return rawModule(rawSection(SectionImport, payload)) }

func TestImports(t *testing.T) {
	payload := unhex(t, "0c"+
		" 01 61 01 66 00 83 00"+ // function, type 3
		" 01 61 01 74 01 70 00 05"+ // table of funcref
		" 01 61 01 74 01 64 81 00 05 80 80 04 ff ff 07"+ // 64-bit table of references to type 1, with a maximum
		" 01 61 01 6d 02 00 01"+ // memory
		" 01 61 01 6d 02 0f 80 80 04 ff ff ff ff ff 3f 10"+ // 64-bit shared memory with a maximum and a page size
		" 00 00 03 7f 00"+ // global without names
		" 01 61 01 67 03 63 62 85 00 01"+ // mutable global of an exact reference
		" 01 61 01 65 04 00 07"+ // tag, type 7
		" 01 61 01 65 20 09"+ // function of an exact type
		" 02 62 62 00 7f 03 01 78 00 01 01 79 03 7e 01 00 00 02"+ // group with a type each, one without a name
		" 01 63 80 80 00 7e 00 05 02 01 70 01 71"+ // group of one type
		" 01 64 00 7e 04 00 06 00") // group of no members
	want := []Import{
		{Module: "a", Name: "f", Kind: ExternFunc, Index: 0, TypeIndex: 3},
		{Module: "a", Name: "t", Kind: ExternTable, Index: 0},
		{Module: "a", Name: "t", Kind: ExternTable, Index: 1},
		{Module: "a", Name: "m", Kind: ExternMemory, Index: 0},
		{Module: "a", Name: "m", Kind: ExternMemory, Index: 1},
		{Kind: ExternGlobal, Index: 0},
		{Module: "a", Name: "g", Kind: ExternGlobal, Index: 1},
		{Module: "a", Name: "e", Kind: ExternTag, Index: 0, TypeIndex: 7},
		{Module: "a", Name: "e", Kind: ExternFunc, Index: 1, TypeIndex: 9},
		{Module: "bb", Name: "x", Kind: ExternFunc, Index: 2, TypeIndex: 1},
		{Module: "bb", Name: "y", Kind: ExternGlobal, Index: 2},
		{Module: "bb", Name: "", Kind: ExternFunc, Index: 3, TypeIndex: 2},
		{Module: "c", Name: "p", Kind: ExternFunc, Index: 4, TypeIndex: 5},
		{Module: "c", Name: "q", Kind: ExternFunc, Index: 5, TypeIndex: 5},
	}
	f := openRaw(t, importModule(payload))
	got, err := f.Imports()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("imports (-want +got):\n%s", d)
	}
	counts, err := f.ImportCounts()
	if want := (ImportCounts{Functions: 6, Tables: 2, Memories: 2, Globals: 3, Tags: 1}); err != nil || counts != want {
		t.Errorf("counts %+v (%v), want %+v", counts, err, want)
	}
	if n, err := f.ImportedFunctions(); n != 6 || err != nil {
		t.Errorf("%d imported functions (%v)", n, err)
	}
	// A cut anywhere is an error, never a smaller list.
	for n := range payload {
		cut := openRaw(t, importModule(payload[:n]))
		if got, err := cut.Imports(); err == nil {
			t.Errorf("cut to %d bytes: %d imports without an error", n, len(got))
		}
		if got, err := cut.ImportCounts(); err == nil {
			t.Errorf("cut to %d bytes: %+v without an error", n, got)
		}
	}
}

// TestCompactImportsOfTheProposal takes its modules from the proposal's own
// tests, test/core/compact-import-section/binary-compact-imports.wast.
func TestCompactImportsOfTheProposal(t *testing.T) {
	for _, c := range []struct {
		name, payload string
		functions     uint32
		bad           string
	}{
		{"by module", "01 01 61 00 7f 02 01 62 00 00 01 63 00 00", 2, ""},
		{"by module and type", "01 01 61 00 7e 00 00 02 01 62 01 63", 2, ""},
		{"by module, long empty name", "01 01 61 80 80 80 00 7f 02 01 62 00 00 01 63 00 00", 2, ""},
		{"by module and type, long empty name", "01 01 61 80 80 80 00 7e 00 00 02 01 62 01 63", 2, ""},
		{"the byte is no LEB128 number", "01 01 61 00 ff 80 80 00 02 01 62 00 00 01 63 00 00", 0, "import kind 0xff"},
		{"the byte is no LEB128 number, either", "01 01 61 00 fe 80 80 00 00 00 02 01 62 01 63", 0, "import kind 0xfe"},
		{"empty names", "01 00 00 00 00", 1, ""},
		{"a name in front of the byte", "01 01 61 01 62 7f 00", 0, "import kind 0x7f"},
		{"a group in a group", "01 01 61 00 7f 01 00 7f 00", 0, "import kind 0x7f"},
	} {
		f := openRaw(t, importModule(unhex(t, c.payload)))
		n, err := f.ImportedFunctions()
		if c.bad == "" && (err != nil || n != c.functions) {
			t.Errorf("%s: %d functions (%v), want %d", c.name, n, err, c.functions)
		}
		if c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.bad)
		}
	}
}

func TestImportErrors(t *testing.T) {
	const at = 10 // F of the payload
	for _, c := range []struct {
		name, payload string
		off           FileOffset
		is            error
		text          string
	}{
		{"kind", "01 01 61 01 62 05 00", at + 5, ErrUnknownType, "import kind 0x05"},
		{"kind missing", "01 01 61 01 62", at + 5, ErrTruncated, "kind of an import"},
		{"count lies", "02 01 61 01 62 00 00", at + 7, ErrTruncated, "module name"},
		{"name lies", "01 7f 61 01 62 00 00", at + 2, ErrTruncated, "takes 127 bytes"},
		{"memory flags", "01 01 61 01 62 02 10 00", at + 6, ErrUnknownType, "limits 0x10 of an imported memory"},
		{"table flags", "01 01 61 01 62 01 70 08 00 00", at + 7, ErrUnknownType, "limits 0x08 of an imported table"},
		{"global type", "01 01 61 01 62 03 64 41 00", at + 7, ErrUnknownType, "heap type 0x41"},
		{"trailing bytes", "01 01 61 01 62 00 00 00 00", at + 7, nil, "2 bytes behind the last import"},
		{"group lies", "01 01 61 00 7f ff ff ff ff 0f", at + 10, ErrTruncated, "name of an import"},
	} {
		f := openRaw(t, importModule(unhex(t, c.payload)))
		for _, read := range []func() error{
			func() error { _, err := f.Imports(); return err },
			func() error { _, err := f.ImportCounts(); return err },
			func() error { _, err := NewBodyReader(f); return err },
		} {
			var fe *FormatError
			if err := read(); !errors.As(err, &fe) || c.is != nil && !errors.Is(err, c.is) || fe.Off != c.off || fe.Section != "import section" || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: %v; want offset %v and %q", c.name, err, c.off, c.text)
			}
		}
	}
	r, err := NewImportReader(openRaw(t, rawModule()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("a module without imports: %v", err)
	}
}

func TestTooManyImports(t *testing.T) {
	// One group, each member of which takes one byte.
	payload := append(unhex(t, "01 01 61 00 7e 00 00"), AppendUint32(nil, MaxImports+1)...)
	payload = append(payload, make([]byte, MaxImports+1)...)
	f := openRaw(t, importModule(payload))
	if _, err := f.Imports(); !errors.Is(err, ErrLimit) {
		t.Errorf("collecting %d imports: %v", MaxImports+1, err)
	}
	if n, err := f.ImportedFunctions(); n != MaxImports+1 || err != nil {
		t.Errorf("counted %d (%v)", n, err)
	}
}

func TestImportsOfAModule(t *testing.T) {
	data, err := os.ReadFile("../testdata/instr/tables.wasm")
	if err != nil {
		t.Fatal(err)
	}
	got, err := openRaw(t, data).Imports()
	if err != nil {
		t.Fatal(err)
	}
	want := []Import{
		{Module: "m", Name: "f", Kind: ExternFunc},
		{Module: "m", Name: "t", Kind: ExternTable},
		{Module: "m", Name: "mem", Kind: ExternMemory},
		{Module: "m", Name: "g", Kind: ExternGlobal},
		{Module: "m", Name: "e", Kind: ExternTag, TypeIndex: 1},
		{Name: "g2", Kind: ExternGlobal, Index: 1},
		{Module: "ä", Name: "f2", Kind: ExternFunc, Index: 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("imports (-want +got):\n%s", d)
	}
}

func FuzzImports(f *testing.F) {
	f.Add([]byte{1, 1, 'a', 1, 'f', 0, 3})
	f.Add([]byte{1, 1, 'a', 0, 0x7f, 2, 1, 'b', 0, 0, 1, 'c', 2, 0x0d, 0, 9, 1})
	f.Add([]byte{1, 1, 'a', 0, 0x7e, 1, 0x64, 0x62, 5, 0, 9, 2, 0, 0})
	f.Fuzz(func(t *testing.T, payload []byte) {
		file := openRaw(t, importModule(payload))
		list, err := file.Imports()
		counts, err2 := file.ImportCounts()
		if errors.Is(err, ErrLimit) { // names and lists have limits, counts have none
			return
		}
		if (err == nil) != (err2 == nil) {
			t.Fatalf("list: %v, counts: %v", err, err2)
		}
		if err != nil {
			return
		}
		var n [numExterns]uint32
		for _, imp := range list {
			if imp.Index != n[imp.Kind] {
				t.Fatalf("%+v is number %d of its kind", imp, n[imp.Kind])
			}
			n[imp.Kind]++
		}
		if want := (ImportCounts{n[0], n[1], n[2], n[3], n[4]}); counts != want {
			t.Fatalf("counts %+v, list has %+v", counts, want)
		}
	})
}
