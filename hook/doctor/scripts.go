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

// command is one simple command of a script.
type command struct {
	at   report.Location
	text string
}

// commands returns the commands of a script that hold a word: lines that are
// continued put together, and taken apart at what separates commands.
func (f *textFile) commands(word string) []command {
	var out []command
	offset := 0
	for line := range splitLines(f.text) {
		start := offset
		offset += len(line)
		if !strings.Contains(line, word) || isComment(line) {
			continue
		}
		for _, part := range separators.Split(strings.ReplaceAll(line, "\\\n", " "), -1) {
			if strings.Contains(part, word) {
				out = append(out, command{f.at(start + strings.Index(line, word)), strings.TrimSpace(part)})
			}
		}
	}
	return out
}

var separators = regexp.MustCompile(`&&|\|\||[;|\n"]`)

// splitLines yields lines, of which those that end in a backslash include the next.
func splitLines(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start, end := 0, 0
		for l := range strings.Lines(text) {
			end += len(l)
			if strings.HasSuffix(strings.TrimRight(l, "\r\n"), "\\") {
				continue
			}
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
		if start < end {
			yield(text[start:end])
		}
	}
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

var (
	runsWasmOpt  = regexp.MustCompile(`(^|[\s/@'(=])wasm-opt(\.exe)?['"]?\s`)
	optimizes    = regexp.MustCompile(`\s-O[0-4sz]?\b`)
	stripsInOpt  = regexp.MustCompile(`\s--strip(-dwarf|-debug)?\b`)
	runsStrip    = regexp.MustCompile(`(^|[\s/@'(=])wasm-strip\s+[^-\s]`)
	runsBindgen  = regexp.MustCompile(`(^|[\s/@'(=])wasm-bindgen\s[^\n]*(--out-dir|--target|\.wasm)`)
	keepsDebug   = regexp.MustCompile(`--(keep-debug|split-debug-info)\b`)
	singleFile   = regexp.MustCompile(`\bSINGLE_FILE(=(\w+))?`)
	linkerStrips = regexp.MustCompile(`-Wl,(--strip-debug|--strip-all|-s|-S)\b`)
	bundlerRuns  = regexp.MustCompile(`\b(vite build|webpack|rollup|esbuild|parcel build)\b`)
)

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
			case !runsWasmOpt.MatchString(c.text):
			case stripsInOpt.MatchString(c.text):
				e.add(ScriptStrips, c.at, "%s", c.text)
			case optimizes.MatchString(c.text) && !hasDebugFlag(c.text):
				e.add(ScriptWasmOpt, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("wasm-strip") {
			if runsStrip.MatchString(c.text) {
				e.add(ScriptStrips, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("--only-keep-debug") {
			if strings.Contains(c.text, "objcopy") {
				e.add(ScriptStrips, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("-Wl,") {
			if m := linkerStrips.FindString(c.text); m != "" {
				e.add(ScriptStrips, c.at, "the linker is given %s: the DWARF is gone before it can be split", m)
			}
		}
		for _, c := range f.commands("wasm-bindgen") {
			if runsBindgen.MatchString(c.text) && !keepsDebug.MatchString(c.text) && !strings.HasPrefix(c.text, "cargo ") {
				e.add(ScriptBindgen, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("SINGLE_FILE") {
			if m := singleFile.FindStringSubmatch(c.text); m != nil && m[2] != "0" {
				e.add(SingleFile, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("-gseparate-dwarf") {
			if objcopy14 && !strings.Contains(f.text, "wasm-debugid") {
				e.add(SeparateDWARF, c.at, "%s", c.text)
			}
		}
		for _, c := range f.commands("--no-wasm-opt") {
			if clang19 {
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
