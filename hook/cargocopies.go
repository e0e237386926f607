package hook

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// copies returns the names that cargo has, or may have, for a module besides the
// one that it reports. Cargo links what lies in deps to where people look for it,
// and does so again whenever it finds it fresh: a file that was split under one name
// alone would come back whole.
func (s *cargoStream) copies(path, manifest string) []string {
	dir := filepath.Dir(path)
	out := namesOf(path, filepath.Join(dir, "deps"), dir)
	if len(out) == 0 && filepath.Base(dir) != "deps" {
		// Cargo can be told to build in another folder than the one with the results.
		if s.dirs == nil {
			s.dirs = s.metadata(manifest)
		}
		if rel, err := filepath.Rel(s.dirs.Target, dir); err == nil && s.dirs.Build != "" && s.dirs.Build != s.dirs.Target {
			out = namesOf(path, filepath.Join(s.dirs.Build, rel, "deps"), filepath.Join(s.dirs.Build, rel))
		}
	}
	for _, d := range s.line.exported {
		out = append(out, namesOf(path, d)...)
	}
	return out
}

// namesOf returns the modules in folders that are the file at path by another name,
// or that are called so that they may be a copy of it, with a hash of cargo or
// without.
func namesOf(path string, dirs ...string) []string {
	var out []string
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // there need not be such a folder
		}
		for _, e := range entries {
			other := filepath.Join(dir, e.Name())
			if !strings.HasSuffix(other, ".wasm") || other == path || slices.Contains(out, other) {
				continue
			}
			if have, err := os.Stat(other); err == nil && (os.SameFile(info, have) || crateOf(other) == crateOf(path)) {
				out = append(out, other)
			}
		}
	}
	return out
}

// crateOf returns the name of the crate that a file was built of.
func crateOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".wasm")
	if m := hashed.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	return strings.ReplaceAll(name, "-", "_")
}

// cargoDirs are the folders that cargo works with; empty if it does not tell.
type cargoDirs struct {
	Target string `json:"target_directory"` // with the results
	Build  string `json:"build_directory"`  // with everything else
}

// metadata asks cargo for its folders.
func (s *cargoStream) metadata(manifest string) *cargoDirs {
	args := append([]string{"metadata", "--format-version=1", "--no-deps", "--offline", "--manifest-path", manifest}, s.line.config...)
	cmd := exec.CommandContext(s.ctx, s.cargo, args...)
	cmd.Env = s.c.Env
	d := &cargoDirs{}
	if out, err := cmd.Output(); err != nil || json.Unmarshal(out, d) != nil {
		return &cargoDirs{}
	}
	if target, err := filepath.Abs(s.line.target); err == nil && s.line.target != "" {
		d.Target = target
	}
	return d
}
