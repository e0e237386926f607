package doctor

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// manifest is a Cargo.toml or a cargo configuration, as far as it matters here
// (https://doc.rust-lang.org/cargo/reference/manifest.html,
// https://doc.rust-lang.org/cargo/reference/config.html).
type manifest struct {
	file      *textFile
	Workspace map[string]any     `toml:"workspace"`
	Profile   map[string]profile `toml:"profile"`
	Package   struct {
		Metadata map[string]any `toml:"metadata"`
	} `toml:"package"`
	Lib struct {
		CrateType []string `toml:"crate-type"`
	} `toml:"lib"`
	Dependencies map[string]any `toml:"dependencies"`
	Build        struct {
		Target    any `toml:"target"`
		RustFlags any `toml:"rustflags"`
	} `toml:"build"`
	Target map[string]map[string]any `toml:"target"`
	Env    map[string]any            `toml:"env"`
}

// profile is a build profile (https://doc.rust-lang.org/cargo/reference/profiles.html).
type profile struct {
	Inherits string `toml:"inherits"`
	Debug    any    `toml:"debug"`
	Strip    any    `toml:"strip"`
}

// maxInherited is how many profiles are followed from one to the one it inherits,
// which may be a circle.
const maxInherited = 32

// readTOML reads a file, and reports it if it cannot be read.
func (e *examiner) readTOML(f *textFile, into any) bool {
	if err := decodeTOML(f.text, into); err != nil {
		at := report.Location{Path: f.path}
		if limit, ok := err.(*tomlLimit); ok {
			at.Line = uint32(limit.line)
			e.add(Unreadable, at, "%v", err)
			return false
		}
		if parse, ok := err.(toml.ParseError); ok && parse.Position.Line > 0 {
			at.Line = uint32(parse.Position.Line)
		}
		e.add(Unreadable, at, "this is no TOML that can be understood: %v", err)
		return false
	}
	return true
}

// quietTOML reads a file and reports nothing.
func quietTOML(f *textFile, into any) bool {
	return decodeTOML(f.text, into) == nil
}

// cargo looks at the profiles of every workspace that builds for WebAssembly.
func (e *examiner) cargo() error {
	var manifests, configs []*manifest
	for _, f := range e.texts {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		m := &manifest{file: f}
		switch {
		case f.name == "Cargo.toml" && e.readTOML(f, m):
			manifests = append(manifests, m)
		case (f.name == "config.toml" || f.name == "config") && e.readTOML(f, m):
			configs = append(configs, m)
		}
	}
	for _, root := range manifests {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if !isRoot(root, manifests) {
			continue
		}
		dir := filepath.Dir(root.file.path)
		var members, settings []*manifest
		for _, m := range manifests {
			if below(m.file.path, dir) {
				members = append(members, m)
			}
		}
		for _, c := range configs {
			if home := filepath.Dir(filepath.Dir(c.file.path)); below(dir, home) || below(home, dir) {
				settings = append(settings, c)
			}
		}
		if e.forWasm(dir, members, settings) {
			e.profiles(root, settings)
			e.rustFlags(settings)
			e.linkerMode(root, members, settings)
		}
	}
	return nil
}

// isRoot reports whether a manifest's profiles count: those of a member of a
// workspace do not.
func isRoot(m *manifest, all []*manifest) bool {
	if m.Workspace != nil {
		return true
	}
	dir := filepath.Dir(m.file.path)
	return !slices.ContainsFunc(all, func(other *manifest) bool {
		up := filepath.Dir(other.file.path)
		return other != m && other.Workspace != nil && up != dir && below(dir, up)
	})
}

// forWasm reports whether something says that a workspace is built for
// WebAssembly.
func (e *examiner) forWasm(dir string, members, settings []*manifest) bool {
	for _, m := range members {
		if m.Dependencies["wasm-bindgen"] != nil || m.Package.Metadata["wasm-pack"] != nil || m.Package.Metadata["leptos"] != nil {
			return true
		}
	}
	for _, c := range settings {
		if strings.Contains(fmt.Sprint(c.Build.Target), "wasm32") {
			return true
		}
		for name := range c.Target {
			if strings.HasPrefix(name, "wasm32") {
				return true
			}
		}
	}
	for _, f := range e.texts {
		isToolchain := f.name == "rust-toolchain" || f.name == "rust-toolchain.toml"
		if below(f.path, dir) && (f.name == "Trunk.toml" || (f.isScript() || isToolchain) && strings.Contains(f.text, "wasm32-")) {
			return true
		}
	}
	return false
}

