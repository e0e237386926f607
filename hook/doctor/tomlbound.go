package doctor

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Limits of a TOML file. The decoder keeps the whole path of every key: its work and
// its memory grow with the number of keys times the depth of each.
const (
	maxTOML      = 256 << 10 // bytes
	maxTOMLDepth = 32        // parts of keys and open brackets around a value
)

// decodeTOML decodes a file that is within the limits.
func decodeTOML(text string, into any) error {
	if err := boundTOML(text); err != nil {
		return err
	}
	_, err := toml.Decode(text, into)
	return err
}

// tomlLimit is the error of a file that is beyond the limits.
type tomlLimit struct {
	line int // 0 for the file
	what string
}

func (l *tomlLimit) Error() string { return "not read: " + l.what }

// boundTOML checks the limits without decoding. It need not understand a file that
// is no TOML: the decoder stops at the first mistake.
func boundTOML(text string) error {
	if len(text) > maxTOML {
		return &tomlLimit{what: fmt.Sprintf("it has %d bytes, and at most %d are read", len(text), maxTOML)}
	}
	var (
		header   int   // parts of the key of the table
		inHeader bool  // the line is a header, so far
		parts    int   // separators in the present key
		open     []int // parts of the key before each open bracket, and the bracket
		around   int   // the sum of open
		start    = true
	)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r':
			continue
		case '"', '\'':
			i += tomlString(text[i:]) - 1
		case '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n - 1 // the end of the line is looked at next
			} else {
				i = len(text)
			}
			continue
		case '\n':
			if len(open) == 0 {
				if inHeader {
					header = parts
				}
				parts, inHeader, start = 0, false, true
			}
			continue
		case '[', '{':
			if c == '[' && (start || inHeader) {
				if start {
					header = 0
				}
				inHeader = true
				parts++
				break
			}
			open = append(open, parts+1)
			around += parts + 1
			parts = 0
		case ']', '}':
			if n := len(open); n > 0 && !inHeader {
				around -= open[n-1]
				parts = open[n-1] - 1
				open = open[:n-1]
			}
		case ',':
			if len(open) > 0 {
				parts = 0
			}
		case '.':
			parts++
		}
		start = false
		if depth := header + around + parts; depth > maxTOMLDepth {
			return &tomlLimit{1 + strings.Count(text[:min(i, len(text))], "\n"),
				fmt.Sprintf("keys of more than %d parts, or values nested as deep, are not read", maxTOMLDepth)}
		}
	}
	return nil
}

// tomlString returns the length of the string at the start of a text
// (https://toml.io/en/v1.0.0#string). One that is not closed ends with its line, as
// it does for the decoder, or with the text.
func tomlString(text string) int {
	quote := text[:1]
	long := strings.HasPrefix(text, strings.Repeat(quote, 3))
	at := 1
	if long {
		at = 3
	}
	for ; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote == `"`:
			at++
		case text[at] == '\n' && !long:
			return at
		case text[at] == quote[0] && !long:
			return at + 1
		case long && strings.HasPrefix(text[at:], strings.Repeat(quote, 3)):
			at += 3
			for n := 0; n < 2 && at < len(text) && text[at] == quote[0]; n++ {
				at++ // quotation marks at the end of the string's content
			}
			return at
		}
	}
	return len(text)
}
