//go:build linux

package toolchain

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pair is a split module on disk and in memory.
type pair struct {
	input, production, companion string // paths
	in, prod, comp               []byte
	id                           string // as printed
	kind                         string // of the companion
}

// split runs the program as its users do and reads what it wrote.
func split(t *testing.T, input, output, kind string, flags ...string) pair {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(output), 0o777); err != nil {
		t.Fatal(err)
	}
	args := append([]string{program(t), "split", input, "-o", output, "--companion-kind=" + kind}, flags...)
	id := strings.TrimSpace(cmd{args: args}.run(t))
	p := pair{input: input, production: output, companion: strings.TrimSuffix(output, ".wasm") + ".debug.wasm", id: id, kind: kind}
	p.in, p.prod, p.comp = read(t, input), read(t, p.production), read(t, p.companion)
	return p
}

// splitAndCheck splits a module with both kinds of companions, holds the results
// against the promises, and returns the pair with the full companion.
func splitAndCheck(t *testing.T, input, dir string) (full, symbols pair) {
	t.Helper()
	base := filepath.Base(input)
	full = split(t, input, filepath.Join(dir, "full", base), "full")
	symbols = split(t, input, filepath.Join(dir, "symbols", base), "symbols")
	full.check(t)
	symbols.check(t)
	if !bytes.Equal(full.prod, symbols.prod) {
		t.Errorf("the production module depends on the kind of companion")
	}

	// The same bytes in another folder, under another input name, from one worker.
	elsewhere := filepath.Join(t.TempDir(), "else where", "renamed-input.bin")
	write(t, elsewhere, full.in)
	again := split(t, elsewhere, filepath.Join(t.TempDir(), base), "full")
	if again.id != full.id || !bytes.Equal(again.prod, full.prod) || !bytes.Equal(again.comp, full.comp) {
		t.Errorf("another folder and input name gave other bytes (id %s, then %s)", full.id, again.id)
	}

	full.checkIdempotent(t)
	return full, symbols
}

// dropped reports whether the production module must not have the section.
func dropped(s section) bool {
	return s.debug() || s.custom("build_id") || s.custom("external_debug_info") ||
		s.custom("linking") || s.id == 0 && strings.HasPrefix(s.name, "reloc.")
}

// check holds the pair against the promises.
func (p pair) check(t *testing.T) {
	t.Helper()
	in := mustSections(t, "input", p.in)
	prod := mustSections(t, "production", p.prod)
	comp := mustSections(t, p.kind+" companion", p.comp)

	// Every section that stays is the input's, byte for byte and in its order.
	kept := where(in, func(s section) bool { return !dropped(s) })
	have := where(prod, func(s section) bool { return !dropped(s) })
	if err := sameSections(kept, have); err != nil {
		t.Errorf("production module: %v", err)
	}

	// One code start.
	inCode, ok := code(in)
	prodCode, _ := code(prod)
	compCode, _ := code(comp)
	if ok && prodCode.at != compCode.at {
		t.Errorf("code starts at 0x%x in the production module, at 0x%x in the %s companion", prodCode.at, compCode.at, p.kind)
	}

	// One build ID.
	for what, all := range map[string][]section{"production module": prod, p.kind + " companion": comp} {
		ids := named(all, "build_id")
		if len(ids) != 1 {
			t.Errorf("%s has %d build_id sections", what, len(ids))
			continue
		}
		if b := ids[0].payload; len(b) < 1 || int(b[0]) != len(b)-1 || hex.EncodeToString(b[1:]) != p.id {
			t.Errorf("%s has build_id payload %x, printed was %s", what, b, p.id)
		}
	}

	if n := len(where(prod, section.debug)); n != 0 {
		t.Errorf("the production module has %d debug sections", n)
	}
	if n := len(named(comp, "external_debug_info")); n != 0 {
		t.Errorf("the %s companion has a pointer", p.kind)
	}
	if pointers := named(prod, "external_debug_info"); len(pointers) != 1 {
		t.Errorf("the production module has %d pointers", len(pointers))
	} else if b, name := pointers[0].payload, filepath.Base(p.companion); int(b[0]) != len(name) || string(b[1:]) != name {
		t.Errorf("the production module points to %q, the companion is %s", b[1:], name)
	}

	// The companion has all the debug sections, byte for byte.
	if err := sameSections(where(in, section.debug), where(comp, section.debug)); err != nil {
		t.Errorf("%s companion: %v", p.kind, err)
	}
	if !ok {
		return
	}
	if p.kind == "full" {
		core := func(s section) bool { return s.id != 0 }
		if err := sameSections(where(in, core), where(comp, core)); err != nil {
			t.Errorf("full companion: %v", err)
		}
		return
	}
	p.checkBlanked(t, comp, inCode.payload, compCode.payload)
}

// checkBlanked checks that a symbols companion has the bodies of the input, but
// neither its code nor its data.
func (p pair) checkBlanked(t *testing.T, comp []section, in, blank []byte) {
	t.Helper()
	want, have := bodies(t, in), bodies(t, blank)
	if len(want) != len(have) {
		t.Fatalf("%d bodies became %d", len(want), len(have))
	}
	for i := range want {
		if want[i] != have[i] {
			t.Fatalf("body %d moved from %#x to %#x", i, want[i], have[i])
		}
		for _, c := range blank[have[i][0]:have[i][1]] {
			if c != 0x00 && c != 0x01 && c != 0x0b { // local count or unreachable, nop, end
				t.Fatalf("body %d is not blank: it has the byte 0x%02x", i, c)
			}
		}
	}
	if n := len(where(comp, func(s section) bool { return s.id == 11 })); n != 0 {
		t.Errorf("the symbols companion has data")
	}
}

// checkIdempotent splits the production module onto itself.
func (p pair) checkIdempotent(t *testing.T) {
	t.Helper()
	before, err := os.Stat(p.production)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(cmd{args: []string{program(t), "split", p.production, "--in-place"}}.run(t))
	after, err := os.Stat(p.production)
	if err != nil {
		t.Fatal(err)
	}
	if id != p.id {
		t.Errorf("splitting again printed %s, at first %s", id, p.id)
	}
	if !os.SameFile(before, after) || before.ModTime() != after.ModTime() {
		t.Errorf("splitting again wrote the production module")
	}
	if !bytes.Equal(read(t, p.production), p.prod) || !bytes.Equal(read(t, p.companion), p.comp) {
		t.Errorf("splitting again changed a file")
	}
}

func sameSections(want, have []section) error {
	for i, s := range want {
		switch {
		case i >= len(have):
			return fmt.Errorf("section %d (id %d %q) is missing", i, s.id, s.name)
		case !bytes.Equal(s.raw, have[i].raw):
			return fmt.Errorf("section %d is id %d %q, %d bytes; it was id %d %q, %d bytes", i,
				have[i].id, have[i].name, len(have[i].raw), s.id, s.name, len(s.raw))
		}
	}
	if len(have) > len(want) {
		return fmt.Errorf("section %d (id %d %q) is new", len(want), have[len(want)].id, have[len(want)].name)
	}
	return nil
}