// profiles looks at what release builds keep.
func (e *examiner) profiles(root *manifest, settings []*manifest) {
	list := []string{"release"}
	for name := range root.Profile {
		if name != "release" && e.inherits(root, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list[1:])
	for _, name := range list {
		severity := report.Error
		if name != "release" {
			severity = report.Warning
		}
		section := regexp.MustCompile(`(?m)^\s*\[\s*profile\s*\.\s*"?` + regexp.QuoteMeta(name) + `"?\s*\]`)
		debug, from := e.setting(root, settings, name, "debug")
		if !hasDebug(debug) {
			at := report.Location{Path: root.file.path}
			if from != nil {
				at = from.find(section)
			}
			what := "sets no debug, and the default is none"
			if debug != nil {
				what = fmt.Sprintf("sets debug = %v", debug)
			}
			e.addAs(CargoNoDebug, severity, at, "profile.%s %s", name, what)
		}
		strip, from := e.setting(root, settings, name, "strip")
		if text := fmt.Sprint(strip); strip != nil && text != "false" && text != "none" {
			e.addAs(CargoStrips, severity, from.find(section), "profile.%s sets strip = %v", name, strip)
		}
	}
}

// inherits reports whether a profile of a manifest is a kind of release profile.
func (e *examiner) inherits(m *manifest, name string) bool {
	for range maxInherited {
		if name == "release" {
			return true
		}
		name = m.Profile[name].Inherits
	}
	return false
}

// setting returns what a profile sets, in the order in which cargo looks: a
// variable, configurations, the manifest, and then the profile that it inherits.
// The file is nil if it is set nowhere, or by a variable.
func (e *examiner) setting(root *manifest, settings []*manifest, name, key string) (any, *textFile) {
	for range maxInherited {
		variable := "CARGO_PROFILE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_" + strings.ToUpper(key)
		if v := e.o.Getenv(variable); v != "" {
			return v, root.file
		}
		for _, m := range append(slices.Clone(settings), root) {
			p, ok := m.Profile[name]
			v := p.Debug
			if key == "strip" {
				v = p.Strip
			}
			if ok && v != nil {
				return v, m.file
			}
		}
		if name == "release" {
			return nil, nil
		}
		if name = root.Profile[name].Inherits; name == "" {
			return nil, nil
		}
	}
	return nil, nil
}

// hasDebug reports whether a value of debug leaves something that resolves to
// files and lines.
func hasDebug(value any) bool {
	switch text := fmt.Sprint(value); text {
	case "true", "1", "2", "full", "limited", "line-tables-only":
		return value != nil
	}
	return false
}

var strippingFlag = regexp.MustCompile(`-C ?strip=(symbols|debuginfo)|-C ?debuginfo=(0|none)|-C ?link-args?=(--strip-debug|--strip-all|-s|-S)\b`)

// rustFlags looks for flags that strip.
func (e *examiner) rustFlags(settings []*manifest) {
	for _, c := range settings {
		lists := []any{c.Build.RustFlags}
		for name, target := range c.Target {
			if strings.HasPrefix(name, "wasm32") || strings.HasPrefix(name, "cfg(") {
				lists = append(lists, target["rustflags"])
			}
		}
		for _, list := range lists {
			text := fmt.Sprint(list)
			if words, ok := list.([]any); ok {
				text = ""
				for _, w := range words {
					text += fmt.Sprint(w) + " "
				}
			}
			if m := strippingFlag.FindString(text); m != "" {
				e.add(CargoStrips, c.file.find(regexp.MustCompile(`(?m)^\s*rustflags\b`)), "rustflags hold %s", strings.TrimSpace(m))
			}
		}
	}
	if m := strippingFlag.FindString(e.o.Getenv("RUSTFLAGS")); m != "" {
		e.add(CargoStrips, report.Location{Path: "RUSTFLAGS"}, "the variable RUSTFLAGS holds %s", strings.TrimSpace(m))
	}
}
