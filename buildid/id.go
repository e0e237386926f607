package buildid

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// MaxID is the length in bytes of the longest build ID that ParseID accepts.
const MaxID = 1024

// ID is a build ID: the bytes themselves, without a length prefix.
type ID []byte

// String returns the ID in lower-case hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id) }

// Equal reports whether both IDs hold the same bytes.
func (id ID) Equal(other ID) bool { return bytes.Equal(id, other) }

// UUID returns an ID of 16 bytes in the form of a UUID, bytes in the order in
// which they are stored. It reports false for any other length.
func (id ID) UUID() (string, bool) {
	if len(id) != 16 {
		return "", false
	}
	return uuidForm(id), true
}

// MarshalText returns the hexadecimal form, for JSON and the like.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses what ParseID accepts.
func (id *ID) UnmarshalText(text []byte) error {
	v, err := ParseID(string(text))
	if err == nil {
		*id = v
	}
	return err
}

// uuidForm formats the first 16 bytes of b as a UUID.
func uuidForm(b []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// ParseID parses a build ID: hexadecimal digits, two a byte, with or without 0x
// in front, or a UUID with dashes, with or without braces. Upper and lower case
// are accepted. The length is 1 to MaxID bytes.
func ParseID(s string) (ID, error) {
	fail := func(why string) (ID, error) {
		if len(s) > 80 {
			return nil, fmt.Errorf("build id of %d characters: %s", len(s), why)
		}
		return nil, fmt.Errorf("build id %q: %s", s, why)
	}
	digits := s
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return fail("the closing brace is missing")
		}
		if !strings.Contains(inner, "-") {
			return fail("braces belong around a UUID with dashes")
		}
		digits = inner
	}
	if strings.Contains(digits, "-") {
		if len(digits) != 36 || digits[8] != '-' || digits[13] != '-' || digits[18] != '-' || digits[23] != '-' {
			return fail("a UUID has 8, 4, 4, 4 and 12 digits between its dashes")
		}
		digits = digits[:8] + digits[9:13] + digits[14:18] + digits[19:23] + digits[24:]
	} else if len(digits) >= 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		digits = digits[2:]
	}
	switch {
	case digits == "":
		return fail("it is empty; at least one byte is needed")
	case len(digits) > 2*MaxID:
		return fail(fmt.Sprintf("it has more than %d bytes", MaxID))
	}
	id, err := hex.DecodeString(digits)
	var bad hex.InvalidByteError
	switch {
	case errors.As(err, &bad):
		return fail(fmt.Sprintf("%q is not a hexadecimal digit", rune(bad)))
	case err != nil:
		return fail("the number of hexadecimal digits is odd")
	}
	return id, nil
}

// Random returns a random UUID (version 4, RFC 9562).
func Random() (ID, error) {
	id := make(ID, 16)
	if _, err := rand.Read(id); err != nil {
		return nil, fmt.Errorf("random build id: %w", err)
	}
	setUUIDBits(id, 4)
	return id, nil
}

// setUUIDBits writes the version and the variant of RFC 9562 into id.
func setUUIDBits(id ID, version byte) {
	id[6] = id[6]&0x0f | version<<4
	id[8] = id[8]&0x3f | 0x80
}

// uuidVersion returns the version of a UUID of RFC 9562, or 0 for anything else.
func uuidVersion(id ID) int {
	if len(id) != 16 || id[8]>>6 != 2 {
		return 0
	}
	return int(id[6] >> 4)
}
