package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// defaultTop is how many files and functions diff lists.
const defaultTop = 15

func diffCommand() command {
	options := checkRuleOptions()
	options = append(options,
		option{names: []string{"old-debug"}, value: "FILE|DIR", many: true, file: true, usage: "the companion of OLD, or a directory with it"},
		option{names: []string{"new-debug"}, value: "FILE|DIR", many: true, file: true, usage: "the companion of NEW, or a directory with it"},
		option{names: []string{"format"}, value: "FORMAT", choice: []string{"text", "json", "markdown"}, usage: "how the comparison is written; markdown is for a pull request"},
		option{names: []string{"json"}, usage: "the same as --format json"},
		option{names: []string{"top"}, value: "N", usage: fmt.Sprintf("list the N files and functions that changed most; %d by default, 0 for all", defaultTop)},
		option{names: []string{"strict"}, usage: "exit with 1 if an error or a warning appeared, or less of the user's code resolves"},
	)
	return command{
		name: "diff", summary: "compare two builds: size, coverage, findings", synopsis: "OLD NEW",
		about: `Checks two builds and prints what changed: size of the files and of the code by source file and function, how much of it resolves, the build ID, and findings that appeared or vanished. OLD and NEW are production modules, whose companions are looked for as check does, or unsplit modules.

Whether the builds are good is no matter for the exit code, unless --strict asks; a build whose code cannot be looked at, because its companion is not at hand, is exit code 1.`,
		examples: []example{
			{"a release and the next one", "wasm-debugid diff v1/app.wasm v2/app.wasm"},
			{"a comment for a pull request", "wasm-debugid diff main/app.wasm dist/app.wasm --format markdown"},
			{"companions that are kept elsewhere", "wasm-debugid diff v1/app.wasm v2/app.wasm --old-debug symbols/ --new-debug symbols/"},
		},
		exits:   []int{exitCheck, exitInput, exitFiles},
		options: options,
		run:     runDiff,
	}
}

func runDiff(c *call) error {
	if c.NArg() != 2 {
		return &usageError{"diff takes two modules", program + " diff old/app.wasm new/app.wasm"}
	}
	format := c.String("format")
	if c.Bool("json") {
		if format != "" && format != "json" {
			return &usageError{"--json and --format " + format + " contradict each other", "leave one of them out"}
		}
		format = "json"
	}
	if !slices.Contains([]string{"", "text", "json", "markdown"}, format) {
		return &usageError{fmt.Sprintf("--format is text, json or markdown, not %q", format), ""}
	}
	top := defaultTop
	if v := c.String("top"); v != "" {
		var err error
		if top, err = strconv.Atoi(v); err != nil || top < 0 {
			return &usageError{fmt.Sprintf("--top is a number, not %q", v), ""}
		}
	}
	opt, err := c.checkOptions()
	if err != nil {
		return err
	}
	d, err := debugid.Diff(c.ctx(), debugid.DiffOptions{Options: opt,
		Old: debugid.DiffSide{Path: c.Args().Get(0), SearchDebug: c.list("old-debug")},
		New: debugid.DiffSide{Path: c.Args().Get(1), SearchDebug: c.list("new-debug")}})
	if err != nil {
		return err
	}
	switch format {
	case "json":
		err = c.printJSON(newDiffDocument(d))
	default:
		var b bytes.Buffer
		w := diffWriter{&b, d, top, format == "markdown", c.paintOut()}
		w.write()
		err = c.print(b.String())
	}
	if err != nil {
		return err
	}
	for _, b := range []*debugid.DiffBuild{&d.Old, &d.New} {
		if b.Uncomparable != "" {
			return &uncomparableError{b.Subject.Production, b.Uncomparable}
		}
	}
	if !c.Bool("strict") {
		return nil
	}
	return worse(d)
}

// uncomparableError says that the code of a build could not be compared.
type uncomparableError struct{ path, why string }

func (e *uncomparableError) Error() string {
	return e.path + ": the code of this build could not be compared: " + e.why
}

