package symcheck

import (
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// measured returns the hashes of the companion's debug data, which are taken once.
func (c *checker) measured() (*buildid.Measurement, error) {
	if c.hashed == nil {
		m, err := buildid.MeasureDebug(c.ctx, c.comp.File, buildid.Options{Workers: c.o.Workers})
		if err != nil {
			return nil, err
		}
		c.hashed = m
	}
	return c.hashed, nil
}

// debugData holds the companion's debug data against the digest in its record. A
// companion of another tool, which has none, is not checked so. Of a plan the digest
// has just been computed.
func (c *checker) debugData() error {
	if c.record == nil || c.record.Debug == nil || c.o.Planned || c.off(DebugDataChanged) {
		return nil
	}
	m, err := c.measured()
	if err != nil {
		return c.comp.fail(err)
	}
	want := c.record.Debug
	have := m.DebugDigest().String()
	at := in(c.comp, c.comp.File.Custom(wasm.CustomWasmDebugID))
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
