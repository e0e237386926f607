package symcheck

import (
	"net/url"
	"path/filepath"
	"strings"
)

// CompanionFile returns the default path of the companion of a production module:
// its own path with the extension .debug.wasm in place of .wasm.
func CompanionFile(production string) string {
	dir, base := filepath.Split(production)
	if cut, ok := strings.CutSuffix(base, ".wasm"); ok && cut != "" {
		base = cut
	}
	return dir + base + ".debug.wasm"
}

// CompanionCandidates lists the paths at which the companion of a production
// module may lie by the names that tools give: ours, that of emcc's
// -gseparate-dwarf, and the one of older instructions.
func CompanionCandidates(production string) []string {
	return []string{CompanionFile(production), production + ".debug.wasm", strings.TrimSuffix(production, ".wasm") + ".debug"}
}

// PointerPath returns the path that a pointer in the file at path leads to. It
// reports false for URLs that do not name a file here.
func PointerPath(path, pointer string) (string, bool) {
	u, err := url.Parse(pointer)
	if err != nil || u.Host != "" || u.Scheme != "" && u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	name := filepath.FromSlash(u.Path)
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(path), name)
	}
	return name, true
}
