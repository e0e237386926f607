package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/report"
)

func checkCommand() command {
	return command{
		name: "check", summary: "prove that crash addresses will resolve, before the deploy", synopsis: "PRODUCTION [COMPANION] | MODULE | DIR | --each MODULE...",
		about: `Proves that every place a runtime can report in a module resolves to function, file and line: it decodes every function, and looks up each call and each instruction that can trap. Before that it holds the pair together: build IDs, code bytes, code start, sections, pointer. Pairs may be made by any tool. A module that is not split yet is checked by itself, and of a directory every module with its companion.

Without COMPANION it is looked for: among what --debug names by build ID, where external_debug_info leads, and by the usual names (app.debug.wasm, app.wasm.debug.wasm, app.debug).

There are three results: pass, fail, and could not check, and only the first is exit code 0. Each kind of finding is a rule with a code, such as WD101; docs/checks.md explains them. --rule and a configuration file, .wasm-debugid.json in the working directory or --config, set how bad a finding is. What could not be checked stays that, with exit code 1, whatever its rule is set to.

--fix repairs what can be repaired without touching code, and then checks: a companion whose code starts at another offset is laid out again, a build ID is encoded as it should be, a pointer in the companion is removed. --fix=production may also change the production module's build_id and external_debug_info.`,
		examples: []example{
			{"a pair, before the deploy", "wasm-debugid check dist/app.wasm"},
			{"companions that are kept elsewhere", "wasm-debugid check dist/app.wasm --debug symbols/"},
			{"everything in a folder, for a browser that reports to Sentry", "wasm-debugid check dist/ --for sentry --require-id --require-companion --forbid-dwarf"},
			{"the linker's output", "wasm-debugid check build/app.wasm --min-coverage 95"},
			{"a pair that emcc made, which has no build ID", "wasm-debugid check out.wasm out.wasm.debug.wasm --fix --rule build-id-missing=warning"},
			{"the files that a hook of a version control system names", "wasm-debugid check --each a.wasm b.wasm"},
			{"annotations in a GitHub workflow, and a file for code scanning", "wasm-debugid check dist/ --format github --report sarif=check.sarif"},
			{"a page to look at", "wasm-debugid check dist/app.wasm --format html --output report.html"},
		},
		exits: []int{exitCheck, exitInput, exitFiles},
		options: append(append(checkRuleOptions(),
			option{names: []string{"debug"}, value: "FILE|DIR", many: true, file: true, usage: "a companion, or a directory in which companions are found by build ID"},
			option{names: []string{"require-companion"}, usage: "a module without DWARF must have a companion"},
			option{names: []string{"forbid-companion"}, usage: "a directory, which is what ships, must hold no companion"},
			option{names: []string{"each"}, usage: "every argument is a module by itself, treated as one that was found in a directory; companions among them are taken for what they are"},
			option{names: []string{"fix"}, value: "WHAT", bare: "companion", choice: []string{"companion", "production"}, usage: "repair what can be repaired first; production: in the production module as well"},
			option{names: []string{"dry-run", "n"}, usage: "with --fix: say what would be repaired, and write nothing"},
		), reportOptions()...),
		run: runCheck,
	}
}

func formatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, string(f))
	}
	return names
}

