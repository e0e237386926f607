package rewrite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// plain is a section found by plainScan.
type plain struct {
	id      byte
	name    string
	at      int
	payload int
	raw     []byte // the whole section
}

// plainScan reads section headers independently of package wasm.
func plainScan(t testing.TB, b []byte) []plain {
	t.Helper()
	leb := func(p int) (int, int) {
		v, s := 0, 0
		for {
			v |= int(b[p]&0x7f) << s
			s += 7
			p++
			if b[p-1] < 0x80 {
				return v, p
			}
		}
	}
	if string(b[:8]) != "\x00asm\x01\x00\x00\x00" {
		t.Fatalf("no module: % x", b[:8])
	}
	var out []plain
	for p := 8; p < len(b); {
		s := plain{id: b[p], at: p}
		size, q := leb(p + 1)
		s.payload = q
		if s.id == 0 {
			n, r := leb(q)
			s.name = string(b[r : r+n])
		}
		s.raw = b[p : q+size]
		out = append(out, s)
		p = q + size
	}
	return out
}

func open(t testing.TB, b []byte) *wasm.File {
	t.Helper()
	f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t testing.TB, l *Layout) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(l, 0, l.Size()))
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != l.Size() {
		t.Fatalf("read %d bytes of a layout of %d", len(b), l.Size())
	}
	return b
}

func split(t testing.TB, in []byte, o Options) (production, companion []byte, p *Plan) {
	t.Helper()
	p, err := Split(context.Background(), open(t, in), o)
	if err != nil {
		t.Fatal(err)
	}
	production = read(t, p.Production)
	if p.Companion != nil {
		companion = read(t, p.Companion)
	}
	return production, companion, p
}

func codeStart(sections []plain) int {
	for _, s := range sections {
		if s.id == 10 {
			return s.payload
		}
	}
	return -1
}

func count(sections []plain, name string) (n int) {
	for _, s := range sections {
		if s.id == 0 && s.name == name {
			n++
		}
	}
	return n
}

// promises checks promises 1 to 3 on a pair, with the plain reader.
func promises(t testing.TB, in, production, companion []byte, kind CompanionKind) {
	t.Helper()
	is, ps := plainScan(t, in), plainScan(t, production)
	var want, got [][]byte
	for _, s := range is {
		if s.id != 0 {
			want = append(want, s.raw)
		}
	}
	for _, s := range ps {
		if s.id != 0 {
			got = append(got, s.raw)
		}
		if strings.HasPrefix(s.name, ".debug_") {
			t.Errorf("the production module has %s", s.name)
		}
	}
	if !bytes.Equal(bytes.Join(want, nil), bytes.Join(got, nil)) {
		t.Error("promise 1: the sections that are not custom differ")
	}
	if n := count(ps, "build_id"); n != 1 {
		t.Errorf("promise 3: %d build IDs in the production module", n)
	}
	if companion == nil {
		return
	}
	cs := plainScan(t, companion)
	if a, b := codeStart(ps), codeStart(cs); a != b {
		t.Errorf("promise 2: code starts at %#x and %#x", a, b)
	}
	if count(cs, "build_id") != 1 || count(cs, "external_debug_info") != 0 || count(cs, "wasm-debugid") != 1 {
		t.Error("promise 3: the companion's own sections are not one build_id, one wasm-debugid, no pointer")
	}
	var debugIn, debugOut [][]byte
	for _, s := range is {
		if strings.HasPrefix(s.name, ".debug_") {
			debugIn = append(debugIn, s.raw)
		}
	}
	for _, s := range cs {
		if strings.HasPrefix(s.name, ".debug_") {
			debugOut = append(debugOut, s.raw)
		}
		if kind == CompanionSymbols && s.id != 0 && s.id != 1 && s.id != 2 && s.id != 3 && s.id != 10 {
			t.Errorf("a companion of kind symbols has section %d", s.id)
		}
	}
	if !bytes.Equal(bytes.Join(debugIn, nil), bytes.Join(debugOut, nil)) {
		t.Error("the companion's DWARF is not the input's")
	}
	if kind == CompanionFull {
		var code [][]byte
		for _, s := range cs {
			if s.id != 0 {
				code = append(code, s.raw)
			}
		}
		if !bytes.Equal(bytes.Join(want, nil), bytes.Join(code, nil)) {
			t.Error("the companion's sections that are not custom differ")
		}
	}
}

