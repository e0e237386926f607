package report

import (
	"cmp"
	"encoding/xml"
	"io"
	"slices"
	"strings"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
	Output     string           `xml:"system-out,omitempty"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Skipped *junitMessage `xml:"skipped"`
	Error   *junitMessage `xml:"error"`
	Failure *junitMessage `xml:"failure"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a report as JUnit XML: a test suite for each subject, a test
// case for each rule of the report. An error is a failure; what could not be
// checked is an error, and a rule without findings in a subject of which
// something could not be checked is skipped, since nobody knows. Where nothing was
// proven for one subject of several, its verdict is a case that is skipped. Warnings
// and notes are output of a case that passes.
func WriteJUnit(w io.Writer, r *Report) error {
	doc := junitSuites{Name: clean(r.Tool + " " + r.Command), Time: "0"}
	for i := range r.Subjects {
		s := junitSubject(r, &r.Subjects[i])
		doc.add(s)
	}
	if len(r.Subjects) == 0 {
		suite := junitSuite{Name: clean(r.Command), Time: "0"}
		suite.add(junitCase{Name: "subjects", Error: &junitMessage{Message: outcome(r), Type: CouldNotCheck.String()}}, r, nil)
		doc.add(suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(&doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (d *junitSuites) add(s junitSuite) {
	d.Suites = append(d.Suites, s)
	d.Tests += s.Tests
	d.Failures += s.Failures
	d.Errors += s.Errors
	d.Skipped += s.Skipped
}

// add adds a case and counts it.
func (s *junitSuite) add(c junitCase, r *Report, about *Subject) {
	c.Class = r.Tool + "." + r.Command
	if about != nil {
		// Dots and slashes are taken for packages by those who show this.
		c.Class += "." + strings.NewReplacer(".", "_", "/", "_", `\`, "_").Replace(clean(about.path()))
	}
	c.Time = "0"
	s.Tests++
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func junitSubject(r *Report, s *Subject) junitSuite {
	suite := junitSuite{Name: s.name(), Time: "0"}
	for _, f := range append([]Fact{{"build id", s.BuildID}, {"resolves by", s.Tier}}, s.Facts...) {
		if f.Value != "" {
			if suite.Properties == nil {
				suite.Properties = &junitProperties{}
			}
			suite.Properties.List = append(suite.Properties.List, junitProperty{clean(f.Name), clean(f.Value)})
		}
	}
	found := map[string]*kind{}
	for _, k := range kinds(r, s) {
		found[k.rule.Code] = k
	}
	rules := r.Rules
	for _, k := range kinds(r, s) {
		if !hasRule(r, k.rule.Code) {
			rules = append(rules[:len(rules):len(rules)], k.rule)
		}
	}
	for _, rule := range rules {
		c := junitCase{Name: strings.TrimSpace(clean(rule.Code + " " + rule.Name))}
		k := found[rule.Code]
		switch {
		case k == nil && rule.Default == Off:
			c.Skipped = &junitMessage{Message: "the rule is off"}
		case k == nil && (len(s.NotChecked) > 0 || s.Verdict == CouldNotCheck):
			c.Skipped = &junitMessage{Message: "nothing found, but not everything could be checked"}
		case k != nil && k.severity == Error:
			c.Failure = &junitMessage{Message: sentence(k.findings[0].Message), Type: clean(cmp.Or(rule.Name, rule.Code)), Text: junitText(k)}
		case k != nil:
			c.Output = k.severity.String() + ": " + junitText(k)
		}
		suite.add(c, r, s)
	}
	for _, reason := range s.NotChecked {
		suite.add(junitCase{Name: "not checked: " + clip(sentence(reason), 80),
			Error: &junitMessage{Message: sentence(reason), Type: CouldNotCheck.String()}}, r, s)
	}
	if suite.Errors == 0 && suite.Failures == 0 {
		// A verdict without a reason must not look like a pass.
		c := junitCase{Name: "verdict"}
		switch s.Verdict {
		case Pass:
		case NotProven:
			if c.Skipped = (&junitMessage{Message: unprovenText}); r.Verdict() == CouldNotCheck {
				c.Skipped, c.Error = nil, &junitMessage{Message: unprovenText, Type: CouldNotCheck.String()}
			}
		case Fail:
			c.Failure = &junitMessage{Message: s.Verdict.String(), Type: s.Verdict.String()}
		default:
			c.Error = &junitMessage{Message: s.Verdict.String(), Type: s.Verdict.String()}
		}
		suite.add(c, r, s)
	}
	if len(s.Checked) > 0 {
		suite.Output = "checked:\n"
		for _, c := range s.Checked {
			suite.Output += "- " + sentence(c) + "\n"
		}
	}
	return suite
}

func hasRule(r *Report, code string) bool {
	return slices.ContainsFunc(r.Rules, func(rule Rule) bool { return rule.Code == code })
}

// junitText lists the findings of a rule as the text format does.
func junitText(k *kind) string {
	p := &page{}
	for _, f := range k.findings {
		p.finding(f, &Subject{Production: "-", Companion: "-"}, true)
		p.remedy(sentence(k.remedy(f)))
	}
	return strings.TrimSpace(p.String()) + "\n"
}
