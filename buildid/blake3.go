package buildid

import (
	"context"
	"encoding/hex"
	"io"
	"math/bits"

	"lukechampine.com/blake3"
	"lukechampine.com/blake3/guts"
)

// Digest is a BLAKE3 hash of 256 bits.
type Digest [32]byte

// String returns the digest in lower-case hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the hexadecimal form, for JSON and the like.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Sum returns the BLAKE3-256 hash of size bytes of r from off on. It reads in
// large blocks, on several goroutines, and needs the same memory for any size.
func Sum(ctx context.Context, r io.ReaderAt, off, size int64, o Options) (Digest, error) {
	return newBlockReader(o).sum(ctx, r, off, size)
}

// groupSize is the number of bytes that the module's vector code hashes at once.
const groupSize = guts.MaxSIMD * guts.ChunkSize

// sum hashes an extent. BLAKE3 is a tree over chunks of 1 KiB: each block of the
// extent is one subtree, so the blocks are hashed independently of each other and
// only 32 bytes of each are left to combine. Feeding the module's Hasher instead
// would leave one core idle while the other reads.
func (b *blockReader) sum(ctx context.Context, r io.ReaderAt, off, size int64) (Digest, error) {
	if size <= 0 {
		return blake3.Sum256(nil), nil
	}
	var t tree
	err := hashBlocks(ctx, b, r, off, size, func(block []byte, index int64) guts.Node {
		return subtree(block, uint64(index)*(blockSize/guts.ChunkSize))
	}, t.push)
	if err != nil {
		return Digest{}, err
	}
	root := t.node()
	root.Flags |= guts.FlagRoot
	out := guts.WordsToBytes(guts.CompressNode(root))
	return Digest(out[:32]), nil
}

// tree combines nodes of equal height, of which only the last may cover less,
// into their common root.
//
// https://github.com/BLAKE3-team/BLAKE3-specs/blob/master/blake3.pdf, section 2.1
type tree struct {
	stack [54][8]uint32 // chaining values, at most one a height; count says which are in use
	count uint64        // nodes on the stack
	last  guts.Node     // not yet on the stack: it may be the root
	any   bool
}

func (t *tree) push(n guts.Node) {
	if t.any {
		cv := guts.ChainingValue(t.last)
		i := 0
		for ; t.count&(1<<i) != 0; i++ {
			cv = guts.ChainingValue(guts.ParentNode(t.stack[i], cv, &guts.IV, 0))
		}
		t.stack[i] = cv
		t.count++
	}
	t.last, t.any = n, true
}

func (t *tree) node() guts.Node {
	n := t.last
	for i := range bits.Len64(t.count) {
		if t.count&(1<<i) != 0 {
			n = guts.ParentNode(t.stack[i], guts.ChainingValue(n), &guts.IV, 0)
		}
	}
	return n
}

// subtree hashes a block whose first chunk has the given number. The block's
// capacity must reach to the end of its last group, whose bytes beyond the
// block do not matter.
func subtree(block []byte, chunk uint64) guts.Node {
	var t tree
	for at := 0; at < len(block); at += groupSize {
		group := (*[groupSize]byte)(block[at : at+groupSize])
		n := min(len(block)-at, groupSize)
		t.push(guts.CompressBuffer(group, n, &guts.IV, chunk+uint64(at/guts.ChunkSize), 0))
	}
	return t.node()
}