// inputs are modules of many shapes.
func inputs() map[string][]byte {
	sample := tw.Sample()
	padded := make([]tw.Section, len(sample))
	for i, s := range sample {
		padded[i] = s.Pad(5)
	}
	id := tw.BuildID([]byte("0123456789abcdef"))
	return map[string][]byte{
		"sample":             tw.Build(sample...),
		"padded":             tw.Build(padded...),
		"empty":              tw.Build(),
		"custom only":        tw.Build(tw.Custom("x", []byte("y"))),
		"debug before code":  tw.Build(tw.Before(sample, "code", tw.Custom(".debug_loc", make([]byte, 300)), tw.Custom("between", nil))...),
		"debug first":        tw.Build(append([]tw.Section{tw.Custom(".debug_types", make([]byte, 1000))}, sample...)...),
		"go:buildid first":   tw.Build(append([]tw.Section{tw.Custom("go:buildid", []byte("\xff Go build ID: \"x\"\n \xff")).Pad(5)}, sample...)...),
		"id before code":     tw.Build(tw.Before(sample, "code", id)...),
		"id last":            tw.Build(append(sample[:len(sample):len(sample)], id)...),
		"older pointer":      tw.Build(append([]tw.Section{tw.ExternalDebugInfo("old.wasm")}, sample...)...),
		"empty last section": tw.Build(append(sample[:len(sample):len(sample)], id, tw.Custom("end", nil))...),
		"look-alikes":        tw.Build(append(sample[:len(sample):len(sample)], tw.Custom("debug_info", []byte{1}), tw.Custom(".debugger", []byte{2}), tw.Custom("x", []byte{3}), tw.Custom("", []byte{4}))...),
		"later sections":     tw.Build(append(tw.Before(sample, "code", tw.Unknown(14, []byte{9, 9})), tw.Unknown(200, make([]byte, 50)))...),
		"tag section":        tw.Build(tw.Before(sample, "global", tw.Tags(0))...),
		"source map":         tw.Build(append(tw.Without(sample, ".debug_abbrev", ".debug_info", ".debug_line", ".debug_str"), tw.SourceMappingURL("a.map"))...),
	}
}

func TestSplitPromises(t *testing.T) {
	for name, in := range inputs() {
		for _, kind := range []CompanionKind{CompanionFull, CompanionSymbols, CompanionNone} {
			for _, o := range []Options{
				{},
				{StripNames: true},
				{Pointer: "app.debug.wasm"},
				{Remove: []string{"producers", "target_features"}, Pointer: "x"},
				{BuildID: mustPolicy(t, "content")},
				{BuildID: mustPolicy(t, "00112233445566778899aabbccddeeff")},
			} {
				o.Companion = kind
				t.Run(name+"/"+kind.String(), func(t *testing.T) {
					production, companion, p := split(t, in, o)
					promises(t, in, production, companion, kind)
					if o.Pointer != "" && count(plainScan(t, production), "external_debug_info") != 1 {
						t.Error("the pointer is missing or there are two")
					}
					// Promise 4, with any number of workers.
					o.Hash = buildid.Options{Workers: 3}
					again, companionAgain, _ := split(t, in, o)
					if !bytes.Equal(production, again) || !bytes.Equal(companion, companionAgain) {
						t.Error("promise 4: a second run gives other bytes")
					}
					if companion != nil {
						rebuilt(t, in, production, companion, p.Record)
					}
				})
			}
		}
	}
}

