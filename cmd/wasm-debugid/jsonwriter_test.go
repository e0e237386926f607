package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// plainJSON is what writeJSON does, by way of encoding/json alone.
func plainJSON(t testing.TB, doc any) string {
	t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func compareJSON(t testing.TB, doc any) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeJSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	return cmp.Diff(plainJSON(t, doc), b.String())
}

type inside struct{ X, Y int }

type everything struct {
	Z        string         `json:"z"`
	HTML     string         `json:"a<b"`
	Skip     string         `json:"-"`
	Empty    []int          `json:"empty,omitempty"`
	Zero     int            `json:"zero,omitempty"`
	No       *inside        `json:"no,omitempty"`
	Whole    inside         `json:"whole,omitempty"`
	Nil      []int          `json:"nil"`
	NilMap   map[string]int `json:"nil_map"`
	None     map[string]int `json:"none"`
	Pointer  *inside        `json:"pointer"`
	Any      any            `json:"any"`
	Bytes    []byte         `json:"bytes"`
	Array    [2]bool        `json:"array"`
	Float    float64        `json:"float"`
	Big      uint64         `json:"big"`
	When     time.Time      `json:"when"`
	ID       buildid.ID     `json:"id"`
	Ints     map[int]string `json:"ints"`
	Embedded struct{ inside }
	Quoted   struct {
		N int `json:",string"`
	}
	hidden int
}

func TestWriteJSON(t *testing.T) {
	e := everything{Z: "\x1b\u2028\xff<&>\"", HTML: "x", None: map[string]int{}, Pointer: &inside{1, 2}, Any: []any{nil, 1.5, "s", map[string]any{}},
		Bytes: []byte{1, 2}, Float: 1e30, Big: math.MaxUint64, When: time.Unix(0, 0).UTC(), ID: buildid.ID{0xab}, Ints: map[int]string{2: "b", 10: "a"}, hidden: 1}
	for _, doc := range []any{e, &e, []everything{e, {}}, nil, 1, "x", []int{}, map[string]any{"b": e, "a": nil}, struct{}{}, (*inside)(nil)} {
		if diff := compareJSON(t, doc); diff != "" {
			t.Errorf("%T:\n%s", doc, diff)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String()
		m := &debugid.ModuleInfo{Path: text.Draw(rt, "path"), Features: rapid.SliceOf(text).Draw(rt, "features"), Traits: rapid.SliceOfN(text, 0, 2).Draw(rt, "traits")}
		for i := range rapid.IntRange(0, 3).Draw(rt, "sections") {
			m.Sections = append(m.Sections, debugid.SectionInfo{Index: i, Name: text.Draw(rt, "name"), Size: rapid.Int64().Draw(rt, "size")})
		}
		if rapid.Bool().Draw(rt, "record") {
			m.Record = &rewrite.Record{Kind: text.Draw(rt, "kind")}
		}
		if diff := compareJSON(t, infoDocument{Modules: []*debugid.ModuleInfo{m}}); diff != "" {
			rt.Error(diff)
		}
	})
}

func TestWriteJSONFails(t *testing.T) {
	if err := writeJSON(io.Discard, map[string]any{"f": math.NaN()}); err == nil {
		t.Error("a number that JSON has no form for was written")
	}
	broken := errors.New("broken")
	if err := writeJSON(failing{broken}, make([]int, 1<<16)); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// BenchmarkWriteJSON writes descriptions of many sections: what is allocated must
// not grow with the text.
func BenchmarkWriteJSON(b *testing.B) {
	m := &debugid.ModuleInfo{}
	for i := range 100_000 {
		m.Sections = append(m.Sections, debugid.SectionInfo{Index: i, Kind: "custom", Name: fmt.Sprint("section ", i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := writeJSON(io.Discard, m); err != nil {
			b.Fatal(err)
		}
	}
}
