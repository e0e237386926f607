package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// home is where the program is at home.
const home = "https://github.com/wasm-debugid/wasm-debugid"

// notCheckedRule is the rule under which code scanning lists what could not be
// checked: it shows results and nothing else.
var notCheckedRule = Rule{Code: "could-not-check", Name: "could-not-check", Default: Error,
	Title:   "Something could not be checked",
	Meaning: "Nobody knows whether the crash reports of this module will resolve: a check that could not be made is not a pass.",
	Remedy:  "give the check what it lacks, or leave the part out on purpose"}

// Limits of GitHub code scanning, which refuses a file that exceeds them.
const (
	maxResults = 25_000 // of a run
	maxRelated = 100    // places of a result; the limit is 1000 of all kinds
)

// WriteSARIF writes a report as SARIF 2.1.0
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), the way that GitHub code
// scanning accepts it: each result has one location in a module, with the line 1
// that is asked for and the offset F, and fingerprints that stay when code moves.
func WriteSARIF(w io.Writer, r *Report, o Options) error {
	if err := newSARIF(r, o).PrettyWrite(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func newSARIF(r *Report, o Options) *sarif.Report {
	run := sarif.NewRunWithInformationURI(clean(r.Tool), home)
	if r.Version != "" {
		run.Tool.Driver.WithVersion(clean(r.Version))
		if v := strings.TrimPrefix(r.Version, "v"); semver.MatchString(v) {
			run.Tool.Driver.WithSemanticVersion(v)
		}
	}
	run.WithColumnKind("unicodeCodePoints")
	b := &sarifRun{run: run, o: o, index: map[string]int{}, seen: map[string]int{}}
	for _, rule := range r.Rules {
		b.rule(rule)
	}
	invocation := sarif.NewInvocation().WithExecutionSuccessful(r.Verdict() != CouldNotCheck)
	for _, s := range subjects(r) {
		if s.Verdict == NotProven {
			invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications,
				sarif.NewNotification().WithLevel(sarif.LevelWarning).WithMessage(sarif.NewTextMessage(sarifText(s.path()+": "+unprovenText))))
		}
		for _, k := range kinds(r, s) {
			for _, f := range k.findings {
				b.finding(k, f, s)
			}
		}
		for _, reason := range s.NotChecked {
			f := &Finding{Rule: notCheckedRule.Code, Severity: Error, Message: reason, Location: Location{Path: s.path()}}
			b.finding(&kind{rule: notCheckedRule}, f, s)
			invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications,
				sarif.NewNotification().WithLevel(sarif.LevelError).WithMessage(sarif.NewTextMessage(sarifText(reason))))
		}
	}
	if b.dropped > 0 {
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, sarif.NewNotification().WithLevel(sarif.LevelError).
			WithMessage(sarif.NewTextMessage(fmt.Sprintf("%d more findings are left out: code scanning accepts %d", b.dropped, maxResults))))
	}
	run.AddInvocation(invocation)
	return sarif.NewReport().AddRun(run)
}

// semver is the pattern of versions that may be called semantic
// (https://semver.org/).
var semver = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// sarifRun collects a run.
type sarifRun struct {
	run     *sarif.Run
	o       Options
	index   map[string]int // of rules
	seen    map[string]int // fingerprints
	dropped int            // findings beyond the limit
}

// rule adds a rule, once, and returns its index.
func (b *sarifRun) rule(rule Rule) int {
	if i, ok := b.index[rule.Code]; ok {
		return i
	}
	text := cmp.Or(sentence(rule.Title), rule.Code)
	help := strings.TrimSpace(sentence(rule.Meaning) + "\n\nWhat to do: " + cmp.Or(sentence(rule.Remedy), "see the message") + ".")
	markdown := "**" + MarkdownText(text) + "**\n\n" + MarkdownText(rule.Meaning) + "\n\n**What to do:** " + MarkdownText(cmp.Or(rule.Remedy, "see the message"))
	d := sarif.NewRule(clean(rule.Code)).
		WithName(pascal(cmp.Or(rule.Name, rule.Code))).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(text)).
		WithFullDescription(sarif.NewMultiformatMessageString().WithText(cmp.Or(sentence(rule.Meaning), text))).
		WithHelp(sarif.NewMultiformatMessageString().WithText(help).WithMarkdown(markdown)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(rule.Default)).WithEnabled(rule.Default != Off))
	severity := map[Severity]string{Error: "error", Warning: "warning"}[rule.Default]
	d.WithProperties(sarif.NewPropertyBag().
		Add("precision", "very-high").
		Add("problem.severity", cmp.Or(severity, "recommendation")).
		WithTags([]string{"debug-information", "webassembly"}))
	i := len(b.run.Tool.Driver.Rules)
	b.run.Tool.Driver.Rules = append(b.run.Tool.Driver.Rules, d)
	b.index[rule.Code] = i
	return i
}

