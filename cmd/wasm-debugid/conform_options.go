package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/wasm-debugid/wasm-debugid/conformance"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// maxStdin is the size in bytes of a file for a module's standard input.
const maxStdin = 64 << 20

// conformOptions are the flags that say what is run; verify has them as well.
func conformOptions() []option {
	d := conformance.DefaultLimits()
	return []option{
		{names: []string{"original"}, value: "FILE", file: true, usage: "the input that the pair was split from; it and the companion must answer alike"},
		{names: []string{"scenario"}, value: "FILE", file: true, usage: "calls with arguments and expected frames, as docs/conformance.md describes them"},
		{names: []string{"invoke"}, value: "EXPORT[:ARGS]", many: true, usage: "call an export: run or run:0,20; several are called in order"},
		{names: []string{"arg"}, value: "WORD", many: true, usage: "an argument of a WASI program; the first is its name"},
		{names: []string{"env"}, value: "NAME=VALUE", many: true, usage: "a variable that the module sees"},
		{names: []string{"stdin"}, value: "FILE", file: true, usage: "the module's standard input; empty by default"},
		{names: []string{"dir"}, value: "GUEST=DIR", many: true, usage: "a directory that the module sees under the path GUEST, and can only read"},
		{names: []string{"engine"}, value: "ENGINE", choice: []string{"both", "interpreter", "compiler"}, usage: "wazero's engine; both by default"},
		{names: []string{"no-sweep"}, usage: "leave out the probes in every function"},
		{names: []string{"allow-unrunnable"}, usage: "a module that the engine cannot run is no failure"},
		{names: []string{"time"}, value: "DURATION", usage: fmt.Sprintf("limit for each engine to make the calls, and again for the probes; %v by default", d.Time)},
		{names: []string{"call-time"}, value: "DURATION", usage: fmt.Sprintf("limit for one call; %v by default", d.CallTime)},
		{names: []string{"memory"}, value: "PAGES", usage: fmt.Sprintf("limit of memory in pages of 64 KiB; %d by default", d.MemoryPages)},
		{names: []string{"depth"}, value: "N", usage: fmt.Sprintf("limit of nested calls; %d by default", d.Depth)},
	}
}

// conformance reads the flags of conformOptions, but for --original.
func (c *call) conformance() (conformance.Options, error) {
	var o conformance.Options
	var err error
	if err := c.notEmpty("original", "scenario"); err != nil {
		return o, err
	}
	o.NoSweep, o.AllowUnrunnable = c.Bool("no-sweep"), c.Bool("allow-unrunnable")
	switch v := c.String("engine"); v {
	case "", "both":
	case "interpreter":
		o.Engines = []conformance.Engine{conformance.Interpreter}
	case "compiler":
		o.Engines = []conformance.Engine{conformance.Compiler}
	default:
		return o, &usageError{fmt.Sprintf("--engine is both, interpreter or compiler, not %q", v), ""}
	}
	for _, f := range []struct {
		name string
		to   *time.Duration
	}{{"time", &o.Limits.Time}, {"call-time", &o.Limits.CallTime}} {
		if v := c.String(f.name); v != "" {
			if *f.to, err = time.ParseDuration(v); err != nil || *f.to <= 0 {
				return o, &usageError{fmt.Sprintf("--%s is a duration such as 30s or 2m, not %q", f.name, v), ""}
			}
		}
	}
	if v := c.String("memory"); v != "" {
		n, err := strconv.ParseUint(v, 10, 32)
		if err != nil || n == 0 || n > 65536 {
			return o, &usageError{fmt.Sprintf("--memory is a number of pages from 1 to 65536, not %q", v), ""}
		}
		o.Limits.MemoryPages = uint32(n)
	}
	if v := c.String("depth"); v != "" {
		n, err := strconv.ParseUint(v, 10, 31)
		if err != nil || n == 0 {
			return o, &usageError{fmt.Sprintf("--depth is a number of calls, not %q", v), ""}
		}
		o.Limits.Depth = int(n)
	}
	o.Scenario, err = c.scenario()
	return o, err
}

// scenario reads the scenario, and adds to it what flags say.
func (c *call) scenario() (*conformance.Scenario, error) {
	s := &conformance.Scenario{}
	if name := c.String("scenario"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if s, err = conformance.ReadScenario(f, filepath.Dir(name)); is[*conformance.ScenarioError](err) {
			return nil, &usageError{name + ": " + err.Error(), "docs/conformance.md describes scenarios"}
		} else if err != nil {
			return nil, err
		}
	}
	for _, text := range c.list("invoke") {
		call, err := conformance.ParseInvoke(text)
		if err != nil {
			return nil, &usageError{"--invoke: " + err.Error(), "for example --invoke run:0,20"}
		}
		s.Calls = append(s.Calls, call)
	}
	s.Args = append(s.Args, c.list("arg")...)
	for _, text := range c.list("env") {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, &usageError{fmt.Sprintf("--env is NAME=VALUE, not %q", text), ""}
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[name] = value
	}
	for _, text := range c.list("dir") {
		guest, host, ok := strings.Cut(text, "=")
		if !ok || guest == "" || host == "" {
			return nil, &usageError{fmt.Sprintf("--dir is GUEST=DIR, not %q", text), "for example --dir /data=testdata"}
		}
		if s.Dirs == nil {
			s.Dirs = map[string]string{}
		}
		s.Dirs[guest] = host
	}
	for _, host := range s.Dirs {
		if err := isFolder(host); err != nil {
			return nil, err
		}
	}
	if name := c.String("stdin"); name != "" {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() || info.Size() > maxStdin {
			return nil, &usageError{fmt.Sprintf("--stdin takes a file of at most %d bytes", maxStdin), ""}
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s.Stdin = string(b)
	}
	return s, nil
}

// conformRules reads the configuration file and then those settings of --rule that are
// about rules of conform, and returns the other settings of --rule as they are.
func (c *call) conformRules() (rules map[string]report.Severity, rest []string, err error) {
	rules = map[string]report.Severity{}
	configured, err := c.readConfig(&symcheck.Options{})
	if err != nil {
		return nil, nil, err
	}
	for code, severity := range configured {
		if _, ok := conformance.FindRule(code); ok {
			rules[code] = severity
		}
	}
	for _, text := range c.list("rule") {
		name, value, _ := strings.Cut(text, "=")
		rule, ok := conformance.FindRule(name)
		if !ok {
			rest = append(rest, text)
			continue
		}
		if rules[rule.Code], err = report.ParseSeverity(value); err != nil {
			return nil, nil, &usageError{"--rule: " + text + ": " + err.Error(), "for example --rule " + rule.Code + "=warning"}
		}
	}
	return rules, rest, nil
}
