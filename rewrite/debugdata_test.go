package rewrite

import (
	"context"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// recorded checks that the record's digest is that of the companion's debug data.
func recorded(t testing.TB, companion []byte, r *Record) {
	t.Helper()
	m, err := buildid.MeasureDebug(context.Background(), open(t, companion), buildid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Debug == nil || r.Debug.BLAKE3 != m.DebugDigest().String() || r.Debug.Size != m.DebugSize() {
		t.Errorf("the record has %+v of the companion's debug data, which is %d bytes, %v", r.Debug, m.DebugSize(), m.DebugDigest())
	}
}

var someID = buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID("a given build id")}

// The record says the same whether the digest came with the content ID or was
// taken for itself, and in either kind of companion; a malformed name section, which
// a symbols companion lacks, included.
func TestRecordOfDebugData(t *testing.T) {
	for name, in := range map[string][]byte{
		"sample":    tw.Build(tw.Sample()...),
		"malformed": tw.Build(tw.Replace(tw.Sample(), "name", tw.Custom("name", []byte{1, 4, 1, 0, 1, 'f', 9, 9}))...),
		"none":      tw.Build(tw.Without(tw.Sample(), "name", ".debug_info", ".debug_line")...),
	} {
		for _, kind := range []CompanionKind{CompanionFull, CompanionSymbols} {
			for _, id := range []buildid.Policy{{Mode: buildid.ModeContent}, someID} {
				_, companion, p := split(t, in, Options{Companion: kind, BuildID: id})
				t.Run(name+" "+kind.String()+" "+id.String(), func(t *testing.T) { recorded(t, companion, p.Record) })
			}
		}
	}
}

// TestDebugDataIsReadOnce: a content ID has read the DWARF already, and a module
// without a companion and with a given ID is not read for a digest at all.
func TestDebugDataIsReadOnce(t *testing.T) {
	in := tw.Build(append(tw.Sample(), tw.Custom(".debug_big", make([]byte, 3<<20)))...)
	hashed := func(o Options) int64 {
		var n int64
		o.Hash = buildid.Options{Workers: 1, Progress: func(more int64) { n += more }}
		split(t, in, o)
		return n
	}
	const big = 3 << 20
	content, given := hashed(Options{BuildID: buildid.Policy{Mode: buildid.ModeContent}}), hashed(Options{BuildID: someID})
	if content < big || content > big+1<<20 {
		t.Errorf("a split with a content ID hashed %d bytes", content)
	}
	if given < big || given > content {
		t.Errorf("a split with a given ID hashed %d bytes, with a content ID %d", given, content)
	}
	if n := hashed(Options{BuildID: someID, Companion: CompanionNone}); n != 0 {
		t.Errorf("without a companion %d bytes were hashed", n)
	}
}
