package symcheck_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

func TestPointerProblem(t *testing.T) {
	for pointer, want := range map[string]string{
		"app.debug.wasm":                "",
		"dir/app.debug.wasm":            "",
		"../a b.debug.wasm":             "",
		"ä.debug.wasm":                  "",
		"https://example.com/app.wasm":  "",
		"https://example.com":           "",
		"file:///tmp/app.wasm":          "",
		"data:application/wasm;base64,": "",
		`C:\\build\\app.debug.wasm`:     "",
		"":                              "is empty",
		"a\xffb":                        "is not UTF-8 text",
		"a\x00b":                        "holds control characters",
		"a\nb":                          "holds control characters",
		"a\x7f":                         "holds control characters",
		"a\u0085":                       "holds control characters",
		"100%":                          `is no URL: invalid URL escape "%"`,
		"a:b:c/d":                       "",
		"1:b":                           "is no URL: first path segment in URL cannot contain colon",
		"#x":                            "names no file",
		"?x":                            "names no file",
		"https://[::1":                  "is no URL: missing ']' in host",
	} {
		got := symcheck.PointerProblem(pointer)
		if got != want {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
		if _, ok := symcheck.PointerPath("app.wasm", pointer); ok && got != "" {
			t.Errorf("%q leads somewhere", pointer)
		}
	}
	if path, ok := symcheck.PointerPath(filepath.Join("dist", "app.wasm"), "b%20c.wasm"); !ok || path != filepath.Join("dist", "b c.wasm") {
		t.Errorf("%q, %v", path, ok)
	}
}

// TestPointersAreQuoted: whatever a pointer holds, a message shows it on one line and
// of bounded length.
func TestPointersAreQuoted(t *testing.T) {
	for _, pointer := range []string{"\x1b[2J", "\xff\xfe", "a\nb", strings.Repeat("long/", 5000) + "x.wasm", "https://localhost/" + strings.Repeat("\u202e", 1000)} {
		p := good(t)
		p.production = edit(t, p.production, replace("external_debug_info", testwasm.ExternalDebugInfo(pointer)))
		s := p.check(t, "app", symcheck.Options{})
		for _, f := range s.Findings {
			if len(f.Message) > 5000 || !utf8.ValidString(f.Message) || strings.ContainsAny(f.Message, "\x1b\n\u202e") {
				t.Errorf("%s: %.300q, %d bytes", f.Rule, f.Message, len(f.Message))
			}
		}
	}
}
