package wasm

// looksLikeBrotli reports whether head may be the beginning of a brotli stream.
// The format has no signature, so this follows the stream and meta-block headers
// as far as they must make sense, for the windows that encoders use, and expects
// bytes as evenly spread as those of compressed data.
//
// https://www.rfc-editor.org/rfc/rfc7932#section-9
func looksLikeBrotli(head []byte) bool {
	if len(head) < 64 {
		return false
	}
	bits := uint64(0)
	for i := range 8 {
		bits |= uint64(head[i]) << (8 * i)
	}
	take := func(n int) uint64 {
		v := bits & (1<<n - 1)
		bits >>= n
		return v
	}
	// WBITS: a 1 and three bits that are not zero stand for windows of 2^18 to
	// 2^24 bytes. Smaller ones make sense for short texts only.
	if take(1) != 1 || take(3) == 0 {
		return false
	}
	last := take(1) == 1
	if last && take(1) == 1 {
		return false // an empty stream
	}
	nibbles := 4 + int(take(2))
	if nibbles == 7 {
		return false // metadata
	}
	length := take(4 * nibbles)
	if nibbles > 4 && length>>(4*(nibbles-1)) == 0 {
		return false // more nibbles than the length needs
	}
	if length+1 < 64 {
		return false
	}
	var seen [256]bool
	distinct := 0
	for _, c := range head {
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return 3*distinct >= len(head)
}
