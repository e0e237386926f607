package symcheck

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
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

// PointerProblem says why a pointer leads nowhere, whoever follows it: it is no URL, or
// one that names nothing. It is empty for all others.
func PointerProblem(pointer string) string {
	if pointer == "" {
		return "is empty"
	}
	if !utf8.ValidString(pointer) {
		return "is not UTF-8 text"
	}
	if strings.ContainsFunc(pointer, unicode.IsControl) {
		return "holds control characters"
	}
	u, err := url.Parse(pointer)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return "is no URL: " + err.Error()
	}
	if u.Host == "" && u.Path == "" && u.Opaque == "" {
		return "names no file"
	}
	return ""
}

// PointerPath returns the path that a pointer in the file at path leads to. It
// reports false for URLs that do not name a file here, and for what is no URL.
func PointerPath(path, pointer string) (string, bool) {
	if PointerProblem(pointer) != "" {
		return "", false
	}
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
