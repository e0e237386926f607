package buildid

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

// namespace is what wasm-ld hashes in front of a fast hash to make a UUID of it.
var namespace = [16]byte{
	0xa1, 0xfa, 0x48, 0x2d, 0x0e, 0x22, 0x03, 0x8d, 0x33, 0x8b, 0x52, 0x1c, 0xd6, 0xd2, 0x12, 0xb2,
}

// placeholder is the byte that stands for each byte of the ID while wasm-ld
// hashes the file that will contain it.
const placeholder = 0x20

// lldFast recomputes wasm-ld's --build-id=fast: XXH3-64 of each chunk of 1 MiB,
// XXH3-64 of these hashes, and a UUID of version 5 made from that.
func lldFast(ctx context.Context, r io.ReaderAt, size, idAt int64, idLen int, o Options) (ID, error) {
	all := xxh3.New()
	err := hashBlocks(ctx, newBlockReader(o), r, 0, size, func(block []byte, index int64) uint64 {
		mask(block, index, idAt, idLen)
		return xxh3.Hash(block)
	}, func(h uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], h)
		all.Write(b[:])
	})
	if err != nil {
		return nil, err
	}
	sum := sha1.Sum(binary.LittleEndian.AppendUint64(namespace[:16:16], all.Sum64()))
	id := ID(sum[:16])
	setUUIDBits(id, 5)
	return id, nil
}

// lldSHA1 recomputes wasm-ld's --build-id=sha1: SHA-1 of the SHA-1 hashes of the
// chunks of 1 MiB.
func lldSHA1(ctx context.Context, r io.ReaderAt, size, idAt int64, idLen int, o Options) (ID, error) {
	all := sha1.New()
	err := hashBlocks(ctx, newBlockReader(o), r, 0, size, func(block []byte, index int64) [sha1.Size]byte {
		mask(block, index, idAt, idLen)
		return sha1.Sum(block)
	}, func(h [sha1.Size]byte) { all.Write(h[:]) })
	if err != nil {
		return nil, err
	}
	return all.Sum(nil), nil
}

// mask replaces the bytes of the ID that lie in the block.
func mask(block []byte, index, idAt int64, idLen int) {
	start := index * blockSize
	from := max(idAt, start)
	to := min(idAt+int64(idLen), start+int64(len(block)))
	for i := from; i < to; i++ {
		block[i-start] = placeholder
	}
}

// JudgeBytes judges an ID that wasm-ld may have made, in a file that need not
// exist: r holds size bytes, with the first byte of the ID at offset idAt. It is
// the part of Judge that needs no sections; a content ID cannot be judged by it.
func JudgeBytes(ctx context.Context, r io.ReaderAt, size int64, idAt int64, id ID, o Options) (Verdict, error) {
	if len(id) == 0 {
		return Verdict{Reason: "there is no id to judge"}, nil
	}
	if idAt < 0 || idAt > size-int64(len(id)) {
		return Verdict{}, fmt.Errorf("judging build id %v: its %d bytes at offset 0x%x do not fit into a file of %d bytes",
			shortID(id), len(id), idAt, size)
	}
	v := Verdict{Scheme: SchemeOf(id)}
	var again ID
	var err error
	switch v.Scheme {
	case SchemeFast:
		again, err = lldFast(ctx, r, size, idAt, len(id), o)
	case SchemeSHA1:
		again, err = lldSHA1(ctx, r, size, idAt, len(id), o)
	default:
		v.Reason = v.Scheme.cannotTell()
		return v, nil
	}
	if err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return Verdict{}, err
		}
		return Verdict{}, fmt.Errorf("recomputing build id %v: %w", shortID(id), err)
	}
	switch {
	case id.Equal(again):
		v.Freshness = Fresh
		v.Reason = fmt.Sprintf("wasm-ld's --build-id=%v of this file gives the same id: not one byte has changed since the link", v.Scheme)
	case v.Scheme == SchemeFast:
		v.Freshness = Changed
		v.Reason = fmt.Sprintf("wasm-ld's --build-id=fast of this file gives %v: some byte has changed since the linker made the id", again)
	default:
		v.Reason = fmt.Sprintf("wasm-ld's --build-id=sha1 of this file gives %v: either the file has changed since the link, "+
			"or the id was given by a user (a git commit has the same length)", again)
	}
	return v, nil
}
