package hook

import (
	"path/filepath"
	"strings"
)

// Driver is a kind of compiler driver. They differ in what their flags mean and in
// which files they write.
type Driver int

// The kinds.
const (
	DriverClang      Driver = iota // clang, wasi-sdk's clang, zig cc, and anything else that takes GCC's flags
	DriverEmscripten               // emcc and em++
	DriverLinker                   // wasm-ld itself
)

// Invocation is what one command line of a compiler driver will do, as far as a
// hook has to know it.
type Invocation struct {
	Driver Driver
	// Links says that a program is linked. Whether the result is a module is judged
	// by what the driver has written.
	Links bool
	// Why says why nothing is linked; empty if Links.
	Why string
	// Target is the file that the command line names, or the driver's default.
	Target string
	// Modules are the paths at which the linked module may be, the likeliest first.
	Modules []string

	Inputs    []string // the files that are compiled or linked, in order
	Compiles  bool     // sources are compiled in the same call
	Debug     bool     // debug information is asked for, or made without being asked
	Level     string   // the last -O flag, such as -O2; empty for none
	Strip     string   // the flag that makes the linker leave DWARF out; empty for none
	NoWasmOpt bool     // clang is told not to run wasm-opt

	Settings     map[string]string // emcc's -s settings by name; "1" for those without a value
	Separate     bool              // emcc writes DWARF to a file of its own (-gseparate-dwarf)
	SeparateFile string            // that file, if the command line names it
}

// ParseInvocation reads a command line, program first, with response files.
// Emscripten's variable EMCC_CFLAGS counts as a part of it. A launcher in front,
// such as ccache, is passed over, as is the word cc of "zig cc".
func ParseInvocation(command []string, getenv func(name string) string) Invocation {
	return parseInvocation(-1, command, getenv)
}

// parseInvocation is ParseInvocation for a driver of a kind; less than 0 for the
// kind that its name tells.
func parseInvocation(kind Driver, command []string, getenv func(name string) string) Invocation {
	driver, args, zig := findDriver(command)
	if kind >= 0 {
		driver = kind
	}
	p := invocationParser{Invocation: Invocation{Driver: driver, Settings: map[string]string{}}, args: expand(args)}
	if driver == DriverLinker {
		p.linkerLine()
		return p.Invocation
	}
	// zig cc makes debug information without being asked.
	p.Debug = zig && driver == DriverClang
	if driver == DriverEmscripten {
		p.args = append(p.args, tokens(getenv("EMCC_CFLAGS"), false)...)
	}
	p.parse()
	p.finish()
	return p.Invocation
}

// launchers are programs that stand in front of a compiler.
var launchers = map[string]bool{"ccache": true, "sccache": true, "distcc": true, "icecc": true}

// findDriver returns the kind of the driver and its arguments, and whether it is
// zig's.
func findDriver(command []string) (kind Driver, args []string, zig bool) {
	if len(command) == 0 {
		return DriverClang, nil, false
	}
	name := programName(command[0])
	args = command[1:]
	switch {
	case launchers[name] && len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		return findDriver(args)
	case name == "zig" && len(args) > 0 && (args[0] == "cc" || args[0] == "c++"):
		return DriverClang, args[1:], true
	case name == "emcc" || name == "em++":
		return DriverEmscripten, args, false
	case strings.HasPrefix(name, "wasm-ld") || name == "lld" || name == "rust-lld":
		return DriverLinker, args, false
	}
	return DriverClang, args, false
}

