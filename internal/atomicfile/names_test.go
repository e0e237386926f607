package atomicfile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.StringMatching(`[a-zé世 ~.-]{1,120}`).Draw(t, "base")
		other := rapid.OneOf(
			rapid.StringMatching(`[a-zé世 ~.-]{1,120}`),
			// Long names that differ at the end only.
			rapid.Just(base+"x"),
		).Draw(t, "other")
		name := randomName(base, ".tmp")
		if len(name) > 143 || !utf8.ValidString(name) {
			t.Fatalf("%q: temporary %q (%d bytes)", base, name, len(name))
		}
		if !isOurs(name, base, ".tmp") || isOurs(name, base, ".prev") {
			t.Fatalf("%q is not told apart", name)
		}
		if base != other && isOurs(name, other, ".tmp") {
			t.Fatalf("%q counts as a temporary of %q and of %q", name, base, other)
		}
		if isOurs(lockName(base), base, ".tmp") {
			t.Fatalf("the lock file of %q counts as a temporary", base)
		}
		if prev := prevName(base); len(prev) > maxName || (prev == "") != (len(base) > 250) {
			t.Fatalf("%q: kept as %q", base, prev)
		}
	})
}

// Long names that differ only at the end share no lock and no temporaries.
func TestLongNamesAreToldApart(t *testing.T) {
	long := strings.Repeat("long", 20)
	if a, b := lockName(long+"1"), lockName(long+"2"); a == b {
		t.Errorf("both have the lock %q", a)
	}
	if name := randomName(long+"1", ".tmp"); isOurs(name, long+"2", ".tmp") {
		t.Errorf("%q belongs to both", name)
	}
}
