package buildid

import (
	"context"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

func debugOf(t testing.TB, module []byte) *Measurement {
	t.Helper()
	m, err := MeasureDebug(context.Background(), open(t, module), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The vectors were computed by a program in another language (Python, with the
// package blake3), written from the comments.
func TestDebugDigestVectors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		module []byte
		size   int64
		want   string
	}{
		{"empty", unhex(t, "0061736d01000000"), 0, "f1d8365062286ed9030c156b21fcc5b31232ff9a2fa91823b3e642737ab9d365"},
		{"tiny", unhex(t, tiny), 10, "3bace12d7962370ca6e42340f859844b98aa30e64dfad02c9ceb1d32d501c211"},
	} {
		m := debugOf(t, tc.module)
		if got := m.DebugDigest().String(); got != tc.want || m.DebugSize() != tc.size {
			t.Errorf("%s: %s, %d bytes; want %s, %d", tc.name, got, m.DebugSize(), tc.want, tc.size)
		}
		whole, err := Measure(context.Background(), open(t, tc.module), Options{})
		if err != nil || whole.DebugDigest() != m.DebugDigest() {
			t.Errorf("%s: a whole measurement gives another digest (%v)", tc.name, err)
		}
	}
	if (&Measurement{}).DebugDigest() != debugOf(t, unhex(t, "0061736d01000000")).DebugDigest() {
		t.Error("nothing measured and nothing there give different digests")
	}
}

// What answers are made of changes the digest, and nothing else does.
func TestDebugDigestCovers(t *testing.T) {
	base := debugOf(t, testwasm.Build(program()...)).DebugDigest()
	for _, tc := range []struct {
		name   string
		change func(s []testwasm.Section) []testwasm.Section
		same   bool
	}{
		{"contents", func(s []testwasm.Section) []testwasm.Section {
			return testwasm.Replace(s, ".debug_line", testwasm.Custom(".debug_line", []byte("lina")))
		}, false},
		{"name of a section", func(s []testwasm.Section) []testwasm.Section {
			return testwasm.Replace(s, ".debug_line", testwasm.Custom(".debug_linf", []byte("line")))
		}, false},
		{"order", func(s []testwasm.Section) []testwasm.Section {
			i, k := testwasm.Find(s, ".debug_info"), testwasm.Find(s, ".debug_line")
			s[i], s[k] = s[k], s[i]
			return s
		}, false},
		{"a section less", func(s []testwasm.Section) []testwasm.Section { return testwasm.Without(s, ".debug_line") }, false},
		{"a section more", func(s []testwasm.Section) []testwasm.Section { return append(s, testwasm.Custom(".debug_x", nil)) }, false},
		{"the border of two sections", func(s []testwasm.Section) []testwasm.Section {
			s = testwasm.Replace(s, ".debug_info", testwasm.Custom(".debug_info", []byte("infol")))
			return testwasm.Replace(s, ".debug_line", testwasm.Custom(".debug_line", []byte("ine")))
		}, false},
		{"names", func(s []testwasm.Section) []testwasm.Section {
			return append(testwasm.Without(s, "name"), testwasm.Names{Functions: testwasm.From(0, "other")}.Section())
		}, false},
		{"code", func(s []testwasm.Section) []testwasm.Section {
			return testwasm.Replace(s, "code", testwasm.Code(testwasm.Fn(), testwasm.Fn()))
		}, true},
		{"another custom section", func(s []testwasm.Section) []testwasm.Section { return append(s, testwasm.Custom("x", []byte("y"))) }, true},
		{"sizes with padding", func(s []testwasm.Section) []testwasm.Section {
			for i := range s {
				s[i] = s[i].Pad(5)
			}
			return s
		}, true},
	} {
		if got := debugOf(t, testwasm.Build(tc.change(program())...)).DebugDigest(); (got == base) != tc.same {
			t.Errorf("%s: the digest is the same: %v, want %v", tc.name, got == base, tc.same)
		}
	}
}
