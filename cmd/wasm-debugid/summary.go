package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// summary tells a person on standard error what was done with one module.
func (c *call) summary(verb string, r *debugid.SplitResult) {
	if c.quiet {
		return
	}
	p := c.paintErr()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.bold(title(r)))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	switch {
	case r.Already:
		row("split before", "nothing is changed; the companion belongs to the module")
	case c.Bool("dry-run"):
		row("dry run", "nothing is written")
	case !r.Changed:
		row("unchanged", "the files hold exactly this already")
	}
	row("size", "%s", sizes(r))
	if r.Plan != nil {
		removed(r.Plan, row)
		if c.verbose {
			kept(r.Plan, row)
		}
	}
	row("build id", "%s", r.ID)
	if r.Plan != nil {
		row("", "%s", r.Plan.Decision.Reason)
		if in, ok := r.Plan.Input.CodeSpan(); ok {
			out, _ := r.Plan.ProductionFile.CodeSpan()
			text := "as in the input"
			if in.Start != out.Start {
				text = fmt.Sprintf("in the input at %v", in.Start)
			}
			row("code", "starts at %v, %s", out.Start, text)
		} else {
			row("code", "none")
		}
	}
	switch {
	case r.Companion != "" && r.CompanionSize > 0:
		row("companion", "%s (%s)", r.Companion, companionText(r))
	case r.Companion != "":
		row("companion", "%s", r.Companion)
	case verb == "split":
		row("companion", "none")
	}
	w.Flush()
	fmt.Fprint(c.stderr, b.String())
	for _, n := range r.Notes {
		c.note(r.Input, n)
	}
}

func title(r *debugid.SplitResult) string {
	out := r.Production
	if out == debugid.Stdio {
		out = "standard output"
	}
	if r.Input == out {
		return r.Input
	}
	return r.Input + " → " + out
}

func sizes(r *debugid.SplitResult) string {
	if r.InputSize == r.ProductionSize {
		return grouped(r.InputSize) + " bytes"
	}
	change := 100 * float64(r.ProductionSize-r.InputSize) / float64(r.InputSize)
	return fmt.Sprintf("%s → %s bytes (%+.1f %%)", grouped(r.InputSize), grouped(r.ProductionSize), change)
}

func companionText(r *debugid.SplitResult) string {
	text := grouped(r.CompanionSize) + " bytes"
	if r.Plan != nil && r.Plan.Record != nil {
		text += ", " + r.Plan.Record.Kind
	}
	return text
}

// removed lists what the production module lacks, with the bytes that each
// section took.
func removed(p *rewrite.Plan, row func(name, format string, args ...any)) {
	label := "removed"
	for i := range p.Fates {
		f := &p.Fates[i]
		if f.Production {
			continue
		}
		text := fmt.Sprintf("%s, %s bytes", f.Section.Name, grouped(f.Section.Len()))
		if f.Reason != "DWARF" {
			text += ": " + f.Reason
		}
		row(label, "%s", text)
		label = ""
	}
}

// kept lists the sections that stay.
func kept(p *rewrite.Plan, row func(name, format string, args ...any)) {
	label := "kept"
	for i := range p.Fates {
		if f := &p.Fates[i]; f.Production {
			row(label, "%s, %s bytes", f.Section.Label(), grouped(f.Section.Len()))
			label = ""
		}
	}
}

// grouped formats a number with commas between groups of three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// plural returns "1 function", "2,000 functions".
func plural(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}