// finding adds a result.
func (b *sarifRun) finding(k *kind, f *Finding, s *Subject) {
	if len(b.run.Results) == maxResults {
		b.dropped++
		return
	}
	message := sentence(f.Message)
	if f.Count > 1 {
		message += " (" + count(int64(f.Count), "place") + ")"
	}
	at := f.Location
	if at.Path == "" {
		at.Path = cmp.Or(s.path(), ".")
	}
	if place := at.place(at.Path); place != "" {
		message += ". At " + place
	}
	if remedy := sentence(k.remedy(f)); remedy != "" {
		message += ". What to do: " + remedy
	}
	result := sarif.NewRuleResult(clean(k.rule.Code)).
		WithRuleIndex(b.rule(k.rule)).
		WithLevel(sarifLevel(f.Severity)).
		WithMessage(sarif.NewTextMessage(sarifText(message))).
		AddLocation(b.location(&at, 0))
	if f.Count > 1 {
		result.WithOccurrenceCount(f.Count)
	}
	if at.Source != "" {
		result.AddRelatedLocation(b.source(&at, 1))
	}
	for i := range f.Samples[:min(len(f.Samples), maxRelated)] {
		l := f.Samples[i]
		l.Path = cmp.Or(l.Path, at.Path)
		result.AddRelatedLocation(b.location(&l, len(result.RelatedLocations)+1))
	}
	result.PartialFingerprints = b.fingerprints(f, &at)
	b.run.AddResult(result)
}

// location returns the place in the module. Code scanning wants a line, and a
// module has only offsets; SARIF lets a region have both (section 3.30.4).
func (b *sarifRun) location(l *Location, id int) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(1)
	if l.Source == "" && l.Line > 0 {
		region.WithStartLine(int(min(l.Line, math.MaxInt32)))
	}
	if l.File != nil && int64(*l.File) >= 0 && int64(*l.File) <= math.MaxInt32 {
		region.WithByteOffset(int(*l.File)) // an int of 32 bits must hold it
	}
	at := sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(l.Path, b.o.Root))).
		WithRegion(region))
	if l.Function != "" {
		at.AddLogicalLocation(sarif.NewLogicalLocation().WithName(clean(l.Function)).WithKind("function"))
	}
	if id > 0 {
		at.WithID(id).WithMessage(sarif.NewTextMessage(sarifText(cmp.Or(l.place(""), "here"))))
	}
	return at
}

// source returns the place in the source file.
func (b *sarifRun) source(l *Location, id int) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(int(min(max(l.Line, 1), math.MaxInt32)))
	if l.Column > 0 {
		region.WithStartColumn(int(min(l.Column, math.MaxInt32)))
	}
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(l.Source, b.o.Root))).
		WithRegion(region)).WithID(id).WithMessage(sarif.NewTextMessage(sarifText(l.source())))
}

// fingerprints identify a finding from one build to the next: by what it is about,
// not by offsets, IDs or counts, which change with every build.
func (b *sarifRun) fingerprints(f *Finding, l *Location) map[string]string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", []string{f.Rule, relative(l.Path, b.o.Root), l.Section, l.Function, l.Source})
	sum := hex.EncodeToString(h.Sum(nil))[:16]
	b.seen[sum]++
	print := fmt.Sprintf("%s:%d", sum, b.seen[sum])
	// The first is the one that code scanning goes by.
	return map[string]string{"primaryLocationLineHash": print, "wasmDebugid/v1": print}
}

func sarifLevel(s Severity) string {
	switch s {
	case Error:
		return sarif.LevelError
	case Warning:
		return sarif.LevelWarning
	case Info:
		return sarif.LevelNote
	}
	return sarif.LevelNone
}

// placeholder is what section 3.11.5 would replace in a message.
var placeholder = regexp.MustCompile(`\{(\d+)\}`)

// sarifText keeps names from being read as links and placeholders (sections 3.11.5
// and 3.11.6).
func sarifText(s string) string {
	s = placeholder.ReplaceAllString(sentence(s), "{{$1}}")
	return strings.ReplaceAll(s, "](", "] (")
}

// pascal turns a name in kebab case into the case that code scanning expects.
func pascal(name string) string {
	var b strings.Builder
	start := true
	for _, r := range clean(name) {
		switch {
		case r == '-' || r == '_' || r == ' ':
			start = true
			continue
		case start:
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		start = false
	}
	return b.String()
}
