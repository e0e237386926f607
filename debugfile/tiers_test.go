package debugfile_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// at looks up a file offset.
func at(t *testing.T, f *debugfile.File, off wasm.FileOffset) debugfile.Answer {
	t.Helper()
	span, _ := f.CodeSpan()
	c, ok := span.Code(off)
	if !ok {
		t.Fatalf("%v is not in the code", off)
	}
	return f.Lookup(c, nil)
}

// The offsets are those of V8's stack traces of the modules; the lines are those
// of the markers in index.ts and trap.c.
func TestSourceMapsOfCompilers(t *testing.T) {
	for _, c := range []struct {
		path string
		at   wasm.FileOffset
		want string
	}{
		{"assemblyscript/inc.wasm", 0x151, "assembly/index/outer index.ts:5"},
		{"assemblyscript/inc.wasm", 0x10df, "assembly/index/run index.ts:27"},
		{"assemblyscript/inc.wasm", 0x12da, "assembly/index/Box#get index.ts:19"},
		{"assemblyscript/inc.wasm", 0x1317, "assembly/index/boxed index.ts:24"},
		{"assemblyscript/inc.wasm", 0x10ef, "assembly/index/run index.ts:28"},
		{"emscripten/srcmap.wasm", 0xfd, "run trap.c:17"},
	} {
		f := open(t, filepath.Join(corpus, c.path), debugfile.Options{})
		if f.Tier() != debugfile.TierSourceMap || f.HasDWARF() || f.SourceMapError() != nil {
			t.Errorf("%s: %v, %v", c.path, f.Tier(), f.SourceMapError())
		}
		a := at(t, f, c.at)
		if got := show(a); got != c.want && got != "? "+strings.SplitN(c.want, " ", 2)[1] {
			t.Errorf("%s at %v: %s, want %s", c.path, c.at, got, c.want)
		}
		if a.Tier() != debugfile.TierSourceMap || !a.HasLine() {
			t.Errorf("%s at %v: %+v", c.path, c.at, a)
		}
	}
}

// vlq encodes numbers.
func vlq(numbers ...int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b strings.Builder
	for _, n := range numbers {
		v := uint64(n) << 1
		if n < 0 {
			v = uint64(-n)<<1 | 1
		}
		for {
			d := v & 31
			if v >>= 5; v > 0 {
				d |= 32
			}
			b.WriteByte(digits[d])
			if v == 0 {
				break
			}
		}
	}
	return b.String()
}

// mapped is a module of two bodies of 10 bytes with a source map.
func mapped(t *testing.T, url string, before ...testwasm.Section) (b []byte, start int64) {
	t.Helper()
	w := newWorld(10, 10)
	w.names = []string{"first", "second"}
	w.dwarf = map[string][]byte{}
	if url != "" {
		w.extra = append(w.extra, testwasm.SourceMappingURL(url))
	}
	b = w.module()
	if len(before) > 0 { // after the preamble
		var head []byte
		for _, s := range before {
			head = s.Append(head)
		}
		b = append(append(append([]byte{}, b[:8]...), head...), b[8:]...)
	}
	span, _ := moduleOf(t, b).CodeSpan()
	return b, int64(span.Start)
}

// simpleMap maps both bodies from their third byte on.
func simpleMap(start int64) string {
	first, second := int(start)+2, int(start)+15
	m := strings.Join([]string{
		vlq(first+2, 0, 6, 3),          // a.ts:7:4
		vlq(2, 1, 1, 0, 1),             // b.ts:8:4, a name
		vlq(2),                         // nobody is responsible
		vlq(second-first-6, -1, 12, 0), // a.ts:20
		vlq(3, 2, 0, 0),                // a source without a name
	}, ",")
	doc, _ := json.Marshal(map[string]any{"version": 3, "sourceRoot": "src", "sources": []any{"a.ts", "lib/b.ts", nil},
		"names": []string{"x", "named"}, "mappings": m, "sourcesContent": []any{strings.Repeat("text ", 100), nil, nil}})
	return string(doc)
}

