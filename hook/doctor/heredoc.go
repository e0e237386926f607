package doctor

import (
	"regexp"
	"strings"
)

// printsBelow matches a line that prints the lines below it up to a word: cat with a
// here-document (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_07_04)
// whose output goes nowhere but to the terminal. One that goes to a file or to a
// pipe may be a script.
var printsBelow = regexp.MustCompile(`^\s*(?:[\w-]+\s*\(\)\s*\{\s*)?cat\s+(?:1?>&2\s*)?<<-?\s*(['"\\]?)(\w+)['"]?\s*(?:1?>&2\s*)?;?\s*$`)

// printed follows the here-documents of a file that are printed.
type printed struct {
	end   string         // the line behind the present one; empty outside of one
	plain bool           // nothing in it is run, because the word was quoted
	last  map[string]int // offset of the last line that holds a word alone; from the first use on
}

// begin looks whether a here-document begins behind a line of the file, which is at
// an offset. One without an end is none.
func (p *printed) begin(line, text string, offset int) {
	m := printsBelow.FindStringSubmatch(line)
	if m == nil {
		return
	}
	if p.last == nil {
		p.last = map[string]int{}
		at := 0
		for l := range strings.Lines(text) {
			p.last[strings.TrimSpace(l)] = at
			at += len(l)
		}
	}
	if p.last[m[2]] > offset {
		p.end, p.plain = m[2], m[1] != ""
	}
}

// holds reports whether a line, or several that continue each other, is a part of
// the here-document, and notices its end.
func (p *printed) holds(line string) bool {
	if p.end == "" {
		return false
	}
	for l := range strings.Lines(line) {
		if strings.TrimSpace(l) == p.end {
			p.end = ""
		}
	}
	return p.plain || !strings.Contains(line, "$(") && !strings.Contains(line, "`")
}
