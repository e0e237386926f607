package debugid

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func infoOf(t *testing.T, b []byte) *ModuleInfo {
	t.Helper()
	name := filepath.Join(t.TempDir(), "app.wasm")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Info(context.Background(), InfoOptions{Input: name})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unit returns a DWARF 4 compile unit: header and a root entry with a name, a
// producer (both DW_FORM_string) and a language (DW_FORM_data2), and its
// abbreviations.
func unit(version byte, language uint16, producer string) (info, abbrev []byte) {
	body := []byte{version, 0, 0, 0, 0, 0, 4, 1}
	body = append(append(body, "a.c\x00"...), producer...)
	body = append(body, 0, byte(language), byte(language>>8))
	info = append([]byte{byte(len(body)), 0, 0, 0}, body...)
	return info, []byte{1, 0x11, 0, 0x03, 0x08, 0x25, 0x08, 0x13, 0x05, 0, 0, 0}
}

func TestInfoSample(t *testing.T) {
	m := infoOf(t, tw.Build(append(tw.Sample(), tw.BuildID([]byte("0123456789abcdef")))...))
	if len(m.Problems) > 0 {
		t.Errorf("problems: %q", m.Problems)
	}
	if want := (&CodeInfo{Start: 0x5f, Size: 30, Functions: 3, Imported: 1}); !cmp.Equal(m.Code, want) {
		t.Error(cmp.Diff(want, m.Code))
	}
	if m.BuildID.ID != "30313233343536373839616263646566" || m.BuildID.Status != "ok" || m.BuildID.Freshness != "cannot tell" {
		t.Errorf("build ID: %+v", m.BuildID)
	}
	if len(m.BuildID.Forms) != len(buildid.Forms(nil, "")) {
		t.Errorf("%d forms", len(m.BuildID.Forms))
	}
	if m.Names == nil || m.Names.Functions != 4 || m.Names.Module != "app" {
		t.Errorf("names: %+v", m.Names)
	}
	want := []ProducerInfo{{"language", "C11", ""}, {"processed-by", "clang", "22.1.8"}}
	if !cmp.Equal(m.Producers, want) || strings.Join(m.Features, " ") != "+mutable-globals +sign-ext" {
		t.Errorf("%v %v", m.Producers, m.Features)
	}
	last := m.Sections[len(m.Sections)-1]
	if last.Name != "build_id" || !last.Minimal || last.Offset+wasm.FileOffset(1+last.SizeWidth) != last.Payload || int64(last.Payload)+last.Size != m.Size {
		t.Errorf("last section: %+v", last)
	}
}

func TestInfoDWARF(t *testing.T) {
	info4, abbrev := unit(4, 0x1c, "rustc")
	info2, _ := unit(2, 0x1d, "clang")
	// In version 2 and 4 the header is the same, and so are these forms.
	both := append(append(append([]byte{}, info4...), info2...), info4...)
	base := tw.Without(tw.Sample(), ".debug_abbrev", ".debug_info", ".debug_line", ".debug_str", "name")
	line := tw.Custom(".debug_line", []byte{1})
	for _, tt := range []struct {
		name     string
		sections []tw.Section
		usable   bool
		tier     string
		reason   string
	}{
		{"none", nil, false, TierIndex, "no DWARF, no source map, no names of functions"},
		{"good", []tw.Section{tw.Custom(".debug_info", both), tw.Custom(".debug_abbrev", abbrev), line}, true, TierDWARF, "3 units"},
		{"no lines", []tw.Section{tw.Custom(".debug_info", both), tw.Custom(".debug_abbrev", abbrev)}, true, TierDWARF, "no line programs"},
		{"no info", []tw.Section{line}, false, TierIndex, "there is no .debug_info"},
		{"empty info", []tw.Section{tw.Custom(".debug_info", nil), line}, false, TierIndex, ".debug_info is empty"},
		{"no abbreviations", []tw.Section{tw.Custom(".debug_info", both), line}, false, TierIndex, "no root entry"},
		{"noise", []tw.Section{tw.Custom(".debug_info", []byte("not DWARF at all")), line}, false, TierIndex, "no unit can be read"},
		{"noise and a map", []tw.Section{line, tw.SourceMappingURL("x.map")}, false, TierSourceMap, "; source map"},
		{"map", []tw.Section{tw.SourceMappingURL("x.map")}, false, TierSourceMap, "source map, no DWARF"},
	} {
		m := infoOf(t, tw.Build(append(append([]tw.Section{}, base...), tt.sections...)...))
		if m.Tier != tt.tier || !strings.Contains(m.TierReason, tt.reason) || (m.DWARF != nil && m.DWARF.Usable) != tt.usable {
			t.Errorf("%s: tier %s, %q, DWARF %+v", tt.name, m.Tier, m.TierReason, m.DWARF)
		}
		if tt.name != "good" {
			continue
		}
		want := []UnitGroup{
			{Count: 2, Version: 4, Type: "compile", AddressSize: 4, Bits: 32, Language: "Rust", Producer: "rustc"},
			{Count: 1, Version: 2, Type: "compile", AddressSize: 4, Bits: 32, Language: "C11", Producer: "clang"},
		}
		if d := cmp.Diff(want, m.DWARF.Groups); d != "" {
			t.Error(d)
		}
	}
}

func TestInfoErrors(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	if err := os.WriteFile(name, []byte("<html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	var not *wasm.NotModuleError
	if _, err := Info(context.Background(), InfoOptions{Input: name}); !errors.As(err, &not) || not.Kind != wasm.KindHTML {
		t.Errorf("a page: %v", err)
	}
	if _, err := Info(context.Background(), InfoOptions{Input: filepath.Join(dir, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Info(ctx, InfoOptions{Input: Stdio, Stdin: bytes.NewReader(tw.Build())}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestInfoOfDamage: what cannot be read is a problem in the result, and the rest
// is described all the same.
func TestInfoOfDamage(t *testing.T) {
	s := tw.Replace(tw.Sample(), "producers", tw.Custom("producers", []byte{200}))
	s = tw.Replace(s, "name", tw.Custom("name", []byte{1, 3, 200, 1, 0}))
	s = tw.Replace(s, "function", tw.Unknown(3, []byte{0xff, 0xff, 0x7f}))
	s = append(s, tw.Custom("external_debug_info", []byte{50}), tw.Custom("wasm-debugid", []byte("{")), tw.Custom("build_id", []byte{9}), tw.Custom("target_features", []byte{1, 'x'}))
	m := infoOf(t, tw.Build(s...))
	for _, what := range []string{"producers: ", "function names: ", "number of functions: ", "external_debug_info: ", "the record of a split: ", "build_id: "} {
		if !strings.Contains(strings.Join(m.Problems, "\n"), what) {
			t.Errorf("no problem with %q in %q", what, m.Problems)
		}
	}
	if len(m.Sections) != len(s) || m.Features[0] != "+mutable-globals" || m.BuildID.Status != "malformed" {
		t.Errorf("not described: %+v", m)
	}
}

// TestInfoMemory: describing a large module takes memory for its headers only.
// The file is sparse: one unit of 3 GiB behind everything else.
func TestInfoMemory(t *testing.T) {
	const size = 3 << 30
	info, abbrev := unit(4, 0x1c, "rustc")
	binary.LittleEndian.PutUint32(info, size-4)
	head := tw.Build(append(tw.Without(tw.Sample(), ".debug_info", ".debug_abbrev"), tw.Custom(".debug_abbrev", abbrev))...)
	head = append(wasm.AppendCustomHeader(head, ".debug_info", size), info...)
	name := filepath.Join(t.TempDir(), "big.wasm")
	err := os.WriteFile(name, head, 0o600)
	if err == nil {
		err = os.Truncate(name, int64(len(head)-len(info))+size)
	}
	if err != nil {
		t.Skip("no sparse file of 3 GiB here: ", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Info(context.Background(), InfoOptions{Input: name})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d MiB allocated", got>>20)
	}
	if strconv.IntSize == 64 && (m.DWARF == nil || !m.DWARF.Usable || m.DWARF.Size < size) {
		t.Errorf("DWARF: %+v", m.DWARF)
	}
}

// FuzzInfo: no module makes Info panic, hang, or fail for another reason than
// that it is none.
func FuzzInfo(f *testing.F) {
	info, abbrev := unit(4, 2, "p")
	f.Add(tw.Build(append(tw.Sample(), tw.BuildID([]byte("0123456789abcdef")))...))
	f.Add(tw.Build(tw.Custom(".debug_info", info), tw.Custom(".debug_abbrev", abbrev), tw.Custom("name", []byte{1, 1, 0})))
	f.Add(tw.Build(tw.Custom("wasm-debugid", []byte(`{"version":1,"kind":"symbols"}`)), tw.ExternalDebugInfo("x"), tw.Custom("dylink.0", nil)))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Info(context.Background(), InfoOptions{Input: Stdio, Stdin: bytes.NewReader(b)})
		var format *wasm.FormatError
		if err != nil && !errors.As(err, &format) && !errors.Is(err, wasm.ErrNotModule) {
			t.Fatalf("%v", err)
		}
		if err == nil && (m.Tier == "" || m.Kind == "" || fmt.Sprint(m.Problems) == "") {
			t.Fatalf("%+v", m)
		}
	})
}
