package wasm_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// nameFile returns a module with the given sections and reads its first name
// section.
func nameFile(t *testing.T, s ...tw.Section) (*wasm.File, *wasm.Names, error) {
	t.Helper()
	f := open(t, tw.Build(s...))
	n, err := wasm.ReadNames(f.Custom(wasm.CustomName))
	return f, n, err
}

func rawNames(subs ...tw.Section) tw.Section {
	var b []byte
	for _, s := range subs {
		b = s.Append(b)
	}
	return tw.Custom("name", b)
}

func functions(t *testing.T, n *wasm.Names) map[uint32]string {
	t.Helper()
	table, err := n.Functions(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return maps.Collect(table.All())
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	section := tw.Names{
		Module:    "app.wasm",
		Functions: tw.NameMap{0: "log", 1: "main", 7: "", 300: long, 1 << 31: "ünï"},
		Locals:    map[uint32]tw.NameMap{1: tw.List("a", "b"), 3: {}},
		Globals:   tw.List("sp"),
		Data:      tw.List(".rodata", ".data"),
		Extra:     []tw.Section{tw.Subsection(10, []byte{0}), tw.Subsection(11, tw.List("tag").Payload()).Pad(5), tw.Subsection(99, []byte("later"))},
	}.Section()
	f, n, err := nameFile(t, section)
	if err != nil {
		t.Fatal(err)
	}
	var ids []wasm.NameID
	at := n.Section.Data
	for i := range n.Subsections {
		s := &n.Subsections[i]
		ids = append(ids, s.ID)
		if s.Offset != at || s.End() != s.Data+wasm.FileOffset(s.Size) || s.Len() != int64(s.End()-s.Offset) {
			t.Errorf("subsection %d does not fit: %+v", i, s)
		}
		at = s.End()
	}
	if at != n.Section.End() {
		t.Errorf("the subsections end at %v, the section at %v", at, n.Section.End())
	}
	if d := cmp.Diff([]wasm.NameID{0, 1, 2, 7, 9, 10, 11, 99}, ids); d != "" {
		t.Error(d)
	}
	if m, err := n.Module(); m != "app.wasm" || err != nil {
		t.Errorf("module %q, %v", m, err)
	}
	want := map[uint32]string{0: "log", 1: "main", 7: "", 300: long, 1 << 31: "ünï"}
	if d := cmp.Diff(want, functions(t, n)); d != "" {
		t.Error(d)
	}
	table, _ := n.Functions(1 << 20)
	if name, ok := table.Name(300); name != long || !ok || table.Len() != 5 {
		t.Errorf("function 300 is %.10q, %v", name, ok)
	}
	for _, i := range []uint32{2, 301, 1<<32 - 1} {
		if name, ok := table.Name(i); ok {
			t.Errorf("function %d is %q", i, name)
		}
	}
	var data []string
	m := n.Map(wasm.NameData)
	for m.Next() {
		data = append(data, string(m.Name()))
		off, size := m.Extent()
		p := make([]byte, size)
		if _, err := f.ReadAt(p, int64(off)); err != nil || string(p) != data[len(data)-1] {
			t.Errorf("extent %v+%d holds %q", off, size, p)
		}
	}
	if d := cmp.Diff([]string{".rodata", ".data"}, data); d != "" || m.Err() != nil {
		t.Error(d, m.Err())
	}
	if p := n.Problems(); p != nil {
		t.Errorf("problems: %v", p)
	}
	off, size, ok, err := wasm.FunctionNamesExtent(f)
	sub := n.Find(wasm.NameFunctions)
	if !ok || err != nil || off != sub.Data || size != int64(sub.Size) {
		t.Errorf("extent %v+%d, %v, %v", off, size, ok, err)
	}
}

func TestNamesEmpty(t *testing.T) {
	f, n, err := nameFile(t, rawNames())
	if err != nil || len(n.Subsections) != 0 {
		t.Fatalf("%+v, %v", n, err)
	}
	if m, err := n.Module(); m != "" || err != nil {
		t.Errorf("module %q, %v", m, err)
	}
	if len(functions(t, n)) != 0 || n.Map(wasm.NameGlobals).Next() || n.Map(wasm.NameGlobals).Count() != 0 || n.Find(wasm.NameModule) != nil {
		t.Error("found names")
	}
	if _, _, ok, err := wasm.FunctionNamesExtent(f); ok || err != nil {
		t.Errorf("extent: %v, %v", ok, err)
	}
	if _, _, ok, err := wasm.FunctionNamesExtent(open(t, tw.Build())); ok || err != nil {
		t.Errorf("extent without a name section: %v, %v", ok, err)
	}
}

// TestNamesDamage: a bad subsection costs itself, and says where it is bad.
func TestNamesDamage(t *testing.T) {
	good := tw.Subsection(1, tw.List("f", "g").Payload())
	module := tw.Subsection(0, []byte("\x01m"))
	globals := tw.Subsection(7, tw.List("sp").Payload())
	for _, c := range []struct {
		name      string
		subs      []tw.Section
		headers   string // error of ReadNames
		functions string // error of the function names; "" = they are "f", "g"
		extent    bool
		problems  string
	}{
		{name: "good", subs: []tw.Section{module, good, globals}, extent: true},
		{name: "padded", subs: []tw.Section{good.Pad(5), globals.Pad(4)}, extent: true},
		{name: "subsection too long", subs: []tw.Section{module, good, globals.Claim(9)},
			headers: "offset 0x1d in custom section \"name\": the subsection of global names claims 9 bytes, the section has 5 left: truncated"},
		{name: "subsection of 4 GiB", subs: []tw.Section{good, globals.Claim(0xffffffff)}, headers: "claims 4294967295 bytes"},
		{name: "header cut", subs: []tw.Section{good, tw.Raw(7)}, headers: "reading a subsection size: truncated"},
		{name: "header overflows", subs: []tw.Section{good, tw.Raw(7, 255, 255, 255, 255, 255, 1)}, headers: "reading a subsection size: LEB128"},
		{name: "count too small", subs: []tw.Section{tw.Subsection(1, []byte("\x01\x00\x01f\x01\x01g")), globals},
			functions: "offset 0x15 in custom section \"name\": 3 bytes follow the last of the function names inside their subsection", problems: "3 bytes follow"},
		{name: "count too large", subs: []tw.Section{tw.Subsection(1, []byte("\x03\x00\x01f\x01\x01g")), globals},
			functions: "reading an index: truncated", problems: "reading an index"},
		{name: "count of 4 GiB", subs: []tw.Section{tw.Subsection(1, []byte("\xff\xff\xff\xff\x0f\x00\x01f")), globals},
			functions: "reading an index: truncated", problems: "reading an index"},
		{name: "name too long", subs: []tw.Section{tw.Subsection(1, []byte("\x01\x00\x09f")), globals},
			functions: "the name of function 0 claims 9 bytes, the subsection has 1 left: truncated", problems: "claims 9 bytes"},
		{name: "name of 4 GiB", subs: []tw.Section{tw.Subsection(1, []byte("\x01\x00\xff\xff\xff\xff\x0ff"))},
			functions: "claims 4294967295 bytes", problems: "claims 4294967295"},
		{name: "empty payload", subs: []tw.Section{tw.Subsection(1, nil), globals},
			functions: "reading the number of names: truncated", problems: "number of names"},
		{name: "index overflows", subs: []tw.Section{tw.Subsection(1, []byte("\x01\x80\x80\x80\x80\x10\x00"))},
			functions: "reading an index: LEB128", problems: "LEB128"},
		{name: "order", subs: []tw.Section{globals, good}, extent: true, problems: "stands behind that of global names"},
		{name: "twice", subs: []tw.Section{good, tw.Subsection(1, tw.List("other").Payload())}, extent: true, problems: "stands behind that of function names"},
		{name: "twice, the second one bad", subs: []tw.Section{good, tw.Subsection(1, []byte{9})}, extent: true, problems: "stands behind"},
		{name: "descending", subs: []tw.Section{tw.Subsection(1, []byte("\x02\x01\x01g\x00\x01f"))}, extent: true, problems: "the name of function 0 follows that of 1"},
		{name: "repeated index", subs: []tw.Section{tw.Subsection(1, []byte("\x03\x00\x01f\x01\x01g\x00\x01x"))}, extent: true, problems: "follows that of 1"},
		{name: "repeated index, neighbours", subs: []tw.Section{tw.Subsection(1, []byte("\x03\x00\x01f\x01\x01g\x01\x01x"))}, extent: true, problems: "the name of function 1 follows that of 1"},
		{name: "locals of one function twice", subs: []tw.Section{good, tw.Subsection(2, []byte("\x02\x05\x00\x05\x00"))}, extent: true, problems: "index 5 follows index 5"},
		{name: "not UTF-8", subs: []tw.Section{good, tw.Subsection(7, []byte("\x01\x00\x02\xff\xfe"))}, extent: true, problems: "the name of global 0 is not UTF-8"},
		{name: "module not UTF-8", subs: []tw.Section{tw.Subsection(0, []byte("\x01\xff")), good}, extent: true, problems: "the module name is not UTF-8"},
		{name: "module name too short", subs: []tw.Section{tw.Subsection(0, []byte("\x01ab")), good}, extent: true, problems: "1 bytes follow the module name"},
		{name: "bad locals", subs: []tw.Section{good, tw.Subsection(2, []byte("\x01\x00\x02\x00\x01a\x01"))}, extent: true, problems: "reading the length of a name: truncated"},
		{name: "locals of descending functions", subs: []tw.Section{good, tw.Subsection(2, []byte("\x02\x05\x00\x04\x00"))}, extent: true, problems: "index 4 follows index 5"},
		{name: "locals go on", subs: []tw.Section{good, tw.Subsection(2, []byte("\x01\x05\x00\x00"))}, extent: true, problems: "1 bytes follow the last of the local names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, n, err := nameFile(t, rawNames(c.subs...))
			match := func(what string, err error, want string) {
				t.Helper()
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, want %q", what, err, want)
				}
				var fe *wasm.FormatError
				if err != nil && (!errors.As(err, &fe) || fe.Off < n.Section.Data || fe.Off > n.Section.End()) {
					t.Errorf("%s: the error has no offset inside of the section: %v", what, err)
				}
			}
			match("headers", err, c.headers)
			table, err := n.Functions(1 << 20)
			match("functions", err, c.functions)
			if c.functions == "" {
				if d := cmp.Diff(map[uint32]string{0: "f", 1: "g"}, maps.Collect(table.All())); d != "" {
					t.Error(d)
				}
			}
			if s := n.Find(wasm.NameGlobals); s != nil && c.name != "not UTF-8" {
				m := n.Map(wasm.NameGlobals)
				if !m.Next() || string(m.Name()) != "sp" || m.Next() || m.Err() != nil {
					t.Errorf("the globals suffer: %v", m.Err())
				}
			}
			if _, _, ok, err := wasm.FunctionNamesExtent(f); ok != c.extent || err != nil {
				t.Errorf("extent: %v, %v; want %v", ok, err, c.extent)
			}
			var all error
			if p := n.Problems(); len(p) > 0 {
				all = errors.Join(p...)
				if !strings.Contains(all.Error(), c.problems) || c.problems == "" {
					t.Errorf("problems %v, want %q", all, c.problems)
				}
			} else if c.problems != "" {
				t.Errorf("no problems, want %q", c.problems)
			}
		})
	}
}

