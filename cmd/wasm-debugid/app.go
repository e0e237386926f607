package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// command is one command of the program. Help texts, completions and the man
// page are made from it, as is the parser's form.
type command struct {
	name     string
	summary  string // one line, lower case, no full stop
	synopsis string // what stands behind the name in the usage line
	about    string // paragraphs
	examples []example
	exits    []int // exit codes besides 0, 2, 5 and 130, which every command has
	options  []option
	words    []string // what its arguments may be, if not files
	passes   bool     // its arguments are another program's command line, and stand behind "--"
	run      func(c *call) error
}

// example is a command line with what it does.
type example struct{ does, line string }

// allOptions returns the command's own flags and the common ones.
func (c *command) allOptions() []option { return append(slices.Clip(c.options), common()...) }

// commands returns all commands in the order in which help lists them.
func commands() []command {
	return []command{
		splitCommand(),
		injectCommand(),
		checkCommand(),
		conformCommand(),
		verifyCommand(),
		diffCommand(),
		doctorCommand(),
		infoCommand(),
		addr2lineCommand(),
		symbolicateCommand(),
		cargoCommand(),
		ccCommand(),
		emccCommand(),
		completionCommand(),
		manCommand(),
		helpCommand(),
	}
}

func findCommand(all []command, name string) *command {
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// call is one run of a command.
type call struct {
	*cli.Context
	*streams
	args  *arguments
	typed []string // the command line as it was typed
	all   []command
}

// ctx returns the context of the run.
func (c *call) ctx() context.Context { return c.Context.Context }

// line returns the command line with words put behind it, for hints.
func (c *call) line(extra ...string) string {
	words := append([]string{program}, c.typed[1:]...)
	for i, w := range words {
		words[i] = quote(w)
	}
	return strings.Join(append(words, extra...), " ")
}

// quote quotes a word for a shell where that is needed.
func quote(word string) string {
	plain := strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%") == ""
	if word != "" && plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// The parser's own help flag would win over ours, wherever it is hidden.
func init() { cli.HelpFlag = nil }

// execute parses the command line and runs the command.
func execute(ctx context.Context, s *streams, args []string) error {
	all := commands()
	ordered, err := reorder(args, all)
	if err != nil {
		return err
	}
	if v := ordered.explicit["color"]; len(v) > 0 && slices.Contains([]string{"always", "never"}, v[len(v)-1]) {
		s.color = v[len(v)-1] // for errors of the parser; checked below
	}
	if ordered.isOn(flagVersion) { // wins over a command that stands beside it
		return s.print(versionLine() + "\n")
	}
	app := newApp(s, ordered, args, all)
	return app.RunContext(ctx, ordered.ordered)
}

// newApp makes the parser. What it would do by itself is switched off: it prints
// whole help texts to standard output on errors, exits with codes of its own, and
// splits values at commas.
func newApp(s *streams, ordered *arguments, typed []string, all []command) *cli.App {
	app := &cli.App{
		Name: program, HelpName: program,
		Writer: io.Discard, ErrWriter: io.Discard, Reader: strings.NewReader(""),
		HideHelp: true, HideHelpCommand: true, HideVersion: true,
		Suggest: true, DisableSliceFlagSeparator: true,
		ExitErrHandler: func(*cli.Context, error) {},
		Flags:          parserFlags(append(common(), rootOnly()...)),
	}
	wrap := func(do func(*call) error, known []option) (cli.ActionFunc, cli.OnUsageErrorFunc) {
		action := func(c *cli.Context) error {
			k := &call{Context: c, streams: s, args: ordered, typed: typed, all: all}
			if err := k.applyCommon(); err != nil {
				return err
			}
			return do(k)
		}
		return action, func(_ *cli.Context, err error, _ bool) error { return parseError(err, ordered.command, known, typed) }
	}
	app.Action, app.OnUsageError = wrap(rootAction, append(common(), rootOnly()...))
	for i := range all {
		c := &all[i]
		pc := &cli.Command{Name: c.name, Usage: c.summary, Flags: parserFlags(c.allOptions()), HideHelp: true, HideHelpCommand: true}
		pc.Action, pc.OnUsageError = wrap(func(k *call) error {
			if k.Bool(flagHelp) {
				return k.printHelp(c)
			}
			return c.run(k)
		}, c.allOptions())
		app.Commands = append(app.Commands, pc)
	}
	return app
}

// applyCommon applies the flags that every command has.
func (c *call) applyCommon() error {
	c.quiet, c.verbose = c.Bool("quiet"), c.Bool("verbose")
	switch v := c.String("color"); v {
	case "":
		c.color = "auto"
	case "auto", "always", "never":
		c.color = v
	default:
		return &usageError{fmt.Sprintf("--color is auto, always or never, not %q", v), ""}
	}
	return nil
}

// rootAction runs when the line names no command that exists.
func rootAction(c *call) error {
	switch {
	case c.Bool(flagHelp) && c.NArg() == 0:
		return c.printHelp(nil)
	case c.NArg() > 0:
		return unknownCommand(c.Args().First(), c.all)
	}
	return &usageError{"name a command: " + strings.Join(commandNames(c.all), ", "), program + " --help explains them"}
}

func commandNames(all []command) []string {
	var names []string
	for i := range all {
		names = append(names, all[i].name)
	}
	return names
}

// unknownCommand is the error for a command that does not exist.
func unknownCommand(name string, all []command) error {
	err := &usageError{fmt.Sprintf("there is no command %q", name), program + " --help lists the commands"}
	if o := find(rootOnly(), name); o != nil {
		err.hint = fmt.Sprintf("did you mean %q?", program+" "+dashed(name))
	} else if _, statErr := os.Stat(name); statErr == nil {
		err.hint = fmt.Sprintf("%s is a file; a command comes first, for example: %s split %s", name, program, quote(name))
	} else if near := suggestCommand(name, all); near != "" {
		err.hint = fmt.Sprintf("did you mean %q?", near)
	}
	return err
}

// What the parser says of values of switches.
var (
	badVariable = regexp.MustCompile(`^could not parse (".*") as bool value from environment variable "([A-Z0-9_]+)" for flag`)
	badSwitch   = regexp.MustCompile(`^invalid boolean value (".*") for -+([a-z0-9-]+):`)
)

// parseError turns an error of the parser into one that says what to type. The
// line as it was typed gives flags that do not exist the form that they had.
func parseError(err error, c *command, known []option, typed []string) error {
	if is[*usageError](err) {
		return err
	}
	out := &usageError{msg: err.Error()}
	if c != nil {
		out.hint = fmt.Sprintf("%s %s --help lists the flags", program, c.name)
	}
	if m := badVariable.FindStringSubmatch(out.msg); m != nil {
		out.msg = fmt.Sprintf("%s is %s, but a switch is true or false", m[2], m[1])
		out.hint = fmt.Sprintf("%s=true, or unset %[1]s", m[2])
	} else if m := badSwitch.FindStringSubmatch(out.msg); m != nil {
		out.msg = fmt.Sprintf("%s=%s: a switch is true or false", dashed(m[2]), strings.Trim(m[1], `"`))
	} else if name, ok := strings.CutPrefix(out.msg, "flag provided but not defined: -"); ok {
		var visible []option
		for _, o := range known {
			if !o.hidden {
				visible = append(visible, o)
			}
		}
		name, _, _ = strings.Cut(name, "=")
		if s := cli.SuggestFlag(parserFlags(visible), name, true); len(s) > len("-n") && strings.HasPrefix(strings.TrimLeft(s, "-"), name[:min(1, len(name))]) {
			out.hint = fmt.Sprintf("did you mean %q?", s)
		}
		out.msg = "there is no flag " + asTyped(name, typed)
		if at := slices.Index(typed, nameOf(c)); c != nil && c.passes && at > 0 && !slices.Contains(typed, "--") {
			k := &call{typed: slices.Insert(slices.Clone(typed), at+1, "--")}
			out.hint = "what belongs to the other program stands behind --: " + k.line()
		}
	}
	if c != nil {
		out.msg = c.name + ": " + out.msg
	}
	return out
}

// nameOf returns a command's name, and none for nil.
func nameOf(c *command) string {
	if c == nil {
		return ""
	}
	return c.name
}

// asTyped returns a flag with the dashes that it has on the line.
func asTyped(name string, typed []string) string {
	for _, word := range typed {
		if flag, _, _ := strings.Cut(word, "="); strings.HasPrefix(word, "-") && strings.TrimLeft(flag, "-") == name {
			return flag
		}
	}
	return dashed(name)
}

// print writes a result to standard output.
func (s *streams) print(text string) error {
	if _, err := io.WriteString(s.stdout, text); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	return nil
}