var simpleWants = []want{
	{2, "first a.ts:7"}, // the start of a body before the first mapping
	{3, "first (no row)"}, {4, "first a.ts:7"}, {5, "first a.ts:7"}, {6, "first b.ts:8"}, {7, "first b.ts:8"},
	{8, "first (line 0)"}, {11, "first (line 0)"}, {12, "(size)"},
	{13, "second a.ts:20"}, {14, "second (no row)"}, // nothing of the function before
	{15, "second a.ts:20"}, {17, "second a.ts:20"}, {18, "second :20 (no file)"}, {22, "second :20 (no file)"},
}

func TestSourceMapRules(t *testing.T) {
	dir := t.TempDir()
	b, start := mapped(t, "maps/app.wasm.map")
	path := filepath.Join(dir, "app.wasm")
	write(t, path, b)
	write(t, filepath.Join(dir, "maps", "app.wasm.map"), []byte(simpleMap(start)))

	// Beside the module, named, inside the URL, with a line in front, as sections.
	f := open(t, path, debugfile.Options{})
	for _, w := range simpleWants {
		if got := show(f.Lookup(wasm.CodeOffset(w.at), nil)); got != w.text {
			t.Errorf("beside: 0x%x: %q, want %q", w.at, got, w.text)
		}
	}
	if a := f.Lookup(6, nil); a.Frames[0].File != "src/lib/b.ts" || a.Frames[0].Column != 4 {
		t.Errorf("%+v", a.Frames[0])
	}
	if f.Memory() < 5*20 {
		t.Error("the map takes no memory")
	}
	named := filepath.Join(dir, "other.map")
	plain, start := mapped(t, "")
	write(t, named, []byte(")]}'\n"+simpleMap(start)))
	expect(t, plain, debugfile.Options{SourceMap: named}, simpleWants...)

	// An index map; what belongs to other lines is passed over.
	index := fmt.Sprintf(`{"version":3,"sections":[{"offset":{"line":0,"column":%d},"map":%s},{"offset":{"line":1,"column":0},"map":%s}]}`, start, simpleMap(0), simpleMap(99))
	write(t, named, []byte(index))
	expect(t, plain, debugfile.Options{SourceMap: named}, simpleWants...)

	for _, encode := range []func(string) string{
		func(s string) string {
			return "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(s))
		},
		func(s string) string {
			return "data:application/json," + strings.NewReplacer("%", "%25", ",", "%2C", " ", "%20").Replace(s)
		},
	} {
		// The length of the URL does not move the code, which comes before it.
		_, start := mapped(t, "x")
		b, have := mapped(t, encode(simpleMap(start)))
		if have != start {
			t.Fatal("the code moved")
		}
		expect(t, b, debugfile.Options{}, simpleWants...)
	}
}

// A map counts from the start of the file that it was made for.
func TestSourceMapOfShiftedCode(t *testing.T) {
	dir := t.TempDir()
	production, start := mapped(t, "app.wasm.map", testwasm.Custom("first", make([]byte, 99)))
	companion, other := mapped(t, "")
	if start == other {
		t.Fatal("the code starts are equal")
	}
	write(t, filepath.Join(dir, "app.wasm.map"), []byte(simpleMap(start)))
	o := debugfile.Options{Production: moduleOf(t, production), ProductionPath: filepath.Join(dir, "app.wasm")}
	expect(t, companion, o, simpleWants...)
}

