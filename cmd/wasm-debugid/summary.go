package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// summary tells a person on standard error what was done with one module.
func (c *call) summary(verb string, r *debugid.SplitResult) {
	if c.quiet {
		return
	}
	p := c.paintErr()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.bold(printable.Clip(title(r), maxMessage)))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := rows(w)
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
		removed(r.Plan, c.most(50), row)
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

// most returns how many entries of a list are shown: n, or all with --verbose.
func (c *call) most(n int) int {
	if c.verbose {
		return math.MaxInt
	}
	return n
}

// maxCell bounds the length in bytes of a cell.
const maxCell = 1000

// rowFunc adds a row to a table of names and values.
type rowFunc func(name, format string, args ...any)

// rows returns a rowFunc for a table. A value cannot hold a tab or a line break,
// and so cannot be taken for another row.
func rows(w io.Writer) rowFunc {
	return func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %s\t%s\n", name, printable.Clip(fmt.Sprintf(format, args...), maxCell))
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
		return printable.Number(r.InputSize) + " bytes"
	}
	change := 100 * float64(r.ProductionSize-r.InputSize) / float64(r.InputSize)
	return fmt.Sprintf("%s → %s bytes (%+.1f %%)", printable.Number(r.InputSize), printable.Number(r.ProductionSize), change)
}

func companionText(r *debugid.SplitResult) string {
	text := printable.Number(r.CompanionSize) + " bytes"
	if r.Plan != nil && r.Plan.Record != nil {
		text += ", " + r.Plan.Record.Kind
	}
	return text
}

// removed lists what the production module lacks, up to a number of sections, with
// the bytes that each took.
func removed(p *rewrite.Plan, most int, row rowFunc) {
	label, n := "removed", 0
	for i := range p.Fates {
		f := &p.Fates[i]
		if f.Production {
			continue
		}
		if n++; n > most {
			continue
		}
		text := fmt.Sprintf("%s, %s bytes", f.Section.Name, printable.Number(f.Section.Len()))
		if f.Reason != "DWARF" {
			text += ": " + f.Reason
		}
		row(label, "%s", text)
		label = ""
	}
	if n > most {
		row("", "%s more (--verbose lists them)", printable.Number(int64(n-most)))
	}
}

// kept lists the sections that stay.
func kept(p *rewrite.Plan, row rowFunc) {
	label := "kept"
	for i := range p.Fates {
		if f := &p.Fates[i]; f.Production {
			row(label, "%s, %s bytes", f.Section.Label(), printable.Number(f.Section.Len()))
			label = ""
		}
	}
}
