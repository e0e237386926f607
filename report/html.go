package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
)

var (
	//go:embed html/page.html
	pageHTML string
	//go:embed html/page.css
	pageCSS string
	//go:embed html/page.js
	pageJS string
)

// Bounds of a page, for all subjects together.
const (
	pageCells    = 3600 // of treemaps
	pageRows     = 1600 // of tables
	pageFindings = 1000
	pageSubjects = 100 // with details
)

// WriteHTML writes a report as one page that loads nothing: style, script and
// pictures are in it, and its content security policy forbids everything else.
// What it says can be read without the script, which sorts and searches. The size
// is bounded: of long lists it holds what is largest and what is worst.
func WriteHTML(w io.Writer, r *Report) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"grouped": grouped, "size": size, "percent": func(part, whole int64) string { return tied(percent(part, whole)) }, "clean": clean, "sentence": sentence,
		"count": func(n int, noun string) string { return count(int64(n), noun) },
		"bar":   bar,
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, newPage(r)); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// policy returns the content security policy as the element that sets it. The
// style and the script are named by their digests, so that nothing that stands in
// a name could ever run.
func policy() template.HTML {
	digest := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return template.HTML(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ` + digest(pageCSS) +
		`; script-src ` + digest(pageJS) + `; base-uri 'none'; form-action 'none'">`)
}

// tied keeps a percentage on one line.
func tied(s string) string { return strings.ReplaceAll(s, " %", "\u00a0%") }

type htmlPage struct {
	Policy   template.HTML
	Style    template.CSS
	Script   template.JS
	Title    string
	Report   *Report
	Verdict  string
	Class    string
	Outcome  string
	Tiles    []htmlTile
	Subjects []*htmlSubject
	Left     int // subjects without details
}

type htmlTile struct{ Name, Value, Class string }

type htmlSubject struct {
	*Subject
	ID       int
	User     *Counts // coverage to go by
	Name     string
	Verdict  string
	Class    string
	Open     bool
	Details  bool
	Facts    []Fact
	Kinds    []*htmlKind
	LeftOut  int // findings
	Coverage *htmlCoverage
}

type htmlKind struct {
	Rule     Rule
	Severity Severity
	Places   int64
	Findings []*htmlFinding
	Remedy   string // of the rule, unless each finding has its own
}

type htmlFinding struct {
	Message string
	Count   int
	At      string
	Samples []string
	More    int64
	Remedy  string
}

type htmlCoverage struct {
	Tables    []htmlTable // classes, languages
	Shades    []shade
	Pictures  []template.HTML
	Files     *htmlRows
	Functions *htmlRows
}

type htmlTable struct {
	Name string
	Rows []htmlRow
}

// htmlRows is a table that can be searched and sorted.
type htmlRows struct {
	ID   string
	Name string
	Noun string
	Rows []htmlRow
	Rest *htmlRow // the others, added up
	Left int      // how many those are
}

type htmlRow struct {
	Name, Parent string
	Class        string
	Size         int64
	Counts       Counts
	Total        int64
	Open         int64 // places without a line
	Ratio        float64
}

func newPage(r *Report) *htmlPage {
	p := &htmlPage{Policy: policy(), Style: template.CSS(pageCSS), Script: template.JS(pageJS), Report: r,
		Verdict: r.Verdict().String(), Class: verdictClass(r.Verdict()), Outcome: tied(outcome(r))}
	list := subjects(r)
	p.Title = clean(strings.TrimSpace(r.Tool + " " + r.Command + ": " + r.Verdict().String()))
	if c, all, ok := r.coverage(); ok && all.Total() > 0 {
		if c.Total() > 0 && c != all {
			p.Tiles = append(p.Tiles, htmlTile{"of user code with file and line", tied(percent(c.Line, c.Total())), ""}, htmlTile{"places in user code", grouped(c.Total()), ""})
		}
		p.Tiles = append(p.Tiles, htmlTile{"with file and line", tied(percent(all.Line, all.Total())), ""}, htmlTile{"places", grouped(all.Total()), ""})
	}
	for _, s := range []struct {
		Severity
		name string
	}{{Error, "errors"}, {Warning, "warnings"}, {Info, "notes"}} {
		class := ""
		if r.Count(s.Severity) > 0 {
			class = s.Severity.String()
		}
		p.Tiles = append(p.Tiles, htmlTile{s.name, grouped(int64(r.Count(s.Severity))), class})
	}
	if n := notChecked(r); n > 0 {
		p.Tiles = append(p.Tiles, htmlTile{"not checked", grouped(int64(n)), "warning"})
	}
	measured := 0
	for _, s := range list[:min(len(list), pageSubjects)] {
		if s.Coverage != nil {
			measured++
		}
	}
	findings := pageFindings
	for i, s := range list {
		h := &htmlSubject{Subject: s, ID: i + 1, Name: s.name(), Verdict: s.Verdict.String(), Class: verdictClass(s.Verdict), Open: len(list) == 1 || i < 10 && s.Verdict != Pass}
		if s.Coverage != nil {
			u, _ := s.Coverage.user()
			h.User = &u
		}
		p.Subjects = append(p.Subjects, h)
		if h.Details = i < pageSubjects; !h.Details {
			p.Left++
			continue
		}
		for _, f := range append([]Fact{{"Production", s.Production}, {"Companion", s.Companion}, {"Build ID", s.BuildID}, {"Resolves by", s.Tier}}, s.Facts...) {
			if f.Value != "" {
				h.Facts = append(h.Facts, Fact{clean(f.Name), clean(f.Value)})
			}
		}
		h.kinds(r, s, &findings)
		if s.Coverage != nil {
			h.Coverage = newHTMLCoverage(s.Coverage, i+1, max(pageCells/measured, 12), max(pageRows/measured, 8))
		}
	}
	return p
}

// verdictClass is the class of a verdict: what is not proven looks like what could
// not be checked.
func verdictClass(v Verdict) string {
	switch v {
	case Pass:
		return "pass"
	case Fail:
		return "error"
	}
	return "warning"
}

func (h *htmlSubject) kinds(r *Report, s *Subject, left *int) {
	for _, k := range kinds(r, s) {
		hk := &htmlKind{Rule: k.rule, Severity: k.severity, Places: k.places()}
		for _, f := range k.findings {
			if *left == 0 {
				h.LeftOut++
				continue
			}
			*left--
			if f.Remedy == "" {
				hk.Remedy = sentence(k.rule.Remedy)
			}
			hf := &htmlFinding{Message: sentence(f.Message), Count: f.Count, At: f.Location.place(""), Remedy: sentence(f.Remedy)}
			for i := range f.Samples[:min(len(f.Samples), 20)] {
				hf.Samples = append(hf.Samples, f.Samples[i].place(f.Location.Path))
			}
			if len(hf.Samples) > 0 {
				hf.More = int64(max(f.Count-len(hf.Samples), 0))
			}
			hk.Findings = append(hk.Findings, hf)
		}
		if hk.Findings != nil {
			h.Kinds = append(h.Kinds, hk)
		}
	}
}

func newHTMLCoverage(c *Coverage, id, cells, rows int) *htmlCoverage {
	h := &htmlCoverage{Shades: shades()}
	classes := htmlTable{Name: "Kind of code"}
	for _, g := range append(c.Classes[:len(c.Classes):len(c.Classes)], Group{Name: "all", Counts: c.Total}) {
		classes.Rows = append(classes.Rows, newHTMLRow(g))
	}
	h.Tables = append(h.Tables, classes)
	if len(c.Languages) > 0 {
		languages := htmlTable{Name: "Language"}
		for _, g := range c.Languages {
			languages.Rows = append(languages.Rows, newHTMLRow(g))
		}
		h.Tables = append(h.Tables, languages)
	}
	if root := tree(c); root.size > 0 {
		// One for each kind of screen: a picture that is only scaled has labels
		// that nobody can read.
		h.Pictures = []template.HTML{
			picture(root, 1120, 560, cells*5/10, "wide"),
			picture(root, 720, 560, cells*3/10, "medium"),
			picture(root, 340, 520, cells*2/10, "narrow"),
		}
	}
	files, noun := c.Files, "file"
	if len(files) == 0 {
		files, noun = c.Units, "unit"
	}
	h.Files = newHTMLRows("files", id, noun, files, rows/4)
	h.Functions = newHTMLRows("functions", id, "function", c.Functions, rows*3/4)
	return h
}

func newHTMLRow(g Group) htmlRow {
	parent := clean(g.Parent)
	if strings.HasPrefix(g.Name, g.Parent) {
		parent = "" // the directory of a file that is named with its path
	}
	return htmlRow{Name: cmp.Or(clean(g.Name), "(unknown)"), Parent: parent, Class: clean(g.Class), Size: g.Size, Counts: g.Counts,
		Total: g.Counts.Total(), Open: unresolved(g.Counts), Ratio: g.Counts.Ratio()}
}

// newHTMLRows takes at most limit of the groups: half of them the largest, the
// others those with most to resolve.
func newHTMLRows(name string, id int, noun string, groups []Group, limit int) *htmlRows {
	if len(groups) == 0 {
		return nil
	}
	h := &htmlRows{ID: name + "-" + grouped(int64(id)), Name: strings.ToUpper(noun[:1]) + noun[1:] + "s", Noun: noun}
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	by := func(key func(g *Group) int64) func(a, b int) int {
		return func(a, b int) int {
			x, y := &groups[a], &groups[b]
			return cmp.Or(cmp.Compare(key(y), key(x)), cmp.Compare(y.Size, x.Size), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Parent, y.Parent))
		}
	}
	shown := make([]bool, len(groups))
	slices.SortStableFunc(order, by(func(g *Group) int64 { return unresolved(g.Counts) }))
	n := 0
	for _, i := range order {
		if n < limit/2 && unresolved(groups[i].Counts) > 0 {
			shown[i] = true
			n++
		}
	}
	slices.SortStableFunc(order, by(func(g *Group) int64 { return g.Size }))
	for _, i := range order {
		if !shown[i] && n < limit {
			shown[i] = true
			n++
		}
	}
	rest := Group{}
	for _, i := range order {
		if shown[i] {
			h.Rows = append(h.Rows, newHTMLRow(groups[i]))
			continue
		}
		h.Left++
		rest.Size += groups[i].Size
		rest.Counts.Add(groups[i].Counts)
	}
	if h.Left > 0 {
		rest.Name = "all others"
		row := newHTMLRow(rest)
		h.Rest = &row
	}
	return h
}
