package dwarf

// UnknownFile is the name that is given for a file index that is not in the
// table.
const UnknownFile = "<unknown file>"

// Path returns the full path of a file of the table: see AppendPath.
func (t *FileTable) Path(index uint64) (path string, ok bool) {
	b, ok := t.AppendPath(nil, index)
	return string(b), ok
}

// AppendPath appends the path of a file: its name, made absolute as far as
// possible with its directory and the unit's compilation directory. For an
// index that is not in the table it appends [UnknownFile] and returns false.
func (t *FileTable) AppendPath(dst []byte, index uint64) (path []byte, ok bool) {
	f, ok := t.File(index)
	if !ok || len(f.Name) == 0 {
		return append(dst, UnknownFile...), false
	}
	if isAbsPath(f.Name) {
		return append(dst, f.Name...), true
	}
	start := len(dst)
	dst = t.appendDir(dst, f.Dir)
	return appendJoined(dst, start, f.Name), true
}

// appendDir appends the full path of a directory. A directory that is not in
// the table counts as the compilation directory.
func (t *FileTable) appendDir(dst []byte, index uint64) []byte {
	start := len(dst)
	i := index
	if t.version < 5 {
		i--
	}
	dir, ok := t.Dir(i)
	if isAbsPath(dir) {
		return append(dst, dir...)
	}
	dst = append(dst, t.compDir...)
	if zero, any := t.Dir(0); t.version >= 5 && any {
		// Entry 0 is the compilation directory itself: the same text again
		// must not be joined to itself.
		if string(zero) != string(t.compDir) {
			if isAbsPath(zero) {
				dst = append(dst[:start], zero...)
			} else {
				dst = appendJoined(dst, start, zero)
			}
		}
		if i == 0 || !ok {
			return dst
		}
	}
	return appendJoined(dst, start, dir)
}

// JoinPath joins a directory and a path by the separator rules of the
// directory; an absolute path stays as it is.
func JoinPath(dir, path []byte) []byte {
	if isAbsPath(path) {
		return path
	}
	return appendJoined(append([]byte(nil), dir...), 0, path)
}

// appendJoined appends a relative path to the directory dst[start:].
func appendJoined(dst []byte, start int, rel []byte) []byte {
	for len(rel) >= 2 && rel[0] == '.' && isSeparator(rel[1]) {
		rel = rel[2:]
		for len(rel) > 0 && isSeparator(rel[0]) {
			rel = rel[1:]
		}
	}
	dir := dst[start:]
	switch {
	case len(rel) == 0 || len(rel) == 1 && rel[0] == '.':
		return dst
	case len(dir) == 0:
		return append(dst, rel...)
	}
	sep := separator(dir, rel)
	if last := dir[len(dir)-1]; last != '/' && last != sep {
		dst = append(dst, sep)
	}
	return append(dst, rel...)
}

// separator picks what to put between dir and rel: what the directory uses.
func separator(dir, rel []byte) byte {
	switch {
	case dir[0] == '/':
		return '/' // on POSIX a backslash is an ordinary character
	case hasPrefix(dir, `\\`):
		return '\\' // \\?\ paths and shares know no other
	}
	for i := len(dir) - 1; i >= 0; i-- {
		if isSeparator(dir[i]) {
			return dir[i]
		}
	}
	if hasDrive(dir) {
		for _, c := range rel {
			if isSeparator(c) {
				return c
			}
		}
		return '\\'
	}
	return '/'
}

func isSeparator(c byte) bool { return c == '/' || c == '\\' }

// isAbsPath says that a path must not be put behind a directory: POSIX and
// Windows absolute paths, shares, device paths, drive-relative paths, URLs.
func isAbsPath(p []byte) bool {
	return len(p) > 0 && (isSeparator(p[0]) || hasDrive(p) || hasScheme(p))
}

func hasDrive(p []byte) bool { return len(p) >= 2 && p[1] == ':' && isLetter(p[0]) }

// hasScheme says that p starts like a URL, as prefix maps make of paths.
func hasScheme(p []byte) bool {
	for i, c := range p {
		switch {
		case isLetter(c) || i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':':
			return i > 1 && hasPrefix(p[i:], "://")
		default:
			return false
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func hasPrefix(p []byte, prefix string) bool {
	return len(p) >= len(prefix) && string(p[:len(prefix)]) == prefix
}
