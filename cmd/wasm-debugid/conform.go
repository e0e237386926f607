package main

import (
	"slices"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

func conformCommand() command {
	return command{
		name: "conform", summary: "run the module, and hold a real engine's offsets against the companion", synopsis: "PRODUCTION [COMPANION]",
		about: `Runs a module in wazero, in its interpreter and its compiler, and takes every offset that they report: of traps, and of the callers of imported functions. Each must lie in the function that the engine names, at an instruction that can be reported, and resolve as the companion's clients would resolve it. Where check reasons about offsets, this sees them.

What is run: the calls of --scenario or --invoke; or else _start of a WASI program, and all other exports with boundary arguments. Imports are stood in for by stubs. In addition every function is called in a copy in which each instruction that can trap or call does trap, so that functions that no export reaches are seen as well.

Lines are covered only by comparison: with --original, the input that was split, or with frames that a scenario expects. Without, the report says that rows were not covered.

The module is executed. It gets no files, network, clock or environment but what --dir, --env and --stdin name, and is limited in time, memory, depth and output.

There are three results: pass, fail, and could not check. A module that uses what wazero lacks (memory64, garbage collection, the old exceptions and more) could not be checked, which is exit code 1 unless --allow-unrunnable says otherwise.`,
		examples: []example{
			{"a pair, against the linker's output", "wasm-debugid conform dist/app.wasm --original build/app.wasm"},
			{"one export", "wasm-debugid conform dist/app.wasm --invoke run:0,20"},
			{"a WASI program with arguments and a directory", "wasm-debugid conform dist/tool.wasm --arg tool --arg /data/in.txt --dir /data=testdata"},
			{"calls with expected frames, for CI", "wasm-debugid conform dist/app.wasm --scenario traps.json --format junit --output conform.xml"},
		},
		exits: []int{exitCheck, exitInput, exitFiles},
		options: append(append(conformOptions(),
			option{names: []string{"rule"}, value: "CODE=SEVERITY", many: true, usage: "set a rule to error, warning, info or off, for example WD210=error"},
			option{names: []string{"config"}, value: "FILE", file: true, usage: "read the settings of rules from FILE, the file that check reads; by default from " + symcheck.ConfigName + ", if it is there"},
			option{names: []string{"dwo"}, value: "FILE", many: true, file: true, usage: "a .dwo file with split DWARF"},
			option{names: []string{"dwp"}, value: "FILE", file: true, usage: "a .dwp file with split DWARF"},
			option{names: []string{"source-map"}, value: "FILE", file: true, usage: "the source map of a module without DWARF"},
			option{names: []string{"symbol-map"}, value: "FILE", file: true, usage: "a symbol map, as emcc --emit-symbol-map writes it"},
			option{names: []string{"debug"}, value: "FILE|DIR", many: true, file: true, usage: "a companion, or a directory in which companions are found by build ID"}),
			reportOptions()...),
		run: runConform,
	}
}

func runConform(c *call) error {
	format, err := c.reportFormat()
	if err != nil {
		return err
	}
	o := debugid.ConformOptions{SearchDebug: c.list("debug"), Original: c.String("original")}
	if o.Path, o.Companion, err = c.onePair(); err != nil {
		return err
	}
	rules, rest, err := c.conformRules()
	if err != nil {
		return err
	}
	if rest = c.ownRules(rest, conformance.FindRule); len(rest) > 0 {
		return &usageError{"--rule: " + rest[0] + " sets no rule of conform", "docs/conformance.md lists the rules"}
	}
	if o.Options, err = c.conformance(); err != nil {
		return err
	}
	o.Rules = rules
	o.Debug.DWO, o.Debug.DWP = c.list("dwo"), c.String("dwp")
	o.Debug.SourceMap, o.Debug.SymbolMap = c.String("source-map"), c.String("symbol-map")
	r, err := debugid.Conform(c.ctx(), o)
	if err != nil {
		return err
	}
	err = c.report(r.Report, format)
	if r.Run.Acceptable && is[*debugid.CheckError](err) {
		return nil
	}
	return err
}

// onePair reads the arguments of a command that takes a production module and
// perhaps its companion.
func (c *call) onePair() (production, companion string, err error) {
	name := c.Command.Name
	switch c.NArg() {
	case 1, 2:
	case 0:
		return "", "", &usageError{name + ": name a module or a pair", program + " " + name + " dist/app.wasm"}
	default:
		return "", "", &usageError{name + " takes one module and its companion", program + " " + name + " dist/app.wasm dist/app.debug.wasm"}
	}
	if err := c.noEmptyNames(); err != nil {
		return "", "", err
	}
	production, companion = c.Args().Get(0), c.Args().Get(1)
	if slices.Contains([]string{production, companion, c.String("original")}, debugid.Stdio) {
		return "", "", &usageError{name + " reads files, not standard input", "name the file"}
	}
	return production, companion, nil
}

// reportOptions are the flags that say how a report is written.
func reportOptions() []option {
	return []option{
		{names: []string{"format"}, value: "FORMAT", choice: formatNames(), usage: "how the report is written; text by default"},
		{names: []string{"json"}, usage: "the same as --format json"},
		{names: []string{"output", "o"}, value: "FILE", file: true, usage: "write the report to FILE, and the text report to standard output"},
		{names: []string{"report"}, value: "FORMAT=FILE", many: true, usage: "write the report to FILE in FORMAT as well"},
	}
}
