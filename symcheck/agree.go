package symcheck

import (
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// sameFunction reports whether a name of the name section may be that of a
// function whose DWARF gives these names. Linkers write names mangled or readable,
// and tools put something behind them to keep clones apart, which is no
// disagreement.
func sameFunction(listed, name, linkage string) bool {
	if listed == "" {
		return false
	}
	if listed == linkage || listed == name || holdsWord(listed, base(name)) {
		return true
	}
	if linkage != "" && (alike(listed, linkage) || alike(listed, readable(linkage))) {
		return true
	}
	if name != "" && (alike(listed, name) || alike(listed, readable(name))) {
		return true
	}
	a := reduce(readable(listed))
	for _, n := range []string{linkage, name} {
		if n != "" && a == reduce(readable(n)) {
			return true
		}
	}
	// Names that a linker gives to a program's entry.
	return name == "main" && strings.Contains(listed, "main")
}

// base returns a function's own name without its template arguments.
func base(name string) string {
	if i := strings.IndexAny(name, "<("); i > 0 {
		return name[:i]
	}
	return name
}

// holdsWord reports whether a readable name has the word as one of its names: not
// as a part of a longer one. It spares most names from being demangled.
func holdsWord(readable, word string) bool {
	if word == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(readable[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !inName(readable[i-1])) && (end == len(readable) || !inName(readable[end])) {
			return true
		}
		at = i + 1
	}
}

// inName reports whether a byte can be part of an identifier.
func inName(ch byte) bool {
	return ch == '_' || ch == '$' || ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= 0x80
}

// readable returns the demangled form of a name, or the name.
func readable(name string) string {
	if s, ok := debugfile.Demangle(name); ok {
		return s
	}
	return name
}

// alike reports whether a is b with something behind it that keeps clones apart:
// ".llvm.123", ".1", "_2", " [clone .x]".
func alike(a, b string) bool {
	rest, ok := strings.CutPrefix(a, b)
	if !ok {
		rest, ok = strings.CutPrefix(b, a)
	}
	return ok && (rest == "" || rest[0] == '.' || rest[0] == ' ' || rest[0] == '_' && isDigits(rest[1:]))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// reduce drops what readable names are written with in different ways: blanks,
// arguments, template arguments, clone suffixes, and everything before the last
// scope.
func reduce(name string) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		switch ch := name[i]; ch {
		case '(', '<', '[':
			depth++
		case ')', '>', ']':
			if depth > 0 {
				depth--
			}
		case ' ':
			if depth == 0 {
				b.Reset() // a return type
			}
		case ':', '.':
			if depth == 0 && ch == ':' {
				b.Reset()
			} else if depth == 0 && b.Len() > 0 {
				return b.String()
			}
		default:
			if depth == 0 {
				b.WriteByte(ch)
			}
		}
	}
	return b.String()
}

// disagreeing reports functions whose two names differ. When most of them do, the
// names are those of other functions.
func (x *dwarfCheck) disagreeing(p *places, compared int) {
	if compared == 0 {
		return
	}
	x.checked("the names of %d functions in the name section are held against the DWARF", compared)
	if p.n == 0 {
		return
	}
	severity := report.Warning
	if p.n >= 3 && p.n*2 > compared {
		severity = report.Error
	}
	at := x.at(p.first[0])
	listed := ""
	if at.Index != nil {
		listed, _ = x.f.FunctionName(*at.Index)
	}
	f := x.findAs(severity, NamesDisagree, at, "%d of %d functions are called differently in the name section and in the DWARF, such as %q", p.n, compared, listed)
	many(f, p.n, p.samples(x))
}
