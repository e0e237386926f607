package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// An ID that is kept has the same bytes in both files, whatever its encoding:
// clients that take the whole section for the ID compare those.
func TestKeptIDIsEncodedAlikeInBothFiles(t *testing.T) {
	id := []byte("\xf0\xf1\xf2\xf3\xf4\xf5\x46\xf7\xb8\xf9\xfa\xfb\xfc\xfd\xfe\xff")
	for name, contents := range map[string][]byte{
		"raw":    id,
		"zig":    append([]byte{1, 16}, id...),
		"padded": append([]byte{0x90, 0x80, 0x80, 0x80, 0x00}, id...),
	} {
		for _, before := range []string{"code", ".debug_info"} {
			in := tw.Build(tw.Before(tw.Sample(), before, tw.Custom("build_id", contents))...)
			for _, kind := range []CompanionKind{CompanionFull, CompanionSymbols} {
				production, companion, p := split(t, in, Options{Companion: kind})
				if !p.Decision.Kept {
					t.Fatalf("%s: the ID is not kept", name)
				}
				for _, b := range [][]byte{production, companion} {
					for _, s := range plainScan(t, b) {
						if s.name == "build_id" && !bytes.HasSuffix(s.raw, append([]byte("\x08build_id"), contents...)) {
							t.Errorf("%s, %v: build_id was encoded anew: % x", name, kind, s.raw)
						}
					}
				}
			}
		}
	}
}

// A gap that no custom section can fill is refused, and a full companion has none.
func TestGapOfTwoBytes(t *testing.T) {
	// The empty section is all that a companion without code lacks.
	in := tw.Build(append([]tw.Section{tw.Raw(99, 0)}, tw.Without(tw.Sample(), "table", "memory", "global", "export", "start", "element", "data count", "data")...)...)
	_, err := Split(context.Background(), open(t, in), Options{Companion: CompanionSymbols})
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Hint == "" {
		t.Errorf("got %v, want a refusal with a hint", err)
	}
	split(t, in, Options{})
}

func TestPaddingFillsEveryGap(t *testing.T) {
	for _, base := range []int64{3, 120, 16_380, 2_097_140} {
		for n := base; n < base+30; n++ {
			it, ok := padding(n)
			if !ok || it.length() != n {
				t.Fatalf("padding(%d): %v, %d bytes", n, ok, it.length())
			}
			l, err := assemble(open(t, tw.Build()), []item{it})
			if err != nil {
				t.Fatal(err)
			}
			if s := plainScan(t, read(t, l)); len(s) != 1 || s[0].id != 0 {
				t.Fatalf("padding(%d) is not one custom section", n)
			}
		}
	}
	if _, ok := padding(2); ok {
		t.Error("a custom section of two bytes")
	}
}

// Many sections cost no more than their number, and neither notes nor the record
// grow with them beyond what is read back.
func TestManySections(t *testing.T) {
	var sections []tw.Section
	for i := range 60_000 {
		sections = append(sections, tw.Custom(fmt.Sprintf(".debug_%d_%s", i, strings.Repeat("x", i%300)), nil))
	}
	for range 300 {
		sections = append(sections, tw.ExternalDebugInfo(strings.Repeat("u", 60_000)), tw.Unknown(99, []byte{1}))
	}
	in := tw.Build(append(sections, tw.Sample()...)...)
	production, companion, p := split(t, in, Options{})
	promises(t, in, production, companion, CompanionFull)
	r, err := ReadRecord(open(t, companion))
	if err != nil {
		t.Fatalf("the record cannot be read back: %v", err)
	}
	if r.More == 0 || r.Input != nil {
		t.Errorf("%d more sections, input %v", r.More, r.Input != nil)
	}
	for _, n := range p.Notes {
		if len(n.Text) > 2000 {
			t.Errorf("a note of %d bytes", len(n.Text))
		}
	}
	if len(p.Notes) > 20 {
		t.Errorf("%d notes", len(p.Notes))
	}
}

func TestRecordThatIsNone(t *testing.T) {
	for _, contents := range []string{"null", "{}", "[]", "", `{"version":-1}`, `{"version":2}`} {
		f := open(t, tw.Build(tw.Custom("wasm-debugid", []byte(contents))))
		_, err := ReadRecord(f)
		var format *wasm.FormatError
		if !errors.As(err, &format) {
			t.Errorf("%q: got %v, want a format error", contents, err)
		}
		if later := contents == `{"version":2}`; err != nil && later != strings.Contains(err.Error(), "later release") {
			t.Errorf("%q: %v", contents, err)
		}
	}
}

// Another ID would part a production module from its companion.
func TestInjectKeepsAPairTogether(t *testing.T) {
	production, _, _ := split(t, tw.Build(tw.Sample()...), Options{Pointer: "a.debug.wasm"})
	var refused *RefusedError
	for _, policy := range []string{"00112233445566778899aabbccddeeff", "random"} {
		_, err := Inject(context.Background(), open(t, production), Options{BuildID: mustPolicy(t, policy)})
		if !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a refusal", policy, err)
		}
	}
	p, err := Inject(context.Background(), open(t, production), Options{})
	if err != nil || !bytes.Equal(read(t, p.Production), production) {
		t.Errorf("an ID that is kept changes nothing: %v", err)
	}
}
