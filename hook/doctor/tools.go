package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// Runner asks a tool something and returns what it prints, on either stream.
type Runner func(ctx context.Context, dir, path string, args ...string) (string, error)

// tool is a program on PATH.
type tool struct {
	path  string
	kind  string // clang, wasm-ld, llvm-objcopy, wasm-opt, emcc or wasm-bindgen
	text  string // the version as it is printed
	major int    // 0 if it is not known
}

// name returns what the tool is called on the command line.
func (t *tool) name() string { return filepath.Base(t.path) }

var toolName = regexp.MustCompile(`^(clang|wasm-ld|llvm-objcopy|wasm-opt|emcc|wasm-bindgen)(-[0-9]+)?(\.exe|\.bat)?$`)

var versionNumber = regexp.MustCompile(`(?:version |LLD |\) |wasm-bindgen )v?(([0-9]+)(?:\.[0-9]+)*)`)

// toolTime is how long a tool may take to tell its version.
const toolTime = 30 * time.Second

// findTools finds the tools on PATH and asks for their versions. A folder of PATH
// that lies in the project is passed over: nothing there is run.
func (e *examiner) findTools() {
	seen := map[string]bool{}
	for _, dir := range e.o.Path {
		if !filepath.IsAbs(dir) || e.inProject(dir) {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a folder of PATH that is not there
		}
		for _, entry := range entries {
			m := toolName.FindStringSubmatch(entry.Name())
			if m == nil {
				continue
			}
			path, err := exec.LookPath(filepath.Join(dir, entry.Name()))
			if err != nil {
				continue // no program
			}
			real, err := filepath.EvalSymlinks(path)
			if err != nil || seen[m[1]+real] || e.inProject(real) {
				continue
			}
			seen[m[1]+real] = true
			e.tools = append(e.tools, e.ask(&tool{path: path, kind: m[1]}))
		}
	}
	for _, t := range e.tools {
		e.s.Facts = append(e.s.Facts, report.Fact{Name: t.name(), Value: t.text + " (" + t.path + ")"})
	}
}

// inProject reports whether a path lies in the examined folder.
func (e *examiner) inProject(path string) bool {
	if e.o.Dir == "" {
		return false
	}
	root, err := filepath.Abs(e.o.Dir)
	if err != nil {
		return true
	}
	if real, err := filepath.EvalSymlinks(root); err == nil && below(path, real) {
		return true
	}
	return below(path, root)
}

// ask fills in a tool's version.
func (e *examiner) ask(t *tool) *tool {
	out, err := e.o.Run(e.ctx, "", t.path, "--version")
	m := versionNumber.FindStringSubmatch(out)
	switch {
	case m != nil:
		t.text = m[1]
		t.major, _ = strconv.Atoi(m[2])
	case err != nil:
		t.text = "does not run: " + err.Error()
	default:
		t.text = "of unknown version"
	}
	return t
}

// of returns the tools of a kind.
func (e *examiner) of(kind string) []*tool {
	var out []*tool
	for _, t := range e.tools {
		if t.kind == kind {
			out = append(out, t)
		}
	}
	return out
}

// runTool runs a tool.
func runTool(ctx context.Context, dir, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var out limited
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return string(out.b), err
}

// limited keeps the first bytes that are written to it.
type limited struct{ b []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.b = append(l.b, p[:min(len(p), 64<<10-len(l.b))]...)
	return len(p), nil
}

// names joins the names of tools.
func names(tools []*tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.name())
	}
	switch n := len(out); n {
	case 0, 1:
		return strings.Join(out, "")
	default:
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
}

var hiddenOptimizer = regexp.MustCompile(`(?m)^ *"?([^"\n]*wasm-opt(?:\.exe)?)"? `)

