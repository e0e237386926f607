package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/hook/doctor"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// checkRuleOptions are the flags that say what a check asks for; split --check and
// diff have them as well.
func checkRuleOptions() []option {
	return []option{
		{names: []string{"for"}, value: "CLIENT", choice: []string{"generic", "sentry", "datadog"}, usage: "also check what this client needs"},
		{names: []string{"rule"}, value: "CODE=SEVERITY", many: true, usage: "set a rule to error, warning, info or off, for example WD112=warning; what could not be checked is not made a pass by it"},
		{names: []string{"config"}, value: "FILE", file: true, usage: "read settings from FILE; by default from " + symcheck.ConfigName + ", if it is there"},
		{names: []string{"min-coverage"}, value: "PERCENT", usage: fmt.Sprintf("how many of the reportable points must resolve to a line; for each class: user=95,runtime=0,glue=0; %d for the class user by default", symcheck.DefaultUserCoverage)},
		{names: []string{"loops"}, usage: "count loops as reportable points: engines that interrupt code may report one"},
		{names: []string{"require-id"}, usage: "a module that is not split must have a build ID as well"},
		{names: []string{"forbid-dwarf"}, usage: "a module must not hold DWARF, whether it has a companion or not"},
		{names: []string{"dwo"}, value: "FILE", many: true, file: true, usage: "a .dwo file with split DWARF"},
		{names: []string{"dwp"}, value: "FILE", file: true, usage: "a .dwp file with split DWARF"},
		{names: []string{"source-map"}, value: "FILE", file: true, usage: "the source map of a module without DWARF"},
		{names: []string{"symbol-map"}, value: "FILE", file: true, usage: "a symbol map, as emcc --emit-symbol-map writes it"},
	}
}

// checkOptions reads the configuration file and then the flags, which win.
func (c *call) checkOptions() (symcheck.Options, error) {
	o := symcheck.Options{Rules: symcheck.Settings{}}
	if _, err := c.readConfig(&o); err != nil {
		return o, err
	}
	for _, text := range c.ownRules(c.list("rule"), symcheck.FindRule) {
		if err := o.Rules.Set(text); err != nil {
			return o, &usageError{"--rule: " + err.Error(), "docs/checks.md lists the rules"}
		}
	}
	var err error
	if v := c.String("for"); v != "" {
		if o.For, err = symcheck.ParseClient(v); err != nil {
			return o, &usageError{"--for: " + err.Error(), ""}
		}
	}
	if v := c.String("min-coverage"); v != "" {
		t, err := symcheck.ParseThresholds(v)
		if err != nil {
			return o, &usageError{"--min-coverage: " + err.Error(), "for example --min-coverage user=95,runtime=0"}
		}
		if o.MinCoverage == nil {
			o.MinCoverage = t
		}
		for class, p := range t {
			o.MinCoverage[class] = p
		}
	}
	o.Loops = o.Loops || c.Bool("loops")
	o.RequireID = o.RequireID || c.Bool("require-id")
	o.ForbidDWARF = o.ForbidDWARF || c.Bool("forbid-dwarf")
	o.Debug.DWO, o.Debug.DWP = c.list("dwo"), c.String("dwp")
	o.Debug.SourceMap, o.Debug.SymbolMap = c.String("source-map"), c.String("symbol-map")
	return o, nil
}

// ownRules leaves out those settings of rules that only other commands know, if they
// come from the variable, which is there for all commands. On the command line they
// are a mistake.
func (c *call) ownRules(settings []string, find func(codeOrName string) (report.Rule, bool)) []string {
	if c.args.has("rule") {
		return settings
	}
	return slices.DeleteFunc(slices.Clone(settings), func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		if _, own := find(name); own {
			return false
		}
		for _, find := range []func(string) (report.Rule, bool){symcheck.FindRule, conformance.FindRule, doctor.FindRule} {
			if _, known := find(name); known {
				return true
			}
		}
		return false
	})
}

// readConfig applies the configuration file, and returns what it sets rules of conform
// and doctor to. Only one that was named must exist.
func (c *call) readConfig(o *symcheck.Options) (symcheck.Settings, error) {
	name := c.String("config")
	named := name != ""
	if !named {
		name = symcheck.ConfigName
	}
	f, _, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	others, err := o.ReadConfig(f, conformance.FindRule, doctor.FindRule)
	if err != nil {
		return nil, &usageError{name + ": " + err.Error(), "docs/checks.md describes the file"}
	}
	return others, nil
}
