package wasm_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func open(t testing.TB, b []byte) *wasm.File {
	t.Helper()
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tile fails the test unless the sections cover the file without a gap.
func tile(t testing.TB, f *wasm.File) {
	t.Helper()
	at := wasm.FileOffset(8)
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Index != i || s.Offset != at || s.Payload != s.Offset+1+wasm.FileOffset(s.SizeWidth) ||
			s.End() != s.Payload+wasm.FileOffset(s.Size) || s.Data < s.Payload || s.Data > s.End() ||
			s.Len() != int64(s.End()-s.Offset) || s.DataSize() != int64(s.End()-s.Data) || s.SizeWidth < 1 || s.SizeWidth > 5 {
			t.Fatalf("section %d does not fit behind %v: %+v", i, at, *s)
		}
		at = s.End()
	}
	if int64(at) != f.Size() {
		t.Fatalf("the sections end at %v, the file at 0x%x", at, f.Size())
	}
}

func TestScan(t *testing.T) {
	sections := tw.Sample()
	for i := range sections {
		sections[i] = sections[i].Pad(2 + i%4)
	}
	f := open(t, tw.Build(sections...))
	tile(t, f)
	if len(f.Sections) != len(sections) {
		t.Fatalf("%d sections, want %d", len(f.Sections), len(sections))
	}
	for i, want := range sections {
		got := &f.Sections[i]
		data, err := got.Bytes(1 << 20)
		if got.ID != want.ID || got.Name != want.Name || got.SizeWidth != want.Width || !bytes.Equal(data, want.Payload) || err != nil {
			t.Errorf("section %d: %+v holds % x, %v; want %+v", i, *got, data, err, want)
		}
		all, err := io.ReadAll(got.Open())
		if !bytes.Equal(all, want.Payload) || err != nil {
			t.Errorf("section %d: Open gives % x, %v", i, all, err)
		}
	}
	code := f.Section(wasm.SectionCode)
	if f.Code() != code || code == nil {
		t.Error("Code is not the code section")
	}
	span, ok := f.CodeSpan()
	if !ok || span.Start != code.Payload || span.Size != code.Size {
		t.Errorf("code span %+v, %v", span, ok)
	}
	if f.Section(wasm.SectionTag) != nil || f.Custom("no such") != nil || f.Customs("no such") != nil {
		t.Error("found what is not there")
	}
	if !f.HasDebug() || f.Custom("name").Name != "name" {
		t.Error("debug sections or names not found")
	}
}

