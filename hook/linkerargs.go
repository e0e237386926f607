package hook

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// IsLinker reports whether a command line, program name first, is one that rustc
// gives to a linker for WebAssembly: whatever the program is called, the first two
// arguments are "-flavor wasm".
func IsLinker(args []string) bool {
	return len(args) > 2 && args[1] == "-flavor" && (args[2] == "wasm" || args[2] == "wasm-ld")
}

// linkerArgs is what linker mode has to know of a linker's arguments.
type linkerArgs struct {
	output  string   // the file that is written
	inputs  []string // the files that are linked
	strip   string   // the option that leaves DWARF out; empty if there is none
	nothing bool     // the linker only prints something
	test    bool     // Rust's test harness is linked in

	component bool // it is for a target whose linker makes components
}

// parseLinkerArgs reads the arguments of wasm-ld, response files included
// (https://lld.llvm.org/WebAssembly.html). As there, the last output wins.
func parseLinkerArgs(args []string) linkerArgs {
	all := expand(args)
	l := linkerArgs{output: "a.out", component: slices.ContainsFunc(all, componentTarget.MatchString)}
	for i := 0; i < len(all); i++ {
		a := all[i]
		switch {
		case a == "-o", a == "--output":
			if i+1 < len(all) {
				i++
				l.output = all[i]
			}
		case strings.HasPrefix(a, "--output="):
			l.output = strings.TrimPrefix(a, "--output=")
		case linkerValue[a]:
			i++ // whatever it looks like, it is the value
		case strings.HasPrefix(a, "-o"):
			l.output = strings.TrimPrefix(a, "-o")
		case a == "--strip-debug", a == "-S", a == "--strip-all", a == "-s":
			l.strip = a
		case !strings.HasPrefix(a, "-"):
			l.inputs = append(l.inputs, a)
			l.test = l.test || isTestHarness(a)
		case a == "--version", a == "-v", a == "--help", a == "-h":
			l.nothing = true
		}
	}
	return l
}

// linkerValue lists the flags of wasm-ld 14 to 22 whose value is the next argument,
// besides those for the output. The long ones may have one dash.
var linkerValue = wordSet(`-e -m -y -z -L -l -O -u -mllvm --mllvm -entry --entry -export --export -export-if-defined --export-if-defined
	-Map --Map -wrap --wrap -undefined --undefined -soname --soname -keep-section --keep-section -threads --threads -reproduce --reproduce
	-trace-symbol --trace-symbol --error-limit -rsp-quoting --rsp-quoting -allow-undefined-file
	-unresolved-symbols --unresolved-symbols -thinlto-cache-policy --thinlto-cache-policy -rpath --rpath
	-library-path --library-path -library --library -flavor`)

// componentTarget matches a path in a folder that rustc or cargo has for one of
// the targets whose linker is wasm-component-ld.
var componentTarget = regexp.MustCompile(`(^|[/\\])wasm32-wasip[2-9][^/\\]*[/\\]`)

// isTestHarness reports whether an argument is the library that runs Rust's tests.
func isTestHarness(arg string) bool {
	base := filepath.Base(arg)
	return strings.HasPrefix(base, "libtest-") && strings.HasSuffix(base, ".rlib")
}

// hashed takes a name apart to which cargo has added a hash.
var hashed = regexp.MustCompile(`^(.*)-[0-9a-f]{16}$`)

// cargoHome returns where cargo will link the output of a linker to: from
// deps/my_app-0123456789abcdef.wasm to my-app.wasm one folder up, for a program of
// that name; a library's output has no hash, and an example stays in its folder. It
// returns an empty path if the output stays where it is, as those of tests do.
func cargoHome(output string, a linkerArgs, getenv func(string) string) string {
	dir, name := filepath.Split(output)
	dir = filepath.Clean(dir)
	stem, isWasm := strings.CutSuffix(name, ".wasm")
	if getenv("CARGO") == "" || !isWasm || a.test {
		return ""
	}
	switch filepath.Base(dir) {
	case "deps":
		dir = filepath.Dir(dir)
	case "examples":
	default:
		return ""
	}
	m := hashed.FindStringSubmatch(stem)
	if m != nil {
		stem = m[1]
	}
	if bin := getenv("CARGO_BIN_NAME"); strings.ReplaceAll(bin, "-", "_") == stem {
		stem = bin
	} else if m != nil {
		return "" // a program has a name
	}
	return filepath.Join(dir, stem+".wasm")
}
