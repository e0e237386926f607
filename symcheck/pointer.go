package symcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// longPointer is the length in bytes up to which every reader gets a pointer
// right: @sentry/wasm takes the length in front of it for text, and URL parsers
// drop control characters and the space.
const longPointer = 32

// pointer checks where the production module says that its companion is.
func (c *checker) pointer() error {
	if err := c.sourceMapURL(); err != nil {
		return err
	}
	ref, err := c.prod.File.ExternalDebugInfo()
	if err != nil {
		if !isFormat(err) {
			return c.prod.fail(err)
		}
		c.find(PointerBroken, atError(c.prod, err), "the pointer cannot be read: %v", err)
		return nil
	}
	if ref.Section == nil {
		return nil
	}
	at := in(c.prod, ref.Section)
	if ref.Count > 1 {
		c.find(PointerRepeated, at, "there are %d external_debug_info sections; the last one counts: %s", ref.Count, quote(ref.URL))
	}
	if len(ref.URL) > longPointer {
		severity := report.Info
		if c.o.For == Sentry {
			severity = report.Warning
		}
		c.findAs(severity, PointerLong, at, "the pointer %s has %d bytes", quote(ref.URL), len(ref.URL))
	}
	if why := PointerProblem(ref.URL); why != "" {
		c.find(PointerBroken, at, "the pointer %s leads nowhere: it %s", quote(ref.URL), why)
		return nil
	}
	c.privateURL(at, "external_debug_info", ref.URL)
	if c.comp == nil {
		return nil
	}
	path, local := PointerPath(c.prod.Path, ref.URL)
	if !local {
		c.find(PointerElsewhere, at, "the pointer %s was not followed", quote(ref.URL))
		return nil
	}
	same, why, err := c.leadsTo(path)
	if err != nil {
		return err
	}
	if !same {
		if len(path) > maxQuoted {
			path = quote(path)
		}
		c.find(PointerBroken, at, "the pointer %s leads to %s, which %s", quote(ref.URL), path, why)
		return nil
	}
	c.checked("the pointer leads to this companion")
	return nil
}

// maxQuoted is how many bytes of a text of a file are shown.
const maxQuoted = 200

// quote quotes a text of a file, whatever it holds: what does not print is escaped, and
// of a long one the first part is shown.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q and %d bytes more", s[:maxQuoted], len(s)-maxQuoted)
}

// reason returns what went wrong with a file without the file's name.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// leadsTo reports whether the file at path is the companion, or else what it is.
func (c *checker) leadsTo(path string) (same bool, why string, err error) {
	if a, errA := filepath.Abs(path); errA == nil {
		if b, errB := filepath.Abs(c.comp.Path); errB == nil && a == b {
			return true, "", nil
		}
	}
	if c.o.Planned {
		return false, "is not where the companion will be written", nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, "does not exist", nil
	}
	if err != nil {
		return false, "cannot be looked at: " + reason(err), nil
	}
	if have, err := os.Stat(c.comp.Path); err == nil && os.SameFile(info, have) {
		return true, "", nil
	}
	if !info.Mode().IsRegular() {
		return false, "is not a file", nil
	}
	if info.Size() != c.comp.File.Size() {
		return false, "is another file than " + c.comp.Path, nil
	}
	equal, err := c.equalFile(path)
	if err != nil {
		return false, "cannot be read: " + reason(err), nil
	}
	return equal, "is another file than " + c.comp.Path, nil
}

// equalFile reports whether the file at path is a copy of the companion.
func (c *checker) equalFile(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	equal := true
	var buf []byte
	err = c.comp.each(c.ctx, 0, c.comp.File.Size(), 0, func(_ int64, b []byte) bool {
		if cap(buf) < len(b) {
			buf = make([]byte, len(b))
		}
		n, err := io.ReadFull(f, buf[:len(b)])
		equal = err == nil && bytes.Equal(b, buf[:n])
		return equal
	})
	return equal, err
}

// sourceMapURL looks at the URL of a source map that stays in the module.
func (c *checker) sourceMapURL() error {
	ref, err := c.prod.File.SourceMappingURL()
	if err != nil {
		if !isFormat(err) {
			return c.prod.fail(err)
		}
		c.find(SectionRefused, atError(c.prod, err), "the sourceMappingURL cannot be read: %v", err)
		return nil
	}
	if ref.Section != nil {
		c.privateURL(in(c.prod, ref.Section), wasm.CustomSourceMappingURL, ref.URL)
	}
	return nil
}

// privateURL reports a URL that means something on one machine or in one network
// only.
func (c *checker) privateURL(at report.Location, section, text string) {
	if why, private := privateHost(text); private {
		c.find(PrivateURL, at, "%s holds %s: %s", section, quote(text), why)
	}
}

// privateSuffixes end the names of hosts inside of networks: RFC 6761, RFC 6762,
// RFC 8375, and .internal, which ICANN has reserved for it.
var privateSuffixes = []string{".local", ".localhost", ".internal", ".intranet", ".corp", ".lan", ".home", ".home.arpa", ".private", ".test"}

// privateHost reports whether a URL leads to where outsiders cannot follow.
func privateHost(text string) (why string, private bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "data" {
		return "", false
	}
	if strings.EqualFold(u.Scheme, "file") || len(u.Scheme) == 1 || u.Host == "" && strings.HasPrefix(u.Path, "/") && leaksIn([]byte(u.Path+"/")) {
		return "it names a file of the machine that built the module", true
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "" {
		return "", false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() {
			return "the address is a private one", true
		}
		return "", false
	}
	for _, s := range privateSuffixes {
		if strings.HasSuffix(host, s) {
			return "the host is one of a private network", true
		}
	}
	if !strings.Contains(host, ".") {
		return "the host has no domain", true
	}
	return "", false
}
