package buildid

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func TestParsePolicy(t *testing.T) {
	for _, tc := range []struct{ in, out, err string }{
		{in: "", out: "auto"},
		{in: "auto", out: "auto"},
		{in: "keep", out: "keep"},
		{in: "content", out: "content"},
		{in: "random", out: "random"},
		{in: "uuid", out: "random"},
		{in: "0xABCD", out: "abcd"},
		{in: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", out: id16},
		{in: "fast", err: "only the linker"},
		{in: "none", err: "only the linker"},
		{in: "Auto", err: "expected auto, keep, content, random or an id"},
		{in: "kepp", err: "expected auto, keep, content, random or an id"},
	} {
		p, err := ParsePolicy(tc.in)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%q: %v, %v", tc.in, p, err)
			}
			continue
		}
		if err != nil || p.String() != tc.out {
			t.Errorf("%q: %v, %v; want %s", tc.in, p, err, tc.out)
			continue
		}
		if again, err := ParsePolicy(p.String()); err != nil || again.Mode != p.Mode || !again.ID.Equal(p.ID) {
			t.Errorf("%q does not come back: %v, %v", p, again, err)
		}
	}
	if s := (Policy{}).String(); s != "auto" {
		t.Errorf("the zero policy is %s", s)
	}
}

var derivedID = ID(bytes.Repeat([]byte{0xdd}, 16))

