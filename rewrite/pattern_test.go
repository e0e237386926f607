package rewrite

import "testing"

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"name", "name", true},
		{"name", "names", false},
		{"name", "xname", false},
		{"", "", true},
		{"", "x", false},
		{"*", "", true},
		{"*", "anything at all", true},
		{"metadata.*", "metadata.code.branch_hint", true},
		{"metadata.*", "metadata", false},
		{"metadata.*", "metadataXcode", false}, // a dot is a dot
		{"*.debug_*", ".debug_info", true},
		{"*_info", "a_info", true},
		{"*_info", "a_info2", false},
		{"a*b*c", "abc", true},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "acb", false},
		{"ab*ba", "aba", false}, // the two halves may not share the b
		{"a**b", "ab", true},
		{"a?c", "abc", false},
		{"[a]", "a", false},
	} {
		if got := Pattern(c.pattern).Match(c.name); got != c.want {
			t.Errorf("Pattern(%q).Match(%q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}
