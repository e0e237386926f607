package report

import (
	"io"
	"strings"
)

// What is shown of long lists, unless everything is asked for.
const (
	shownFindings = 8  // of one rule
	shownSamples  = 4  // of one finding
	shownGroups   = 10 // files and functions
)

// WriteText writes a report for a person: for each subject its findings, the worst
// first, with the places and what to do, then the coverage and what was not
// checked; the verdict in the last line.
func WriteText(w io.Writer, r *Report, o Options) error {
	p := &page{color: o.Color, width: o.Width}
	if p.width == 0 {
		p.width = 80
	}
	p.width = max(p.width, 0)
	list := subjects(r)
	for _, s := range list {
		// Of many subjects, those without anything to say get a line each.
		if len(list) > 1 && !o.Verbose && s.Verdict == Pass && len(s.Findings) == 0 {
			continue
		}
		p.subject(r, s, o.Verbose)
	}
	if len(list) > 1 {
		p.overview(list)
	}
	p.unproven(list)
	v := r.Verdict()
	// One line, however long: scripts and people take the last one.
	p.line("%s %s", p.paint(v.String()+":", bold, verdictColor(v)), p.paint(outcome(r), bold))
	_, err := io.WriteString(w, p.String())
	return err
}

func verdictColor(v Verdict) string {
	switch v {
	case Pass:
		return green
	case Fail:
		return red
	}
	return yellow
}

func severityColor(s Severity) string {
	switch s {
	case Error:
		return red
	case Warning:
		return yellow
	}
	return cyan
}

func (p *page) subject(r *Report, s *Subject, verbose bool) {
	p.flow("", "  ", s.name(), bold)
	facts := []Fact{{"verdict", s.Verdict.String()}, {"build id", s.BuildID}, {"resolves by", s.Tier}}
	width := 0
	for _, f := range append(facts, s.Facts...) {
		width = max(width, len([]rune(sentence(f.Name))))
	}
	for _, f := range append(facts, s.Facts...) {
		if f.Value != "" {
			name := sentence(f.Name)
			name += strings.Repeat(" ", width-len([]rune(name)))
			p.flow("  "+p.paint(name, faint)+"  ", strings.Repeat(" ", width+4), sentence(f.Value))
		}
	}
	p.line("")
	for _, k := range kinds(r, s) {
		p.kind(k, s, verbose)
	}
	if s.Coverage != nil {
		p.coverage(s.Coverage, verbose)
	}
	p.list("Not checked", s.NotChecked, yellow)
	if verbose {
		p.list("Checked", s.Checked)
	}
}

// kind adds the findings of one rule.
func (p *page) kind(k *kind, s *Subject, verbose bool) {
	head := p.paint(k.severity.String()+" "+clean(k.rule.Code), bold, severityColor(k.severity))
	title := sentence(k.rule.Title)
	if k.rule.Name != "" {
		title = strings.TrimSpace(title + " [" + clean(k.rule.Name) + "]")
	}
	p.flow(head+" ", "  ", title)
	shown := len(k.findings)
	if !verbose {
		shown = min(shown, shownFindings)
	}
	remedy := ""
	for _, f := range k.findings[:shown] {
		if fix := sentence(k.remedy(f)); fix != remedy {
			p.remedy(remedy)
			remedy = fix
		}
		p.finding(f, s, verbose)
	}
	if rest := len(k.findings) - shown; rest > 0 {
		p.line("  … and %s more of this kind; --verbose shows all", grouped(int64(rest)))
	}
	if verbose && k.rule.Meaning != "" {
		p.flow("  "+p.paint("meaning:", faint)+" ", "           ", sentence(k.rule.Meaning))
	}
	p.remedy(remedy)
	p.line("")
}

