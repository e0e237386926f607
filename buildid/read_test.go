package buildid

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func TestRead(t *testing.T) {
	spec, raw, zig := unhex(t, "10"+id16), unhex(t, id16), unhex(t, "0110"+id16)
	other := unhex(t, "10"+id16[:30]+"00")
	bad := unhex(t, "10"+id20)
	for _, tc := range []struct {
		name     string
		payloads [][]byte
		status   Status
		id       string
		err      error
		first    int // index of the section that First returns
	}{
		{name: "none", status: StatusAbsent, err: ErrAbsent, first: -1},
		{name: "spec", payloads: [][]byte{spec}, status: StatusOK, id: id16},
		{name: "raw", payloads: [][]byte{raw}, status: StatusLegacy, id: id16},
		{name: "zig", payloads: [][]byte{zig}, status: StatusLegacy, id: id16},
		{name: "bad (A7)", payloads: [][]byte{bad}, status: StatusMalformed, err: ErrMalformed, first: -1},
		{name: "empty", payloads: [][]byte{nil}, status: StatusMalformed, err: ErrMalformed, first: -1},
		{name: "huge", payloads: [][]byte{make([]byte, MaxPayload+1)}, status: StatusMalformed, err: ErrMalformed, first: -1},
		{name: "equal", payloads: [][]byte{spec, spec}, status: StatusDuplicate, id: id16},
		{name: "equal in two forms", payloads: [][]byte{raw, spec}, status: StatusDuplicate, id: id16, first: 1},
		{name: "equal in old forms", payloads: [][]byte{zig, raw}, status: StatusDuplicate, id: id16},
		{name: "different", payloads: [][]byte{spec, other}, status: StatusConflict, err: ErrConflict, first: -1},
		{name: "good and bad", payloads: [][]byte{spec, bad}, status: StatusMalformed, err: ErrMalformed, first: -1},
		{name: "different and bad", payloads: [][]byte{bad, spec, other}, status: StatusConflict, err: ErrConflict, first: -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			module := testwasm.Build(testwasm.Without(testwasm.Sample(), wasm.CustomBuildID)...)
			for _, p := range tc.payloads {
				module = add(module, idSection(p))
			}
			f := open(t, module)
			found := read(t, f)
			if found.Status != tc.status || found.ID.String() != tc.id || len(found.Sections) != len(tc.payloads) {
				t.Fatalf("%v, id %q, %d sections", found.Status, found.ID, len(found.Sections))
			}
			if err := found.Err(); !errors.Is(err, tc.err) {
				t.Errorf("error %v", err)
			}
			first := found.First()
			if tc.first < 0 {
				if first != nil {
					t.Error("First found something")
				}
				return
			}
			if first != &found.Sections[tc.first] {
				t.Errorf("First is the section at %v", first.Section.Offset)
			}
			at, ok := first.IDOffset()
			if !ok || !bytes.Equal(module[at:int(at)+16], unhex(t, tc.id)) {
				t.Errorf("the ID is not at %v", at)
			}
		})
	}
}

func TestMalformedErrorSaysWhere(t *testing.T) {
	module := testwasm.Build(idSection(unhex(t, "10"+id20)))
	found := read(t, open(t, module))
	err := found.Err()
	var fe *wasm.FormatError
	if !errors.As(err, &fe) || fe.Off != 8+2+9 {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"0x13", `custom section "build_id"`, "the length in front of the id is 16, but 20 bytes follow it"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

func TestConflictErrorSaysWhere(t *testing.T) {
	module := testwasm.Build(testwasm.BuildID([]byte("abcd")))
	for range 6 {
		module = add(module, testwasm.BuildID([]byte("abce")))
	}
	found := read(t, open(t, module))
	var ce *ConflictError
	if err := found.Err(); !errors.As(err, &ce) || len(ce.Sections) != 7 ||
		!strings.Contains(err.Error(), "61626364 at offset 0x8, 61626365 at offset 0x") || !strings.HasSuffix(err.Error(), "and 3 more") {
		t.Error(err)
	}
}

// TestReadDoesNotValidate is case A11: an ID is found in a module that holds
// sections, instructions and names that nobody could decode.
func TestReadDoesNotValidate(t *testing.T) {
	module := testwasm.Build(
		testwasm.Types(testwasm.FuncType{}),
		testwasm.Functions(0),
		testwasm.Unknown(0x5f, []byte{1, 2, 3}),
		testwasm.Code(testwasm.RawBody(0xff, 0xfe, 0xfd)),
		testwasm.Custom("name", bytes.Repeat([]byte{0xff}, 200_000)),
		testwasm.BuildID(unhex(t, id16)),
	)
	if found := read(t, open(t, module)); found.Status != StatusOK || found.ID.String() != id16 {
		t.Errorf("%v, %v", found.Status, found.ID)
	}
}

// TestReadPosition: the section may stand anywhere.
func TestReadPosition(t *testing.T) {
	base := testwasm.Without(testwasm.Sample(), wasm.CustomBuildID)
	for i := range len(base) + 1 {
		sections := append(append(append([]testwasm.Section{}, base[:i]...), testwasm.BuildID([]byte("abcd")).Pad(5)), base[i:]...)
		if found := read(t, open(t, testwasm.Build(sections...))); found.Status != StatusOK || found.ID.String() != "61626364" {
			t.Errorf("position %d: %v, %v", i, found.Status, found.ID)
		}
	}
}

// TestOtherIDs is case A5: the Go linker's section is no build ID.
func TestOtherIDs(t *testing.T) {
	module := testwasm.Build(
		testwasm.Custom("go:buildid", []byte("\xff Go build ID: \"x/y\"\n \xff")).Pad(5),
		testwasm.Custom(".build_id", unhex(t, "10"+id16)),
		testwasm.Custom("build_id ", unhex(t, "10"+id16)),
		testwasm.Custom(".note.gnu.build-id", unhex(t, "10"+id16)),
	)
	if found := read(t, open(t, module)); found.Status != StatusAbsent {
		t.Errorf("%v, %v", found.Status, found.ID)
	}
}

func TestReadError(t *testing.T) {
	module := testwasm.Build(testwasm.BuildID([]byte("abcd")))
	f, err := wasm.NewFile(&shrinks{data: module}, int64(len(module)))
	if err != nil {
		t.Fatal(err)
	}
	f.Reader().(*shrinks).gone = true
	if found, err := Read(f); err == nil {
		t.Errorf("a file that is gone gave %v", found)
	}
}

type shrinks struct {
	data []byte
	gone bool
}

func (s *shrinks) ReadAt(p []byte, off int64) (int, error) {
	if s.gone {
		return bytes.NewReader(nil).ReadAt(p, off)
	}
	return bytes.NewReader(s.data).ReadAt(p, off)
}