func runCheck(c *call) error {
	format, err := c.reportFormat()
	if err != nil {
		return err
	}
	if err := c.noEmptyNames(); err != nil {
		return err
	}
	o := debugid.CheckOptions{SearchDebug: c.list("debug"), RequireCompanion: c.Bool("require-companion"), ForbidCompanion: c.Bool("forbid-companion")}
	switch n := c.NArg(); {
	case n == 0:
		return &usageError{"check: name a module, a pair or a directory", program + " check dist/app.wasm"}
	case c.Bool("each"):
		o.Each = c.Args().Slice()
	case n > 2:
		return &usageError{"check takes one module and its companion", "name the directory that holds all of them, or give --each"}
	default:
		o.Path, o.Companion = c.Args().Get(0), c.Args().Get(1)
	}
	if slices.Contains(append([]string{o.Path, o.Companion}, o.Each...), debugid.Stdio) {
		return &usageError{"check reads files, not standard input", "name the file"}
	}
	if o.Options, err = c.checkOptions(); err != nil {
		return err
	}
	repaired := true
	if c.String("fix") != "" {
		if c.Bool("each") {
			return &usageError{"--fix repairs one pair, and --each names several modules", "leave one of them out"}
		}
		if o.Companion, repaired, err = c.fix(o); err != nil {
			return err
		}
	} else if c.Bool("dry-run") {
		return &usageError{"--dry-run says what --fix would do, and there is no --fix", c.line("--fix")}
	}
	r, err := debugid.Check(c.ctx(), o)
	if err != nil {
		return err
	}
	if len(r.Subjects) == 0 && o.Path != "" && !c.quiet {
		c.message(c.paintErr().yellow("warning"), o.Path+": there is no WebAssembly module in this directory")
	}
	if !repaired && r.Verdict() != report.Pass && !c.quiet {
		c.message(c.paintErr().yellow("warning"), "--fix can repair nothing of what is wrong here")
	}
	return c.report(r, format)
}

// fix repairs a pair and returns where its companion is now, and whether there was
// anything to say about repairs.
func (c *call) fix(o debugid.CheckOptions) (companion string, any bool, err error) {
	what := c.String("fix")
	if what != "companion" && what != "production" {
		return "", false, &usageError{fmt.Sprintf("--fix is companion or production, not %q", what), ""}
	}
	if info, err := os.Stat(o.Path); err == nil && info.IsDir() {
		return "", false, &usageError{"--fix repairs one pair, and " + o.Path + " is a directory", "name the production module"}
	}
	r, err := debugid.Fix(c.ctx(), debugid.FixOptions{CheckOptions: o, Production: what == "production", DryRun: c.Bool("dry-run")})
	if err != nil {
		return "", false, err
	}
	c.changed = len(r.Written) > 0
	label := "fixed"
	if c.Bool("dry-run") {
		label = "would fix"
	}
	if !c.quiet {
		for _, text := range r.Fixed {
			c.message(label, text)
		}
		for _, text := range r.Left {
			c.message(c.paintErr().yellow("warning"), text)
		}
	}
	return r.Companion, len(r.Fixed)+len(r.Left) > 0, nil
}

// reportFormat reads --format and --json, and sees that --report can be read.
func (c *call) reportFormat() (report.Format, error) {
	name := c.String("format")
	if c.Bool("json") {
		if name != "" && name != string(report.FormatJSON) {
			return "", &usageError{"--json and --format " + name + " contradict each other", "leave one of them out"}
		}
		name = string(report.FormatJSON)
	}
	further, err := c.furtherReports()
	if err != nil {
		return "", err
	}
	f := report.FormatText
	if name != "" {
		if f, err = report.ParseFormat(name); err != nil {
			return "", &usageError{"--format: " + err.Error(), ""}
		}
	}
	return f, c.guardReports(further)
}

// furtherReport is a report that is written to a file besides the one that
// --format asks for.
type furtherReport struct {
	format report.Format
	path   string
}

// furtherReports reads --report.
func (c *call) furtherReports() ([]furtherReport, error) {
	var out []furtherReport
	for _, text := range c.list("report") {
		name, path, ok := strings.Cut(text, "=")
		if !ok || path == "" || path == debugid.Stdio {
			return nil, &usageError{fmt.Sprintf("--report takes a format and a file, not %q", text), "for example --report sarif=check.sarif"}
		}
		format, err := report.ParseFormat(name)
		if err != nil {
			return nil, &usageError{"--report: " + err.Error(), ""}
		}
		out = append(out, furtherReport{format, path})
	}
	return out, nil
}