func (p *page) finding(f *Finding, s *Subject, verbose bool) {
	message := sentence(f.Message)
	if f.Count > 1 {
		message += " (" + count(int64(f.Count), "place") + ")"
	}
	p.flow("  ", "  ", message)
	spoken := ""
	if s.Companion == "" || s.Production == "" {
		spoken = s.path() // the only file there is
	}
	if at := f.Location.place(spoken); at != "" {
		p.flow("    "+p.paint("at ", faint), "       ", at)
	}
	shown := len(f.Samples)
	if !verbose {
		shown = min(shown, shownSamples)
	}
	for i := range f.Samples[:shown] {
		p.flow("     · ", "       ", f.Samples[i].place(f.Location.Path))
	}
	if rest := f.Count - shown; rest > 0 && shown > 0 {
		p.line("     · … and %s more", grouped(int64(rest)))
	}
}

func (p *page) remedy(text string) {
	if text != "" {
		p.flow("  "+p.paint("to do:", green)+" ", "         ", text)
	}
}

func (p *page) list(head string, entries []string, attributes ...string) {
	if len(entries) == 0 {
		return
	}
	p.line("%s", p.paint(head, append([]string{bold}, attributes...)...))
	for _, e := range entries {
		p.flow("  - ", "    ", sentence(e))
	}
	p.line("")
}

// coverage adds how far the places resolve.
func (p *page) coverage(c *Coverage, verbose bool) {
	p.line("%s", p.paint("Coverage of the places that a stack trace can hold", bold))
	head := []string{"", "places", "file:line", "function", "nothing"}
	rows := [][]string{}
	for _, g := range c.Classes {
		rows = append(rows, groupRow(g))
	}
	if len(c.Classes) != 1 {
		rows = append(rows, groupRow(Group{Name: "all", Counts: c.Total}))
	}
	p.table("  ", head, rows)
	p.groups("language", head, c.Languages, len(c.Languages))
	if verbose {
		p.groups("files with most to resolve", head, worst(c.Files, shownGroups), shownGroups)
		if len(c.Files) == 0 {
			p.groups("units with most to resolve", head, worst(c.Units, shownGroups), shownGroups)
		}
		p.groups("functions with most to resolve", head, worst(c.Functions, shownGroups), shownGroups)
	}
	p.line("")
}

func (p *page) groups(name string, head []string, groups []Group, limit int) {
	if len(groups) == 0 {
		return
	}
	rows := [][]string{}
	for _, g := range groups[:min(limit, len(groups))] {
		rows = append(rows, groupRow(g))
	}
	p.line("")
	p.table("  ", append([]string{name}, head[1:]...), rows)
}

func groupRow(g Group) []string {
	t := g.Counts.Total()
	name := clean(g.Name)
	if name == "" {
		name = "(unknown)"
	}
	return []string{name, grouped(t), percent(g.Counts.Line, t), percent(g.Counts.Function, t), percent(g.Counts.Nothing, t)}
}

// unproven says for how many modules nothing was proven, though they do not fail.
func (p *page) unproven(list []*Subject) {
	n := 0
	for _, s := range list {
		if s.Verdict == NotProven && s.Production != "" {
			n++
		}
	}
	if n == 0 {
		return
	}
	p.flow("", "", count(int64(n), "module")+" without debug information and build ID: nothing was proven; --require-id or --require-companion refuses that")
	p.line("")
}

// overview adds a line for each subject.
func (p *page) overview(list []*Subject) {
	p.line("%s", p.paint("All subjects", bold))
	for _, s := range list {
		text := clean(s.path())
		if s.Coverage != nil {
			if u, user := s.Coverage.user(); u.Total() > 0 {
				text += ", " + percent(u.Line, u.Total()) + " to file and line"
				if all := s.Coverage.Total; user && all != u {
					text += ", of all code " + percent(all.Line, all.Total())
				}
			}
		}
		label := s.Verdict.String()
		pad := strings.Repeat(" ", len(CouldNotCheck.String())-min(len(label), len(CouldNotCheck.String())))
		p.flow("  "+p.paint(label, verdictColor(s.Verdict))+pad+"  ", "                   ", text)
	}
	p.line("")
}
