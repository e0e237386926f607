package report

import "testing"

// A section's label says by itself that it is one; a bare name does not.
func TestSection(t *testing.T) {
	for name, want := range map[string]string{
		"":                      "",
		".debug_line":           "section .debug_line",
		"code section":          "code section",
		`custom section "name"`: `custom section "name"`,
	} {
		if got := section(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
