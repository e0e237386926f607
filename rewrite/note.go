package rewrite

import (
	"fmt"
	"strings"
)

// Note is something that a person should know about a plan.
type Note struct {
	Warning bool   // something may not work as expected
	Text    string // what, why, and what to do
	Disk    bool   // about other files that lay on disk, so that the same split says it or not
}

// String returns the text, led by "warning: " where it is one.
func (n Note) String() string {
	if n.Warning {
		return "warning: " + n.Text
	}
	return n.Text
}

func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, Note{Text: fmt.Sprintf(format, args...)})
}

func (p *Plan) warn(format string, args ...any) {
	p.Notes = append(p.Notes, Note{Warning: true, Text: fmt.Sprintf(format, args...)})
}

// shownNames is how many names a note lists.
const shownNames = 8

// someNames lists names, quoted where they hold more than letters, and counts the
// rest.
func someNames(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == shownNames {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if q := fmt.Sprintf("%q", name); len(q) != len(name)+2 || name == "" {
			name = q
		}
		b.WriteString(name)
	}
	return b.String()
}
