package symcheck

import (
	_ "embed"
	"strconv"
	"strings"
)

// libcList names functions of C libraries, of which those whose names are reserved
// anyway are left out.
//
//go:embed libc.txt
var libcList string

var libcNames = func() map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(libcList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			names[name] = true
		}
	}
	return names
}()

// runtimePrefixes begin names of functions of C and C++ runtimes that are neither
// reserved by two underscores nor in a namespace.
var runtimePrefixes = []string{
	"_Unwind_", "unw_", "pthread_", "sem_", // C libraries
	"operator new", "operator delete", "_Znw", "_Zna", "_Zdl", "_Zda", "_GLOBAL__I_0001", // C++; the last one: constructors of priorities below 102 are reserved
	"rust_", "emscripten_", "_emscripten_", "emmalloc_", "swift_",
}

// runtimeScopes are the namespaces of the C++ library, and the crates that make up
// Rust's.
var runtimeScopes = map[string]bool{
	"std": true, "__cxxabiv1": true, "__gnu_cxx": true, "__rustc": true, "itanium_demangle": true,
	"core": true, "alloc": true, "compiler_builtins": true, "panic_abort": true, "panic_unwind": true, "unwind": true,
	"hashbrown": true, "dlmalloc": true, "rustc_demangle": true, "addr2line": true, "gimli": true, "miniz_oxide": true, "std_detect": true,
}

// mainPrefixes begin reserved names that clang gives to a program's main function.
var mainPrefixes = []string{"__original_main", "__main_argc_argv"}

// initPrefix begins reserved names that clang gives to constructors and destructors
// of variables: of the program's and of the C++ library's.
const initPrefix = "__cxx_global_"

// isRuntimeName reports whether a function of this name belongs to the library of a
// language or to a C library. Names that begin with two underscores are reserved
// for these by the C and C++ standards (C23, 7.1.3).
func isRuntimeName(name string) bool {
	if i := strings.LastIndexByte(name, '.'); i > 0 && isDigits(name[i+1:]) {
		name = name[:i] // put there to keep functions inside of objects apart
	}
	if libcNames[name] {
		return true
	}
	if strings.HasPrefix(name, "__") {
		return !hasPrefix(name, mainPrefixes)
	}
	if hasPrefix(name, runtimePrefixes) {
		return true
	}
	if is, sure := isRuntimeMangled(name); sure {
		return is
	}
	return isRuntimeScope(readable(name))
}

func hasPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// isRuntimeMangled answers for most mangled names without making them readable,
// which takes a hundred times as long. It reports false if it is not sure.
func isRuntimeMangled(name string) (is, sure bool) {
	if rest, ok := strings.CutPrefix(name, "_R"); ok {
		for crate := range runtimeScopes {
			if strings.Contains(rest, crate) {
				return false, false
			}
		}
		return false, true
	}
	rest, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return false, false
	}
	rest, nested := strings.CutPrefix(rest, "N")
	if nested {
		rest = strings.TrimPrefix(rest, "K")
	}
	if strings.HasPrefix(rest, "St") {
		return true, true
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.Atoi(rest[:digits])
	if err != nil || n > len(rest)-digits {
		return false, false
	}
	scope := rest[digits : digits+n]
	if strings.HasPrefix(scope, "_") { // an anonymous namespace; a type of Rust
		return false, false
	}
	return nested && runtimeScopes[scope], true
}

// isRuntimeScope reports whether a readable C++ or Rust name is in a namespace or
// crate of the language's library.
func isRuntimeScope(name string) bool {
	name = strings.TrimPrefix(name, "(anonymous namespace)::")
	if strings.HasPrefix(name, "<") && strings.Contains(name, " as ") || strings.HasPrefix(name, "<") && strings.Contains(name, ">::") {
		return isRuntimeImpl(name[1:])
	}
	// The words in front of the last one are a return type, or say what kind of
	// function this is.
	depth, word := 0, 0
	end := len(name)
scan:
	for i := 0; i < len(name); i++ {
		switch ch := name[i]; {
		case depth == 0 && (ch == '(' || strings.HasPrefix(name[i:], "operator")):
			end = i
			break scan
		case ch == '<' || ch == '(' || ch == '[':
			depth++
		case ch == '>' || ch == ')' || ch == ']':
			depth--
		case ch == ' ' && depth == 0:
			word = i + 1
		}
	}
	scope, _, ok := strings.Cut(name[word:end], "::")
	return ok && runtimeScopes[scope]
}

// rustTypes are the types of Rust that no crate defines: only its library can give
// them functions of their own.
var rustTypes = map[string]bool{"bool": true, "char": true, "str": true, "f32": true, "f64": true, "()": true,
	"i8": true, "i16": true, "i32": true, "i64": true, "i128": true, "isize": true,
	"u8": true, "u16": true, "u32": true, "u64": true, "u128": true, "usize": true}

// isRuntimeImpl is isRuntimeScope for a name of Rust that begins with a type: one of
// the library's own, or a type that no crate defines.
func isRuntimeImpl(name string) bool {
	if typ, _, ok := strings.Cut(name, ">::"); ok && (rustTypes[typ] || name[0] == '[') {
		return true
	}
	name = strings.TrimLeft(name, "<&*[(")
	for _, word := range []string{"mut ", "const ", "dyn "} {
		name = strings.TrimPrefix(name, word)
	}
	typ, rest, _ := strings.Cut(name, " as ")
	scope, _, scoped := strings.Cut(typ, "::")
	if !scoped {
		scope, _, scoped = strings.Cut(rest, "::")
	}
	return scoped && runtimeScopes[scope]
}
