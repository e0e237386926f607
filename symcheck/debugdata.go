package symcheck

import (
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// measured returns the hashes of the debug data, the companion's or those of a module by
// itself, which are taken once.
func (c *checker) measured() (*buildid.Measurement, error) {
	if c.hashed == nil {
		m, err := buildid.MeasureDebug(c.ctx, c.debug().File, buildid.Options{Workers: c.o.Workers})
		if err != nil {
			return nil, err
		}
		c.hashed = m
	}
	return c.hashed, nil
}

// debugData holds the companion's debug data against the digest in its record, which a
// companion by itself has as well. One of another tool has none and is not checked so.
// Of a plan the digest has just been computed.
func (c *checker) debugData() error {
	d, record := c.debug(), c.record
	if c.comp == nil {
		// That a record cannot be read is a finding where it belongs to a pair.
		record, _ = rewrite.ReadRecord(d.File)
	}
	if record == nil || record.Debug == nil || c.o.Planned || c.off(DebugDataChanged) {
		return nil
	}
	m, err := c.measured()
	if err != nil {
		return d.fail(err)
	}
	want := record.Debug
	have := m.DebugDigest().String()
	at := in(d, d.File.Custom(wasm.CustomWasmDebugID))
	switch {
	case have == want.BLAKE3:
		c.checked("the companion's debug data is byte for byte what it records")
	case m.DebugSize() != want.Size:
		c.find(DebugDataChanged, at, "the companion records %d bytes of debug data, and holds %d: sections were added, removed or rewritten since the split",
			want.Size, m.DebugSize())
	default:
		c.find(DebugDataChanged, at, "the digest of the companion's debug data is not the one that it records: bytes of its .debug_ sections or of its names have changed since the split")
	}
	return nil
}
