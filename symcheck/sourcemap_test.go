package symcheck_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// segment is one mapping: a column and a line of the one source, 0 for none.
type segment struct{ column, line int64 }

// mapOf returns a source map.
func mapOf(list []segment) string {
	var b strings.Builder
	var column, line int64
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		vlq(&b, s.column-column)
		column = s.column
		if s.line == 0 {
			continue
		}
		b.WriteByte('A') // the source
		vlq(&b, s.line-1-line)
		line = s.line - 1
		b.WriteByte('A') // its column
	}
	return fmt.Sprintf(`{"version":3,"sources":["app.ts"],"names":[],"mappings":"%s"}`, b.String())
}

// vlq writes a number as source maps have it.
func vlq(b *strings.Builder, v int64) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	u := uint64(v) << 1
	if v < 0 {
		u = uint64(-v)<<1 | 1
	}
	for ; u > 31; u >>= 5 {
		b.WriteByte(digits[u&31|32])
	}
	b.WriteByte(digits[u])
}

// segments maps each instruction of a module to a line of its own.
func segments(t testing.TB, b []byte) []segment {
	t.Helper()
	f := parse(t, b)
	r, err := wasm.NewBodyReader(f)
	if err != nil {
		t.Fatal(err)
	}
	span, _ := f.CodeSpan()
	var out []segment
	for {
		body, err := r.Next()
		if err != nil {
			return out
		}
		code, err := r.Bytes(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		for it := body.Instructions(code); it.Next(); {
			out = append(out, segment{int64(span.Start) + int64(it.At()), int64(len(out) + 1)})
		}
	}
}

// withMap returns the module without its DWARF and with a source map, which stands in
// its URL.
func withMap(t testing.TB, b []byte, text string) []byte {
	t.Helper()
	return edit(t, b, func(s sections) sections {
		s = testwasm.Without(s, ".debug_info", ".debug_abbrev", ".debug_line", ".debug_ranges", ".debug_str")
		return append(s, testwasm.SourceMappingURL("data:application/json;base64,"+base64.StdEncoding.EncodeToString([]byte(text))))
	})
}

// TestSourceMapPlaces goes through the places that a mapping can have.
func TestSourceMapPlaces(t *testing.T) {
	b := newFixture().build(t)
	good := segments(t, b)
	span, _ := parse(t, b).CodeSpan()
	body := bodiesOf(t, b)[1]
	at := func(c wasm.CodeOffset) int64 { return int64(span.Start) + int64(c) }
	for _, c := range []struct {
		name string
		more segment
		bad  bool
	}{
		{"nothing more", good[0], false},
		{"body start", segment{at(body.Start), 7}, false},
		{"final end", segment{at(body.End - 1), 7}, false},
		{"body end, no source", segment{at(body.End), 0}, false},
		{"body end", segment{at(body.End), 7}, false},
		{"locals", segment{at(body.Start + 1), 7}, true},
		{"inside of an instruction", segment{at(body.Start + bodyLoad + 1), 7}, true},
		{"inside of an instruction, no source", segment{at(body.Start + bodyLoad + 1), 0}, true},
		{"function count", segment{at(0), 7}, true},
		{"start of the file", segment{0, 7}, true},
		{"start of the file, no source", segment{0, 0}, false},
		{"behind the code", segment{int64(span.End()) + 1, 7}, true},
		{"end of the code", segment{int64(span.End()), 7}, false},
		{"far behind the file", segment{1 << 31, 7}, true},
		{"far behind the file, no source", segment{1 << 31, 0}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pair{production: withMap(t, b, mapOf(append([]segment{c.more}, good...)))}.check(t, "app", symcheck.Options{})
			if has(s, symcheck.SourceMapForeign) != c.bad || (s.Verdict == report.Pass) == c.bad {
				t.Errorf("%v, want an error: %v\n%s", s.Verdict, c.bad, list(s))
			}
			if s.Tier != "sourcemap" {
				t.Errorf("tier %s", s.Tier)
			}
		})
	}
}

// TestSourceMapsOfTools: the maps that compilers wrote pass with their own modules,
// and with no other.
func TestSourceMapsOfTools(t *testing.T) {
	modules := []string{"assemblyscript/inc.wasm", "emscripten/srcmap.wasm"}
	for _, module := range modules {
		for _, of := range modules {
			p := pair{production: readFile(t, filepath.Join(corpusDir, module))}
			s := p.check(t, "app", symcheck.Options{Debug: debugfile.Options{SourceMap: filepath.Join(corpusDir, of+".map")}})
			if own := module == of; has(s, symcheck.SourceMapForeign) == own || (s.Verdict == report.Pass) != own {
				t.Errorf("%s with the map of %s: %v\n%s", module, of, s.Verdict, list(s))
			}
		}
	}
}

// TestSourceMapBesideDWARF: with DWARF a map counts, and is checked, only if it was
// named.
func TestSourceMapBesideDWARF(t *testing.T) {
	b := newFixture().build(t)
	p := pair{production: edit(t, b, add(testwasm.SourceMappingURL("data:,"+strings.ReplaceAll(mapOf([]segment{{1, 1}}), ",", "%2C"))))}
	if s := p.check(t, "app", symcheck.Options{}); s.Verdict != report.Pass || has(s, symcheck.SourceMapForeign) {
		t.Errorf("%v\n%s", s.Verdict, list(s))
	}
	o := symcheck.Options{Debug: debugfile.Options{SourceMap: filepath.Join(corpusDir, "emscripten/srcmap.wasm.map")}}
	if s := (pair{production: b}).check(t, "app", o); !has(s, symcheck.SourceMapForeign) {
		t.Errorf("a foreign map that was named: %v\n%s", s.Verdict, list(s))
	}
}

// TestSourceMapOfMovedCode: a map counts from the start of the production module, also
// where the companion's code stands elsewhere.
func TestSourceMapOfMovedCode(t *testing.T) {
	b := newFixture().build(t)
	m := withMap(t, b, mapOf(segments(t, b)))
	p := pair{m, edit(t, m, func(s sections) sections { s[0].Width = 5; return s })}
	s := p.check(t, "app", symcheck.Options{})
	if !has(s, symcheck.CodeStartDiffers) || has(s, symcheck.SourceMapForeign) {
		t.Errorf("%v\n%s", s.Verdict, list(s))
	}
}
