package stacktrace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// pairOf returns a production module with the given body and a companion for the
// other one, with one ID.
func pairOf(ran, made []byte) (production, companion []byte) {
	id := []byte("0123456789abcdef")
	with := func(body []byte, more ...tw.Section) []byte {
		return tw.Build(append([]tw.Section{tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn(body...)), tw.BuildID(id),
			tw.Names{Functions: tw.List("f")}.Section()}, more...)...)
	}
	return with(ran), with(made, tw.Custom(".debug_info", nil))
}

// TestRewritten: a module that was optimised after the split keeps its build ID.
// The companion of the code before is not used for it, and both are named.
func TestRewritten(t *testing.T) {
	for _, c := range []struct {
		about     string
		ran, made []byte
		noted     bool // when the files are looked at; otherwise when a frame needs them
	}{
		{"code of another size", []byte{tw.OpUnreachable}, []byte{tw.OpNop, tw.OpNop, tw.OpUnreachable}, true},
		{"code of the same size", []byte{tw.OpUnreachable, tw.OpNop}, []byte{tw.OpNop, tw.OpUnreachable}, false},
	} {
		dir := t.TempDir()
		app, sym := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "app.debug.wasm")
		p, d := pairOf(c.ran, c.made)
		writeFile(t, app, p)
		writeFile(t, sym, d)
		want := app + " and " + sym + " do not belong together: " + CodeDiffers
		for how, o := range map[string]StoreOptions{
			"both named":      {Debug: []string{sym}, Modules: []string{app}},
			"a directory":     {Debug: []string{dir}},
			"as companions":   {Debug: []string{sym, app}},
			"the other order": {Debug: []string{app, sym}},
		} {
			s := openStore(t, o)
			if c.noted != (len(s.Notes()) == 1 && s.Notes()[0] == want) {
				t.Errorf("%s, %s: notes %q", c.about, how, s.Notes())
			}
			span, err := wasmSpan(app)
			if err != nil {
				t.Fatal(err)
			}
			at := span.Start + 4 // the first instruction of what ran
			r := lineOf(t, NewResolver(s, ResolverOptions{}), "    at http://x/app.wasm:wasm-function[0]:"+at.String())
			if !strings.Contains(r.Reason, want) || len(r.Frames) > 0 && r.HasLine() {
				t.Errorf("%s, %s: %s; reason %s", c.about, how, brief(r), r.Reason)
			}
		}
	}
}

func wasmSpan(path string) (wasm.CodeSpan, error) {
	f, err := readFacts(path)
	if err != nil {
		return wasm.CodeSpan{}, err
	}
	return f.span, nil
}

// TestThreeWithOneID: the original module finds its companion although a rewritten
// one of the same ID lies beside it.
func TestThreeWithOneID(t *testing.T) {
	dir := t.TempDir()
	rewritten, _ := pairOf([]byte{tw.OpUnreachable}, nil)
	original, companion := pairOf([]byte{tw.OpNop, tw.OpUnreachable}, []byte{tw.OpNop, tw.OpUnreachable})
	for name, b := range map[string][]byte{"a.wasm": rewritten, "b.debug.wasm": companion, "c.wasm": original} {
		writeFile(t, filepath.Join(dir, name), b)
	}
	s := openStore(t, StoreOptions{Debug: []string{dir}})
	if len(s.Builds()) != 2 || len(s.Notes()) != 1 {
		t.Fatalf("%d builds, notes %q", len(s.Builds()), s.Notes())
	}
	if b := s.Builds()[1]; filepath.Base(b.Production()) != "c.wasm" || filepath.Base(b.Companion()) != "b.debug.wasm" {
		t.Errorf("production %q, companion %q", b.Production(), b.Companion())
	}
}

