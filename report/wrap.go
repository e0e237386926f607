package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ANSI attributes of the text format.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// page collects the lines of a text report.
type page struct {
	strings.Builder
	color bool
	width int // columns; 0: no wrapping
}

// paint puts attributes around s.
func (p *page) paint(s string, attributes ...string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + strings.Join(attributes, ";") + "m" + s + "\x1b[0m"
}

// line adds a line as it is.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format+"\n", args...)
}

// flow adds text that is wrapped at spaces: the first line behind first, the
// others behind rest. A word is never broken, so that paths and commands can be
// copied.
func (p *page) flow(first, rest, text string, attributes ...string) {
	head := first
	for _, l := range wrap(text, p.width, visible(first), visible(rest)) {
		p.line("%s%s", head, p.paint(l, attributes...))
		head = rest
	}
}

// visible returns how many columns s takes.
func visible(s string) int {
	n := 0
	for {
		plain, rest, escape := strings.Cut(s, "\x1b[")
		n += utf8.RuneCountInString(plain)
		if !escape {
			return n
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}

// wrap cuts text into lines that end at column width, longer words excepted. The
// first starts in column first, the others in column rest. For a width of 0 there
// is one line.
func wrap(text string, width, first, rest int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	var l strings.Builder
	n := first
	for _, word := range strings.Fields(text) {
		w := utf8.RuneCountInString(word)
		if l.Len() > 0 && n+1+w > width {
			lines = append(lines, l.String())
			l.Reset()
			n = rest
		}
		if l.Len() > 0 {
			l.WriteByte(' ')
			n++
		}
		l.WriteString(word)
		n += w
	}
	return append(lines, l.String())
}

// table adds rows as columns: the first aligned left and clipped from the front
// where the lines would be too long, the others aligned right. An empty cell in
// the head is a column without a name.
func (p *page) table(indent string, head []string, rows [][]string) {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if p.width > 0 {
		total := utf8.RuneCountInString(indent)
		for _, w := range widths {
			total += w + 2
		}
		widths[0] = max(min(widths[0], widths[0]-(total-2-p.width)), min(widths[0], 12))
	}
	put := func(row []string, attributes ...string) {
		var b strings.Builder
		for i, cell := range row {
			if i == 0 {
				cell = clipFront(cell, widths[0])
			} else {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		p.line("%s%s", indent, p.paint(strings.TrimRight(b.String(), " "), attributes...))
	}
	put(head, faint)
	for _, row := range rows {
		put(row)
	}
}
