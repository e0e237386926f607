package rewrite

import "fmt"

// Note is something that a person should know about a plan.
type Note struct {
	Warning bool   // something may not work as expected
	Text    string // what, why, and what to do
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