func TestSourceMapProblems(t *testing.T) {
	for _, c := range []struct{ url, text, want string }{
		{"https://example.com/app.map", "", "is not a file beside the module"},
		{"missing.map", "", "is not there"},
		{"data:,%7B%22version%22:3%7D", "", "holds no mappings"},
		{"", `{"version":3,"sources":[],"mappings":""}`, "holds no mappings"},
		{"", "{", "unexpected EOF"},
		{"", "[]", "[ where { should be"},
		{"", `{"version":2,"mappings":""}`, "version 2"},
		{"", `{"version":3,"sources":["a"],"mappings":"AA"}`, "1, 4 or 5 numbers"},
		{"", `{"version":3,"sources":["a"],"mappings":"AAAA!"}`, "not a Base64 VLQ number"},
		{"", `{"version":3,"sources":["a"],"mappings":"AAAAg"}`, "not a Base64 VLQ number"},
		{"", `{"version":3,"sources":["a"],"mappings":"AAAAggggggggggA"}`, "not a Base64 VLQ number"},
		{"", `{"version":3,"sources":["a"],"mappings":"ACAA"}`, "source 1, line 0, column 0 do not exist"},
		{"", `{"version":3,"sources":["a"],"mappings":"AADA"}`, "line -1"},
		{"", `{"version":3,"sources":["a"],"mappings":"DAAA"}`, "generated column -1"},
		{"", `{"version":3,"sources":["a"],"names":[],"mappings":"AAAAA"}`, "name 0 does not exist"},
		{"", `{"version":3,"sections":[{"offset":{"line":0,"column":0},"url":"x"}]}`, "not fetched"},
		{"", `{"version":3,"sections":[{"offset":{"line":0,"column":-9},"map":{}}]}`, "begins at column -9"},
		{"", `{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sections":[]}}]}}]}}]}}]}`, "nested too deeply"},
	} {
		b, _ := mapped(t, c.url)
		dir := t.TempDir()
		o := debugfile.Options{Path: filepath.Join(dir, "app.wasm")}
		if c.text != "" {
			o.SourceMap = filepath.Join(dir, "named.map")
			write(t, o.SourceMap, []byte(c.text))
		}
		f := openBytes(t, b, o)
		if err := f.SourceMapError(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: %v, want %q", c.url, c.text, err, c.want)
		}
		if got := show(f.Lookup(4, nil)); got != "first (no debug info)" {
			t.Errorf("%s%s: %s", c.url, c.text, got)
		}
	}
}

func TestSymbolMap(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "app.js.symbols")
	write(t, path, []byte("0:emscripten_date_now\r\n1:app::Shape::area\\28int\\29\n\n2:std::__2::vector<int\\2c int>\n"))
	w := newWorld(10, 10)
	w.dwarf = map[string][]byte{}
	m := testwasm.Build(testwasm.Types(testwasm.FuncType{}), testwasm.Imports(testwasm.Import{Module: "env", Name: "now", Kind: testwasm.KindFunc}),
		testwasm.Functions(0, 0), testwasm.Code(testwasm.Fn(), testwasm.Fn()), testwasm.Names{Functions: testwasm.List("a", "b", "c")}.Section())
	f := expect(t, m, debugfile.Options{SymbolMap: path}, want{2, "app::Shape::area(int) (no debug info)"}, want{5, "std::__2::vector<int, int> (no debug info)"})
	if f.Tier() != debugfile.TierNames || f.NamesError() != nil {
		t.Errorf("%v, %v", f.Tier(), f.NamesError())
	}
	if name, ok := f.FunctionName(0); !ok || name != "emscripten_date_now" {
		t.Errorf("import: %q", name)
	}
	if a, ok := f.LookupFunction(1, nil); !ok || a.Frames[0].Function != `app::Shape::area\28int\29` {
		t.Errorf("%+v", a)
	}
	for _, i := range []uint32{0, 3, 1 << 31} {
		if _, ok := f.LookupFunction(i, nil); ok {
			t.Errorf("function %d has a body", i)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"no number", "line 1 of the symbol map is not index:name"},
		{"1:a\n-2:b", "line 2"},
		{"1:" + strings.Repeat("x", 2<<20), "longer than 1048576 bytes"},
	} {
		write(t, path, []byte(c.text))
		f := openBytes(t, m, debugfile.Options{SymbolMap: path})
		if err := f.NamesError(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20s: %v", c.text, err)
		}
		if got := show(f.Lookup(5, nil)); got != "c (no debug info)" {
			t.Errorf("%.20s: %s", c.text, got) // from the name section
		}
	}
	if err := openBytes(t, m, debugfile.Options{SymbolMap: dir + "/none"}).NamesError(); err == nil {
		t.Error("a missing map is no error")
	}
}

