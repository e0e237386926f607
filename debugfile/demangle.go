package debugfile

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxMangled bounds the length in bytes of a name that is demangled; longer ones
// are shown as they are.
const maxMangled = 64 << 10

// Demangle returns a C++ or Rust name (legacy or v0) in readable form. It reports
// false for a name that is not mangled. Parentheses that binaryen and emscripten
// write as \28 and \29 in name sections are put back.
func Demangle(name string) (string, bool) {
	if strings.Contains(name, `\`) {
		name = unescape.Replace(name)
	}
	if len(name) > maxMangled || !strings.HasPrefix(name, "_") {
		return name, false
	}
	s, err := demangle.ToString(name, demangle.NoClones)
	if err != nil {
		return name, false
	}
	return s, true
}

var unescape = strings.NewReplacer(`\28`, "(", `\29`, ")", `\20`, " ", `\2c`, ",", `\3c`, "<", `\3e`, ">",
	`\5b`, "[", `\5d`, "]", `\7b`, "{", `\7d`, "}", `\22`, `"`, `\3b`, ";", `\5c`, `\`)
