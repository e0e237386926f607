package buildid

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func contentOf(t testing.TB, module []byte) ID {
	t.Helper()
	f := open(t, module)
	m, err := Measure(context.Background(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.ContentOf(f)
}

// tiny has a type, a function, code with a padded section size, two .debug_
// sections of which one is empty, module and function names, producers and a
// build ID.
const tiny = "0061736d01000000 010401600000 03020100 0a8480808000 0102000b" +
	"00120b2e64656275675f696e666f 647761726621" +
	"000b0a2e64656275675f737472" +
	"000f046e616d65 0002016d 010401000166" +
	"000b0970726f647563657273 00" +
	"000e086275696c645f6964 0461626364"

// The vectors were computed by a program in another language (Python, with the
// packages blake3 1.0.11 and xxhash 3), written from the package comment.
func TestContentIDVectors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"empty", unhex(t, "0061736d01000000"), "6aad7049fa518a1bbf60c6b24ebd7d31"},
		{"tiny", unhex(t, tiny), "efabe4803fd78ee6bcb0fb3cb7a66e90"},
		{"c/bid-19.wasm", nil, "e823b32012a38a6b8d1d37fa186528e1"},
		// One program linked with different IDs (and, in the name section, different
		// module names) has one content.
		{"c/bid-fast.wasm", nil, "68278a413fb28b0184bf8b41ea1dbbd3"},
		{"c/bid-sha1.wasm", nil, "68278a413fb28b0184bf8b41ea1dbbd3"},
		{"c/bid-uuid.wasm", nil, "68278a413fb28b0184bf8b41ea1dbbd3"},
		{"c/bid-0x0011.wasm", nil, "68278a413fb28b0184bf8b41ea1dbbd3"},
		{"cpp/bid-fast.wasm", nil, "7a02ca768cf386c6a735de75d5c0a5f5"},
		{"cpp/bid-19.wasm", nil, "31e0d62a245f8f9eb8155a828b912b76"},
		{"zig/lld-bid.wasm", nil, "af667a80832b8d42ace655cd9d3753c9"},
		{"exact-22.wasm", linkedModules[0].bytes(t), "30de9ad339f98501b09972bc9f6eec9c"},
		{"four-19.wasm", linkedModules[5].bytes(t), "fe8930cfe7668aa896bd660cf5a9f016"},
	} {
		if tc.module == nil {
			tc.module = corpus(t, tc.name)
		}
		if got := contentOf(t, tc.module); got.String() != tc.want {
			t.Errorf("%s: %v, want %s", tc.name, got, tc.want)
		}
	}
	m, err := Measure(context.Background(), open(t, unhex(t, tiny)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.ContentID(99, true, nil); got.String() != "a009c4823f7f8b19b1a3876e04900186" {
		t.Errorf("tiny, code start 99, nothing kept: %v", got)
	}
}

func TestMeasure(t *testing.T) {
	m, err := Measure(context.Background(), open(t, unhex(t, tiny)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID   wasm.SectionID
		Name string
		Size int64
	}
	rows := func(list []SectionDigest) (out []row) {
		for _, s := range list {
			out = append(out, row{s.ID, s.Name, s.Size})
		}
		return out
	}
	if d := cmp.Diff([]row{{wasm.SectionType, "", 4}, {wasm.SectionFunction, "", 2}, {wasm.SectionCode, "", 4}}, rows(m.Sections)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]row{{0, ".debug_info", 6}, {0, ".debug_str", 0}}, rows(m.Debug)); d != "" {
		t.Error(d)
	}
	if m.FunctionNames.Size != 4 {
		t.Errorf("function names of %d bytes", m.FunctionNames.Size)
	}
	// The hash of nothing is published with the BLAKE3 test vectors.
	if code, ok := m.Code(); !ok || code.Size != 4 {
		t.Errorf("code %v, %v", code, ok)
	}
	const nothing = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
	if got := m.Debug[1].Sum.String(); got != nothing {
		t.Errorf("hash of nothing: %s", got)
	}
	if _, ok := (&Measurement{}).Code(); ok {
		t.Error("there is code where there is none")
	}
}

func TestKeptNames(t *testing.T) {
	module := testwasm.Build(
		testwasm.Custom("dylink.0", nil),
		testwasm.Custom(".debug_info", nil),
		testwasm.Code(),
		testwasm.BuildID([]byte("abcd")),
		testwasm.Custom("name", nil),
		testwasm.Custom("name", nil),
		testwasm.Custom("", nil),
		testwasm.ExternalDebugInfo("x"),
		testwasm.Custom("wasm-debugid", nil),
		testwasm.Custom(".debugger", nil),
		testwasm.Custom("debug_info", nil),
		testwasm.SourceMappingURL("x.map"),
	)
	want := []string{"dylink.0", "name", "name", "", ".debugger", "debug_info", "sourceMappingURL"}
	if d := cmp.Diff(want, KeptNames(open(t, module))); d != "" {
		t.Error(d)
	}
}

// program is a module whose parts the tests below vary.
func program() []testwasm.Section {
	return []testwasm.Section{
		testwasm.Types(testwasm.FuncType{}),
		testwasm.Functions(0, 0),
		testwasm.Code(testwasm.Fn(testwasm.OpNop), testwasm.Fn()),
		testwasm.Custom(".debug_info", []byte("info")),
		testwasm.Custom(".debug_line", []byte("line")),
		testwasm.Names{Functions: testwasm.List("first", "second")}.Section(),
		testwasm.Producers(),
	}
}

func TestContentIDCovers(t *testing.T) {
	base := contentOf(t, testwasm.Build(program()...))
	if uuidVersion(base) != 8 {
		t.Errorf("%v is not a UUID of version 8", base)
	}
	edit := func(key string, with ...testwasm.Section) []byte {
		return testwasm.Build(testwasm.Replace(program(), key, with...)...)
	}
	code := testwasm.Code(testwasm.Fn(testwasm.OpNop), testwasm.Fn())
	names := func(module string, functions ...string) testwasm.Section {
		return testwasm.Names{Module: module, Functions: testwasm.List(functions...)}.Section()
	}
	for name, module := range map[string][]byte{
		"build id":          add(testwasm.Build(program()...), testwasm.BuildID([]byte("abcd"))),
		"pointer":           add(testwasm.Build(program()...), testwasm.ExternalDebugInfo("https://example.com/x.debug.wasm")),
		"companion section": add(testwasm.Build(program()...), testwasm.Custom(wasm.CustomWasmDebugID, []byte("x"))),
		"module name":       edit("name", names("other.wasm", "first", "second")),
		"producers":         edit("producers", testwasm.Custom("producers", []byte("whatever"))),
		"padding behind":    edit("name", names("", "first", "second").Pad(5)),
	} {
		if got := contentOf(t, module); !got.Equal(base) {
			t.Errorf("%s changes the content ID", name)
		}
	}
	seen := map[string]string{base.String(): "the program itself"}
	for name, module := range map[string][]byte{
		"code":                edit("code", testwasm.Code(testwasm.Fn(testwasm.OpReturn), testwasm.Fn())),
		"code start":          edit("code", code.Pad(5)),
		"another section":     edit("code", testwasm.Start(0), code),
		"section id":          edit("code", code, testwasm.Unknown(0x5f, nil)),
		"other section id":    edit("code", code, testwasm.Unknown(0x5e, nil)),
		"type":                edit("type", testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{})),
		"debug contents":      edit(".debug_info", testwasm.Custom(".debug_info", []byte("infp"))),
		"debug name":          edit(".debug_info", testwasm.Custom(".debug_inf0", []byte("info"))),
		"debug order":         edit(".debug_info", testwasm.Custom(".debug_line", []byte("line")), testwasm.Custom(".debug_info", []byte("info"))),
		"debug gone":          edit(".debug_line"),
		"function name":       edit("name", names("", "first", "secone")),
		"function names gone": edit("name", testwasm.Custom("name", nil)),
		"names gone":          edit("name"),
		"producers gone":      edit("producers"),
		"kept section":        edit("producers", testwasm.Producers(), testwasm.Custom("x", nil)),
		"kept order":          edit("producers", testwasm.Custom("x", nil), testwasm.Producers()),
		"kept twice":          edit("producers", testwasm.Producers(), testwasm.Producers()),
		"code gone":           edit("code"),
	} {
		got := contentOf(t, module).String()
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s give the same content ID", name, other)
		}
		seen[got] = name
	}
}