func TestSectionLabels(t *testing.T) {
	f := open(t, tw.Build(tw.Types(), tw.DataCount(0), tw.Custom("a\n", nil), tw.Unknown(99, nil), tw.Tags()))
	var got []string
	for i := range f.Sections {
		got = append(got, f.Sections[i].Label())
	}
	want := []string{"type section", "data count section", `custom section "a\n"`, "unknown section 99", "tag section"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMinimalModule(t *testing.T) {
	f := open(t, tw.Build())
	tile(t, f)
	if _, ok := f.CodeSpan(); ok || f.Code() != nil || len(f.Sections) != 0 {
		t.Error("a module of nothing has code")
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m.wasm")
	b := tw.Build(tw.Sample()...)
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := wasm.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	tile(t, f)
	p := make([]byte, 4)
	if _, err := f.ReadAt(p, 0); string(p) != "\x00asm" || err != nil || f.Reader() == nil {
		t.Errorf("ReadAt gives %q, %v", p, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := open(t, b).Close(); err != nil {
		t.Error(err)
	}
	if _, err := wasm.Open(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := wasm.Open(dir); err == nil || !strings.Contains(err.Error(), "this is a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := wasm.NewFile(bytes.NewReader(nil), -1); err == nil {
		t.Error("a negative size is accepted")
	}
}

// TestTruncation cuts a module at every byte: where a section ends the rest is a
// module, and anywhere else it is an error at a place inside of the file.
func TestTruncation(t *testing.T) {
	b := tw.Build(tw.After(tw.Sample(), "code", tw.Custom("padded", []byte("x")).Pad(5))...)
	whole := open(t, b)
	ends := map[int]bool{8: true}
	for i := range whole.Sections {
		ends[int(whole.Sections[i].End())] = true
	}
	for n := 8; n < len(b); n++ {
		f, err := wasm.NewFile(bytes.NewReader(b[:n]), int64(n))
		if ends[n] {
			if err != nil {
				t.Fatalf("cut at %d: %v", n, err)
			}
			tile(t, f)
			continue
		}
		var fe *wasm.FormatError
		if !errors.As(err, &fe) || !errors.Is(err, wasm.ErrTruncated) || fe.Off < 8 || int(fe.Off) > n {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

func TestLyingSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		want string
		is   error
	}{
		{"too large", tw.Build(tw.Types().Claim(100)), "offset 0x9 in type section: the section claims 100 bytes, the file has 1 left: truncated", wasm.ErrTruncated},
		{"4 GiB", tw.Build(tw.Types(), tw.Code(tw.Fn()).Claim(0xffffffff)), "offset 0xc in code section: the section claims 4294967295 bytes, the file has 4 left: truncated", wasm.ErrTruncated},
		{"size overflows", tw.Build(tw.Raw(1, 0xff, 0xff, 0xff, 0xff, 0x1f)), "offset 0x9 in type section: reading the section size: LEB128 number too large for its type", wasm.ErrOverflow},
		{"size of six bytes", tw.Build(tw.Raw(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00)), "offset 0x9 in type section: reading the section size: LEB128 number too large for its type", wasm.ErrOverflow},
		{"size cut", tw.Build(tw.Raw(10, 0x80, 0x80)), "offset 0x9 in code section: reading the section size: truncated", wasm.ErrTruncated},
		{"no size", tw.Build(tw.Raw(11)), "offset 0x9 in data section: reading the section size: truncated", wasm.ErrTruncated},
		{"too small, read as a section", tw.Build(tw.Custom("name", []byte("abc")).Claim(1)), "", wasm.ErrTruncated},
		{"custom without a name", tw.Build(tw.Raw(0, 0)), "offset 0xa in custom section: reading the length of the section name: truncated", wasm.ErrTruncated},
		{"name leaves the section", tw.Build(tw.Raw(0, 3, 9, 'a', 'b'), tw.Custom("x", bytes.Repeat([]byte{1}, 50))), "offset 0xb in custom section: the section name takes 9 bytes, 2 are left: truncated", wasm.ErrTruncated},
		{"name of 4 GiB", tw.Build(tw.Raw(0, 5, 0xff, 0xff, 0xff, 0xff, 0x0f)), "offset 0xf in custom section: the section name takes 4294967295 bytes, 0 are left: truncated", wasm.ErrTruncated},
		{"long name", tw.Build(tw.Custom(strings.Repeat("n", wasm.MaxCustomName+1), nil)), "", wasm.ErrLimit},
		{"two code sections", tw.Build(tw.Code(), tw.Types(), tw.Code()), "offset 0xe in code section: a second code section; the first is at 0x8", nil},
	} {
		_, err := wasm.NewFile(bytes.NewReader(c.b), int64(len(c.b)))
		if err == nil || c.want != "" && err.Error() != c.want || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		var fe *wasm.FormatError
		if !errors.As(err, &fe) || int(fe.Off) > len(c.b) {
			t.Errorf("%s: no offset in the file: %v", c.name, err)
		}
	}
}

// TestScanReadsHeadersOnly bounds what a scan reads and allocates, for honest
// and for lying modules.
func TestScanReadsHeadersOnly(t *testing.T) {
	big, err := tw.BigModule{CodeBytes: 4 << 20, DebugBytes: 64 << 20, Funcs: 1000, Sparse: true}.Open()
	if err != nil {
		t.Fatal(err)
	}
	count := &tw.Counting{R: big}
	f, err := wasm.NewFile(count, big.Size())
	if err != nil {
		t.Fatal(err)
	}
	tile(t, f)
	if n := count.Bytes.Load(); n > 8<<10 {
		t.Errorf("the scan read %d bytes", n)
	}
	lie := tw.Build(tw.Custom("x", nil).Claim(0xfffffff0))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const runs = 100
	for range runs {
		if _, err := wasm.NewFile(bytes.NewReader(lie), int64(len(lie))); err == nil {
			t.Fatal("no error")
		}
	}
	runtime.ReadMemStats(&after)
	allocated := (after.TotalAlloc - before.TotalAlloc) / runs
	if allocated > 4096 {
		t.Errorf("a lying section of 4 GiB allocates %d bytes", allocated)
	}
}

func TestManySections(t *testing.T) {
	b := tw.Build()
	one := tw.Custom("", nil).Append(nil)
	b = append(b, bytes.Repeat(one, wasm.MaxSections)...)
	f := open(t, b)
	if len(f.Sections) != wasm.MaxSections {
		t.Errorf("%d sections", len(f.Sections))
	}
	b = append(b, one...)
	if _, err := wasm.NewFile(bytes.NewReader(b), int64(len(b))); !errors.Is(err, wasm.ErrLimit) {
		t.Errorf("one section more than the limit: %v", err)
	}
}

func TestUnknownAndLaterSections(t *testing.T) {
	secs := []tw.Section{tw.Unknown(14, []byte("later")), tw.Types(), tw.Tags(), tw.Unknown(127, nil).Pad(5), tw.Unknown(255, []byte{0, 1, 2}), tw.Code()}
	f := open(t, tw.Build(secs...))
	tile(t, f)
	var known []bool
	for i := range f.Sections {
		known = append(known, f.Sections[i].ID.Known())
	}
	if d := cmp.Diff([]bool{false, true, true, false, false, true}, known); d != "" {
		t.Error(d)
	}
}

// TestTagSectionAlone is a module whose only news is a tag section (id 13),
// which parsers of an older specification refuse.
func TestTagSectionAlone(t *testing.T) {
	f := open(t, tw.Build(tw.Types(tw.FuncType{}), tw.Tags(0), tw.Functions(0), tw.Code(tw.Fn())))
	tile(t, f)
	if s := f.Section(wasm.SectionTag); s == nil || s.ID != 13 || s.DataSize() != 3 {
		t.Errorf("tag section: %+v", s)
	}
}

// TestNamesThatLookLikeDWARF holds sections that are not DWARF, whatever they
// are called.
func TestNamesThatLookLikeDWARF(t *testing.T) {
	names := []string{"x", ".debugger", "debug_info", "", ".debug", "Debug_info", " .debug_info", ".zdebug_info", "\x00.debug_info", "reloc..debug_info"}
	var secs []tw.Section
	for _, n := range names {
		secs = append(secs, tw.Custom(n, []byte("contents")))
	}
	f := open(t, tw.Build(secs...))
	tile(t, f)
	if f.HasDebug() {
		t.Error("something counts as DWARF")
	}
	for i, n := range names {
		if f.Sections[i].Name != n {
			t.Errorf("name %q, want %q", f.Sections[i].Name, n)
		}
	}
	for _, n := range []string{".debug_info", ".debug_", ".debug_types", ".debug_gdb_scripts", ".debug_info.dwo"} {
		if f := open(t, tw.Build(tw.Custom(n, nil))); !f.HasDebug() {
			t.Errorf("%s does not count as DWARF", n)
		}
	}
	// The name counts, not the id.
	if f := open(t, tw.Build(tw.Unknown(50, []byte("\x0b.debug_info")))); f.HasDebug() {
		t.Error("an unknown section counts as DWARF")
	}
}

func TestStrangeCustomNames(t *testing.T) {
	for _, n := range []string{"", "\xff\xfe", "a\x00b", "ä", strings.Repeat("x", wasm.MaxCustomName), "\xed\xa0\x80"} {
		f := open(t, tw.Build(tw.Custom(n, []byte("d"))))
		tile(t, f)
		if s := f.Custom(n); s == nil || s.Name != n || s.DataSize() != 1 {
			t.Errorf("a section named %.20q is not found", n)
		}
	}
	// A padded name length.
	f := open(t, tw.Build(tw.Raw(0, 8, 0x82, 0x80, 0x80, 0x00, 'h', 'i', 1, 2)))
	tile(t, f)
	if s := f.Custom("hi"); s == nil || s.DataSize() != 2 || s.Data != s.Payload+6 {
		t.Errorf("padded name: %+v", s)
	}
}

func TestCustoms(t *testing.T) {
	f := open(t, tw.Build(tw.Custom("a", nil), tw.Custom("b", nil), tw.Custom("a", []byte("2"))))
	all := f.Customs("a")
	if len(all) != 2 || all[0] != f.Custom("a") || all[1].Index != 2 {
		t.Errorf("%+v", all)
	}
}

// TestCodeSizeWidths: the same Code payload behind a size of one, two and five
// bytes. C of a byte stays the same, F moves with the width.
func TestCodeSizeWidths(t *testing.T) {
	code := tw.Code(tw.Fn(tw.OpNop), tw.Fn(tw.OpNop, tw.OpNop))
	var payloads [][]byte
	var starts []wasm.FileOffset
	for _, width := range []int{1, 2, 5} {
		f := open(t, tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0, 0), code.Pad(width)))
		span, _ := f.CodeSpan()
		b, err := f.Code().Bytes(1 << 10)
		if err != nil {
			t.Fatal(err)
		}
		at, ok := span.File(5) // the size of body 1
		p := make([]byte, 1)
		if _, err := f.ReadAt(p, int64(at)); err != nil || !ok || p[0] != 4 {
			t.Errorf("width %d: byte %x at C 0x5, %v", width, p, err)
		}
		payloads, starts = append(payloads, b), append(starts, span.Start)
	}
	if !bytes.Equal(payloads[0], payloads[1]) || !bytes.Equal(payloads[0], payloads[2]) {
		t.Error("the payloads differ")
	}
	if starts[1] != starts[0]+1 || starts[2] != starts[0]+4 {
		t.Errorf("code starts at %v", starts)
	}
}

// TestPaddedTypeSection is a module in which one section alone has a size of
// five bytes.
func TestPaddedTypeSection(t *testing.T) {
	s := tw.Sample()
	s[0] = s[0].Pad(5)
	f := open(t, tw.Build(s...))
	tile(t, f)
	for i := range f.Sections {
		if want := map[bool]int{true: 5, false: wasm.Uint32Len(f.Sections[i].Size)}[i == 0]; f.Sections[i].SizeWidth != want {
			t.Errorf("section %d: width %d, want %d", i, f.Sections[i].SizeWidth, want)
		}
	}
}

// TestBuildIDNeedsNoValidation reads the ID of a module that no validator takes:
// its code is noise.
func TestBuildIDNeedsNoValidation(t *testing.T) {
	f := open(t, tw.Build(tw.Types().Claim(1), tw.CodeClaiming(1<<30, tw.RawBody(0xfd, 0xff, 0xff, 0xfe)), tw.BuildID([]byte("0123456789abcdef"))))
	s := f.Custom(wasm.CustomBuildID)
	if s == nil {
		t.Fatal("no build_id")
	}
	if b, err := s.Bytes(100); err != nil || string(b) != "\x100123456789abcdef" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestShrunkFile(t *testing.T) {
	// The first section keeps the others out of what is read to tell file kinds
	// apart.
	b := tw.Build(append([]tw.Section{tw.Custom("long", make([]byte, 600))}, tw.Sample()...)...)
	sections := open(t, b).Sections
	last := sections[len(sections)-1]
	for n := range len(b) {
		_, err := wasm.NewFile(tw.Shrunk{R: bytes.NewReader(b), Size: int64(n)}, int64(len(b)))
		if n >= int(last.Data) {
			if err != nil {
				t.Fatalf("cut at %#x, behind the last header: %v", n, err)
			}
			continue
		}
		var fe *wasm.FormatError
		if !errors.As(err, &fe) || !errors.Is(err, wasm.ErrRead) || int(fe.Off) < n {
			t.Fatalf("cut at %#x: %v", n, err)
		}
	}
	disk := errors.New("disk")
	if _, err := wasm.NewFile(tw.Failing{R: bytes.NewReader(b), At: 3, Err: disk}, int64(len(b))); !errors.Is(err, disk) || !errors.Is(err, wasm.ErrRead) {
		t.Errorf("read error: %v", err)
	}
}

func TestFormatError(t *testing.T) {
	e := &wasm.FormatError{Off: 0x1f, Section: "code section", Msg: "reading a body", Err: wasm.ErrTruncated}
	if got := e.Error(); got != "offset 0x1f in code section: reading a body: truncated" {
		t.Error(got)
	}
	e = &wasm.FormatError{Off: 3, Msg: "odd"}
	if got := e.Error(); got != "offset 0x3: odd" || errors.Unwrap(e) != nil {
		t.Error(got)
	}
}

func ExampleNewFile() {
	module := tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn()), tw.Custom("note", []byte("hi")))
	f, err := wasm.NewFile(bytes.NewReader(module), int64(len(module)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		fmt.Printf("%v %s, %d bytes\n", s.Offset, s.Label(), s.DataSize())
	}
	span, _ := f.CodeSpan()
	c, _ := span.Code(0x16)
	fmt.Printf("F 0x16 is C %v\n", c)
	// Output:
	// 0x8 type section, 4 bytes
	// 0xe function section, 2 bytes
	// 0x12 code section, 4 bytes
	// 0x18 custom section "note", 2 bytes
	// F 0x16 is C 0x2
}

func BenchmarkScan(b *testing.B) {
	module := tw.Build(tw.Sample()...)
	b.SetBytes(int64(len(module)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wasm.NewFile(bytes.NewReader(module), int64(len(module))); err != nil {
			b.Fatal(err)
		}
	}
}
