package wasm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// wantError checks that err is a *FormatError inside of the section whose text
// contains want; an empty want means no error.
func wantError(t *testing.T, err error, sec *wasm.Section, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	var fe *wasm.FormatError
	if !errors.As(err, &fe) || !strings.Contains(err.Error(), want) || fe.Off < sec.Data || fe.Off > sec.End() || fe.Section != sec.Label() {
		t.Errorf("error %v, want %q inside of the section", err, want)
	}
}

func TestProducers(t *testing.T) {
	all := tw.Producers(tw.Producer{Field: "language", Name: "C11"}, tw.Producer{Field: "language", Name: "Rust", Version: "2021"},
		tw.Producer{Field: "processed-by", Name: "clang", Version: "22.1.8 (https://…)"}, tw.Producer{Field: "sdk", Name: "", Version: ""})
	want := wasm.Producers{
		{Name: "language", Values: []wasm.ProducersValue{{Name: "C11"}, {Name: "Rust", Version: "2021"}}},
		{Name: "processed-by", Values: []wasm.ProducersValue{{Name: "clang", Version: "22.1.8 (https://…)"}}},
		{Name: "sdk", Values: []wasm.ProducersValue{{}}},
	}
	for _, c := range []struct {
		name string
		data []byte
		want wasm.Producers
		err  string
	}{
		{"all", all.Payload, want, ""},
		{"none", []byte{0}, nil, ""},
		{"empty", nil, nil, "reading the number of fields: truncated"},
		{"cut", all.Payload[:len(all.Payload)-1], append(want[:2:2], wasm.ProducersField{Name: "sdk"}), "reading the length of a version: truncated"},
		{"cut field", all.Payload[:5], nil, "a field name takes 8 bytes, 3 are left: truncated"},
		{"more", append(append([]byte{}, all.Payload...), 0, 0), want, "2 bytes follow the last field"},
		{"lying count", []byte("\xff\xff\xff\xff\x0f\x01x\x00"), wasm.Producers{{Name: "x"}}, "truncated"},
		{"lying values", []byte("\x01\x01x\xff\xff\xff\xff\x0f\x01y\x00"), wasm.Producers{{Name: "x", Values: []wasm.ProducersValue{{Name: "y"}}}}, "truncated"},
		{"name of 4 GiB", []byte("\x01\xff\xff\xff\xff\x0f"), nil, "takes 4294967295 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sec := open(t, tw.Build(tw.Custom("producers", c.data))).Custom(wasm.CustomProducers)
			got, err := wasm.ReadProducers(sec)
			wantError(t, err, sec, c.err)
			if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
	if d := cmp.Diff([]wasm.ProducersValue{{Name: "C11"}, {Name: "Rust", Version: "2021"}}, want.Field("language")); d != "" {
		t.Error(d)
	}
	if s := want[0].Values[0].String() + "|" + want[0].Values[1].String(); s != "C11|Rust 2021" || want.Field("none") != nil {
		t.Error(s)
	}
}

func TestTargetFeatures(t *testing.T) {
	for _, c := range []struct {
		name string
		data string
		want []string
		err  string
	}{
		{"two", "\x02+\x07simd128-\x07atomics", []string{"+simd128", "-atomics"}, ""},
		{"old required", "\x01=\x01x", []string{"=x"}, ""},
		{"none", "\x00", nil, ""},
		{"empty", "", nil, "reading the number of features: truncated"},
		{"prefix", "\x02+\x01x*\x01y", []string{"+x"}, "a feature's prefix is none of + - ="},
		{"cut", "\x02+\x01x+\x05yy", []string{"+x"}, "a feature's name takes 5 bytes, 2 are left"},
		{"no prefix", "\x02+\x01x", []string{"+x"}, "reading a feature's prefix: truncated"},
		{"more", "\x01+\x01xy", []string{"+x"}, "1 bytes follow the last feature"},
		{"lying count", "\xff\xff\xff\xff\x0f+\x01x", []string{"+x"}, "truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sec := open(t, tw.Build(tw.Custom("target_features", []byte(c.data)))).Custom(wasm.CustomTargetFeatures)
			features, err := wasm.ReadTargetFeatures(sec)
			wantError(t, err, sec, c.err)
			var got []string
			for _, f := range features {
				got = append(got, f.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	sec := open(t, tw.Build(tw.TargetFeatures("+a", "-b"))).Custom(wasm.CustomTargetFeatures)
	if got, err := wasm.ReadTargetFeatures(sec); err != nil || len(got) != 2 || got[1] != (wasm.Feature{Prefix: '-', Name: "b"}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestURLs(t *testing.T) {
	long := strings.Repeat("u", 200)
	for _, c := range []struct {
		data, want, err string
	}{
		{"\x05a.map", "a.map", ""},
		{"\x85\x80\x80\x80\x00a.map", "a.map", ""}, // padded
		{"\x00", "", ""},
		{"\xc8\x01" + long, long, ""},
		{"", "", "reading the length of the URL: truncated"},
		{"\x05a.ma", "", "the length prefix says 5 bytes, but 4 follow"},
		{"\x05a.map!", "", "the length prefix says 5 bytes, but 6 follow"},
		{"\xff\xff\xff\xff\x0fa", "", "the length prefix says 4294967295 bytes, but 1 follow"},
		{"\xff\xff\xff\xff\x1fa", "", "reading the length of the URL: LEB128"},
	} {
		sec := open(t, tw.Build(tw.Custom("sourceMappingURL", []byte(c.data)))).Custom(wasm.CustomSourceMappingURL)
		got, err := wasm.ReadURL(sec)
		wantError(t, err, sec, c.err)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.data, got, c.want)
		}
		if c.err == "" && !strings.Contains(c.data, "\x80") && string(wasm.AppendURL(nil, got)) != c.data {
			t.Errorf("%q is encoded as %q", got, wasm.AppendURL(nil, got))
		}
	}
}

// TestDuplicateURLs: of several pointers the last counts, of several source maps
// the first, as in V8 (measured with Node 20: debugSymbols.externalURL and
// sourceMapURL of Debugger.scriptParsed).
func TestDuplicateURLs(t *testing.T) {
	f := open(t, tw.Build(tw.ExternalDebugInfo("first"), tw.SourceMappingURL("first"), tw.Types(), tw.ExternalDebugInfo("last"), tw.SourceMappingURL("last")))
	got, err := f.ExternalDebugInfo()
	if got.URL != "last" || got.Count != 2 || got.Section.Index != 3 || err != nil {
		t.Errorf("external_debug_info: %+v, %v", got, err)
	}
	got, err = f.SourceMappingURL()
	if got.URL != "first" || got.Count != 2 || got.Section.Index != 1 || err != nil {
		t.Errorf("sourceMappingURL: %+v, %v", got, err)
	}
	// A bad one is no reason to take the other.
	f = open(t, tw.Build(tw.ExternalDebugInfo("good"), tw.Custom("external_debug_info", []byte("\x09bad"))))
	if got, err := f.ExternalDebugInfo(); err == nil || got.URL != "" || got.Count != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	f = open(t, tw.Build())
	for _, read := range []func() (wasm.URLRef, error){f.ExternalDebugInfo, f.SourceMappingURL} {
		if got, err := read(); got != (wasm.URLRef{}) || err != nil {
			t.Errorf("no section: %+v, %v", got, err)
		}
	}
}

func TestSmallSectionLimits(t *testing.T) {
	big, err := tw.BigModule{CodeBytes: 100, Funcs: 1, DebugBytes: 100, Sparse: true}.Open()
	if err != nil {
		t.Fatal(err)
	}
	f, err := wasm.NewFile(big, big.Size())
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(*wasm.Section) error{
		"producers":       func(s *wasm.Section) error { _, err := wasm.ReadProducers(s); return err },
		"target_features": func(s *wasm.Section) error { _, err := wasm.ReadTargetFeatures(s); return err },
		"URL":             func(s *wasm.Section) error { _, err := wasm.ReadURL(s); return err },
	} {
		s := *f.Custom(".debug_info")
		s.Size = 1 << 30 // as if the file were that large
		if err := read(&s); !errors.Is(err, wasm.ErrLimit) {
			t.Errorf("%s of 1 GiB: %v", name, err)
		}
	}
}

func TestDylink(t *testing.T) {
	sub := func(subs ...tw.Section) []byte { return rawNames(subs...).Payload }
	mem := tw.Subsection(1, []byte{0x10, 2, 3, 0})
	for _, c := range []struct {
		name    string
		section string
		data    []byte
		want    wasm.Dylink
		err     string
	}{
		{"all", "dylink.0", sub(mem,
			tw.Subsection(2, []byte("\x02\x04libc\x04libm")),
			tw.Subsection(3, []byte("\x01\x01f\x80\x02")).Pad(5),
			tw.Subsection(4, []byte("\x01\x03env\x01g\x01")),
			tw.Subsection(5, []byte("\x01\x07$ORIGIN")),
			tw.Subsection(77, []byte("later"))),
			wasm.Dylink{MemorySize: 16, MemoryAlign: 2, TableSize: 3, Needed: []string{"libc", "libm"},
				Exports: []wasm.DylinkExport{{Name: "f", Flags: 256}}, Imports: []wasm.DylinkImport{{Module: "env", Name: "g", Flags: 1}},
				RuntimePath: []string{"$ORIGIN"}, Unknown: []byte{77}}, ""},
		{"empty", "dylink.0", nil, wasm.Dylink{}, ""},
		{"legacy", "dylink", []byte("\x10\x02\x03\x00\x01\x04libc"), wasm.Dylink{Legacy: true, MemorySize: 16, MemoryAlign: 2, TableSize: 3, Needed: []string{"libc"}}, ""},
		{"legacy cut", "dylink", []byte("\x10\x02\x03"), wasm.Dylink{Legacy: true, MemorySize: 16, MemoryAlign: 2, TableSize: 3}, "reading the table alignment: truncated"},
		{"legacy more", "dylink", []byte("\x10\x02\x03\x00\x00\x00"), wasm.Dylink{Legacy: true, MemorySize: 16, MemoryAlign: 2, TableSize: 3}, "1 bytes follow"},
		{"subsection leaves the section", "dylink.0", sub(mem, tw.Subsection(2, []byte{0}).Claim(5)), wasm.Dylink{MemorySize: 16, MemoryAlign: 2, TableSize: 3}, "subsection 2 takes 5 bytes, 1 are left"},
		{"header cut", "dylink.0", []byte{1}, wasm.Dylink{}, "reading a subsection size: truncated"},
		{"contents leave the subsection", "dylink.0", sub(tw.Subsection(2, []byte("\x01\x09libc")), mem), wasm.Dylink{}, "a needed library takes 9 bytes, 4 are left"},
		{"contents end early", "dylink.0", sub(tw.Subsection(2, []byte("\x00more"))), wasm.Dylink{}, "4 bytes follow the contents of subsection 2"},
		{"lying count", "dylink.0", sub(tw.Subsection(4, []byte("\xff\xff\xff\xff\x0f\x01m\x01n\x00"))), wasm.Dylink{Imports: []wasm.DylinkImport{{Module: "m", Name: "n"}}}, "truncated"},
		{"lying exports", "dylink.0", sub(tw.Subsection(3, []byte("\x02\x01m\x00"))), wasm.Dylink{Exports: []wasm.DylinkExport{{Name: "m"}}}, "truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, tw.Build(tw.Custom(c.section, c.data)))
			got, err := f.Dylink()
			wantError(t, err, &f.Sections[0], c.err)
			c.want.Section = &f.Sections[0]
			if d := cmp.Diff(&c.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(wasm.Section{})); d != "" {
				t.Error(d)
			}
		})
	}
	if d, err := open(t, tw.Build()).Dylink(); d != nil || err != nil {
		t.Errorf("no section: %v, %v", d, err)
	}
	f := open(t, tw.Build(tw.Custom("dylink", []byte{0, 0, 0, 0, 0}), tw.Custom("dylink.0", nil)))
	if d, err := f.Dylink(); err != nil || d.Legacy {
		t.Errorf("dylink.0 beside dylink: %+v, %v", d, err)
	}
}

func TestLinking(t *testing.T) {
	sub := func(subs ...tw.Section) []byte { return append([]byte{2}, rawNames(subs...).Payload...) }
	for _, c := range []struct {
		name    string
		data    []byte
		ids     []byte
		symbols uint32
		err     string
	}{
		{"two", sub(tw.Subsection(8, []byte{3, 0, 0}), tw.Subsection(5, []byte{0})), []byte{8, 5}, 3, ""},
		{"later", sub(tw.Subsection(99, nil)), []byte{99}, 0, ""},
		{"empty", nil, nil, 0, "reading the version: truncated"},
		{"header", []byte{2, 8}, nil, 0, "reading a subsection size: truncated"},
		{"size", []byte{2, 8, 5, 1}, nil, 0, "subsection 8 takes 5 bytes, 1 are left"},
		{"symbols", sub(tw.Subsection(8, nil)), []byte{8}, 0, "reading the number of symbols: truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, tw.Build(tw.Custom("linking", c.data)))
			l, err := f.Linking()
			wantError(t, err, &f.Sections[0], c.err)
			var ids []byte
			for _, s := range l.Subsections {
				ids = append(ids, s.ID)
			}
			if d := cmp.Diff(c.ids, ids); d != "" || l.Symbols != c.symbols || len(c.data) > 0 && l.Version != 2 {
				t.Errorf("%s %+v", d, l)
			}
		})
	}
	if l, err := open(t, tw.Build()).Linking(); l != nil || err != nil {
		t.Errorf("no section: %v, %v", l, err)
	}
}

func TestRelocations(t *testing.T) {
	f := open(t, tw.Build(tw.Types(), tw.Custom("reloc.CODE", []byte("\x03\x85\x01rest")), tw.Custom("relocation", nil), tw.Custom("reloc..debug_info", []byte{99, 0})))
	got, err := f.Relocations()
	if err != nil || len(got) != 2 || got[0].Target != 3 || got[0].Count != 133 || got[1].Target != 99 || got[1].Section.Index != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	f = open(t, tw.Build(tw.Custom("reloc.A", []byte{0, 0}), tw.Custom("reloc.B", []byte{0})))
	got, err = f.Relocations()
	wantError(t, err, &f.Sections[1], "reading the number of relocations: truncated")
	if len(got) != 1 {
		t.Errorf("%+v", got)
	}
}