// Hint says what to type.
func (e *uncomparableError) Hint() string {
	return "name its companion, or a directory with it, with --old-debug or --new-debug"
}

// worse returns an error if the new build is worse than the old one.
func worse(d *debugid.Difference) error {
	n := 0
	for i := range d.Appeared {
		if d.Appeared[i].Severity >= report.Warning {
			n++
		}
	}
	older, newer := d.Old.Counts(), d.New.Counts()
	if n > 0 || newer.Ratio() < older.Ratio() {
		return &worseError{n, older.Ratio() * 100, newer.Ratio() * 100}
	}
	return nil
}

// worseError says that the new build is worse than the old one.
type worseError struct {
	findings     int
	older, newer float64 // per cent
}

func (e *worseError) Error() string {
	return fmt.Sprintf("the new build is worse: %d new errors and warnings, %.1f %% of the user's code resolve to a line, %.1f %% did before", e.findings, e.newer, e.older)
}

// diffDocument is the JSON document of diff.
type diffDocument struct {
	Schema    string        `json:"schema"`
	Version   int           `json:"version"`
	Old       diffBuild     `json:"old"`
	New       diffBuild     `json:"new"`
	Files     []diffChange  `json:"files"`
	Functions []diffChange  `json:"functions"`
	Languages []diffChange  `json:"languages"`
	Appeared  []diffFinding `json:"appeared"`
	Vanished  []diffFinding `json:"vanished"`
}

type diffBuild struct {
	Production     string     `json:"production"`
	Companion      string     `json:"companion"`
	BuildID        string     `json:"build_id"`
	Verdict        string     `json:"verdict"`
	ProductionSize int64      `json:"production_size"`
	CompanionSize  int64      `json:"companion_size"`
	CodeSize       *int64     `json:"code_size"` // null where it was not looked at
	Uncomparable   string     `json:"uncomparable"`
	User           diffCounts `json:"user"`
}

type diffCounts struct {
	Line     int64 `json:"line"`
	Function int64 `json:"function"`
	Nothing  int64 `json:"nothing"`
}

type diffChange struct {
	Name      string     `json:"name"`
	File      string     `json:"file"`
	Old       int64      `json:"old"`
	New       int64      `json:"new"`
	OldPoints diffCounts `json:"old_points"`
	NewPoints diffCounts `json:"new_points"`
}

type diffFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Path     string `json:"path"`
	Function string `json:"function"`
	Source   string `json:"source"`
}

func newDiffDocument(d *debugid.Difference) *diffDocument {
	return &diffDocument{Schema: "wasm-debugid/diff", Version: 1, Old: newDiffBuild(&d.Old), New: newDiffBuild(&d.New),
		Files: newDiffChanges(d.Files), Functions: newDiffChanges(d.Functions), Languages: newDiffChanges(d.Languages()),
		Appeared: newDiffFindings(d.Appeared), Vanished: newDiffFindings(d.Vanished)}
}

func newDiffBuild(b *debugid.DiffBuild) diffBuild {
	s := &b.Subject
	var code *int64
	if s.Coverage != nil {
		code = &b.CodeSize
	}
	return diffBuild{Production: s.Production, Companion: s.Companion, BuildID: s.BuildID, Verdict: s.Verdict.String(),
		ProductionSize: b.ProductionSize, CompanionSize: b.CompanionSize, CodeSize: code, Uncomparable: b.Uncomparable, User: diffCounts(b.Counts())}
}

func newDiffChanges(list []debugid.Change) []diffChange {
	out := []diffChange{}
	for i := range list {
		c := &list[i]
		out = append(out, diffChange{c.Name, c.File, c.Old, c.New, diffCounts(c.OldPoints), diffCounts(c.NewPoints)})
	}
	return out
}

func newDiffFindings(list []report.Finding) []diffFinding {
	out := []diffFinding{}
	for i := range list {
		f := &list[i]
		out = append(out, diffFinding{f.Rule, f.Severity.String(), f.Message, f.Location.Path, f.Location.Function, f.Location.Source})
	}
	return out
}
