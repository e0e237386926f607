package atomicfile

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxName is the longest file name, in bytes, that is safe to create on common file systems.
	maxName = 255
	// maxStem keeps our own names short enough for file systems with far smaller limits than
	// maxName (143 bytes under eCryptfs).
	maxStem = 64
	// infix marks a file of ours.
	infix = ".wasm-debugid-"
	// staleAge is the age from which a temporary counts as left behind where nothing can be locked.
	staleAge = 24 * time.Hour
	// randomLen is the number of hexadecimal digits in a temporary's name.
	randomLen = 16
)

// prefix returns what all our hidden files for the target named base begin with. Long names are cut
// and told apart by a hash.
func prefix(base string) string {
	if len(base) > maxStem {
		h := fnv.New64a()
		h.Write([]byte(base))
		cut := maxStem - 17
		for cut > 0 && !utf8.RuneStart(base[cut]) {
			cut--
		}
		base = fmt.Sprintf("%s~%016x", base[:cut], h.Sum64())
	}
	return "." + base + infix
}

// lockName returns the name of the lock file of the target named base.
func lockName(base string) string { return prefix(base) + "lock" }

// randomName returns a new hidden name for the target named base. Uniqueness comes from the
// exclusive creation, the random part only makes collisions rare.
func randomName(base, suffix string) string {
	return fmt.Sprintf("%s%016x%s", prefix(base), rand.Uint64(), suffix)
}

// isOurs reports whether name is one that randomName makes for base and suffix.
func isOurs(name, base, suffix string) bool {
	rest, ok := strings.CutPrefix(name, prefix(base))
	if !ok {
		return false
	}
	digits, ok := strings.CutSuffix(rest, suffix)
	if !ok || len(digits) != randomLen {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}

// prevName returns the documented name of the kept companion, or "" if that would be too long.
func prevName(base string) string {
	if len(base)+len(".prev") > maxName {
		return ""
	}
	return base + ".prev"
}

// removeStale removes the temporaries of dead runs onto the target. The caller holds the target's
// lock, so all of them are dead; where there are no locks (locked is false), age decides. Failing
// to clean up is not a reason to fail: the next run tries again.
func (t *target) removeStale(locked bool) {
	d, err := os.Open(t.dir)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	for _, name := range names {
		if !isOurs(name, t.base, ".tmp") {
			continue
		}
		path := filepath.Join(t.dir, name)
		fi, err := os.Lstat(path)
		if err != nil || fi.Mode().Type()&^fs.ModeSymlink != 0 {
			continue
		}
		if locked || time.Since(fi.ModTime()) > staleAge {
			os.Remove(path)
		}
	}
}
