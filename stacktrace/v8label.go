package stacktrace

import (
	"bytes"
	"fmt"
	"io"
)

// V8Label is the name that V8 gives to a module that was not compiled from a
// stream with a URL: wasm://wasm/[MOD-]HASH.
type V8Label struct {
	Module []byte // name of the module from its name section; empty without one
	Hash   uint32
}

// v8HashedSize is the longest file, in bytes, whose content V8 hashes; of a
// longer one it takes the length alone.
const v8HashedSize = 16383

// ParseV8Label reads wasm://wasm/[MOD-]HASH. HASH is eight lower-case
// hexadecimal digits. It reports false for other text.
func ParseV8Label(text []byte) (V8Label, bool) {
	rest, ok := bytes.CutPrefix(text, v8Prefix)
	n := len(rest) - 8
	if !ok || n < 0 || n == 1 || n > 0 && rest[n-1] != '-' {
		return V8Label{}, false
	}
	for _, c := range rest[n:] {
		if !isHex(c) || c >= 'A' && c <= 'F' {
			return V8Label{}, false
		}
	}
	h, _ := parseHex(rest[n:])
	l := V8Label{Hash: uint32(h)}
	if n > 0 {
		l.Module = rest[:n-1]
	}
	return l, true
}

// String formats the label as V8 prints it.
func (l V8Label) String() string {
	if len(l.Module) > 0 {
		return fmt.Sprintf("%s%s-%08x", v8Prefix, l.Module, l.Hash)
	}
	return fmt.Sprintf("%s%08x", v8Prefix, l.Hash)
}

// Sizes returns the sizes in bytes that a file with this label can have if it
// is longer than 16,383 bytes: V8 then hashes the length alone, as 4·length+2
// modulo 2³², so that sizes 2³⁰ apart share a label. Only sizes below 4 GiB are
// listed. A shorter file may have any label of this form, so a size is a
// candidate to compare with and no proof; [V8LabelHash] decides.
func (l V8Label) Sizes() []int64 {
	if l.Hash&3 != 2 {
		return nil
	}
	var out []int64
	for size := int64(l.Hash >> 2); size < 1<<32; size += 1 << 30 {
		if size > v8HashedSize {
			out = append(out, size)
		}
	}
	return out
}

// V8LabelHash returns the HASH that V8 prints for a file of the given size in
// bytes. For more than 16,383 bytes it depends on the size alone and content is
// not read (it may be nil). For smaller files it is a hash of the content as
// Node.js 20 computes it; newer versions of V8 use another hash there, so that
// a difference proves nothing about them.
func V8LabelHash(size int64, content io.Reader) (uint32, error) {
	if size < 0 {
		return 0, fmt.Errorf("v8 label: negative file size %d", size)
	}
	if size > v8HashedSize {
		return uint32(size)<<2 | 2, nil
	}
	if content == nil {
		return 0, fmt.Errorf("v8 label: files of up to %d bytes are hashed by content, and none was given", v8HashedSize)
	}
	// Jenkins's one-at-a-time hash with seed 0.
	var h uint32
	var buf [v8HashedSize]byte
	n, err := io.ReadFull(content, buf[:size])
	if err != nil {
		return 0, fmt.Errorf("v8 label: reading %d bytes of module, got %d: %w", size, n, err)
	}
	for _, c := range buf[:size] {
		h += uint32(c)
		h += h << 10
		h ^= h >> 6
	}
	h += h << 3
	h ^= h >> 11
	h += h << 15
	h &= 1<<30 - 1
	if h == 0 {
		h = 27
	}
	return h<<2 | 2, nil
}
