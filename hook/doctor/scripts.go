package doctor

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// isScript reports whether a file holds command lines of a build.
func (f *textFile) isScript() bool {
	switch f.name {
	case "Cargo.toml", "Cargo.lock", "Trunk.toml", "config.toml", "config", "rust-toolchain", "rust-toolchain.toml":
		return false
	}
	return !f.isPage()
}

var (
	optimizes    = regexp.MustCompile(`(^|\s)-O[0-4sz]?(\s|$)`)
	stripsInOpt  = regexp.MustCompile(`(^|\s)--strip(-dwarf|-debug)?(\s|$)`)
	givesBindgen = regexp.MustCompile(`--out-dir|--target|\.wasm`)
	keepsDebug   = regexp.MustCompile(`--(keep-debug|split-debug-info)\b`)
	singleFile   = regexp.MustCompile(`(?:^|[^\w-])-s[\s;,'"]*SINGLE_FILE\b(?:=['"]?(\w+))?`)
	linkerStrips = regexp.MustCompile(`-Wl,(--strip-debug|--strip-all|-s|-S)\b`)
	bundlerRuns  = regexp.MustCompile(`\b(vite build|webpack|rollup|esbuild|parcel build)\b`)
)

// noWasmOpt keeps clang from running wasm-opt, from LLVM 20 on.
const noWasmOpt = "--no-wasm-opt"

// scripts looks at command lines of build files.
func (e *examiner) scripts() error {
	objcopy14 := slices.ContainsFunc(e.of("llvm-objcopy"), func(t *tool) bool { return t.major == 14 })
	clang19 := slices.ContainsFunc(e.of("clang"), func(t *tool) bool { return t.major == 19 })
	for _, f := range e.texts {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if !f.isScript() {
			continue
		}
		for _, c := range f.commands("wasm-opt") {
			switch {
			case c.program != "wasm-opt":
			case stripsInOpt.MatchString(c.args):
				e.add(ScriptStrips, c.at, "%s", c.text)
			case optimizes.MatchString(c.args) && !hasDebugFlag(c.args):
				e.add(ScriptWasmOpt, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("wasm-strip") {
			if c.program == "wasm-strip" && c.args != "" && c.args != "--help" && c.args != "--version" {
				e.add(ScriptStrips, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("--only-keep-debug") {
			if strings.Contains(c.program, "objcopy") {
				e.add(ScriptStrips, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("-Wl,") {
			if m := linkerStrips.FindString(c.all); m != "" && !c.says() {
				e.add(ScriptStrips, c.at, "the linker is given %s: the DWARF is gone before it can be split", m)
			}
		}
		for _, c := range f.commands("wasm-bindgen") {
			if c.program == "wasm-bindgen" && givesBindgen.MatchString(c.args) && !keepsDebug.MatchString(c.args) {
				e.add(ScriptBindgen, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("SINGLE_FILE") {
			if !c.says() && slices.ContainsFunc(singleFile.FindAllStringSubmatch(c.all, -1), func(m []string) bool { return m[1] != "0" && m[1] != "false" }) {
				e.add(SingleFile, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("-gseparate-dwarf") {
			if objcopy14 && !c.says() && !strings.Contains(f.text, "wasm-debugid") {
				e.add(SeparateDWARF, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands(noWasmOpt) {
			if clang19 && !c.says() {
				e.add(NoWasmOptFlag, c.at, "a clang 19 was found: %s", c.text)
			}
		}
		if f.name == "package.json" {
			e.bundler(f)
		}
	}
	return nil
}

// bundler looks for a bundler that gets a module which nothing has split.
func (e *examiner) bundler(f *textFile) {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err := json.Unmarshal([]byte(f.text), &p); err != nil {
		e.add(Unreadable, report.Location{Path: f.path}, "this is no JSON that can be understood: %v", err)
		return
	}
	runs := ""
	for _, name := range sortedKeys(p.Scripts) {
		line := p.Scripts[name]
		if strings.Contains(line, "wasm-debugid") {
			return
		}
		if runs == "" && bundlerRuns.MatchString(line) && !strings.Contains(line, "serve") {
			runs = line
		}
	}
	if runs == "" {
		return
	}
	dir := filepath.Dir(f.path)
	for _, m := range e.modules {
		if m.dwarf && !m.companion && !m.object && !m.shipped && below(m.path, dir) {
			e.add(BundlerUnsplit, f.find(regexp.MustCompile(regexp.QuoteMeta(jsonText(runs)))), "%q gets %s, which holds DWARF, and no script splits it", runs, m.path)
			return
		}
	}
}

// jsonText returns a text as JSON holds it, without quotation marks.
func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return strings.Trim(string(b), `"`)
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