// TestContentIDMalformedNames: damaged names count as none, however damaged.
func TestContentIDMalformedNames(t *testing.T) {
	build := func(payload string) ID {
		return contentOf(t, testwasm.Build(testwasm.Replace(program(), "name", testwasm.Custom("name", unhex(t, payload)))...))
	}
	none := build("")
	for _, damaged := range []string{"01", "0105", "01050100016601", "0103010001", "01ffffffff0f", "0104020001", "01050100016600"} {
		if got := build(damaged); !got.Equal(none) {
			t.Errorf("name section %s counts", damaged)
		}
	}
	if build("010401000166").Equal(none) {
		t.Error("sound names do not count")
	}
}

func TestContentIDWorkers(t *testing.T) {
	big, err := testwasm.BigModule{CodeBytes: 3 << 20, DebugBytes: 6 << 20, Funcs: 1000, Names: true}.Open()
	if err != nil {
		t.Fatal(err)
	}
	f, err := wasm.NewFile(big, big.Size())
	if err != nil {
		t.Fatal(err)
	}
	var first *Measurement
	for w := 1; w <= 8; w++ {
		m, err := Measure(context.Background(), f, Options{Workers: w})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if d := cmp.Diff(first, m); d != "" {
			t.Errorf("%d workers: %s", w, d)
		}
	}
	if len(first.Debug) == 0 || first.FunctionNames.Size == 0 {
		t.Error("the module has no DWARF or no names")
	}
}

