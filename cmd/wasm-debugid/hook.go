package main

import (
	"bytes"
	"errors"
	"fmt"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/hook"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// What the commands that stand in a build tool's place have in common: they read
// their options from variables, and print what goes wrong.

// hookReport prints what a hook has to say about one file: warnings, and the report
// of a check that did not pass.
func (s *streams) hookReport(r *hook.Result, err error) {
	var failed *debugid.CheckError
	if errors.As(err, &failed) {
		s.printReport(failed.Report)
	}
	if err != nil || r == nil || r.Note == nil || s.quiet {
		return
	}
	for _, text := range r.Note.Warnings {
		s.message(s.paintErr().yellow("warning"), shownPath(r.Path)+": "+text)
	}
	for _, n := range r.Split.Notes {
		if n.Disk && n.Warning {
			s.note(shownPath(r.Path), n)
		}
	}
}

// checkWarnings prints what a check that passed has to warn of.
func (s *streams) checkWarnings(about string, findings []string) {
	for _, text := range findings {
		s.note(about, rewrite.Note{Warning: true, Text: text})
	}
}

// printReport prints a report to standard error.
func (s *streams) printReport(r *report.Report) {
	r.Version = versionName()
	o := report.Options{Color: s.paintErr().on, Width: -1, Verbose: s.verbose}
	if s.errTTY {
		o.Width = 0
	}
	var b bytes.Buffer
	if report.WriteText(&b, r, o) == nil {
		fmt.Fprintln(s.stderr, b.String())
	}
}