// Names come from the companion, and from the production module where it has none.
func TestNamesOfProduction(t *testing.T) {
	w := newWorld(10)
	w.dwarf = map[string][]byte{}
	bare := w.module()
	w.names = []string{"named"}
	expect(t, bare, debugfile.Options{}, want{4, "(no debug info)"})
	f := expect(t, bare, debugfile.Options{Production: moduleOf(t, w.module())}, want{4, "named (no debug info)"})
	if f.Tier() != debugfile.TierNames {
		t.Error(f.Tier())
	}
	for _, c := range []struct {
		module []byte
		tier   debugfile.Tier
	}{{bare, debugfile.TierIndex}, {testwasm.Build(), debugfile.TierNone}} {
		f := openBytes(t, c.module, debugfile.Options{})
		if a := f.Lookup(4, nil); f.Tier() != c.tier || a.Tier() != c.tier {
			t.Errorf("%v, %v, want %v", f.Tier(), a.Tier(), c.tier)
		}
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Names as compilers wrote them into modules of the corpus.
func TestDemangle(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"_ZN3app9ring_userIdEET_i", "double app::ring_user<double>(int)"},
		{"_ZNK3app3Bad4areaEi", "app::Bad::area(int) const"},
		{"_RNvCsbPi4giiNHK5_10trap_nostd5outer", "trap_nostd::outer"},
		{"_ZN10trap_nostd5outer17h0123456789abcdefE", "trap_nostd::outer"},
		{"_ZN10trap_nostd5outer17h0123456789abcdefE.llvm.1234567", "trap_nostd::outer"},
		{"_ZN3app4virtEPNS_5ShapeEi.llvm.98765", "app::virt(app::Shape*, int)"},
		{"__ZN3app4virtEPNS_5ShapeEi", "app::virt(app::Shape*, int)"},
	} {
		if got, ok := debugfile.Demangle(c.name); !ok || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
	for _, c := range []struct{ name, want string }{
		{"main", "main"}, {"", ""}, {"_start", "_start"}, {"__wasm_call_ctors", "__wasm_call_ctors"}, {"_Zzz", "_Zzz"},
		{`app::f\28int\2c\20char\29`, "app::f(int, char)"}, {`a\b`, `a\b`}, {`a\zz`, `a\zz`}, {`bad\ff`, `bad\ff`}, {`\`, `\`},
		{"$s4main3fooyyF", "$s4main3fooyyF"},
		{"_Z" + strings.Repeat("x", 70000), "_Z" + strings.Repeat("x", 70000)},
	} {
		if got, ok := debugfile.Demangle(c.name); ok || got != c.want {
			t.Errorf("%.40s: %.40q, %v", c.name, got, ok)
		}
	}
	// A name that unfolds to 2^40 characters.
	if s, _ := debugfile.Demangle("_Z1f" + "St4pairIiiE" + doubling(40)); len(s) > 1<<17 {
		t.Errorf("%d bytes", len(s))
	}
}

// doubling makes parameters each of which is a pair of the one before.
func doubling(n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var b strings.Builder
	for i := range n {
		ref := "S_"
		if i > 0 && i <= 36 {
			ref = "S" + digits[i-1:i] + "_"
		} else if i > 36 {
			ref = "SZ_"
		}
		b.WriteString("St4pairI" + ref + ref + "E")
	}
	return b.String()
}

func TestTierNames(t *testing.T) {
	var got []string
	for _, tier := range []debugfile.Tier{debugfile.TierNone, debugfile.TierDWARF, debugfile.TierSourceMap, debugfile.TierNames, debugfile.TierIndex, 99} {
		got = append(got, tier.String())
	}
	if diff := cmp.Diff([]string{"none", "dwarf", "sourcemap", "names", "index", "Tier(99)"}, got); diff != "" {
		t.Error(diff)
	}
}
