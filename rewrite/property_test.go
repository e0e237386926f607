package rewrite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func tryPlan(in []byte, o Options) (*Plan, error) {
	f, err := wasm.NewFile(bytes.NewReader(in), int64(len(in)))
	if err != nil {
		return nil, err
	}
	return Split(context.Background(), f, o)
}

// anyModule draws a module of the sample's sections, some of them dropped or
// padded, with custom sections of all sorts anywhere between them.
func anyModule(t *rapid.T) []byte {
	names := []string{".debug_info", ".debug_loc", "name", "producers", "x", "", "build", "metadata.code.branch_hint",
		"debug_info", "sourceMappingURL", "go:buildid", "linking2", ".debug_line"}
	custom := func() tw.Section {
		s := tw.Custom(rapid.SampledFrom(names).Draw(t, "name"), rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "data"))
		if rapid.Bool().Draw(t, "padded") {
			s = s.Pad(rapid.IntRange(2, 5).Draw(t, "width"))
		}
		return s
	}
	var sections []tw.Section
	for _, s := range tw.Sample() {
		for range rapid.IntRange(0, 2).Draw(t, "customs") {
			sections = append(sections, custom())
		}
		if rapid.IntRange(0, 9).Draw(t, "drop") > 0 {
			if rapid.IntRange(0, 3).Draw(t, "pad") == 0 {
				s = s.Pad(5)
			}
			sections = append(sections, s)
		}
	}
	if rapid.Bool().Draw(t, "id") {
		at := rapid.IntRange(0, len(sections)).Draw(t, "at")
		id := tw.BuildID(rapid.SliceOfN(rapid.Byte(), 20, 24).Draw(t, "build id"))
		sections = append(sections[:at:at], append([]tw.Section{id}, sections[at:]...)...)
	}
	return tw.Build(sections...)
}

// For any module the promises hold, and splitting the production module with its
// companion's help, or the companion itself, leads to the same files.
func TestAnyModuleKeepsThePromises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := anyModule(rt)
		o := Options{
			Companion:  rapid.SampledFrom([]CompanionKind{CompanionFull, CompanionSymbols, CompanionNone}).Draw(rt, "kind"),
			StripNames: rapid.Bool().Draw(rt, "strip names"),
			Pointer:    rapid.SampledFrom([]string{"", "a.debug.wasm"}).Draw(rt, "pointer"),
			BuildID:    rapid.SampledFrom([]buildid.Policy{{}, {Mode: buildid.ModeContent}, someID}).Draw(rt, "policy"),
		}
		p, err := tryPlan(in, o)
		if err != nil {
			rt.Fatal(err)
		}
		production := read(t, p.Production)
		var companion []byte
		if p.Companion != nil {
			companion = read(t, p.Companion)
			rebuilt(t, in, production, companion, p.Record)
			recorded(t, companion, p.Record)
		}
		promises(t, in, production, companion, o.Companion)
		if t.Failed() {
			rt.Fatal("see above")
		}
	})
}

// FuzzLayout plans any bytes that open as a module, and reads the layouts in
// chunks of every size: the pieces make up the whole, which opens again as a
// module with the sections that were planned.
func FuzzLayout(f *testing.F) {
	for _, in := range inputs() {
		f.Add(in, uint16(7), uint8(0))
		f.Add(in, uint16(1000), uint8(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk uint16, kind uint8) {
		p, err := tryPlan(in, Options{Companion: CompanionKind(kind % 3), Pointer: "p"})
		if err != nil {
			var defect *InternalError
			if errors.As(err, &defect) {
				t.Fatal(err)
			}
			return
		}
		for _, l := range []*Layout{p.Production, p.Companion} {
			if l == nil {
				continue
			}
			whole := read(t, l)
			var pieces []byte
			buf := make([]byte, int(chunk)+1)
			for off := int64(0); ; {
				n, err := l.ReadAt(buf, off)
				pieces = append(pieces, buf[:n]...)
				off += int64(n)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(whole, pieces) {
				t.Fatal("chunked reads give other bytes")
			}
			var streamed bytes.Buffer
			if err := l.WriteStream(context.Background(), &streamed); err != nil || !bytes.Equal(whole, streamed.Bytes()) {
				t.Fatal("WriteStream gives other bytes", err)
			}
			for _, e := range l.Extents() {
				if e.Kind != ExtentSource || e.Len == 0 {
					continue
				}
				if src, ok := l.SourceOffset(e.Offset); !ok || whole[e.Offset] != in[src] {
					t.Fatalf("SourceOffset(%v) = %v", e.Offset, src)
				}
				if out, ok := l.OutputOffset(e.Source); !ok || whole[out] != in[e.Source] {
					t.Fatalf("OutputOffset(%v) = %v", e.Source, out)
				}
			}
		}
	})
}
