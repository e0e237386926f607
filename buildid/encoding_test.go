package buildid

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// unhex decodes hexadecimal with spaces.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	id16 = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
	id20 = id16 + "b0b1b2b3"
)

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		name, payload, id string
		enc               Encoding
		note, err         string
	}{
		{name: "16 bytes (A2)", payload: "10" + id16, id: id16},
		{name: "20 bytes (A8)", payload: "14" + id20, id: id20},
		{name: "8 bytes (A8)", payload: "08 a0a1a2a3a4a5a6a7", id: "a0a1a2a3a4a5a6a7"},
		{name: "4 bytes (A8)", payload: "04 a0a1a2a3", id: "a0a1a2a3"},
		{name: "one byte", payload: "01 00", id: "00"},
		{name: "two-byte length", payload: "c801" + strings.Repeat("5a", 200), id: strings.Repeat("5a", 200)},
		{name: "padded length", payload: "9080808000" + id16, id: id16, note: "takes 5 bytes where 1 would do"},
		{name: "15 bytes or raw", payload: "0f" + id16[:30], id: id16[:30], note: "could also be a raw id of 16 bytes"},
		{name: "19 bytes or raw", payload: "13" + id20[:38], id: id20[:38], note: "could also be a raw id of 20 bytes"},

		{name: "raw 16", payload: id16, id: id16, enc: EncodingRaw, note: "without a length"},
		{name: "raw 20", payload: id20, id: id20, enc: EncodingRaw, note: "without a length"},
		{name: "raw 32", payload: id16 + id16, id: id16 + id16, enc: EncodingRaw, note: "without a length"},
		{name: "raw, first byte small", payload: "04" + id16[2:], id: "04" + id16[2:], enc: EncodingRaw, note: "without a length"},
		{name: "raw, first byte 0", payload: "00" + id16[2:], id: "00" + id16[2:], enc: EncodingRaw, note: "without a length"},
		{name: "raw, no LEB128 at all", payload: strings.Repeat("ff", 16), id: strings.Repeat("ff", 16), enc: EncodingRaw, note: "without a length"},

		{name: "zig", payload: "01 10" + id16, id: id16, enc: EncodingZig, note: "Zig"},
		{name: "zig text", payload: "01 05 68656c6c6f", id: "68656c6c6f", enc: EncodingZig, note: "Zig"},
		{name: "zig or raw", payload: "01 0e" + id16[:28], id: id16[:28], enc: EncodingZig, note: "could also be a raw id of 16 bytes"},

		{name: "empty", payload: "", err: "empty"},
		{name: "length 0", payload: "00", err: "length in front of the id is 0"},
		{name: "length 16, 20 bytes in all (A7)", payload: "10" + id20[:38], err: "is 16, but 19 bytes follow"},
		{name: "length 16, 20 bytes behind it (A7)", payload: "10" + id20, err: "is 16, but 20 bytes follow"},
		{name: "length 16, cut to 16 bytes in all", payload: "10" + id16[:30], err: "is 16, but 15 bytes follow"},
		{name: "length 20, cut to 16", payload: "14" + id20[:30], err: "is 20, but 15 bytes follow"},
		{name: "raw of an odd length", payload: id16[:18], err: "truncated|too large"},
		{name: "raw of 8 bytes", payload: "00a1a2a3a4a5a6a7", err: "is 0, with 7 bytes"},
		{name: "length beyond the end", payload: "ffffffff0f 00", err: "is 4294967295, but 1 bytes"},
		{name: "zig with nothing in it", payload: "01 00 00", err: "is 1, but 2 bytes"},
		{name: "zig with a wrong length", payload: "01 10 a0 a1", err: "is 1, but 3 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id, enc, note, err := Decode(unhex(t, tc.payload))
			if tc.err != "" {
				if !errors.Is(err, ErrMalformed) || id != nil || !containsAny(err.Error(), tc.err) {
					t.Fatalf("id %v, error %v; want no id and an error with %q", id, err, tc.err)
				}
				return
			}
			if err != nil || id.String() != strings.ReplaceAll(tc.id, " ", "") || enc != tc.enc {
				t.Fatalf("id %v, %v, %v; want %v, %v", id, enc, err, tc.id, tc.enc)
			}
			if (tc.note == "") != (note == "") || !strings.Contains(note, tc.note) {
				t.Errorf("note %q, want %q in it", note, tc.note)
			}
		})
	}
}

func containsAny(s, alternatives string) bool {
	for _, a := range strings.Split(alternatives, "|") {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

func TestEncode(t *testing.T) {
	for n, prefix := range map[int]string{1: "01", 16: "10", 20: "14", 127: "7f", 128: "8001", 1024: "8008"} {
		id := ID(bytes.Repeat([]byte{0x5a}, n))
		got := Encode(id)
		if want := append(unhex(t, prefix), id...); !bytes.Equal(got, want) {
			t.Errorf("Encode of %d bytes begins with %x", n, got[:min(len(got), 4)])
		}
		back, enc, _, err := Decode(got)
		if err != nil || enc != EncodingSpec || !back.Equal(id) {
			t.Errorf("%d bytes do not come back: %v, %v", n, enc, err)
		}
	}
	if b := Encode(nil); b != nil {
		t.Errorf("Encode(nil) = %x", b)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "00", "0100", "10" + id16, id16, id20, "0110" + id16, "10" + id20, "9080808000" + id16,
		"8080808080", "ffffffffff", "ffffffff0f00", "01ffffffff0f00", "0f" + id16[:30]} {
		f.Add(unhex(f, s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		before := bytes.Clone(payload)
		id, enc, note, err := Decode(payload)
		if !bytes.Equal(before, payload) {
			t.Fatal("the payload was changed")
		}
		if (err == nil) != (len(id) > 0) {
			t.Fatalf("id %v, error %v", id, err)
		}
		Forms(payload, "x.wasm")
		Disagreement(payload)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("error %v does not match ErrMalformed", err)
			}
			return
		}
		if !bytes.HasSuffix(payload, id) {
			t.Fatalf("%v does not end the payload %x", id, payload)
		}
		front := payload[:len(payload)-len(id)]
		switch enc {
		case EncodingSpec:
			if len(front) == 0 || len(front) > 5 || (len(front) > 1 && front[0] < 0x80) {
				t.Fatalf("front %x", front)
			}
		case EncodingRaw:
			if len(front) != 0 || note == "" {
				t.Fatalf("front %x, note %q", front, note)
			}
		case EncodingZig:
			if len(front) < 2 || front[0] != 1 || note == "" {
				t.Fatalf("front %x, note %q", front, note)
			}
		}
		again, enc, _, err := Decode(Encode(id))
		if err != nil || enc != EncodingSpec || !again.Equal(id) {
			t.Fatalf("%v encoded gives %v, %v, %v", id, again, enc, err)
		}
	})
}
