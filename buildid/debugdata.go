package buildid

import (
	"encoding/binary"

	"lukechampine.com/blake3"
)

// DebugSize returns how many bytes DebugDigest stands for: the contents of the
// ".debug_*" sections and the function names.
func (m *Measurement) DebugSize() int64 {
	n := m.FunctionNames.Size
	for _, s := range m.Debug {
		n += s.Size
	}
	return n
}

// DebugDigest returns the digest of a companion's debug data, all that answers about
// its code are made of. It is the BLAKE3-256 hash of the ASCII line "wasm-debugid
// debug data 1", a line feed, and items 3 and 4 of the stream of a content ID (see
// the package comment): the name, the size and the hash of each ".debug_*" section in
// file order, and the size and the hash of the function names.
//
// A content ID covers the same, but not every pair has one: an ID that is random or
// was given says nothing about the DWARF. The sections' hashes are those that a
// content ID is made of, so that whoever has measured a module for the one has the
// other without reading it again.
func (m *Measurement) DebugDigest() Digest {
	return blake3.Sum256(m.appendDebug([]byte("wasm-debugid debug data 1\n")))
}

// appendDebug appends items 3 and 4 of the stream of a content ID.
func (m *Measurement) appendDebug(b []byte) []byte {
	le := binary.LittleEndian
	for _, s := range m.Debug {
		b = append(b, 'D')
		b = le.AppendUint32(b, uint32(len(s.Name)))
		b = append(b, s.Name...)
		b = le.AppendUint64(b, uint64(s.Size))
		b = append(b, s.Sum[:]...)
	}
	sum := m.FunctionNames.Sum
	if m.FunctionNames.Size == 0 {
		sum = blake3.Sum256(nil)
	}
	b = append(b, 'N')
	b = le.AppendUint64(b, uint64(m.FunctionNames.Size))
	return append(b, sum[:]...)
}
