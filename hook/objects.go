package hook

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxNamed is how many object files a warning names.
const maxNamed = 3

// undebugged tells that no object file among the inputs of a link holds debug
// information; it is empty if one does. Objects without code do not count, nor does
// what may be somebody else's: archives, and the C library's crt1.o. Of what cannot be
// told, such as an object of LLVM's bitcode, nothing is said.
//
// The linked module does not tell: a libc with DWARF of its own, as Debian's
// wasi-libc, gives DWARF to every program.
func undebugged(inputs []string) string {
	var without []string
	for _, path := range inputs {
		name, ext := filepath.Base(path), strings.ToLower(filepath.Ext(path))
		if ext == ".a" || ext == ".rlib" || strings.HasPrefix(name, "crt1") {
			continue
		}
		code, debug, ok := lookAtObject(path)
		if !ok || debug {
			return ""
		}
		if code {
			without = append(without, name)
		}
	}
	named := strings.Join(without[:min(len(without), maxNamed)], ", ")
	switch more := len(without) - maxNamed; {
	case len(without) == 0:
		return ""
	case len(without) == 1:
		return "the object file that was linked (" + named + ") has no debug information, whatever the libraries have"
	case more > 0:
		named += fmt.Sprintf(" and %d more", more)
	}
	return "none of the object files that were linked (" + named + ") has debug information, whatever the libraries have"
}

// lookAtObject reports whether an object file has code and debug information; not
// ok if it cannot be read, or is no object file for WebAssembly.
func lookAtObject(path string) (code, debug, ok bool) {
	f, err := wasm.Open(path)
	if err != nil {
		return false, false, false
	}
	defer f.Close()
	class, err := wasm.Classify(f)
	return f.Code() != nil, f.HasDebug(), err == nil && class.Object
}
