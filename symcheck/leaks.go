package symcheck

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// homes begin the paths of home directories. What follows up to the next
// separator is a user's name.
var homes = [...]struct {
	prefix []byte
	sep    byte
}{
	{[]byte("/home/"), '/'},
	{[]byte("/Users/"), '/'},
	{[]byte(`:\Users\`), '\\'},
	{[]byte(`:\\Users\\`), '\\'},
	{[]byte(":/Users/"), '/'},
}

// maxUser is the longest user name in bytes that is believed to be one.
const maxUser = 64

// leak is one path of a home directory.
type leak struct {
	at   int64 // in the block
	user string
	path string
}

// leaks looks for home directories in all sections that users download.
func (c *checker) leaks() error {
	if c.off(LeakedPath) {
		return nil
	}
	severity := report.Warning
	what := "the production module"
	if c.comp == nil {
		severity, what = report.Info, "the module, outside of its DWARF"
	}
	for i := range c.prod.File.Sections {
		s := &c.prod.File.Sections[i]
		if s.IsDebug() || s.ID == wasm.SectionCode {
			continue
		}
		n := 0
		users := map[string]int{}
		var samples []report.Location
		var first string
		err := c.prod.each(c.ctx, int64(s.Payload), int64(s.Size), maxUser+16, func(at int64, b []byte) bool {
			for _, l := range findLeaks(b) {
				if l.at >= blockSize {
					continue // the next block has it as well
				}
				if n++; n == 1 {
					first = l.path
				}
				users[l.user]++
				if len(samples) < maxSamples {
					f := wasm.FileOffset(at + l.at)
					samples = append(samples, report.Location{Path: c.prod.Path, Section: s.Label(), File: &f, Source: l.path})
				}
			}
			return true
		})
		if err != nil {
			return c.prod.fail(err)
		}
		if n > 0 {
			paths := "paths of home directories are"
			if n == 1 {
				paths = "path of a home directory is"
			}
			f := c.findAs(severity, LeakedPath, samples[0], "%d %s in %s, such as %q%s", n, paths, what, first, userList(users))
			many(f, n, samples)
		}
	}
	c.checked("names, producers, data and other sections are searched for home directories")
	return nil
}

// userList names the users, the most frequent first.
func userList(users map[string]int) string {
	delete(users, "")
	names := slices.SortedFunc(maps.Keys(users), func(a, b string) int {
		return cmp.Or(cmp.Compare(users[b], users[a]), cmp.Compare(a, b))
	})
	switch n := len(names); {
	case n == 0:
		return ""
	case n > 3:
		return fmt.Sprintf(" (user names: %s and %d more)", strings.Join(names[:3], ", "), n-3)
	}
	return fmt.Sprintf(" (user names: %s)", strings.Join(names, ", "))
}

// leaksIn reports whether b holds a home directory.
func leaksIn(b []byte) bool { return len(findLeaks(b)) > 0 }

// findLeaks returns the home directories in b, by place.
func findLeaks(b []byte) []leak {
	var out []leak
	for i := range homes {
		h := &homes[i]
		for at := 0; ; {
			k := bytes.Index(b[at:], h.prefix)
			if k < 0 {
				break
			}
			start := at + k
			at = start + len(h.prefix)
			if i == 1 && start > 0 && b[start-1] == ':' {
				continue // C:/Users/ has its own entry
			}
			rest := b[at:min(len(b), at+maxUser+1)]
			n := bytes.IndexByte(rest, h.sep)
			if n <= 0 || !plainName(rest[:n]) {
				continue
			}
			user := string(rest[:n])
			from := start
			if h.prefix[0] == ':' {
				from = max(0, start-1) // the drive's letter
			}
			out = append(out, leak{int64(start), user, string(b[from : at+n])})
		}
	}
	slices.SortFunc(out, func(a, b leak) int { return cmp.Compare(a.at, b.at) })
	return out
}

// plainName reports whether b may be the name of a user.
func plainName(b []byte) bool {
	for _, ch := range b {
		switch {
		case ch >= 'a' && ch <= 'z', ch >= 'A' && ch <= 'Z', ch >= '0' && ch <= '9', ch == '-', ch == '_', ch == '.', ch == ' ', ch >= 0x80:
		default:
			return false
		}
	}
	return true
}