// TestStrangers: what is said of a module that is given without its companion.
func TestStrangers(t *testing.T) {
	dir := t.TempDir()
	f := split(t, "c/O0-dw4.wasm", dir, "app", rewrite.Options{Pointer: "app.debug.wasm"})
	far := split(t, "cpp/O2-dw5.wasm", filepath.Join(dir, "far"), "far", rewrite.Options{Pointer: "https://symbols.example/far.debug.wasm"})
	gone := split(t, "cpp/O2-dw4.wasm", filepath.Join(dir, "gone"), "gone", rewrite.Options{Pointer: "symbols.wasm?v=1"})
	id := func(path string) string {
		facts, err := readFacts(path)
		if err != nil {
			t.Fatal(err)
		}
		return "; its build ID is " + facts.id.String()
	}
	mapped := filepath.Join(dir, "mapped.wasm")
	writeFile(t, mapped, tw.Build(append(tw.Sample(), tw.SourceMappingURL("mapped.wasm.map"))...))
	for _, c := range []struct {
		about string
		o     StoreOptions
		want  string
	}{
		{"for its companion", StoreOptions{Debug: []string{f.production}}, f.production + ": this module holds no DWARF, and so gives no lines; its debug information is in app.debug.wasm, which is there: " + f.companion + id(f.production)},
		{"alone", StoreOptions{Modules: []string{f.production}}, f.production + ": no companion of this module was given; its debug information is in app.debug.wasm, which is there"},
		{"a URL", StoreOptions{Debug: []string{far.production}}, far.production + ": this module holds no DWARF, and so gives no lines; its debug information is in https://symbols.example/far.debug.wasm" + id(far.production)},
		{"a companion that is gone", StoreOptions{Debug: []string{gone.production}}, gone.production + ": this module holds no DWARF, and so gives no lines; its debug information is in symbols.wasm?v=1, which is not beside it"},
		{"with another's companion", StoreOptions{Debug: []string{far.companion}, Modules: []string{f.production}}, f.production + " and " + far.companion + " do not belong together: the build IDs differ: "},
		{"the pair", StoreOptions{Debug: []string{f.companion}, Modules: []string{f.production}}, ""},
		{"both for companions", StoreOptions{Debug: []string{f.companion, f.production}}, ""},
		{"a directory", StoreOptions{Debug: []string{filepath.Join(dir, "far")}}, ""},
		{"a source map", StoreOptions{Debug: []string{mapped}}, ""},
	} {
		got := strings.Join(openStore(t, c.o).Notes(), "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.about, got, c.want)
		}
	}
}

// TestSameCode: code is compared with the record, or byte by byte.
func TestSameCode(t *testing.T) {
	dir := t.TempDir()
	full := split(t, "c/O0-dw4.wasm", dir, "full", rewrite.Options{})
	symbols := split(t, "c/O0-dw4.wasm", dir, "symbols", rewrite.Options{Companion: rewrite.CompanionSymbols})
	open := func(path string, change func([]byte)) *wasm.File {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(b)
		}
		m, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	last := func(b []byte) { // the end of the code
		m, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		span, _ := m.CodeSpan()
		b[span.End()-2] ^= 1
	}
	codeless, err := wasm.NewFile(bytes.NewReader(tw.Build()), int64(len(tw.Build())))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		about         string
		p, d          *wasm.File
		noRecord      bool
		same, compare bool
	}{
		{"a pair", open(full.production, nil), open(full.companion, nil), false, true, true},
		{"a pair without a record", open(full.production, nil), open(full.companion, nil), true, true, true},
		{"without code in the companion", open(symbols.production, nil), open(symbols.companion, nil), false, true, true},
		{"a byte differs", open(full.production, last), open(full.companion, nil), false, false, true},
		{"a byte differs, without a record", open(full.production, last), open(full.companion, nil), true, false, true},
		{"a byte differs, code is on record alone", open(symbols.production, last), open(symbols.companion, nil), false, false, true},
		{"no code", codeless, open(full.companion, nil), true, false, false},
		{"no code where some is on record", codeless, open(full.companion, nil), false, false, true},
	} {
		var record *rewrite.Record
		if !c.noRecord {
			if record, err = rewrite.ReadRecord(c.d); err != nil || record == nil {
				t.Fatalf("record %v, error %v", record, err)
			}
		}
		same, known, err := SameCode(context.Background(), c.p, c.d, record)
		if same != c.same || known != c.compare || err != nil {
			t.Errorf("%s: same %v, known %v, error %v", c.about, same, known, err)
		}
	}
}

// TestInspector: offsets inside instructions and declarations of locals.
func TestInspector(t *testing.T) {
	dir := t.TempDir()
	f := split(t, "c/O0-dw4.wasm", dir, "full", rewrite.Options{})
	s := split(t, "c/O0-dw4.wasm", dir, "symbols", rewrite.Options{Companion: rewrite.CompanionSymbols})
	for _, c := range []struct {
		about string
		files files
		alone bool
		code  bool
	}{{"a full companion", f, true, true}, {"with the module", s, false, true}, {"without code", s, true, false}} {
		o := StoreOptions{Debug: []string{c.files.companion}}
		if !c.alone {
			o.Modules = []string{c.files.production}
		}
		open, err := openStore(t, o).Builds()[0].opened()
		if err != nil {
			t.Fatal(err)
		}
		x := NewInspector(open.debug, open.production)
		index, e := open.debug.Body(1)
		starts := 0
		for at := e.Start; at < e.End; at++ {
			if x.Contradiction(index, at) == "" {
				starts++
			}
		}
		if got := starts < int(e.End-e.Start)/2; got != c.code {
			t.Errorf("%s: %d of %d offsets can be right", c.about, starts, e.End-e.Start)
		}
		if text := x.Contradiction(index, e.Start+1); c.code && !strings.Contains(text, "local declarations") {
			t.Errorf("%s: in the locals: %q", c.about, text)
		}
		if text := x.Contradiction(index, e.End) + x.Contradiction(9999, 5); text != "" {
			t.Errorf("%s: elsewhere: %q", c.about, text)
		}
	}
}