// compilers looks for what clang, its linker and objcopy do.
func (e *examiner) compilers() error {
	by := map[string][]*tool{}
	for _, t := range e.of("clang") {
		out, err := e.o.Run(e.ctx, "", t.path, "--target=wasm32", "-O2", "-###", "-x", "c", os.DevNull, "-o", "probe.wasm")
		if err != nil {
			continue // a clang that cannot compile for WebAssembly
		}
		if m := hiddenOptimizer.FindStringSubmatch(out); m != nil {
			path := strings.ReplaceAll(m[1], `\\`, `\`)
			by[path] = append(by[path], t)
		}
	}
	clang := e.uses(namesClang)
	file, offset, kept := e.drivesClang()
	for path, clangs := range by {
		switch {
		case file != nil:
			e.addAs(HiddenWasmOpt, report.Error, file.at(offset), "%s will run %s after every link with -O", names(clangs), path)
		case kept == byUs:
			e.addFor(clang, HiddenWasmOpt, report.Info, report.Location{Path: path}, "%s will run %s after every link with -O that does not go through wasm-debugid cc, as those of the project do", names(clangs), path)
		case kept != byFlag:
			e.addFor(clang, HiddenWasmOpt, report.Warning, report.Location{Path: path}, "%s will run %s after every link with -O", names(clangs), path)
		}
	}
	linkers := e.of("wasm-ld")
	var old []*tool
	for _, t := range linkers {
		if t.major > 0 && t.major < 17 {
			old = append(old, t)
		}
	}
	for _, t := range old {
		severity := report.Info
		if len(old) == len(linkers) {
			severity = report.Warning
		}
		e.addFor(clang, LinkerWithoutID, severity, report.Location{Path: t.path}, "%s is of version %s", t.name(), t.text)
	}
	for _, t := range e.of("llvm-objcopy") {
		if t.major == 14 {
			e.addFor(clang, ObjcopyShifts, report.Info, report.Location{Path: t.path}, "%s is of version %s", t.name(), t.text)
		}
	}
	return nil
}

var usesClang = regexp.MustCompile(`\bclang(\+\+)?(-[0-9]+)?\b.*(wasm32|wasi)|(wasm32|wasi).*\bclang\b|WASI_SDK|wasi-sdk|--target=wasm(32|64)`)

// linksThroughUs matches what keeps clang from running wasm-opt: the wrapper, or the
// CMake function that puts it there.
var linksThroughUs = regexp.MustCompile(`\bwasm-debugid(\.exe)?\b["']?,?\s+(-\S+\s+)*["']?cc\b|\bwasm_debugid_split\b`)

// keeper says how a project keeps clang from running wasm-opt.
type keeper int

const (
	byNothing keeper = iota
	byUs             // it links through wasm-debugid cc
	byFlag           // --no-wasm-opt, and nothing else
)

// drivesClang returns a build file that links for WebAssembly with clang's driver,
// and where; nil if there is none, if wasm-debugid stands in the same file, or if
// clang is kept from running wasm-opt there. Then it says how.
func (e *examiner) drivesClang() (file *textFile, offset int, kept keeper) {
	for _, f := range e.texts {
		if !f.isScript() {
			continue
		}
		if strings.Contains(f.text, "wasm-debugid") || strings.Contains(f.text, "wasm_debugid_split") {
			if f.commandLike(linksThroughUs, nil) >= 0 {
				kept = byUs
			}
			continue
		}
		at := f.commandLike(usesClang, rustTools)
		if at < 0 {
			continue
		}
		if slices.ContainsFunc(f.commands(noWasmOpt), func(c command) bool { return !c.says() }) {
			if kept == byNothing {
				kept = byFlag
			}
			continue
		}
		return f, at, byNothing
	}
	return nil, 0, kept
}

// commandLike returns the offset of the first line that matches a pattern, and is
// neither a comment nor printed nor matches another; -1 if there is none.
func (f *textFile) commandLike(pattern, except *regexp.Regexp) int {
	offset := 0
	for line := range splitLines(f.text) {
		if pattern.MatchString(strings.ReplaceAll(line, "\n", " ")) && !wordsOnly.MatchString(line) && (except == nil || !except.MatchString(line)) {
			return offset
		}
		offset += len(line)
	}
	return -1
}

// rustTools matches a line whose --target is that of rustc.
var rustTools = regexp.MustCompile(`^[^;&|]*\b(cargo|rustc|rustup)\b[^;&|]*$`)

// wordsOnly is a line that runs nothing.
var wordsOnly = regexp.MustCompile(`^\s*(#|//|@?echo\b[^;&|]*$|@?printf\b[^;&|]*$|message\s*\()`)

// usage is what is known about the use of a tool in a project.
type usage int

const (
	unused  usage = iota // it is of another kind
	unknown              // nothing names it
	used                 // a build file names it, or there is none, so that the machine is asked about
)

var (
	namesClang = regexp.MustCompile(`\bclang|\bem(cc|\+\+|cmake|make|configure)\b|(?i:emscripten)|(?i:wasi[-_]sdk)|\bwasm-ld|objcopy|-gseparate-dwarf`)
	namesOpt   = regexp.MustCompile(`(?:^|[^\w-])wasm-opt\b|\bbinaryen\b|\bwasm-pack\b|\b(data-trunk|trunk (build|serve|watch))\b|\bleptos\b`)
)

// uses returns what build files say about tools. A project that is built by cargo
// alone links with the linker of rustc.
func (e *examiner) uses(patterns ...*regexp.Regexp) usage {
	cargo, other := false, false
	for _, f := range e.texts {
		for _, p := range patterns {
			// Manifests set what wasm-pack and trunk do; their dependencies say nothing.
			describes := f.isScript() || p == namesOpt && (f.name == "Cargo.toml" || f.name == "Trunk.toml" || f.isPage())
			if describes && f.commandLike(p, nil) >= 0 || p == namesOpt && f.name == "Trunk.toml" {
				return used
			}
		}
		switch {
		case f.name == "Cargo.toml", f.isScript() && strings.Contains(f.text, "cargo "):
			cargo = true
		case f.isScript():
			other = true
		}
	}
	switch {
	case len(e.texts) == 0:
		return used
	case cargo && !other:
		return unused
	}
	return unknown
}

// addFor adds a finding about a tool, as far as the project uses it.
func (e *examiner) addFor(u usage, code string, severity report.Severity, at report.Location, format string, args ...any) {
	switch u {
	case unused:
		return
	case unknown:
		severity = report.Info
	}
	e.addAs(code, severity, at, format, args...)
}

// olderThan compares a version of numbers and dots.
func olderThan(version string, want ...int) bool {
	parts := strings.Split(version, ".")
	for i, w := range want {
		n := 0
		if i < len(parts) {
			n, _ = strconv.Atoi(parts[i])
		}
		if n != w {
			return n < w
		}
	}
	return false
}

// describe names a tool with its version.
func (t *tool) describe() string { return fmt.Sprintf("%s %s", t.name(), t.text) }