func TestDecide(t *testing.T) {
	fresh := corpus(t, "c/bid-fast.wasm")
	fastID := "301da0476a2b59a1a8810078e1c86e81"
	stale := add(fresh, testwasm.Custom("x", nil))
	staleStripped := without(t, stale, isDebug)
	none := without(t, fresh, isBuildID)
	given := unhex(t, id16) // not a UUID of a known version
	with := func(payloads ...[]byte) []byte {
		m := none
		for _, p := range payloads {
			m = add(m, idSection(p))
		}
		return m
	}
	spec := Encode(given)
	raw, zig := []byte(given), append([]byte{1}, spec...)
	padded := append(unhex(t, "908000"), given...)
	bad := unhex(t, "10"+id20)
	other := Encode(ID("some other id .."))
	content := contentOf(t, none)

	for _, tc := range []struct {
		name      string
		module    []byte
		policy    string
		normalize bool
		id        string
		kept      bool
		section   int    // of the found ones, if kept
		payload   string // if not Encode(id)
		rewrite   bool   // Decision.Normalize
		reason    string
		warn      []string
		err       error
		errText   string
	}{
		{name: "absent", module: none, policy: "auto", id: derivedID.String(), reason: "has no id"},
		{name: "fresh", module: fresh, policy: "auto", id: fastID, kept: true, reason: "is fresh"},
		{name: "sha1 fresh", module: corpus(t, "c/bid-sha1.wasm"), policy: "auto", id: "88e6b79685cee6f31b151028da3df0e1c3619eaf", kept: true, reason: "is fresh"},
		{name: "random", module: corpus(t, "c/bid-uuid.wasm"), policy: "auto", id: "882796330d934c62b1d1cf15316943bc", kept: true, reason: "cannot be told: the id is random"},
		{name: "given", module: with(spec), policy: "auto", id: id16, kept: true, reason: "cannot be told: the id has the form of none"},
		{name: "commit", module: with(Encode(unhex(t, id20))), policy: "auto", id: id20, kept: true, reason: "a git commit"},
		{name: "stale", module: stale, policy: "auto", id: derivedID.String(), reason: "is out of date", warn: []string{"is replaced by"}},
		{name: "stale, DWARF gone", module: staleStripped, policy: "auto", id: fastID, kept: true, reason: "its DWARF is gone", warn: []string{"the id is kept for the companion"}},
		{name: "own content id", module: with(Encode(content)), policy: "auto", id: content.String(), kept: true, reason: "is fresh"},
		{name: "short", module: with([]byte("\x04abcd")), policy: "auto", id: "61626364", kept: true, reason: "cannot be told", warn: []string{"too short for some backends"}},

		{name: "raw", module: with(raw), policy: "auto", id: id16, kept: true, payload: id16, reason: "kept", warn: []string{"without a length in front"}},
		{name: "zig", module: with(zig), policy: "auto", id: id16, kept: true, payload: "0110" + id16, reason: "kept", warn: []string{"--normalize-build-id rewrites it"}},
		{name: "padded", module: with(padded), policy: "auto", id: id16, kept: true, payload: "908000" + id16, reason: "kept", warn: []string{"takes 3 bytes"}},
		{name: "raw, normalize", module: with(raw), policy: "auto", normalize: true, id: id16, kept: true, rewrite: true, reason: "kept", warn: []string{"is rewritten"}},
		{name: "padded, normalize", module: with(padded), policy: "keep", normalize: true, id: id16, kept: true, rewrite: true, reason: "kept", warn: []string{"is rewritten"}},
		{name: "spec, normalize", module: with(spec), policy: "auto", normalize: true, id: id16, kept: true, reason: "kept"},

		{name: "duplicate", module: with(spec, spec), policy: "auto", id: id16, kept: true, reason: "kept", warn: []string{"2 times"}},
		{name: "duplicate, two forms", module: with(raw, spec), policy: "auto", id: id16, kept: true, section: 1, reason: "kept", warn: []string{"2 times"}},
		{name: "duplicate under keep", module: with(spec, spec, spec), policy: "keep", id: id16, kept: true, reason: "as asked", warn: []string{"3 times"}},
		{name: "conflict", module: with(spec, other), policy: "auto", err: ErrConflict, errText: "remove all of them but one"},
		{name: "conflict under keep", module: with(spec, other), policy: "keep", err: ErrConflict},
		{name: "conflict under content", module: with(spec, other), policy: "content", err: ErrConflict},
		{name: "conflict under random", module: with(spec, other), policy: "random", err: ErrConflict},
		{name: "conflict under given", module: with(spec, other), policy: id16, err: ErrConflict},

		{name: "malformed", module: with(bad), policy: "auto", err: ErrMalformed, errText: "--build-id=content or an id replaces it"},
		{name: "malformed under keep", module: with(bad), policy: "keep", err: ErrMalformed, errText: "--build-id=content or an id replaces it"},
		{name: "malformed under content", module: with(bad), policy: "content", id: derivedID.String(), reason: "as asked", warn: []string{"cannot be read is replaced"}},
		{name: "malformed under given", module: with(bad), policy: id16, id: id16, reason: "was given", warn: []string{"cannot be read is replaced"}},

		{name: "keep", module: stale, policy: "keep", id: fastID, kept: true, reason: "as asked"},
		{name: "keep, absent", module: none, policy: "keep", err: ErrAbsent, errText: "--build-id=auto"},
		{name: "content", module: fresh, policy: "content", id: derivedID.String(), reason: "as asked"},
		{name: "content, equal", module: with(Encode(derivedID)), policy: "content", id: derivedID.String(), kept: true, reason: "as asked"},
		{name: "content, equal but raw", module: with(derivedID), policy: "content", id: derivedID.String(), kept: true, rewrite: true, reason: "as asked"},
		{name: "given over fresh", module: fresh, policy: id16, id: id16, reason: "was given"},
		{name: "given, equal", module: with(spec), policy: id16, id: id16, kept: true, reason: "was given"},
		{name: "given, equal, twice", module: with(spec, spec), policy: id16, id: id16, kept: true, reason: "was given", warn: []string{"2 times"}},
		{name: "given, short", module: none, policy: "abcd", id: "abcd", reason: "was given", warn: []string{"too short"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ParsePolicy(tc.policy)
			if err != nil {
				t.Fatal(err)
			}
			derived := 0
			d, err := Decide(context.Background(), open(t, tc.module), p, func() (ID, error) { derived++; return derivedID, nil }, DecideOptions{Normalize: tc.normalize})
			if tc.err != nil {
				if !errors.Is(err, tc.err) || !strings.Contains(err.Error(), tc.errText) || derived > 0 {
					t.Fatalf("%v; derived %d times", err, derived)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.ID.String() != tc.id || d.Kept != tc.kept || d.Normalize != tc.rewrite {
				t.Errorf("id %v, kept %v, normalize %v", d.ID, d.Kept, d.Normalize)
			}
			want := Encode(d.ID)
			if tc.payload != "" {
				want = unhex(t, tc.payload)
			}
			if !bytes.Equal(d.Payload, want) {
				t.Errorf("payload %x, want %x", d.Payload, want)
			}
			if !strings.Contains(d.Reason, tc.reason) {
				t.Errorf("reason %q", d.Reason)
			}
			if len(d.Warnings) != len(tc.warn) {
				t.Fatalf("warnings %q", d.Warnings)
			}
			for i, w := range tc.warn {
				if !strings.Contains(d.Warnings[i], w) {
					t.Errorf("warning %q, want %q", d.Warnings[i], w)
				}
			}
			wantDerived := 0
			if tc.id == derivedID.String() {
				wantDerived = 1
			}
			if derived != wantDerived {
				t.Errorf("derived %d times", derived)
			}
			if !tc.kept {
				if d.Section != nil {
					t.Error("a section stays though the ID is new")
				}
				return
			}
			sections := read(t, open(t, tc.module)).Sections
			if d.Section == nil || d.Section.Section.Offset != sections[tc.section].Section.Offset {
				t.Error("the wrong section stays")
			}
		})
	}
}

func TestDecideRandom(t *testing.T) {
	f := open(t, corpus(t, "c/bid-fast.wasm"))
	derive := func() (ID, error) { t.Error("derive was called"); return nil, nil }
	a, err := Decide(context.Background(), f, Policy{Mode: ModeRandom}, derive, DecideOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Decide(context.Background(), f, Policy{Mode: ModeRandom}, derive, DecideOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Kept || a.ID.Equal(b.ID) || SchemeOf(a.ID) != SchemeRandom || len(a.Warnings) != 1 {
		t.Errorf("%v, %v, %q", a.ID, b.ID, a.Warnings)
	}
}

// TestDecideReusesMeasurement: the caller's measurement serves for judging a
// content ID, so that nothing is hashed twice, and is not asked for otherwise.
func TestDecideReusesMeasurement(t *testing.T) {
	module := without(t, corpus(t, "c/bid-fast.wasm"), isBuildID)
	m, err := Measure(context.Background(), open(t, module), Options{})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	o := DecideOptions{Measure: func() (*Measurement, error) { calls++; return m, nil }}
	o.Progress = func(int64) { t.Error("something was hashed") }
	derive := func() (ID, error) { return derivedID, nil }
	f := open(t, add(module, testwasm.BuildID(contentOf(t, module))))
	d, err := Decide(context.Background(), f, Policy{}, derive, o)
	if err != nil || !d.Kept || d.Verdict.Freshness != Fresh || calls != 1 {
		t.Errorf("%+v, %v, %d calls", d, err, calls)
	}
	o.Progress = nil
	if _, err := Decide(context.Background(), open(t, corpus(t, "c/bid-fast.wasm")), Policy{}, derive, o); err != nil || calls != 1 {
		t.Errorf("%v, %d calls", err, calls)
	}
}

func TestDecideErrors(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	none := testwasm.Build(testwasm.Without(testwasm.Sample(), wasm.CustomBuildID)...)
	f := open(t, none)
	if _, err := Decide(ctx, f, Policy{}, func() (ID, error) { return nil, boom }, DecideOptions{}); !errors.Is(err, boom) {
		t.Error(err)
	}
	if _, err := Decide(ctx, f, Policy{}, func() (ID, error) { return nil, nil }, DecideOptions{}); err == nil {
		t.Error("an empty derived ID was accepted")
	}
	if _, err := Decide(ctx, f, Policy{Mode: ModeGiven}, nil, DecideOptions{}); err == nil {
		t.Error("an empty given ID was accepted")
	}
	if _, err := Decide(ctx, f, Policy{Mode: 99}, nil, DecideOptions{}); err == nil {
		t.Error("an unknown mode was accepted")
	}
	linked := corpus(t, "c/bid-fast.wasm")
	cut := &cutReader{data: linked}
	g, err := wasm.NewFile(cut, int64(len(linked)))
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Decide(cancelled, g, Policy{}, nil, DecideOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	cut.data = nil
	if _, err := Decide(ctx, g, Policy{}, nil, DecideOptions{}); err == nil {
		t.Error("a file that is gone was accepted")
	}
}
