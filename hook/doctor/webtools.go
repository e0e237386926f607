package doctor

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// webTools looks at what wasm-pack and trunk are told.
func (e *examiner) webTools() error {
	runs := e.mentions("wasm-pack build")
	for _, f := range e.named("Cargo.toml") {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		m := &manifest{file: f}
		if !quietTOML(f, m) {
			continue // reported by cargo
		}
		if m.Package.Metadata["wasm-pack"] != nil || runs && slices.Contains(m.Lib.CrateType, "cdylib") && m.Dependencies["wasm-bindgen"] != nil {
			e.wasmPack(m)
		}
	}
	for _, f := range e.named("Trunk.toml") {
		e.trunk(f)
	}
	return nil
}

// mentions reports whether a script holds a text.
func (e *examiner) mentions(text string) bool {
	return slices.ContainsFunc(e.texts, func(f *textFile) bool { return f.isScript() && strings.Contains(f.text, text) })
}

var wasmPackRelease = regexp.MustCompile(`(?m)^\s*\[\s*package\.metadata\.wasm-pack\.profile\.release`)

// wasmPack looks at the metadata of wasm-pack
// (https://rustwasm.github.io/docs/wasm-pack/cargo-toml-configuration.html).
func (e *examiner) wasmPack(m *manifest) {
	release := table(table(table(m.Package.Metadata, "wasm-pack"), "profile"), "release")
	at := m.file.find(wasmPackRelease)
	if table(release, "wasm-bindgen")["dwarf-debug-info"] != true {
		e.add(WasmPackDrops, at, "dwarf-debug-info is not true for release builds, so that wasm-bindgen drops the DWARF")
	}
	switch flags := release["wasm-opt"].(type) {
	case bool:
		if flags {
			e.add(WasmPackDrops, at, "wasm-opt = true runs wasm-opt -O without -g")
		}
	case []any:
		if !slices.ContainsFunc(flags, func(f any) bool { return f == "-g" || f == "--debuginfo" }) {
			e.add(WasmPackDrops, at, "wasm-opt = %v has no -g", flags)
		}
	default:
		e.add(WasmPackDrops, at, "wasm-opt is not set for release builds, and the default runs wasm-opt -O without -g")
	}
}

// table returns a table of a table, or an empty one.
func table(of map[string]any, key string) map[string]any {
	t, _ := of[key].(map[string]any)
	return t
}

// trunkConfig is a Trunk.toml (https://trunkrs.dev/).
type trunkConfig struct {
	Build struct {
		Target string `toml:"target"`
		NoSRI  bool   `toml:"no_sri"`
	} `toml:"build"`
	Hooks []struct {
		Stage            string   `toml:"stage"`
		Command          string   `toml:"command"`
		CommandArguments []string `toml:"command_arguments"`
	} `toml:"hooks"`
}

var (
	trunkLink  = regexp.MustCompile(`(?is)<link\b[^>]*\bdata-trunk\b[^>]*>`)
	rustAsset  = regexp.MustCompile(`(?i)\brel\s*=\s*["']?rust\b`)
	attribute  = `(?i)\b%s(\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?`
	hookTables = regexp.MustCompile(`(?m)^\s*\[\[\s*hooks\s*\]\]`)
)

// trunk looks at the page that trunk builds, and at its hooks.
func (e *examiner) trunk(f *textFile) {
	var c trunkConfig
	if !e.readTOML(f, &c) {
		return
	}
	if c.Build.Target == "" {
		c.Build.Target = "index.html"
	}
	page := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(c.Build.Target))
	integrity := ""
	for _, p := range e.texts {
		if p.path != page {
			continue
		}
		at, link := report.Location{Path: p.path}, ""
		for _, m := range trunkLink.FindAllStringIndex(p.text, -1) {
			if text := p.text[m[0]:m[1]]; rustAsset.MatchString(text) {
				at, link = p.at(m[0]), text
			}
		}
		if _, ok := attributeOf(link, "data-keep-debug"); !ok {
			e.add(TrunkDrops, at, "the rust link has no data-keep-debug, so that wasm-bindgen drops the DWARF of release builds")
		}
		level, _ := attributeOf(link, "data-wasm-opt")
		if params, _ := attributeOf(link, "data-wasm-opt-params"); level != "0" && !hasDebugFlag(params) {
			e.addAs(TrunkDrops, report.Warning, at, `the rust link has no data-wasm-opt="0", and no -g in data-wasm-opt-params: a wasm-opt that runs loses the DWARF`)
		}
		integrity, _ = attributeOf(link, "data-integrity")
	}
	for _, h := range c.Hooks {
		line := strings.Join(append([]string{h.Command}, h.CommandArguments...), " ")
		if h.Stage == "post_build" && strings.Contains(line, "wasm") && integrity != "none" && !c.Build.NoSRI {
			e.add(TrunkIntegrity, f.find(hookTables), "the post_build hook %q runs after the digest of the module was written into the page", line)
		}
	}
}

// attributeOf returns the value of an attribute of a tag, and whether it is there.
func attributeOf(tag, name string) (string, bool) {
	m := regexp.MustCompile(fmt.Sprintf(attribute, regexp.QuoteMeta(name)) + `([\s/>]|$)`).FindStringSubmatch(tag)
	if m == nil {
		return "", false
	}
	return strings.Trim(m[2], `"'`), true
}

// hasDebugFlag reports whether flags of wasm-opt keep debug information.
func hasDebugFlag(flags string) bool {
	return slices.ContainsFunc(strings.Fields(flags), func(f string) bool { return f == "-g" || f == "--debuginfo" })
}
