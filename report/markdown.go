package report

import (
	"fmt"
	"io"
	"strings"
)

// The sizes in bytes at which the rest of a Markdown report is left out. GitHub
// refuses a step summary of more than 1 MiB, and a comment of more than 65,536
// characters.
const (
	maxSummary = 1000 << 10
	maxComment = 60_000
)

// Summary writes a report as Markdown for the file that GITHUB_STEP_SUMMARY names,
// which holds more than a comment.
func Summary(w io.Writer, r *Report, o Options) error {
	return writeMarkdown(w, r, o, maxSummary)
}

// WriteMarkdown writes a report as Markdown, short enough for a comment on a pull
// request unless everything is asked for.
func WriteMarkdown(w io.Writer, r *Report, o Options) error {
	if o.Verbose {
		return writeMarkdown(w, r, o, maxSummary)
	}
	return writeMarkdown(w, r, o, maxComment)
}

func writeMarkdown(w io.Writer, r *Report, o Options, limit int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s: %s\n\n%s\n\n", MarkdownText(r.Tool), MarkdownText(r.Command), r.Verdict(), MarkdownText(outcome(r)))
	list := subjects(r)
	if len(list) > 1 {
		rows := [][]string{}
		for _, s := range list[:min(len(list), 500)] {
			cov := "–"
			if s.Coverage != nil {
				u, _ := s.Coverage.user()
				cov = percent(u.Line, u.Total())
			}
			rows = append(rows, []string{s.Verdict.String(), MarkdownCode(s.path()), cov, MarkdownCode(s.BuildID)})
		}
		MarkdownTable(&b, "llrl", []string{"verdict", "file", "file and line", "build ID"}, rows)
	}
	left := 0
	for _, s := range list {
		if len(list) > 1 && !o.Verbose && s.Verdict == Pass && len(s.Findings) == 0 {
			continue
		}
		part := markdownSubject(r, s, o)
		if b.Len()+len(part) > limit {
			left++
			continue
		}
		b.WriteString(part)
	}
	if left > 0 {
		fmt.Fprintf(&b, "The details of %s are left out: they are too long for this page.\n", count(int64(left), "subject"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownSubject(r *Report, s *Subject, o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s", MarkdownCode(s.path()))
	if s.Production != "" && s.Companion != "" {
		fmt.Fprintf(&b, " with %s", MarkdownCode(s.Companion))
	}
	fmt.Fprintf(&b, ": %s\n\n", s.Verdict)
	facts := []string{}
	for _, f := range append([]Fact{{"build ID", s.BuildID}, {"resolves by", s.Tier}}, s.Facts...) {
		if f.Value != "" {
			facts = append(facts, MarkdownText(f.Name)+" "+MarkdownCode(f.Value))
		}
	}
	if len(facts) > 0 {
		b.WriteString(strings.Join(facts, " · ") + "\n\n")
	}
	for _, k := range kinds(r, s) {
		markdownKind(&b, k, o)
	}
	if len(s.NotChecked) > 0 {
		b.WriteString("**Not checked**\n\n")
		for _, reason := range s.NotChecked {
			fmt.Fprintf(&b, "- %s\n", MarkdownText(reason))
		}
		b.WriteString("\n")
	}
	if c := s.Coverage; c != nil {
		markdownCoverage(&b, c)
	}
	return b.String()
}

func markdownKind(b *strings.Builder, k *kind, o Options) {
	fmt.Fprintf(b, "**%s %s: %s**\n\n", k.severity, MarkdownText(k.rule.Code), MarkdownText(k.rule.Title))
	shown := len(k.findings)
	if !o.Verbose {
		shown = min(shown, shownFindings)
	}
	remedy := ""
	flush := func() {
		if remedy != "" {
			fmt.Fprintf(b, "\nTo do: %s\n\n", MarkdownText(remedy))
		}
	}
	for _, f := range k.findings[:shown] {
		if fix := k.remedy(f); fix != remedy {
			flush()
			remedy = fix
		}
		fmt.Fprintf(b, "- %s", MarkdownText(f.Message))
		if f.Count > 1 {
			fmt.Fprintf(b, " (%s)", count(int64(f.Count), "place"))
		}
		if at := f.Location.place(""); at != "" {
			fmt.Fprintf(b, "  \n  at %s", MarkdownCode(at))
		}
		b.WriteString("\n")
		n := len(f.Samples)
		if !o.Verbose {
			n = min(n, shownSamples)
		}
		for i := range f.Samples[:n] {
			fmt.Fprintf(b, "  - %s\n", MarkdownCode(f.Samples[i].place(f.Location.Path)))
		}
		if rest := f.Count - n; rest > 0 && n > 0 {
			fmt.Fprintf(b, "  - and %s more\n", grouped(int64(rest)))
		}
	}
	if rest := len(k.findings) - shown; rest > 0 {
		fmt.Fprintf(b, "- and %s more of this kind\n", grouped(int64(rest)))
	}
	flush()
	if remedy == "" {
		b.WriteString("\n")
	}
}

func markdownCoverage(b *strings.Builder, c *Coverage) {
	table := func(name string, groups []Group) {
		rows := [][]string{}
		for _, g := range groups {
			row := groupRow(g)
			row[0] = MarkdownCode(row[0])
			rows = append(rows, row)
		}
		MarkdownTable(b, "lrrrr", []string{name, "places", "file and line", "function only", "nothing"}, rows)
	}
	table("code", append(c.Classes[:len(c.Classes):len(c.Classes)], Group{Name: "all", Counts: c.Total}))
	if len(c.Languages) > 0 {
		table("language", c.Languages)
	}
	files, name := c.Files, "file with most to resolve"
	if len(files) == 0 {
		files, name = c.Units, "unit with most to resolve"
	}
	if list := worst(files, shownGroups); len(list) > 0 {
		b.WriteString("<details><summary>What does not resolve</summary>\n\n")
		table(name, list)
		if list := worst(c.Functions, shownGroups); len(list) > 0 {
			table("function with most to resolve", list)
		}
		b.WriteString("</details>\n\n")
	}
}

// MarkdownTable writes a table in GitHub's Markdown. The letters of align are l or
// r, one for each column. The cells are Markdown already, see [MarkdownText] and
// [MarkdownCode].
func MarkdownTable(w io.Writer, align string, head []string, rows [][]string) {
	rule := make([]string, len(head))
	for i := range head {
		rule[i] = "---"
		if i < len(align) && align[i] == 'r' {
			rule[i] = "---:"
		}
	}
	for _, row := range append([][]string{head, rule}, rows...) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintln(w)
}

// MarkdownText returns text as one line of Markdown in which nothing of it is
// markup, a link, a mention or the border of a table.
func MarkdownText(s string) string {
	var b strings.Builder
	for _, r := range sentence(s) {
		switch {
		case strings.ContainsRune("\\`*_{}[]()#+!|~$^=", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("<>&", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case r == '@':
			b.WriteString("@<!-- -->") // what follows is then no name of a user
		default:
			b.WriteRune(r)
		}
	}
	text := b.String()
	// A mark of a list at the start of a line.
	if strings.HasPrefix(text, "-") {
		text = `\` + text
	}
	return text
}

// MarkdownCode returns text as code on one line, in a form that the cell of a table
// takes as well; nothing for an empty text.
func MarkdownCode(s string) string {
	s = clean(s)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	// HTML, because a code span cannot hold a border of a table.
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]()#+-!|~<>&@$:\"'^=", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}