// TestFunctionNamesExtentRule pins the rule that the content ID rests on.
func TestFunctionNamesExtentRule(t *testing.T) {
	good := rawNames(tw.Subsection(1, tw.List("f").Payload()))
	bad := rawNames(tw.Subsection(1, []byte{7}))
	for _, c := range []struct {
		name string
		s    []tw.Section
		want string // the extent's bytes; "-" for none
	}{
		{"in front of code", []tw.Section{good, tw.Code()}, "\x01\x00\x01f"},
		{"the first of two sections", []tw.Section{good, tw.Names{Functions: tw.List("other")}.Section()}, "\x01\x00\x01f"},
		{"the first of two sections is bad", []tw.Section{bad, good}, "-"},
		{"bytes behind the last subsection", []tw.Section{rawNames(tw.Subsection(1, tw.List("f").Payload()), tw.Raw(0))}, "-"},
		{"not UTF-8", []tw.Section{rawNames(tw.Subsection(1, []byte("\x01\x00\x02\xff\x00")))}, "\x01\x00\x02\xff\x00"},
		{"padded numbers", []tw.Section{rawNames(tw.Subsection(1, []byte("\x81\x00\x80\x80\x00\x81\x80\x80\x80\x00f")))}, "\x81\x00\x80\x80\x00\x81\x80\x80\x80\x00f"},
		{"no names", []tw.Section{rawNames(tw.Subsection(1, []byte{0}))}, "\x00"},
		{"another section's name", []tw.Section{tw.Custom("Name", good.Payload)}, "-"},
		{"only other subsections", []tw.Section{rawNames(tw.Subsection(2, []byte{0}))}, "-"},
	} {
		f := open(t, tw.Build(c.s...))
		off, size, ok, err := wasm.FunctionNamesExtent(f)
		got := "-"
		if ok {
			p := make([]byte, size)
			if _, err := f.ReadAt(p, int64(off)); err != nil {
				t.Fatal(err)
			}
			got = string(p)
		} else if off != 0 || size != 0 {
			t.Errorf("%s: not found, yet %v+%d", c.name, off, size)
		}
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// TestNamesReadError: a file that cannot be read is not one without names.
func TestNamesReadError(t *testing.T) {
	b := tw.Build(rawNames(tw.Subsection(1, tw.List(strings.Repeat("x", 5000), "g").Payload())))
	disk := errors.New("disk")
	r := &tw.Failing{R: bytes.NewReader(b), At: 1 << 40, Err: disk}
	f, err := wasm.NewFile(r, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{20, int64(len(b)) - 1} {
		r.At = at
		if _, _, ok, err := wasm.FunctionNamesExtent(f); ok || !errors.Is(err, disk) {
			t.Errorf("reading fails at %#x: %v, %v", at, ok, err)
		}
		n, err := wasm.ReadNames(f.Custom("name"))
		if err == nil {
			_, err = n.Functions(1 << 20)
		}
		if !errors.Is(err, disk) || !errors.Is(err, wasm.ErrRead) {
			t.Errorf("reading fails at %#x: %v", at, err)
		}
		if p := n.Problems(); n.Find(1) != nil && (len(p) != 1 || !errors.Is(p[0], disk)) {
			t.Errorf("problems %v", p)
		}
	}
}

func TestNamesLimits(t *testing.T) {
	_, n, err := nameFile(t, rawNames(tw.Subsection(1, tw.List("function").Payload())))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Functions(10); !errors.Is(err, wasm.ErrLimit) {
		t.Errorf("11 bytes with a limit of 10: %v", err)
	}
	if _, err := n.Functions(11); err != nil {
		t.Error(err)
	}
	m := n.Map(wasm.NameLocals)
	if m.Next() || m.Err() != nil {
		t.Error("an absent subsection is not empty")
	}
	// A long name is cut, but its extent is not.
	size := wasm.MaxNameBytes + 100
	_, n, err = nameFile(t, rawNames(tw.Subsection(1, tw.List(strings.Repeat("n", size), "after").Payload())))
	if err != nil {
		t.Fatal(err)
	}
	m = n.Map(wasm.NameFunctions)
	if m.Count() != 2 || !m.Next() {
		t.Fatal(m.Err())
	}
	if _, got := m.Extent(); int(got) != size || len(m.Name()) != wasm.MaxNameBytes {
		t.Errorf("extent of %d bytes, %d read", got, len(m.Name()))
	}
	if !m.Next() || string(m.Name()) != "after" || m.Index() != 1 || m.Count() != 0 {
		t.Errorf("the name after the long one: %q, %v", m.Name(), m.Err())
	}
	// The list of subsections is bounded.
	many := bytes.Repeat([]byte{50, 0}, 1<<12+1)
	_, n, err = nameFile(t, tw.Custom("name", many))
	if !errors.Is(err, wasm.ErrLimit) || len(n.Subsections) != 1<<12 {
		t.Errorf("%d subsections, %v", len(n.Subsections), err)
	}
}

// TestFirstNameCounts: of many names for few functions, in no order, the first
// of each function is taken.
func TestFirstNameCounts(t *testing.T) {
	payload := wasm.AppendUint32(nil, 300)
	want := map[uint32]string{}
	for i := range uint32(300) {
		index, name := i*7%11, fmt.Sprint("name", i)
		payload = wasm.AppendName(wasm.AppendUint32(payload, index), name)
		if _, ok := want[index]; !ok {
			want[index] = name
		}
	}
	_, n, err := nameFile(t, rawNames(tw.Subsection(1, payload)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, functions(t, n)); d != "" {
		t.Error(d)
	}
}

func TestNameMapOfIndirect(t *testing.T) {
	_, n, err := nameFile(t, tw.Names{Module: "m", Functions: tw.List("f"), Locals: map[uint32]tw.NameMap{0: tw.List("a")}}.Section())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []wasm.NameID{wasm.NameModule, wasm.NameLocals} {
		if m := n.Map(id); m.Next() || m.Err() == nil {
			t.Errorf("%v: read as a map", id)
		}
	}
}

func TestNameIDs(t *testing.T) {
	want := "module function local label type table memory global element segment data segment field tag unknown (12)"
	var got []string
	for id := wasm.NameID(0); id <= 12; id++ {
		got = append(got, id.String())
	}
	if s := strings.Join(got, " "); s != want {
		t.Error(s)
	}
}

// TestFunctionNamesInBoundedMemory checks the extent of a large section, whose
// reading must not depend on its size.
func TestFunctionNamesInBoundedMemory(t *testing.T) {
	big, err := tw.BigModule{CodeBytes: 3 << 20, Funcs: 200_000, Names: true}.Open()
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if _, err := big.WriteTo(&buf); err != nil {
		t.Fatal(err)
	}
	f := open(t, buf.Bytes())
	if n := testing.AllocsPerRun(1, func() {
		if _, size, ok, err := wasm.FunctionNamesExtent(f); !ok || size != 5+15*200_000 || err != nil {
			t.Errorf("%d, %v, %v", size, ok, err)
		}
	}); n > 20 {
		t.Errorf("%v allocations for 200000 names", n)
	}
	n, err := wasm.ReadNames(f.Custom("name"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := n.Functions(1 << 30)
	if err != nil || table.Len() != 200_000 {
		t.Fatalf("%d names, %v", table.Len(), err)
	}
	if name, ok := table.Name(123_456); name != "f00123456" || !ok {
		t.Errorf("function 123456 is %q", name)
	}
	if p := n.Problems(); p != nil {
		t.Error(p)
	}
}

func bigNames(b *testing.B) *wasm.File {
	m := make(tw.NameMap)
	for i := range uint32(50_000) {
		m[i] = strings.Repeat("name", int(i%9))
	}
	return open(b, tw.Build(tw.Names{Functions: m}.Section()))
}

func BenchmarkFunctionNamesExtent(b *testing.B) {
	f := bigNames(b)
	b.SetBytes(f.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok, err := wasm.FunctionNamesExtent(f); !ok || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFunctionNames(b *testing.B) {
	f := bigNames(b)
	n, err := wasm.ReadNames(f.Custom("name"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(f.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := n.Functions(1 << 30); err != nil {
			b.Fatal(err)
		}
	}
}
