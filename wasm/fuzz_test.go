package wasm_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func seeds(f *testing.F) [][]byte {
	sample := tw.Sample()
	out := [][]byte{
		tw.Build(),
		tw.Build(sample...),
		tw.Build(tw.Before(sample, "code", tw.Custom("x", []byte("y")).Pad(5))...),
		tw.Build(tw.Code(tw.Fn()).Claim(0xffffffff)),
		tw.Build(tw.Code(), tw.Code()),
		tw.Build(tw.Raw(0, 3, 9, 'a')),
		tw.Build(tw.Custom("linking", []byte{2, 8, 1, 0}), tw.Custom("reloc.CODE", []byte{0, 0}), tw.Custom("dylink.0", []byte{1, 4, 1, 2, 3, 4})),
		tw.Build(tw.ExternalDebugInfo("a"), tw.SourceMappingURL("b"), tw.BuildID([]byte("id"))),
		tw.Component(tw.Build(sample...)),
	}
	for _, name := range []string{"c/reloc-r.wasm", "c/pic-shared.wasm", "eh/eh-new-4.wasm", "feat/gc-multimem.wasm"} {
		b, err := os.ReadFile("../testdata/corpus/" + name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func text(err error) string { return fmt.Sprint(err) }

// FuzzFile: a scan never panics, sections tile the file, and neither the window
// nor what is read of the sections changes that.
func FuzzFile(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		m, err := wasm.NewFile(r, int64(len(b)))
		for _, window := range []int{16, 61, 1 << 16} {
			again, err2 := wasm.NewFileWindow(r, int64(len(b)), window)
			if text(err) != text(err2) {
				t.Fatalf("window %d: error %v, not %v", window, err2, err)
			}
			if err == nil {
				if d := cmp.Diff(m.Sections, again.Sections, cmpopts.IgnoreUnexported(wasm.Section{})); d != "" {
					t.Fatalf("window %d: %s", window, d)
				}
			}
		}
		if err != nil {
			var fe *wasm.FormatError
			if !errors.Is(err, wasm.ErrNotModule) && (!errors.As(err, &fe) || fe.Off < 8 || int64(fe.Off) > int64(len(b)) || errors.Is(err, wasm.ErrRead)) {
				t.Fatalf("error without a place in the file: %v", err)
			}
			return
		}
		tile(t, m)
		// Written again from what was found, it is the same file.
		out := wasm.AppendPreamble(nil)
		for i := range m.Sections {
			s := &m.Sections[i]
			payload := b[s.Payload:s.End()]
			var ok bool
			if out, ok = wasm.AppendSectionWidth(out, s.ID, payload, s.SizeWidth); !ok {
				t.Fatalf("section %d cannot be written", i)
			}
		}
		if !bytes.Equal(out, b) {
			t.Fatal("the file written again differs")
		}
		readAll(t, m)
	})
}

// readAll decodes every custom section in every way; none of it may panic, and
// every error has its place in the section.
func readAll(t *testing.T, m *wasm.File) {
	check := func(sec *wasm.Section, err error) {
		t.Helper()
		var fe *wasm.FormatError
		if err != nil && (!errors.As(err, &fe) || fe.Off < sec.Data || fe.Off > sec.End() || errors.Is(err, wasm.ErrRead)) {
			t.Fatalf("%s at %v: error without a place in it: %v", sec.Label(), sec.Offset, err)
		}
	}
	for i := range m.Sections {
		sec := &m.Sections[i]
		if sec.ID != wasm.SectionCustom {
			continue
		}
		_, err := wasm.ReadProducers(sec)
		check(sec, err)
		_, err = wasm.ReadTargetFeatures(sec)
		check(sec, err)
		url, err := wasm.ReadURL(sec)
		check(sec, err)
		if err == nil && int64(len(url)) > sec.DataSize() {
			t.Fatalf("a URL of %d bytes", len(url))
		}
	}
	_, _ = wasm.Classify(m)
	_, _ = m.Dylink()
	_, _ = m.Linking()
	_, _ = m.Relocations()
	_, _ = m.ExternalDebugInfo()
	_, _ = m.SourceMappingURL()
}

// FuzzNames: whatever a name section holds, its subsections tile it up to the
// first bad header, and every way of reading the function names agrees.
func FuzzNames(f *testing.F) {
	f.Add(tw.Names{Module: "m", Functions: tw.List("f", "g"), Locals: map[uint32]tw.NameMap{0: tw.List("a")}, Globals: tw.List("sp")}.Section().Payload)
	f.Add(rawNames(tw.Subsection(1, []byte("\x02\x01\x01g\x00\x01f")).Pad(5), tw.Subsection(99, nil)).Payload)
	f.Add([]byte("\x01\x05\xff\xff\xff\xff\x0f"))
	f.Add([]byte("\x07\x09\x01"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := open(t, tw.Build(tw.Custom("name", b)))
		sec := &m.Sections[0]
		n, err := wasm.ReadNames(sec)
		at := sec.Data
		for i := range n.Subsections {
			s := &n.Subsections[i]
			if s.Offset != at || s.End() > sec.End() || s.Data <= s.Offset {
				t.Fatalf("subsection %d does not fit behind %v: %+v", i, at, s)
			}
			at = s.End()
		}
		if (at == sec.End()) != (err == nil) {
			t.Fatalf("subsections end at %v of %v, error %v", at, sec.End(), err)
		}
		off, size, ok, errExtent := wasm.FunctionNamesExtent(m)
		if errExtent != nil {
			t.Fatal(errExtent)
		}
		sub := n.Find(wasm.NameFunctions)
		table, errTable := n.Functions(1 << 30)
		if want := err == nil && sub != nil && errTable == nil; ok != want && !errors.Is(err, wasm.ErrLimit) {
			t.Fatalf("extent %v, want %v: %v, %v", ok, want, err, errTable)
		}
		if ok && (off != sub.Data || size != int64(sub.Size)) {
			t.Fatalf("extent %v+%d, subsection %+v", off, size, sub)
		}
		seen := map[uint32]string{}
		iter := n.Map(wasm.NameFunctions)
		for iter.Next() {
			if _, dup := seen[iter.Index()]; !dup {
				seen[iter.Index()] = string(iter.Name())
			}
		}
		if text(iter.Err()) != text(errTable) || len(seen) != table.Len() {
			t.Fatalf("%d names and %v, the table has %d and %v", len(seen), iter.Err(), table.Len(), errTable)
		}
		for i, want := range seen {
			if got, ok := table.Name(i); got != want || !ok {
				t.Fatalf("function %d is %q in the table, not %q", i, got, want)
			}
		}
		_, _ = n.Module()
		if len(n.Problems()) > len(n.Subsections) {
			t.Fatal("more problems than subsections")
		}
	})
}
