package main

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"
)

// envPrefix begins the name of every variable that sets a flag.
const envPrefix = "WASM_DEBUGID_"

// envName returns the variable for a flag: WASM_DEBUGID_DEBUG_OUT for
// --debug-out.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Flags that ask for a text and end the run have no variable: set for a whole
// session they would disable every command.
const (
	flagHelp    = "help"
	flagVersion = "version"
)

// option is a flag with what help texts, completions and the man page say of it.
// Its first name is the one that its variable is called after.
type option struct {
	names  []string // long name first; the others are aliases
	value  string   // placeholder of the value; empty for a switch
	usage  string
	many   bool     // may be repeated
	hidden bool     // accepted, but not shown
	file   bool     // the value is a file name
	dir    bool     // the value is a directory
	choice []string // the value is one of these, or begins the list of what it may be
	bare   string   // the value if none is given; one that is given must be attached with "="
}

// name returns the flag's name.
func (o *option) name() string { return o.names[0] }

// env returns the flag's variable, or an empty string.
func (o *option) env() string {
	if o.name() == flagHelp || o.name() == flagVersion {
		return ""
	}
	return envName(o.name())
}

// dashed returns a name as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// forms returns how the flag is typed: "-o, --output FILE".
func (o *option) forms() string {
	var short, long []string
	for _, n := range o.names {
		if len(n) == 1 {
			short = append(short, dashed(n))
		} else {
			long = append(long, dashed(n))
		}
	}
	text := strings.Join(append(short, long...), ", ")
	if o.bare != "" {
		return text + "[=" + o.value + "]"
	}
	if o.value != "" {
		text += " " + o.value
	}
	return text
}

// flag returns the parser's form of the option.
func (o *option) flag() cli.Flag {
	var env []string
	if e := o.env(); e != "" {
		env = []string{e}
	}
	name, aliases := o.names[0], o.names[1:]
	switch {
	case o.value == "":
		return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: o.usage, EnvVars: env, Hidden: o.hidden}
	case o.many:
		return &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: o.usage, EnvVars: env, Hidden: o.hidden}
	}
	return &cli.StringFlag{Name: name, Aliases: aliases, Usage: o.usage, EnvVars: env, Hidden: o.hidden, TakesFile: o.file}
}

func parserFlags(options []option) []cli.Flag {
	flags := make([]cli.Flag, len(options))
	for i := range options {
		flags[i] = options[i].flag()
	}
	return flags
}

// common returns the flags that every command has. They may also stand in front
// of the command.
func common() []option {
	return []option{
		{names: []string{"quiet", "q"}, usage: "print errors only, no summary, warnings or IDs"},
		{names: []string{"verbose", "v"}, usage: "print more about what was done and why"},
		{names: []string{"color"}, value: "WHEN", usage: "colour: auto, always or never", choice: []string{"auto", "always", "never"}},
		{names: []string{flagHelp, "h"}, usage: "print help and exit"},
	}
}

// rootOnly returns the flags that no command has.
func rootOnly() []option {
	return []option{{names: []string{flagVersion, "V"}, usage: "print the version and exit"}}
}

// find returns the option with the given name or alias, or nil.
func find(options []option, name string) *option {
	for i := range options {
		for _, n := range options[i].names {
			if n == name {
				return &options[i]
			}
		}
	}
	return nil
}

// list returns the values of a flag that may be repeated: those on the line,
// exactly as they stand there (the parser would trim them), or else one a line
// from the variable.
func (c *call) list(name string) []string {
	if v, ok := c.args.explicit[name]; ok {
		return v
	}
	var out []string
	for line := range strings.SplitSeq(os.Getenv(envName(name)), "\n") {
		if line = strings.TrimSuffix(line, "\r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}
