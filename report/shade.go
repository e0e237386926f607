package report

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// shade is a step of the colours of coverage.
type shade struct {
	Class string // of the style sheet
	Name  string
}

var (
	shadeFull  = shade{"full", "all places have file and line"}
	shadeMost  = shade{"most", "at least 80 %"}
	shadePart  = shade{"part", "less than 80 %"}
	shadeNames = shade{"names", "function names, hardly a line"}
	shadeNone  = shade{"none", "nothing"}
	shadeEmpty = shade{"void", "no places to report"}
)

// shades returns the legend, the best first.
func shades() []shade {
	return []shade{shadeFull, shadeMost, shadePart, shadeNames, shadeNone, shadeEmpty}
}

// shadeOf returns the colour of a part of the code.
func shadeOf(c Counts) shade {
	t := c.Total()
	switch {
	case t == 0:
		return shadeEmpty
	case c.Line == t:
		return shadeFull
	case c.Line*5 >= t*4:
		return shadeMost
	case c.Line*5 >= t:
		return shadePart
	case (c.Line+c.Function)*2 >= t:
		return shadeNames
	}
	return shadeNone
}

// picture draws the treemap of a coverage as SVG of a width and height, with about
// as many cells as asked for.
func picture(root *node, width, height int, cells int, class string) template.HTML {
	area := rect{0, 0, float64(width), float64(height)}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="map %s" viewBox="0 0 %d %d" role="img" aria-label="Treemap of the code by size and coverage; the tables below hold the same figures">`, class, width, height)
	for _, c := range layout(root, area, area.area()/float64(max(cells, 1))) {
		kind := "cell"
		if c.group {
			kind = "frame"
		}
		fmt.Fprintf(&b, `<g class="%s %s" data-path="%s"><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`,
			kind, shadeOf(c.counts).Class, html.EscapeString(clip(c.path, 160)), html.EscapeString(c.about()), c.x, c.y, max(c.w-0.5, 0.5), max(c.h-0.5, 0.5))
		if room := int((c.w - 8) / charWidth); room >= min(7, len(c.label)) && c.h >= 14 && (!c.group || c.h > 2*headHeight && c.w > 40) {
			label := clip(c.label, room)
			if c.level == levelDir {
				label = clipFront(c.label, room)
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f">%s</text>`, c.x+4, c.y+12, html.EscapeString(label))
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// about tells of a cell in a few lines.
func (c *cell) about() string {
	t := c.counts.Total()
	name := c.path
	switch {
	case c.level == levelRest:
		name = strings.TrimSpace(c.label + " in " + c.path)
		name = strings.TrimSuffix(name, " in")
	case name == "":
		name = c.label
	}
	text := clip(name, 160) + "\n" + size(c.size) + " of code"
	if t == 0 {
		return text + ", no places to report"
	}
	return text + fmt.Sprintf("\n%s: %s file and line, %s function only, %s nothing",
		count(t, "place"), percent(c.counts.Line, t), percent(c.counts.Function, t), percent(c.counts.Nothing, t))
}

// bar draws counts as a bar of three parts. The figures stand beside it.
func bar(c Counts) template.HTML {
	t := float64(max(c.Total(), 1))
	var b strings.Builder
	b.WriteString(`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="void" width="100" height="10"/>`)
	at := 0.0
	for _, part := range []struct {
		n     int64
		class string
	}{{c.Line, "full"}, {c.Function, "names"}, {c.Nothing, "none"}} {
		if part.n > 0 {
			w := float64(part.n) / t * 100
			fmt.Fprintf(&b, `<rect class="%s" x="%.2f" width="%.2f" height="10"/>`, part.class, at, w)
			at += w
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