// split makes a pair of a module the way a splitter would, under its content ID.
func split(t testing.TB, module []byte, keepNames bool) (production, companion []byte) {
	t.Helper()
	stripped := without(t, module, func(s *wasm.Section) bool {
		return s.IsDebug() || !keepNames && s.IsCustom("name")
	})
	m, err := Measure(context.Background(), open(t, module), Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := testwasm.BuildID(m.ContentOf(open(t, stripped)))
	return add(stripped, id, testwasm.ExternalDebugInfo("app.debug.wasm")), add(module, id, testwasm.Custom(wasm.CustomWasmDebugID, []byte("x")))
}

func TestContentOfPair(t *testing.T) {
	for _, keepNames := range []bool{true, false} {
		for _, name := range []string{"c/bid-fast.wasm", "cpp/bid-19.wasm", "rust/nostd-O2-dw5.wasm"} {
			module := without(t, corpus(t, name), isBuildID)
			production, companion := split(t, module, keepNames)
			check := func(what string, production, companion []byte, same bool) {
				t.Helper()
				p, c := open(t, production), open(t, companion)
				id, err := ContentOfPair(context.Background(), p, c, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if stored := read(t, p).ID; id.Equal(stored) != same {
					t.Errorf("%s, names kept %v, %s: %v, stored %v", name, keepNames, what, id, stored)
				}
			}
			p, c := open(t, production), open(t, companion)
			check("as made", production, companion, true)
			check("code changed", patch(production, p.Code().Payload+9), companion, false)
			check("DWARF changed", production, patch(companion, c.Custom(".debug_line").Data), false)
			check("companion's code changed", production, patch(companion, c.Code().Payload+9), true)
			check("companion without names", production, without(t, companion, func(s *wasm.Section) bool { return s.IsCustom("name") }), keepNames)
		}
	}
}

func TestJudgeContent(t *testing.T) {
	module := without(t, corpus(t, "cpp/bid-fast.wasm"), isBuildID)
	injected := add(module, testwasm.BuildID(contentOf(t, module)))
	production, companion := split(t, module, true)
	noNames, noNamesCompanion := split(t, module, false)
	f := open(t, injected)
	plain := without(t, module, isDebug)
	plainInjected := add(plain, testwasm.BuildID(contentOf(t, plain)))
	noPointer := without(t, production, func(s *wasm.Section) bool { return s.IsCustom(wasm.CustomExternalDebugInfo) })
	for _, tc := range []struct {
		name   string
		module []byte
		want   Freshness
		reason string
	}{
		{"injected", injected, Fresh, "nothing that it covers has changed"},
		{"injected, no DWARF", plainInjected, Fresh, "nothing that it covers has changed"},
		{"code changed", patch(injected, f.Code().Payload+9), Changed, "has changed since it was made"},
		{"DWARF changed", patch(injected, f.Custom(".debug_line").Data), Changed, "has changed since it was made"},
		{"pointer added", add(injected, testwasm.ExternalDebugInfo("x")), Fresh, ""},
		{"section added", add(injected, testwasm.Custom("x", nil)), Changed, ""},
		{"production", production, FreshnessUnknown, "the pair is needed"},
		{"production without a pointer", noPointer, FreshnessUnknown, "the pair is needed"},
		{"no DWARF, code changed", patch(plainInjected, open(t, plainInjected).Code().Payload+9), FreshnessUnknown, "the pair is needed"},
		{"companion", companion, Fresh, ""}, // it holds all that was hashed
		{"production without names", noNames, FreshnessUnknown, "the pair is needed"},
		{"companion of it", noNamesCompanion, FreshnessUnknown, "the pair is needed"},
	} {
		v := judgeBytes(t, tc.module, Options{})
		if v.Freshness != tc.want || v.Scheme != SchemeContent || !strings.Contains(v.Reason, tc.reason) {
			t.Errorf("%s: %v, %v (%s)", tc.name, v.Freshness, v.Scheme, v.Reason)
		}
	}
}

func TestMeasureErrors(t *testing.T) {
	module := testwasm.Build(program()...)
	f := open(t, module)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, f, Options{}); err == nil || !strings.Contains(err.Error(), "type section") {
		t.Errorf("cancelled: %v", err)
	}
	for _, gone := range []string{"code", ".debug_line", "name"} {
		cut := f.Sections[slices.IndexFunc(f.Sections, func(s wasm.Section) bool { return s.Name == gone || s.ID.String() == gone })].End() - 1
		g, err := wasm.NewFile(&cutReader{data: module}, int64(len(module)))
		if err != nil {
			t.Fatal(err)
		}
		g.Reader().(*cutReader).data = module[:cut]
		if _, err := Measure(context.Background(), g, Options{}); err == nil || !strings.Contains(err.Error(), "hashing the ") {
			t.Errorf("cut in %s: %v", gone, err)
		}
	}
}

type cutReader struct{ data []byte }

func (c *cutReader) ReadAt(p []byte, off int64) (int, error) {
	return shortReader{c.data, int64(len(c.data))}.ReadAt(p, off)
}
