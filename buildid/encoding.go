package buildid

import (
	"errors"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Encoding is the form of a build_id section's payload.
type Encoding int

// The three forms in use.
const (
	// EncodingSpec is the convention's: a length in LEB128, then the ID.
	EncodingSpec Encoding = iota
	// EncodingRaw is the ID alone, as older tools wrote it.
	EncodingRaw
	// EncodingZig is a count (1), a length and the ID, as Zig's own linker
	// writes it. The ID may be text.
	EncodingZig
)

// String returns "spec", "raw" or "zig".
func (e Encoding) String() string {
	switch e {
	case EncodingSpec:
		return "spec"
	case EncodingRaw:
		return "raw"
	case EncodingZig:
		return "zig"
	}
	return fmt.Sprintf("encoding %d", int(e))
}

// ErrMalformed is matched by every error that says that a build_id payload
// cannot be read.
var ErrMalformed = errors.New("malformed build id")

// usualLength reports whether n is the length of an ID as tools make them: a
// UUID or MD5, a SHA-1, a SHA-256.
func usualLength(n int) bool { return n == 16 || n == 20 || n == 32 }

// Decode reads the payload of a build_id section (the contents behind the
// section's name). It tries, in this order:
//
//   - the convention's form: the length agrees with what follows it;
//   - Zig's form: a count of 1, then a length that agrees with what follows it;
//   - the raw form, which is told by its length alone and therefore only offered
//     for a payload of 16, 20 or 32 bytes, and only when the payload does not open
//     with one of these three numbers: a declared length of 16 in front of 19
//     bytes is a damaged section, not a raw ID, and no ID is guessed from it.
//
// The raw form is never a plain success: whoever accepts it sees it in enc. A
// reading that is ambiguous, or that some reader will not share, carries a note.
// The error matches ErrMalformed.
func Decode(payload []byte) (id ID, enc Encoding, note string, err error) {
	n, w, lebErr := wasm.Uint32(payload)
	rest := len(payload) - w
	switch {
	case len(payload) == 0:
		return nil, EncodingSpec, "", fmt.Errorf("%w: the section is empty", ErrMalformed)
	case lebErr == nil && n > 0 && int64(n) == int64(rest):
		return ID(payload[w:]), EncodingSpec, specNote(payload, n, w), nil
	}
	if id, note, ok := decodeZig(payload); ok {
		return id, EncodingZig, note, nil
	}
	if usualLength(len(payload)) && !(lebErr == nil && usualLength(int(n))) {
		return ID(payload), EncodingRaw, fmt.Sprintf("the section holds %d bytes without a length in front; "+
			"readers that follow the convention see no id", len(payload)), nil
	}
	if lebErr != nil {
		return nil, EncodingSpec, "", fmt.Errorf("%w: the length in front of the id: %w", ErrMalformed, lebErr)
	}
	if n == 0 {
		return nil, EncodingSpec, "", fmt.Errorf("%w: the length in front of the id is 0, with %d bytes behind it", ErrMalformed, rest)
	}
	return nil, EncodingSpec, "", fmt.Errorf("%w: the length in front of the id is %d, but %d bytes follow it", ErrMalformed, n, rest)
}

func specNote(payload []byte, n uint32, w int) string {
	if w != wasm.Uint32Len(n) {
		return fmt.Sprintf("the length in front of the id takes %d bytes where %d would do; "+
			"readers that take the whole payload show a longer id", w, wasm.Uint32Len(n))
	}
	if usualLength(len(payload)) {
		return fmt.Sprintf("the section could also be a raw id of %d bytes whose first byte happens to be 0x%02x; "+
			"it is read as the convention says", len(payload), payload[0])
	}
	return ""
}

func decodeZig(payload []byte) (ID, string, bool) {
	if len(payload) < 3 || payload[0] != 1 {
		return nil, "", false
	}
	n, w, err := wasm.Uint32(payload[1:])
	if err != nil || n == 0 || int64(n) != int64(len(payload)-1-w) {
		return nil, "", false
	}
	note := "the section is in the form of Zig's linker, with a count in front of the length"
	if usualLength(len(payload)) {
		note += fmt.Sprintf("; it could also be a raw id of %d bytes", len(payload))
	}
	return ID(payload[1+w:]), note, true
}

// Encode returns the payload for id in the convention's form, with a length of
// minimal width. An empty ID has no encoding; Encode returns nil for it.
func Encode(id ID) []byte {
	if len(id) == 0 {
		return nil
	}
	return append(wasm.AppendUint32(make([]byte, 0, len(id)+5), uint32(len(id))), id...)
}