// report writes a report where it was asked for, and returns an error unless it is
// about a check that passed.
func (c *call) report(r *report.Report, format report.Format) error {
	r.Version = versionName()
	root, err := os.Getwd()
	if err != nil {
		root = ""
	}
	out := report.Options{Root: root, Verbose: c.verbose, Color: c.paintOut().on, Width: -1}
	if c.outTTY {
		out.Width = 0
	}
	plain := out
	plain.Color, plain.Width = false, -1
	further, err := c.furtherReports()
	if err != nil {
		return err
	}
	for _, f := range further {
		if err := writeReport(c.ctx(), "report", f.path, r, f.format, plain); err != nil {
			return err
		}
	}
	name := c.String("output")
	if name == debugid.Stdio {
		name = ""
	}
	if name != "" {
		if err := writeReport(c.ctx(), "output", name, r, format, plain); err != nil {
			return err
		}
		format = report.FormatText
	}
	asked := name == "" && (c.args.has("format") || c.Bool("json"))
	if !c.quiet || asked {
		var b bytes.Buffer
		if err := report.Write(&b, format, r, out); err != nil {
			return err
		}
		if err := c.print(b.String()); err != nil {
			return err
		}
	}
	if c.quiet && !asked {
		c.errorFindings(r)
	}
	if format == report.FormatGitHub {
		if err := forWorkflow(r, plain); err != nil {
			return err
		}
	}
	if r.Verdict() != report.Pass {
		return &debugid.CheckError{Report: r}
	}
	return nil
}

// splitReport prints the report of a split's check to standard error: why it was
// refused, or, with --verbose, that it passed.
func (c *call) splitReport(one *debugid.Prepared, err error) {
	var failed *debugid.CheckError
	var r *report.Report
	switch {
	case errors.As(err, &failed):
		r = failed.Report
	case err == nil && c.verbose:
		r = one.Result.Report
	}
	switch {
	case r == nil:
	case c.quiet:
		c.errorFindings(r)
	default:
		c.printReport(r)
	}
}

// errorFindings prints the errors of a report to standard error, a line each: what
// --quiet leaves of it. Of what could not be checked it says why.
func (s *streams) errorFindings(r *report.Report) {
	label := s.paintErr().red("error")
	for i := range r.Subjects {
		subject := &r.Subjects[i]
		for k := range subject.Findings {
			if f := &subject.Findings[k]; f.Severity == report.Error {
				s.message(label, fmt.Sprintf("%s: %s: %s", printable.Line(f.Location.Path), f.Rule, printable.Line(f.Message)))
			}
		}
		if subject.Verdict == report.CouldNotCheck {
			for _, text := range subject.NotChecked {
				s.message(label, printable.Line(cmp.Or(subject.Production, subject.Companion)+": not checked: "+text))
			}
		}
	}
}

// writeReport writes a report to a file, all or nothing; to a pipe or a device it
// is simply written. A file that the report is about is never replaced by it.
func writeReport(ctx context.Context, flag, name string, r *report.Report, format report.Format, o report.Options) error {
	info, err := os.Stat(name)
	if err == nil {
		for i := range r.Subjects {
			for _, path := range []string{r.Subjects[i].Production, r.Subjects[i].Companion} {
				if about, err := os.Stat(path); err == nil && os.SameFile(info, about) {
					return &usageError{fmt.Sprintf("--%s: %s is a file that is checked, and the report would replace it", flag, name), "name another file"}
				}
			}
		}
		if !info.Mode().IsRegular() && !info.IsDir() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(report.Write(f, format, r, o), f.Close())
		}
	}
	_, err = (&atomicfile.Pair{Production: &atomicfile.File{Path: name, Mode: 0o666, Size: -1,
		Write: func(_ context.Context, w *os.File) error { return report.Write(w, format, r, o) }}}).Commit(ctx)
	return err
}

// forWorkflow gives a step of a GitHub workflow its summary and its outputs, in the
// files that the variables of the step name.
func forWorkflow(r *report.Report, o report.Options) error {
	if err := appendTo("GITHUB_STEP_SUMMARY", func(w io.Writer) error { return report.Summary(w, r, o) }); err != nil {
		return err
	}
	return appendTo("GITHUB_OUTPUT", func(w io.Writer) error { return report.Outputs(w, r) })
}

// appendTo adds to the file that a variable names; without the variable it does
// nothing.
func appendTo(variable string, write func(io.Writer) error) error {
	name := os.Getenv(variable)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
