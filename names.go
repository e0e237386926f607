package debugid

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// CompanionName returns the default path of the companion of a production
// module: its own path with the extension .debug.wasm in place of .wasm.
func CompanionName(production string) string { return symcheck.CompanionFile(production) }

// companionCandidates lists the paths at which the companion of a production
// module may lie by the names that tools give.
func companionCandidates(production string) []string { return symcheck.CompanionCandidates(production) }

// NoURL as the external URL of a split leaves external_debug_info out.
const NoURL = "none"

// pointerTo returns the contents of external_debug_info for a companion: the URL
// as given, or the companion's path relative to the production module's own
// directory, which is what a URL in a module is resolved against.
func pointerTo(production, companion, externalURL string) (string, error) {
	switch {
	case externalURL == NoURL:
		return "", nil
	case externalURL != "":
		if why := symcheck.PointerProblem(externalURL); why != "" {
			return "", &rewrite.UsageError{Msg: fmt.Sprintf("the external URL %q %s", externalURL, why)}
		}
		return externalURL, nil
	case companion == "":
		return "", nil
	case production == Stdio:
		return relativeURL(filepath.Base(companion)), nil
	}
	from, err := filepath.Abs(filepath.Dir(production))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(companion)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return "", &rewrite.UsageError{Msg: fmt.Sprintf("no relative URL leads from %s to %s; name the companion's URL (or none) with the external-url option", from, to)}
	}
	return relativeURL(rel), nil
}

func relativeURL(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).String() }

// pointerPath returns the path that a pointer in the file at path leads to. It
// reports false for URLs that do not name a file here.
func pointerPath(path, pointer string) (string, bool) { return symcheck.PointerPath(path, pointer) }

// sameFile reports whether two paths name the same file, now or once it exists.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == Stdio || b == Stdio {
		return false
	}
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ia, ib)
	}
	pa, errA := filepath.Abs(a)
	pb, errB := filepath.Abs(b)
	return errA == nil && errB == nil && pa == pb
}

// staleSiblings returns the compressed copies beside a file that are older than
// it. A server that prefers them would go on sending the old contents.
func staleSiblings(path string) []string {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	var out []string
	for _, ext := range []string{".br", ".gz", ".zst"} {
		if s, err := os.Stat(path + ext); err == nil && s.ModTime().Before(info.ModTime()) {
			out = append(out, path+ext)
		}
	}
	return out
}
