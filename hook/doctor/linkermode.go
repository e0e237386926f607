package doctor

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
)

const (
	bindgenTarget  = "wasm32-unknown-unknown" // the one that wasm-bindgen is for
	bindgenLinker  = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER"
	debugidProgram = "wasm-debugid"
)

var setsLinker = regexp.MustCompile(`(?m)^\s*linker\s*=`)

// linkerMode looks for linker mode in a workspace whose modules wasm-bindgen has yet
// to rewrite, which linker mode refuses.
func (e *examiner) linkerMode(root *manifest, members, settings []*manifest) {
	if !slices.ContainsFunc(members, usesBindgen) || e.allowsBindgen(settings) {
		return
	}
	if isDebugID(e.o.Getenv(bindgenLinker)) {
		e.add(LinkerBindgen, report.Location{Path: root.file.path}, "a package depends on wasm-bindgen, and the variable %s is %s", bindgenLinker, e.o.Getenv(bindgenLinker))
		return
	}
	for _, c := range settings {
		if linker, _ := c.Target[bindgenTarget]["linker"].(string); isDebugID(linker) {
			e.add(LinkerBindgen, c.file.find(setsLinker), "a package depends on wasm-bindgen, and %s is linked through %s", bindgenTarget, linker)
		}
	}
}

// isDebugID reports whether a program is this one.
func isDebugID(program string) bool {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(program, `\`, "/")), ".exe") == debugidProgram
}

// usesBindgen reports whether a package cannot do without wasm-bindgen.
func usesBindgen(m *manifest) bool {
	dependency := m.Dependencies["wasm-bindgen"]
	table, _ := dependency.(map[string]any)
	return dependency != nil && table["optional"] != true
}

// allowsBindgen reports whether the hook is off, or takes such modules: by a variable
// of the environment, or one that a configuration sets
// (https://doc.rust-lang.org/cargo/reference/config.html#env).
func (e *examiner) allowsBindgen(settings []*manifest) bool {
	variable := func(name string) string {
		if v := e.o.Getenv(name); v != "" {
			return v
		}
		for _, c := range settings {
			value := c.Env[name]
			if table, ok := value.(map[string]any); ok {
				value = table["value"]
			}
			if text, ok := value.(string); ok {
				return text
			}
		}
		return ""
	}
	allowed, _ := strconv.ParseBool(variable("WASM_DEBUGID_ALLOW_BINDGEN_INPUT"))
	return allowed || variable("WASM_DEBUGID_HOOK") == "off"
}
