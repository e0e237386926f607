package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// Options say what Examine looks at.
type Options struct {
	Dir    string                   // the project; empty for none, so that only tools are looked at
	Path   []string                 // folders with tools; empty for none
	Dist   []string                 // folders that will be shipped, besides those that look like it
	Getenv func(name string) string // reads a variable; nil for none
	Run    Runner                   // asks a tool; nil to run it
	Rules  map[string]report.Severity
	Strict bool // warnings fail the report as well
}

// Examine looks at a project and at the machine's tools. The report has one
// subject. It fails if something will go wrong, which findings of the severity
// error say; warnings are for what goes wrong under some conditions.
func Examine(ctx context.Context, o Options) (*report.Report, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Run == nil {
		o.Run = runTool
	}
	name := o.Dir
	if name == "" {
		name = "tools"
	}
	e := &examiner{ctx: ctx, o: o, s: &report.Subject{Production: name}}
	for _, dir := range append([]string{o.Dir}, o.Dist...) {
		if dir == "" {
			continue
		}
		info, err := os.Stat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, &rewrite.UsageError{Msg: fmt.Sprintf("%s is no folder; doctor looks at a project, check at a module", dir)}
		}
	}
	if err := e.walk(); err != nil {
		return nil, err
	}
	e.findTools()
	for _, examine := range []func() error{e.compilers, e.optimizers, e.bindgen, e.cargo, e.webTools, e.scripts, e.shipped, e.identities, e.pages} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := examine(); err != nil {
			return nil, err
		}
	}
	e.conclude()
	return &report.Report{Tool: "wasm-debugid", Command: "doctor", Subjects: []report.Subject{*e.s}, Rules: Rules(), Unmeasured: true, Unexamined: e.unexamined()}, nil
}

// examiner is one run.
type examiner struct {
	ctx     context.Context
	o       Options
	s       *report.Subject
	texts   []*textFile // that describe builds, and pages
	modules []*module
	tools   []*tool
}

// add adds a finding of a rule, with the rule's severity.
func (e *examiner) add(code string, at report.Location, format string, args ...any) {
	rule, _ := FindRule(code)
	e.addAs(code, rule.Default, at, format, args...)
}

// addAs adds a finding of another severity than the rule's, unless the rule has
// been set.
func (e *examiner) addAs(code string, severity report.Severity, at report.Location, format string, args ...any) {
	if set, ok := e.o.Rules[code]; ok {
		severity = set
	}
	if severity == report.Off {
		return
	}
	e.s.Findings = append(e.s.Findings, report.Finding{Rule: code, Severity: severity, Message: fmt.Sprintf(format, args...), Location: at})
}

// conclude counts what was looked at and draws the verdict.
func (e *examiner) conclude() {
	e.s.Facts = append(e.s.Facts, report.Fact{Name: "examined", Value: fmt.Sprintf("%s, %s, %s",
		plural(len(e.tools), "tool"), plural(len(e.texts), "build file"), plural(len(e.modules), "module"))})
	slices.SortStableFunc(e.s.Findings, func(a, b report.Finding) int {
		if n := strings.Compare(a.Location.Path, b.Location.Path); n != 0 {
			return n
		}
		return int(a.Location.Line) - int(b.Location.Line)
	})
	for i := range e.s.Findings {
		if s := e.s.Findings[i].Severity; s == report.Error || s == report.Warning && e.o.Strict {
			e.s.Verdict = report.Fail
		}
	}
	if len(e.s.NotChecked) > 0 {
		e.s.Verdict = e.s.Verdict.Worse(report.CouldNotCheck)
	}
}

// unexamined says that doctor does not check modules; empty if there are none.
func (e *examiner) unexamined() string {
	if len(e.modules) == 0 {
		return ""
	}
	at := e.o.Dir
	if at == "" {
		at = "FILE"
	}
	return "the modules are not checked here: wasm-debugid check " + at
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
