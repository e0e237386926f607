package debugfile

import (
	"strings"
	"unicode/utf8"

	"github.com/ianlancetaylor/demangle"
)

// Names can be made that unfold to any length: what is demangled, and what comes
// of it, is bounded. Longer names are shown as they are.
const (
	maxMangled      = 64 << 10 // bytes
	maxDemangledLog = 16       // 2^n bytes
)

// Demangle returns a C++ or Rust name (legacy or v0) in readable form; the hash
// of a legacy Rust name is dropped. It reports false for a name that is not
// mangled. Bytes that binaryen and emscripten write as a backslash and two hex
// digits are put back in either case.
//
// Swift names are returned as they are: there is no maintained Go library for
// them.
func Demangle(name string) (string, bool) {
	name = unescape(name)
	if len(name) > maxMangled || !strings.HasPrefix(name, "_") {
		return name, false
	}
	mangled := name
	if strings.HasPrefix(name, "__Z") || strings.HasPrefix(name, "__R") {
		mangled = name[1:] // with the underscore that some targets put before every symbol
	}
	s, err := demangle.ToString(mangled, demangle.LLVMStyle, demangle.MaxLength(maxDemangledLog))
	if err != nil {
		return name, false
	}
	s, _, _ = strings.Cut(s, " (.") // copies that the optimiser made are called like the original
	return s, true
}

// unescape decodes \xx. A backslash that begins no such escape stays, as does a
// name that would not be text any more.
func unescape(name string) string {
	i := strings.IndexByte(name, '\\')
	if i < 0 {
		return name
	}
	out := []byte(name[:i])
	for ; i < len(name); i++ {
		if name[i] == '\\' && i+2 < len(name) {
			hi, ok := hexDigit(name[i+1])
			lo, ok2 := hexDigit(name[i+2])
			if ok && ok2 {
				out = append(out, hi<<4|lo)
				i += 2
				continue
			}
		}
		out = append(out, name[i])
	}
	if !utf8.Valid(out) {
		return name
	}
	return string(out)
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}
