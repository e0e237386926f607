package buildid

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseID(t *testing.T) {
	for _, tc := range []struct{ in, want, err string }{
		{in: "00", want: "00"},
		{in: "0xAbCd", want: "abcd"},
		{in: "0X01", want: "01"},
		{in: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf", want: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"},
		{in: "A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF", want: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"},
		{in: "{a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf}", want: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"},
		{in: strings.Repeat("5a", MaxID), want: strings.Repeat("5a", MaxID)},
		{in: "", err: "empty"},
		{in: "0x", err: "empty"},
		{in: "{}", err: "braces belong"},
		{in: "{a0a1a2a3a4a5a6a7a8a9aaabacadaeaf}", err: "braces belong"},
		{in: "{a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", err: "closing brace"},
		{in: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf}", err: "8, 4, 4, 4 and 12"},
		{in: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeag", err: `'g' is not`},
		{in: "a0a1a2a3a-4a5-a6a7-a8a9-aaabacadaeaf", err: "8, 4, 4, 4 and 12"},
		{in: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae-f", err: `'-' is not`},
		{in: "0xa0a1a2-a4a5-a6a7-a8a9-aaabacadaeaf", err: `'x' is not`},
		{in: "abc", err: "odd"},
		{in: "0x0", err: "odd"},
		{in: "zz", err: `'z' is not`},
		{in: " 00", err: `' ' is not`},
		{in: strings.Repeat("5a", MaxID+1), err: "more than 1024 bytes"},
	} {
		id, err := ParseID(tc.in)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("ParseID(%.60q): %v, %v; want an error with %q", tc.in, id, err, tc.err)
			}
			continue
		}
		if err != nil || id.String() != tc.want {
			t.Errorf("ParseID(%.60q) = %v, %v; want %v", tc.in, id, err, tc.want)
		}
	}
}

func TestParseIDErrorIsBounded(t *testing.T) {
	_, err := ParseID(strings.Repeat("zz", 100_000))
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("error of %d bytes, want a short one", len(err.Error()))
	}
}

func TestUUIDForm(t *testing.T) {
	id, _ := ParseID("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
	if s, ok := id.UUID(); !ok || s != "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf" {
		t.Errorf("UUID() = %q, %v", s, ok)
	}
	for _, n := range []int{0, 4, 15, 17, 20} {
		if s, ok := make(ID, n).UUID(); ok {
			t.Errorf("an ID of %d bytes has the UUID %q", n, s)
		}
	}
}

func TestIDInJSON(t *testing.T) {
	b, err := json.Marshal(struct{ ID ID }{ID{0xab, 1}})
	if err != nil || string(b) != `{"ID":"ab01"}` {
		t.Fatalf("%s, %v", b, err)
	}
	var v struct{ ID ID }
	if err := json.Unmarshal(b, &v); err != nil || !v.ID.Equal(ID{0xab, 1}) {
		t.Errorf("%v, %v", v.ID, err)
	}
	if err := json.Unmarshal([]byte(`{"ID":"xyz"}`), &v); err == nil {
		t.Error("a bad ID was accepted")
	}
}

func TestRandom(t *testing.T) {
	seen := map[string]bool{}
	for range 64 {
		id, err := Random()
		if err != nil {
			t.Fatal(err)
		}
		if uuidVersion(id) != 4 || SchemeOf(id) != SchemeRandom {
			t.Fatalf("%v is not a UUID of version 4", id)
		}
		seen[id.String()] = true
	}
	if len(seen) != 64 {
		t.Errorf("%d different IDs of 64", len(seen))
	}
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"", "00", "0x00", "abc", "{a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf}",
		"A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF", "{", "-", "0x-", "\xff\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		if err != nil {
			return
		}
		if len(id) == 0 || len(id) > MaxID {
			t.Fatalf("%q gave %d bytes", s, len(id))
		}
		if again, err := ParseID(id.String()); err != nil || !again.Equal(id) {
			t.Fatalf("%q gave %v, which gave %v, %v", s, id, again, err)
		}
		if u, ok := id.UUID(); ok {
			if again, err := ParseID(u); err != nil || !again.Equal(id) {
				t.Fatalf("%q gave %q, which gave %v, %v", s, u, again, err)
			}
		}
	})
}
