// Package report holds what a check found and writes it for people and for
// machines: as text, JSON, SARIF, JUnit, GitHub annotations, Markdown and HTML.
//
// The model is plain data. Whoever checks fills in a [Report]; the writers print
// it and decide nothing.
package report

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Severity says how bad a finding is.
type Severity int

// The severities, from none to worst.
const (
	Off     Severity = iota // the rule is switched off
	Info                    // worth knowing
	Warning                 // something may not work
	Error                   // the check fails
)

var severityNames = [...]string{"off", "info", "warning", "error"}

// String returns "off", "info", "warning" or "error".
func (s Severity) String() string {
	if s < 0 || int(s) >= len(severityNames) {
		return fmt.Sprintf("Severity(%d)", int(s))
	}
	return severityNames[s]
}

// ParseSeverity is the inverse of String.
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), nil
		}
	}
	return Off, fmt.Errorf("unknown severity %q: it is error, warning, info or off", name)
}

// Verdict is the outcome of a check.
type Verdict int

// The verdicts. A check that could not be made is never a pass.
const (
	Pass Verdict = iota
	Fail
	CouldNotCheck

	// NotProven is a verdict of one subject among several: nothing is wrong with it
	// that was asked for, and it holds nothing to prove anything with, such as a
	// module of somebody else, or a companion that is left over. A report has the
	// other three.
	NotProven
)

var verdictNames = [...]string{"pass", "fail", "could not check", "not proven"}

// unprovenText says what NotProven means.
const unprovenText = "nothing was proven for it: it holds nothing to prove anything with"

// String returns "pass", "fail", "could not check" or "not proven".
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("Verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// Worse returns the verdict of two checks together: a failure outweighs a check
// that could not be made, and both outweigh a pass. Where nothing was proven by the
// one, the other one counts.
func (v Verdict) Worse(w Verdict) Verdict {
	for _, worst := range [...]Verdict{Fail, CouldNotCheck, Pass} {
		if v == worst || w == worst {
			return worst
		}
	}
	return NotProven
}

// Rule describes one kind of finding.
type Rule struct {
	Code    string   // stable, such as WD101
	Name    string   // a few words in kebab case, such as code-start-differs
	Title   string   // one line
	Meaning string   // what it means for the crash report of a user
	Remedy  string   // what to do
	Default Severity // unless set otherwise
}

// FindRule returns the rule with the given code or name.
func FindRule(rules []Rule, s string) (Rule, bool) {
	for i := range rules {
		if rules[i].Code == s || rules[i].Name == s {
			return rules[i], true
		}
	}
	return Rule{}, false
}

// Location says where a finding is. Only Path is always set.
type Location struct {
	Path     string           // the file that the finding is about, as the user named it
	Section  string           // a section of that file
	File     *wasm.FileOffset // F in that file
	Code     *wasm.CodeOffset // C
	Index    *uint32          // function index, imports counted
	Function string           // its readable name
	Source   string           // source file
	Line     uint32           // 1-based, of Source, or of Path where there is no Source; 0: unknown
	Column   uint32           // 1-based; 0: unknown
}

// Finding is one defect, or a group of defects of one kind.
type Finding struct {
	Rule     string // code of the rule
	Severity Severity
	Message  string // what, and why it matters here
	Remedy   string // what to do; empty for the rule's own
	Location Location
	Count    int        // how many there are of the kind; 0 means 1
	Samples  []Location // some of them, where Count is above 1
}

// Counts says how many reportable points resolve how far.
type Counts struct {
	Line     int64 // to file and line
	Function int64 // to a function only
	Nothing  int64 // to nothing
}

// Total returns the number of points.
func (c Counts) Total() int64 { return c.Line + c.Function + c.Nothing }

// Add adds the counts of o.
func (c *Counts) Add(o Counts) {
	c.Line += o.Line
	c.Function += o.Function
	c.Nothing += o.Nothing
}

// Ratio returns the share of points with file and line, from 0 to 1; 1 where
// there are no points.
func (c Counts) Ratio() float64 {
	if c.Total() == 0 {
		return 1
	}
	return float64(c.Line) / float64(c.Total())
}

// Group is the coverage of a part of the code.
type Group struct {
	Name   string // of the function, unit, file or language
	Parent string // of the group above: a file's directory, a function's file; may be empty
	Class  string // user, runtime or glue
	Size   int64  // bytes of code
	Counts Counts
}

// Coverage says what of the code resolves.
type Coverage struct {
	Total     Counts
	Classes   []Group // user code, runtime without debug information, glue made by tools
	Languages []Group
	Units     []Group
	Files     []Group
	Functions []Group
}

// Subject is what one check was about: a pair, one unsplit module, or a file that
// has no partner.
type Subject struct {
	Production string // path; empty if there is none
	Companion  string // path; empty if there is none
	BuildID    string // hex; empty if there is none
	Tier       string // best source of answers
	Verdict    Verdict
	Findings   []Finding
	Coverage   *Coverage // nil where it was not measured
	Checked    []string  // what was checked, one clause each
	NotChecked []string  // what could not be checked, and why
	Facts      []Fact    // figures worth showing, in order
}

// Fact is a named figure of a subject, such as the number of instructions read.
type Fact struct {
	Name  string
	Value string
}

// Report is the outcome of a run.
type Report struct {
	Tool     string // name of the program
	Version  string // its version
	Command  string // what was run: check, conform, verify
	Subjects []Subject
	Rules    []Rule // all rules of the command, in the order of their codes

	// Unmeasured says that the command measures no coverage, so that its absence is
	// not worth a word.
	Unmeasured bool

	// Unexamined says in a few words what the command does not look at, and what
	// does; it ends the line of the verdict.
	Unexamined string
}

// Verdict returns the verdict of all subjects together: pass, fail, or could not
// check. A report about nothing, or with nothing that was proven, is one that could
// not be made.
func (r *Report) Verdict() Verdict {
	v := NotProven
	for i := range r.Subjects {
		v = v.Worse(r.Subjects[i].Verdict)
	}
	if v == NotProven {
		return CouldNotCheck
	}
	return v
}

// Unproven returns for how many subjects nothing was proven.
func (r *Report) Unproven() int {
	n := 0
	for i := range r.Subjects {
		if r.Subjects[i].Verdict == NotProven {
			n++
		}
	}
	return n
}

// Rule returns the rule with a code, or a rule with nothing but the code.
func (r *Report) Rule(code string) Rule {
	for _, rule := range r.Rules {
		if rule.Code == code {
			return rule
		}
	}
	return Rule{Code: code}
}

// Count returns the number of findings of a severity in all subjects.
func (r *Report) Count(s Severity) int {
	n := 0
	for i := range r.Subjects {
		for k := range r.Subjects[i].Findings {
			if r.Subjects[i].Findings[k].Severity == s {
				n++
			}
		}
	}
	return n
}
