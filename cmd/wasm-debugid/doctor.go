package main

import (
	"os"
	"path/filepath"

	"github.com/wasm-debugid/wasm-debugid/hook/doctor"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

func doctorCommand() command {
	return command{
		name: "doctor", summary: "find what will ruin debug information, in a project and among the tools", synopsis: "[DIR]",
		about: `Looks at the build files and modules of a project, the working directory without DIR, and at the compilers, linkers and optimisers on PATH. For each thing that will go wrong it says what it is, where, why, and what to do: a wasm-opt that clang runs by itself, release profiles without debug information, build steps that strip, a folder to be shipped that holds DWARF or another build, modules that share a build ID. docs/doctor.md lists all findings.

Tools are asked for their version, and each wasm-opt is tried out with a small module. Nothing that lies in DIR is run, and nothing is changed.

The report fails for errors; for warnings as well with --strict. Folders called dist, public, www, _site or deploy are taken for what will be shipped; --dist names others.`,
		examples: []example{
			{"the project in the working directory", "wasm-debugid doctor"},
			{"in a pipeline, before the deploy", "wasm-debugid doctor --dist build/site --strict --format github"},
			{"leave one finding out", "wasm-debugid doctor --rule WD301=off"},
		},
		exits: []int{exitCheck, exitFiles},
		options: append([]option{
			{names: []string{"dist"}, value: "DIR", many: true, dir: true, usage: "a folder that will be shipped"},
			{names: []string{"strict"}, usage: "warnings fail the report as well"},
			{names: []string{"no-tools"}, usage: "do not look at the tools on PATH"},
			{names: []string{"rule"}, value: "RULE=SEVERITY", many: true, usage: "set a finding, by code or name, to error, warning, info or off"},
			{names: []string{"config"}, value: "FILE", file: true, usage: "read the settings of findings from FILE, the file that check reads; by default from " + symcheck.ConfigName + ", if it is there"},
		}, reportOptions()...),
		run: runDoctor,
	}
}

func runDoctor(c *call) error {
	format, err := c.reportFormat()
	if err != nil {
		return err
	}
	if err := c.noEmptyNames(); err != nil {
		return err
	}
	o := doctor.Options{Dir: ".", Dist: c.list("dist"), Getenv: os.Getenv, Strict: c.Bool("strict"), Rules: map[string]report.Severity{}}
	switch c.NArg() {
	case 0:
	case 1:
		o.Dir = c.Args().First()
	default:
		return &usageError{"doctor takes one folder", program + " doctor ."}
	}
	if !c.Bool("no-tools") {
		o.Path = filepath.SplitList(os.Getenv("PATH"))
	}
	settings, err := c.readConfig(&symcheck.Options{Rules: symcheck.Settings{}})
	if err != nil {
		return err
	}
	for code, severity := range settings {
		if _, own := doctor.FindRule(code); own {
			o.Rules[code] = severity
		}
	}
	for _, text := range c.ownRules(c.list("rule"), doctor.FindRule) {
		if err := doctor.SetRule(o.Rules, text); err != nil {
			return &usageError{"--rule: " + err.Error(), "for example --rule WD301=off"}
		}
	}
	r, err := doctor.Examine(c.ctx(), o)
	if err != nil {
		return err
	}
	return c.report(r, format)
}
