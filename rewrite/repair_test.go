package rewrite_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func openBytes(t *testing.T, b []byte) *wasm.File {
	t.Helper()
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// repaired carries a repair out and opens the result.
func repaired(t *testing.T, f *wasm.File, r rewrite.Repair) *wasm.File {
	t.Helper()
	l, err := rewrite.Repaired(f, r)
	if err != nil {
		t.Fatal(err)
	}
	out, err := wasm.NewFile(l, l.Size())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// payloads returns the contents of all sections that are not custom, with their
// ids.
func payloads(t *testing.T, f *wasm.File) string {
	t.Helper()
	var b bytes.Buffer
	for i := range f.Sections {
		if s := &f.Sections[i]; s.ID != wasm.SectionCustom {
			data, err := s.Bytes(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%v %x\n", s.ID, data)
		}
	}
	return b.String()
}

// TestRepairMovesCode lays a module out at every code start that its sections
// allow, and refuses what is below.
func TestRepairMovesCode(t *testing.T) {
	sections := testwasm.Before(testwasm.Sample(), "code", testwasm.Custom("vendor", []byte("in front of the code")))
	f := openBytes(t, testwasm.Build(sections...))
	span, _ := f.CodeSpan()
	want := payloads(t, f)
	refused := wasm.FileOffset(0)
	for start := span.Start - 40; start < span.Start+600; start++ {
		l, err := rewrite.Repaired(f, rewrite.Repair{CodeStart: start})
		if err != nil {
			if start >= span.Start {
				t.Fatalf("%v: %v", start, err)
			}
			refused = start
			continue
		}
		out, err := wasm.NewFile(l, l.Size())
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := out.CodeSpan(); got.Start != start || got.Size != span.Size {
			t.Fatalf("the code lies at %+v, want %v", got, start)
		}
		if payloads(t, out) != want {
			t.Fatalf("%v: sections changed", start)
		}
		if out.Custom("vendor") == nil {
			t.Fatalf("%v: a section is gone", start)
		}
	}
	if refused == 0 || refused >= span.Start-20 {
		t.Errorf("the lowest code start that is refused is %v; the code is at %v", refused, span.Start)
	}
}

func TestRepairSections(t *testing.T) {
	id := buildid.ID("sixteen bytes id")
	sections := append(testwasm.Without(testwasm.Sample(), "build_id", "external_debug_info"),
		testwasm.ExternalDebugInfo("old"), testwasm.Custom("build_id", id), testwasm.ExternalDebugInfo("older"), testwasm.Custom("build_id", id))
	f := openBytes(t, testwasm.Build(sections...))
	same := repaired(t, f, rewrite.Repair{})
	if same.Size() != f.Size() {
		t.Errorf("a repair of nothing changes the file: %d bytes, had %d", same.Size(), f.Size())
	}
	out := repaired(t, f, rewrite.Repair{BuildID: id, Pointer: "new.debug.wasm"})
	found, err := buildid.Read(out)
	if err != nil || found.Status != buildid.StatusOK || !found.ID.Equal(id) {
		t.Errorf("build ID %+v, %v", found, err)
	}
	ref, err := out.ExternalDebugInfo()
	if err != nil || ref.Count != 1 || ref.URL != "new.debug.wasm" {
		t.Errorf("pointer %+v, %v", ref, err)
	}
	if out := repaired(t, f, rewrite.Repair{DropPointer: true}); out.Custom("external_debug_info") != nil {
		t.Error("the pointer is still there")
	}
	if payloads(t, out) != payloads(t, f) {
		t.Error("other sections changed")
	}
}

// TestRepairDropsRelocations: sections that name others by index do not survive a
// change of the indices.
func TestRepairDropsRelocations(t *testing.T) {
	sections := append(testwasm.Without(testwasm.Sample(), "linking"), testwasm.Custom("linking", []byte{2}), testwasm.Custom("reloc.CODE", []byte{9, 0}))
	f := openBytes(t, testwasm.Build(sections...))
	span, _ := f.CodeSpan()
	if out := repaired(t, f, rewrite.Repair{CodeStart: span.Start + 3}); out.Custom("reloc.CODE") == nil {
		t.Error("wider sizes alone do not move sections, and relocations are gone")
	}
	out := repaired(t, f, rewrite.Repair{CodeStart: span.Start + 500})
	if out.Custom("reloc.CODE") != nil || out.Custom("linking") != nil {
		t.Error("relocations name sections by indices that are no longer right")
	}
}

func TestRepairWithoutCode(t *testing.T) {
	f := openBytes(t, testwasm.Build(testwasm.Custom("a", nil)))
	if _, err := rewrite.Repaired(f, rewrite.Repair{CodeStart: 100}); err == nil {
		t.Error("a file without code was laid out")
	}
}
