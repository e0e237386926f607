package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// diffWriter writes a comparison as text or as Markdown.
type diffWriter struct {
	b        *bytes.Buffer
	d        *debugid.Difference
	top      int // 0: everything
	markdown bool
	painter
}

func (w *diffWriter) write() {
	older, newer := &w.d.Old, &w.d.New
	rows := [][]string{
		{"production", printable.Number(older.ProductionSize), printable.Number(newer.ProductionSize), delta(newer.ProductionSize - older.ProductionSize)},
		{"companion", companionSize(older), companionSize(newer), companionChange(older, newer)},
		{"code", codeSize(older), codeSize(newer), codeChange(older, newer)},
		{"resolves to a line", resolves(older), resolves(newer), resolvesChange(older, newer)},
		{"build ID", shortID(older.Subject.BuildID), shortID(newer.Subject.BuildID), sameID(older.Subject.BuildID, newer.Subject.BuildID)},
		{"check", older.Subject.Verdict.String(), newer.Subject.Verdict.String(), ""},
	}
	w.table([]string{"", "old", "new", "change"}, rows)
	if older.Uncomparable != "" || newer.Uncomparable != "" {
		w.heading("Not compared: files, functions, coverage and findings")
		for _, b := range []*debugid.DiffBuild{older, newer} {
			if b.Uncomparable == "" {
				continue
			}
			text := b.Subject.Production + ": " + b.Uncomparable
			if w.markdown {
				fmt.Fprintf(w.b, "- %s\n", escapeMarkdown(text))
			} else {
				fmt.Fprintf(w.b, "  %s\n", printable.Line(text))
			}
		}
		return
	}
	w.changes("Files", w.d.Files, false)
	w.changes("Functions", w.d.Functions, true)
	w.findings("New findings", w.d.Appeared)
	w.findings("Findings that are gone", w.d.Vanished)
	if len(w.d.Files)+len(w.d.Functions)+len(w.d.Appeared)+len(w.d.Vanished) == 0 {
		fmt.Fprintf(w.b, "\nNothing of the code, its coverage or the findings changed.\n")
	}
}

// unknown stands where there is no figure.
const unknown = "?"

func codeSize(b *debugid.DiffBuild) string {
	if b.Subject.Coverage == nil {
		return unknown
	}
	return printable.Number(b.CodeSize)
}

func companionSize(b *debugid.DiffBuild) string {
	if b.Uncomparable != "" && b.Subject.Companion == "" {
		return unknown
	}
	return printable.Number(b.CompanionSize)
}

func resolves(b *debugid.DiffBuild) string {
	if b.Uncomparable != "" {
		return unknown
	}
	return percent(b.Counts())
}

// The changes of these figures, where both are known.

func codeChange(older, newer *debugid.DiffBuild) string {
	if codeSize(older) == unknown || codeSize(newer) == unknown {
		return unknown
	}
	return delta(newer.CodeSize - older.CodeSize)
}

func companionChange(older, newer *debugid.DiffBuild) string {
	if companionSize(older) == unknown || companionSize(newer) == unknown {
		return unknown
	}
	return delta(newer.CompanionSize - older.CompanionSize)
}

func resolvesChange(older, newer *debugid.DiffBuild) string {
	if resolves(older) == unknown || resolves(newer) == unknown {
		return unknown
	}
	return points(older.Counts(), newer.Counts())
}

func (w *diffWriter) heading(text string) {
	if w.markdown {
		fmt.Fprintf(w.b, "\n### %s\n\n", text)
	} else {
		fmt.Fprintf(w.b, "\n%s\n", w.bold(text))
	}
}

// changes lists files or functions.
func (w *diffWriter) changes(title string, list []debugid.Change, functions bool) {
	if len(list) == 0 {
		return
	}
	shown := list
	if w.top > 0 && len(list) > w.top {
		shown = list[:w.top]
		title = fmt.Sprintf("%s (%d of %d that changed)", title, w.top, len(list))
	}
	w.heading(title)
	var rows [][]string
	for i := range shown {
		c := &shown[i]
		name := c.Name
		if functions && c.File != "" && c.File != "(no source file)" {
			name += "  " + c.File
		}
		rows = append(rows, []string{name, printable.Number(c.Old), printable.Number(c.New), delta(c.Delta()), points(c.OldPoints, c.NewPoints)})
	}
	w.table([]string{"", "old", "new", "bytes", "coverage"}, rows)
}

func (w *diffWriter) findings(title string, list []report.Finding) {
	if len(list) == 0 {
		return
	}
	w.heading(title)
	for i := range list {
		f := &list[i]
		if w.markdown {
			fmt.Fprintf(w.b, "- **%s** %s: %s\n", f.Rule, f.Severity, escapeMarkdown(f.Message))
		} else {
			fmt.Fprintf(w.b, "  %s %s: %s\n", f.Rule, f.Severity, printable.Line(f.Message))
		}
	}
}

// table writes rows in columns, all but the first aligned to the right.
func (w *diffWriter) table(head []string, rows [][]string) {
	if w.markdown {
		fmt.Fprintf(w.b, "| %s |\n|---%s|\n", strings.Join(head, " | "), strings.Repeat("|---:", len(head)-1))
		for _, r := range rows {
			for i := range r {
				r[i] = escapeMarkdown(r[i])
			}
			fmt.Fprintf(w.b, "| %s |\n", strings.Join(r, " | "))
		}
		return
	}
	t := tabwriter.NewWriter(w.b, 0, 0, 2, ' ', 0)
	for _, r := range append([][]string{head}, rows...) {
		for i := range r {
			r[i] = printable.Line(r[i])
		}
		// The first column goes last where it is long; numbers come first then.
		fmt.Fprintf(t, "  %s\t%s\n", strings.Join(r[1:], "\t"), r[0])
	}
	t.Flush()
}

// escapeMarkdown keeps names from being taken for markup, or for a column.
func escapeMarkdown(text string) string {
	r := strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`")
	return r.Replace(printable.Line(text))
}

func delta(n int64) string {
	if n > 0 {
		return "+" + printable.Number(n)
	}
	return printable.Number(n)
}

func percent(c report.Counts) string {
	if c.Total() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", c.Ratio()*100)
}

// points writes the change of a coverage in points of a per cent.
func points(a, b report.Counts) string {
	if a.Total() == 0 || b.Total() == 0 {
		return percent(b)
	}
	return fmt.Sprintf("%+.1f", (b.Ratio()-a.Ratio())*100)
}

func shortID(id string) string {
	if id == "" {
		return "none"
	}
	return id[:min(len(id), 12)]
}

func sameID(a, b string) string {
	if a == b && a != "" {
		return "the same"
	}
	return ""
}
