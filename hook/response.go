package hook

import (
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf16"
)

// Limits of response files, against files that name each other.
const (
	maxResponseFiles = 1000
	maxResponseSize  = 256 << 20 // bytes of one file
)

// expand replaces each argument @FILE by the arguments in that file, as LLVM's
// tools do (https://llvm.org/docs/CommandLine.html#response-files): build tools
// write long command lines to a file. A file that cannot be read stays an argument.
// How the file is quoted depends on the system, unless --rsp-quoting says so.
func expand(args []string) []string {
	windows := runtime.GOOS == "windows"
	for _, a := range args {
		if style, ok := strings.CutPrefix(a, "--rsp-quoting="); ok {
			windows = style == "windows"
		}
	}
	left := maxResponseFiles
	return expandWith(args, windows, nil, &left)
}

// expandWith expands arguments within the files that are open already.
func expandWith(args []string, windows bool, open []string, left *int) []string {
	var out []string
	for _, a := range args {
		name, ok := strings.CutPrefix(a, "@")
		if !ok || name == "" || *left <= 0 || slices.Contains(open, name) {
			out = append(out, a)
			continue
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxResponseSize {
			out = append(out, a)
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			out = append(out, a)
			continue
		}
		*left--
		inner := tokens(responseText(b), windows)
		out = append(out, expandWith(inner, windows, append(slices.Clip(open), name), left)...)
	}
	return out
}

// responseText decodes a response file, which on Windows may be UTF-16.
func responseText(b []byte) string {
	var order binary.ByteOrder
	switch {
	case len(b) >= 2 && b[0] == 0xff && b[1] == 0xfe:
		order = binary.LittleEndian
	case len(b) >= 2 && b[0] == 0xfe && b[1] == 0xff:
		order = binary.BigEndian
	default:
		return strings.TrimPrefix(string(b), "\ufeff")
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 2; i+1 < len(b); i += 2 {
		units = append(units, order.Uint16(b[i:]))
	}
	return string(utf16.Decode(units))
}

// tokens takes the text of a response file apart.
func tokens(text string, windows bool) []string {
	if windows {
		return windowsTokens(text)
	}
	return posixTokens(text)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// posixTokens takes a text apart as a shell would: a backslash quotes the next
// character, also within quotation marks, which are single or double.
func posixTokens(text string) []string {
	var out []string
	var word []byte
	in := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isSpace(c):
			if in {
				out = append(out, string(word))
			}
			word, in = word[:0], false
		case c == '\\' && i+1 < len(text):
			i++
			word, in = append(word, text[i]), true
		case c == '"' || c == '\'':
			in = true
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && i+1 < len(text) {
					i++
				}
				word = append(word, text[i])
			}
		default:
			word, in = append(word, c), true
		}
	}
	if in {
		out = append(out, string(word))
	}
	return out
}

// windowsTokens takes a text apart as Windows programs do: backslashes quote only
// in front of a double quotation mark, where two of them stand for one.
func windowsTokens(text string) []string {
	var out []string
	var word []byte
	in, quoted := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isSpace(c) && !quoted:
			if in {
				out = append(out, string(word))
			}
			word, in = word[:0], false
		case c == '\\':
			n := 0
			for i+n < len(text) && text[i+n] == '\\' {
				n++
			}
			in = true
			if i+n == len(text) || text[i+n] != '"' {
				word = append(word, text[i:i+n]...)
				i += n - 1
				continue
			}
			word = append(word, text[i:i+n/2]...)
			i += n - 1
			if n%2 == 1 {
				word = append(word, '"')
				i++
			}
		case c == '"':
			in = true
			if quoted && i+1 < len(text) && text[i+1] == '"' {
				word = append(word, '"')
				i++
				continue
			}
			quoted = !quoted
		default:
			word, in = append(word, c), true
		}
	}
	if in {
		out = append(out, string(word))
	}
	return out
}
