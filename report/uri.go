package report

import (
	"path"
	"strings"
)

// relative returns a path with forward slashes, relative to root where it lies
// below it. Machines that read reports look files up from the top of a repository.
func relative(name, root string) string {
	name = slashes(name)
	if root = strings.TrimSuffix(slashes(root), "/"); root != "" {
		if cut, ok := strings.CutPrefix(name, root+"/"); ok && cut != "" {
			name = cut
		}
	}
	switch {
	case name == "":
		return ""
	case strings.HasPrefix(name, "//"):
		return "/" + path.Clean(name[1:]) // the server of a Windows path
	}
	return path.Clean(name)
}

// slashes replaces the backslashes of a Windows path. Elsewhere a backslash is a
// character of a name as any other; a drive or a server tells the two apart, and a
// path of backslashes only.
func slashes(name string) string {
	if drive(name) || strings.HasPrefix(name, `\\`) || strings.Contains(name, `\`) && !strings.Contains(name, "/") {
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

func drive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// uri returns a path as a URI reference (RFC 3986): relative for a relative path,
// with the scheme file for an absolute one.
func uri(name, root string) string {
	name = relative(name, root)
	prefix := ""
	switch {
	case strings.HasPrefix(name, "//"):
		prefix, name = "file://", name[2:]
	case strings.HasPrefix(name, "/"):
		prefix = "file://"
	case drive(name):
		prefix = "file:///" + name[:2]
		name = name[2:]
	}
	var b strings.Builder
	b.WriteString(prefix)
	const hex = "0123456789ABCDEF"
	for i := range len(name) {
		c := name[i]
		// All but the unreserved characters and the slash: it is always right to
		// escape, and a colon in a first segment would read as a scheme.
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
