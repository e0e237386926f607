package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/hook"
)

// hookOptions are the flags of commands that stand in a build tool's place. Linker
// mode has no flags, and takes their variables alone.
func hookOptions() []option {
	return append([]option{
		{names: []string{"hook"}, value: "WHEN", choice: []string{"on", "off"}, usage: "off: split nothing, and only run the tool"},
		{names: []string{"out"}, value: "DIR", dir: true, usage: "put companions into DIR, which is made if it is not there; " + hook.IDPlaceholder + " in it is the build ID; by default beside the modules"},
	}, hookSplitOptions()...)
}

// hookSplitOptions are those flags of split and check that make sense without names
// of files.
func hookSplitOptions() []option {
	var out []option
	for _, from := range []struct {
		options []option
		names   []string
	}{
		{splitCommand().options, []string{"build-id", "normalize-build-id", "companion-kind", "strip-names", "keep", "remove", "external-url", "allow-bindgen-input"}},
		{[]option{{names: []string{"check"}, usage: "prove each pair as the command check does, and fail the build unless it passes; --min-coverage asks for it too"}}, []string{"check"}},
		{checkRuleOptions(), splitCheckNames},
	} {
		for _, name := range from.names {
			out = append(out, *find(from.options, name))
		}
	}
	return out
}

// hookSettings reads the options of a hook: flags, and variables for the rest.
func (c *call) hookSettings() (hook.Options, error) {
	return hook.ReadOptions(func(variable string) string {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, envPrefix)), "_", "-")
		o := find(hookOptions(), name)
		switch {
		case o == nil || !c.args.has(name):
			return os.Getenv(variable)
		case o.value == "":
			return strconv.FormatBool(c.Bool(name))
		case o.many:
			return strings.Join(c.list(name), "\n")
		}
		return c.String(name)
	})
}