// programName returns what a program is called, without folder and without the
// endings that scripts and Windows give it.
func programName(path string) string {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	for _, end := range []string{".exe", ".bat", ".cmd", ".py"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// invocationParser reads the arguments of a driver.
type invocationParser struct {
	Invocation
	args   []string
	linker []string // what is passed on to the linker
	inputs int

	language string // of the inputs that follow (-x); empty or "none" if their names tell
}

// sources are the endings of files that are compiled to code with debug
// information, if it is asked for.
var sources = wordSet(".c .cc .cp .cpp .cxx .c++ .i .ii .m .mm")

// value lists the flags whose value is the next argument
// (https://clang.llvm.org/docs/ClangCommandLineReference.html).
var value = wordSet(`-o --output -x -I -D -U -L -l -T -u -z -e -B -F -target --target -arch -isystem -include
	-isysroot --sysroot -idirafter -iquote -imacros -iprefix -iwithprefix -iwithprefixbefore -isystem-after -iframework
	-ivfsoverlay -framework -MF -MT -MQ -MJ -Xclang -Xlinker -Xassembler -Xpreprocessor -Xanalyzer -Xarch_host -mllvm -mthread-model
	--param -working-directory -dumpdir -rpath -resource-dir -gcc-toolchain --config -cxx-isystem -serialize-diagnostics`)

// emscriptenValue lists those that emcc has besides
// (https://emscripten.org/docs/tools_reference/emcc.html).
var emscriptenValue = wordSet(`-s --js-library --pre-js --post-js --extern-pre-js --extern-post-js --shell-file --preload-file --embed-file
	--exclude-file --source-map-base --js-opts --closure --closure-args --llvm-opts --llvm-lto --minify --memory-init-file --em-config
	--cache --output_eol --oformat --default-obj-ext --js-transform --bind-debug --use-port`)

// stops are the flags with which nothing is linked, and what the driver does then.
var stops = map[string]string{
	"-c": "it compiles only", "-S": "it compiles to assembly", "-E": "it only preprocesses", "-M": "it lists dependencies", "-MM": "it lists dependencies",
	"-fsyntax-only": "it only checks the syntax", "--analyze": "it only analyses", "--precompile": "it precompiles a module", "-emit-ast": "it writes a syntax tree",
	"-###": "it only shows what it would do", "--version": "it only prints something", "--help": "it only prints something", "--help-hidden": "it only prints something",
	"-dumpversion": "it only prints something", "-dumpmachine": "it only prints something", "-r": "it links an object file",
	"--cflags": "it only prints something", "--clear-cache": "it only clears the cache", "--clear-ports": "it only clears the cache",
	"--show-ports": "it only prints something", "--check": "it only checks the installation", "--generate-config": "it writes a configuration",
}

func (p *invocationParser) parse() {
	for i := 0; i < len(p.args); i++ {
		a := p.args[i]
		next := ""
		if takesValue := value[a] || p.Driver == DriverEmscripten && emscriptenValue[a]; takesValue && i+1 < len(p.args) {
			// A lone -s is emcc's setting and clang's flag to strip.
			i++
			next = p.args[i]
		}
		if why, ok := stops[a]; ok {
			p.Why = why
			continue
		}
		p.flag(a, next)
	}
}

func (p *invocationParser) flag(a, next string) {
	switch {
	case a == "-o" || a == "--output":
		p.Target = next
	case strings.HasPrefix(a, "--output="):
		p.Target = strings.TrimPrefix(a, "--output=")
	case p.Driver == DriverEmscripten && strings.HasPrefix(a, "-s") && (a == "-s" || isSetting(a[2:])):
		p.setting(strings.TrimPrefix(a, "-s") + next)
	case a == "-s":
		p.Strip = a
	case a == "-Xlinker":
		p.linker = append(p.linker, next)
	case strings.HasPrefix(a, "-Wl,"):
		p.linker = append(p.linker, strings.Split(a[len("-Wl,"):], ",")...)
	case a == "--no-wasm-opt":
		p.NoWasmOpt = true
	case a == "--wasm-opt":
		p.NoWasmOpt = false
	case strings.HasPrefix(a, "-print-"), strings.HasPrefix(a, "--print-"):
		p.Why = "it only prints something"
	case strings.HasPrefix(a, "-O"):
		p.Level = a
	case strings.HasPrefix(a, "-g"):
		p.debugFlag(a)
	case strings.HasPrefix(a, "-o") && p.isOutput(a):
		p.Target = a[len("-o"):]
	case a == "-x":
		p.language = next
	case a == "-Xclang" && strings.HasPrefix(next, "-debug-info-kind="):
		p.Debug = !strings.HasSuffix(next, "=none")
	case a == "-" || !strings.HasPrefix(a, "-"):
		p.inputs++
		p.Inputs = append(p.Inputs, a)
		if p.language != "" && p.language != "none" || sources[strings.ToLower(filepath.Ext(a))] {
			p.Compiles = true
		}
	case strings.HasPrefix(a, "-l"):
		p.inputs++
	}
}

// isOutput reports whether an argument that begins with -o is the output with its
// name attached, and no other flag.
func (p *invocationParser) isOutput(a string) bool {
	return !strings.HasPrefix(a, "-objc") && !strings.HasPrefix(a, "-object")
}

// isSetting reports whether a text is emcc's NAME or NAME=VALUE.
func isSetting(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func (p *invocationParser) setting(text string) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		value = "1"
	}
	p.Settings[name] = strings.Trim(value, `"'`)
}

// On reports whether a setting of emcc is switched on.
func (v *Invocation) On(setting string) bool {
	switch v.Settings[setting] {
	case "", "0", "false", "False":
		return false
	}
	return true
}

// debugFlag reads a flag that begins with -g.
func (p *invocationParser) debugFlag(a string) {
	switch file, ok := strings.CutPrefix(a, "-gseparate-dwarf"); {
	case ok && p.Driver == DriverEmscripten:
		p.Debug, p.Separate, p.SeparateFile = true, true, strings.TrimPrefix(file, "=")
	case a == "-g0", a == "-gno-dwarf":
		p.Debug, p.Separate = false, false
	case p.Driver == DriverEmscripten && (strings.HasPrefix(a, "-gsource-map") || a == "-g1" || a == "-g2"):
		// A source map, white space, and names: no DWARF.
	case a == "-g", strings.HasPrefix(a, "-gdwarf"), strings.HasPrefix(a, "-ggdb"), strings.HasPrefix(a, "-gline"),
		strings.HasPrefix(a, "-gsplit-dwarf"), a == "-gmlt", a == "-gfull", a == "-glldb", len(a) == 3 && a[2] >= '1' && a[2] <= '9':
		p.Debug = true
	}
}

// finish draws the conclusions.
func (p *invocationParser) finish() {
	if l := parseLinkerArgs(p.linker); l.nothing && p.Why == "" {
		p.Why = "the linker only prints something"
	} else if l.strip != "" {
		p.Strip = l.strip
	}
	switch {
	case p.Why != "":
	case p.inputs == 0:
		p.Why = "there is nothing to link"
	default:
		p.Links = true
	}
	if p.Driver != DriverEmscripten {
		if p.Target == "" {
			p.Target = "a.out"
		}
		p.Modules = []string{p.Target}
		return
	}
	if p.Target == "" {
		p.Target = "a.out.js"
	}
	p.Modules = []string{strings.TrimSuffix(p.Target, filepath.Ext(p.Target)) + ".wasm"}
	if p.Modules[0] != p.Target {
		p.Modules = append(p.Modules, p.Target)
	}
}

// linker reads the arguments of wasm-ld.
func (p *invocationParser) linkerLine() {
	l := parseLinkerArgs(p.args)
	p.Target, p.Modules, p.Inputs, p.Strip, p.Links = l.output, []string{l.output}, l.inputs, l.strip, !l.nothing
	if l.nothing {
		p.Why = "it only prints something"
	}
}

// wordSet makes a set of words.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