func mustPolicy(t testing.TB, s string) buildid.Policy {
	t.Helper()
	p, err := buildid.ParsePolicy(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rebuilt puts the input together from the pair where the record says how.
func rebuilt(t testing.TB, in, production, companion []byte, want *Record) {
	t.Helper()
	c := open(t, companion)
	r, err := ReadRecord(c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Production != want.Production || r.Production.Size != int64(len(production)) {
		t.Errorf("the record says %+v of a module of %d bytes", r.Production, len(production))
	}
	b, err := Rebuild(r, open(t, production), c)
	if errors.Is(err, ErrNotRebuildable) {
		if r.Kind == CompanionFull.String() {
			t.Error("a full companion must be able to give the input back")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, in) {
		t.Error("the input put together again is another file")
	}
}

// What the production module keeps it keeps in its order, byte for byte.
func TestSplitKeeps(t *testing.T) {
	in := inputs()["look-alikes"]
	production, _, _ := split(t, in, Options{})
	var want [][]byte
	for _, s := range plainScan(t, in) {
		if !strings.HasPrefix(s.name, ".debug_") {
			want = append(want, s.raw)
		}
	}
	joined := bytes.Join(want, nil)
	if !bytes.Equal(production[8:8+len(joined)], joined) {
		t.Error("kept sections changed or moved")
	}
}

func TestCodeStartFollowsProduction(t *testing.T) {
	in := inputs()["debug before code"]
	before := codeStart(plainScan(t, in))
	production, companion, p := split(t, in, Options{})
	moved := len(wasm.AppendCustom(nil, ".debug_loc", make([]byte, 300)))
	for _, b := range [][]byte{production, companion} {
		if got := codeStart(plainScan(t, b)); got != before-moved {
			t.Errorf("code starts at %#x, want %#x", got, before-moved)
		}
	}
	warned := false
	for _, n := range p.Notes {
		warned = warned || n.Warning && strings.Contains(n.Text, ".debug_loc")
	}
	if !warned {
		t.Errorf("no warning about the code that moved: %v", p.Notes)
	}
}

func TestRemove(t *testing.T) {
	in := tw.Build(append([]tw.Section{tw.Custom("dylink.0", []byte{1, 4, 0, 0, 0, 0})}, tw.Sample()...)...)
	production, companion, _ := split(t, in, Options{Remove: []string{"*"}, Keep: []string{"producers"}})
	ps := plainScan(t, production)
	for name, want := range map[string]int{"dylink.0": 1, "producers": 1, "name": 0, "target_features": 0, "build_id": 1} {
		if got := count(ps, name); got != want {
			t.Errorf("production: %d sections %s, want %d", got, name, want)
		}
	}
	cs := plainScan(t, companion)
	for _, name := range []string{"dylink.0", "producers", "name", "target_features"} {
		if count(cs, name) != 1 {
			t.Errorf("the companion lacks %s", name)
		}
	}
	for _, name := range []string{"dylink.0", "build_id", "external_debug_info"} {
		var usage *UsageError
		if _, err := Split(context.Background(), open(t, in), Options{Remove: []string{name}}); !errors.As(err, &usage) {
			t.Errorf("removing %s: got %v, want a usage error", name, err)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	bindgen := tw.Build(append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte{1}))...)
	_, symbols, _ := split(t, tw.Build(tw.Sample()...), Options{Companion: CompanionSymbols})
	for name, in := range map[string][]byte{"bindgen": bindgen, "symbols companion": symbols} {
		var refused *RefusedError
		if _, err := Split(context.Background(), open(t, in), Options{}); !errors.As(err, &refused) || refused.Hint == "" {
			t.Errorf("%s: got %v, want a refusal with a hint", name, err)
		}
	}
	production, _, _ := split(t, bindgen, Options{AllowBindgenInput: true})
	if count(plainScan(t, production), "__wasm_bindgen_unstable") != 1 {
		t.Error("the descriptors must survive where they are allowed")
	}
}

// A full companion can be split again, and gives the same production module.
func TestSplitCompanion(t *testing.T) {
	in := tw.Build(tw.Sample()...)
	production, companion, _ := split(t, in, Options{Pointer: "a.debug.wasm"})
	again, _, _ := split(t, companion, Options{Pointer: "a.debug.wasm"})
	if !bytes.Equal(production, again) {
		t.Error("another production module")
	}
}

func TestLastSectionIsNotEmpty(t *testing.T) {
	for name, in := range inputs() {
		production, companion, _ := split(t, in, Options{})
		for _, b := range [][]byte{production, companion} {
			s := plainScan(t, b)
			last := s[len(s)-1]
			if last.id == 0 && len(last.raw) == last.payload-last.at+1+len(last.name) {
				t.Errorf("%s: the last section, %q, is empty", name, last.name)
			}
		}
	}
}
