package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// helpWidth is the width in characters that help texts are wrapped at.
const helpWidth = 92

const aboutProgram = `Gives WebAssembly modules a build ID and splits them into a production module to ship and a debug companion to keep, so that a crash address from the shipped file can be turned into function, file and line.

Flags may stand anywhere; behind "--" nothing is a flag. Every flag can be set by a variable as well, whose name help gives: WASM_DEBUGID_OUT_DIR=dist is --out-dir=dist. A flag on the command line wins over a variable. A flag that may be repeated takes one value a line from its variable.`

func helpCommand() command {
	return command{
		name: "help", summary: "explain the program or one command", synopsis: "[COMMAND]",
		about: "Prints what --help prints.",
		examples: []example{
			{"explain a command", "wasm-debugid help split"},
		},
		exits: []int{exitFiles},
		run: func(c *call) error {
			switch c.NArg() {
			case 0:
				return c.printHelp(nil)
			case 1:
				if cmd := findCommand(c.all, c.Args().First()); cmd != nil {
					return c.printHelp(cmd)
				}
				return unknownCommand(c.Args().First(), c.all)
			}
			return &usageError{"help takes one command", "wasm-debugid help split"}
		},
	}
}

// printHelp explains a command, or the program for nil.
func (c *call) printHelp(cmd *command) error {
	if cmd == nil {
		return c.print(rootHelp(c.paintOut(), c.all))
	}
	return c.print(commandHelp(c.paintOut(), cmd))
}

func rootHelp(p painter, all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s COMMAND [FLAGS] [ARGUMENTS]\n\n%s\n\n%s\n", p.bold("USAGE"), program, wrap(aboutProgram, ""), p.bold("COMMANDS"))
	table(&b, len(all), func(i int) (string, string) { return all[i].name, all[i].summary })
	fmt.Fprintf(&b, "\n%s\n", p.bold("FLAGS"))
	options := append(common(), rootOnly()...)
	table(&b, len(options), func(i int) (string, string) { return options[i].forms(), optionText(&options[i]) })
	fmt.Fprintf(&b, "\n%s\n", p.bold("EXIT STATUS"))
	table(&b, len(exitMeanings), func(i int) (string, string) { return fmt.Sprint(exitMeanings[i].code), exitMeanings[i].meaning })
	fmt.Fprintf(&b, "\nDocumentation, and where to report a defect: https://github.com/wasm-debugid/wasm-debugid\n")
	return b.String()
}

func commandHelp(p painter, c *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s\n\n%s\n", p.bold("USAGE"), usageLine(c), wrap(c.about, ""))
	if len(c.examples) > 0 {
		fmt.Fprintf(&b, "\n%s\n", p.bold("EXAMPLES"))
	}
	for _, e := range c.examples {
		fmt.Fprintf(&b, "%s\n    %s\n", wrap(e.does+":", "  "), e.line)
	}
	fmt.Fprintf(&b, "\n%s\n", p.bold("FLAGS"))
	options := visible(c.allOptions())
	table(&b, len(options), func(i int) (string, string) { return options[i].forms(), optionText(&options[i]) })
	fmt.Fprintf(&b, "\n%s\n", p.bold("EXIT STATUS"))
	codes := c.exitCodes()
	table(&b, len(codes), func(i int) (string, string) { return codes[i][0], codes[i][1] })
	return b.String()
}

// usageLine is how the command is called.
func usageLine(c *command) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s [FLAGS] %s", program, c.name, c.synopsis))
}

func visible(options []option) []option {
	return slices.DeleteFunc(slices.Clone(options), func(o option) bool { return o.hidden })
}

// optionText explains a flag, with its values unless the explanation names all of
// them, and with its variable.
func optionText(o *option) string {
	text := o.usage
	for _, value := range o.choice {
		if !names(o.usage, value) {
			text += "; one of: " + strings.Join(o.choice, ", ")
			break
		}
	}
	if o.many {
		text += " (may be repeated)"
	}
	if env := o.env(); env != "" {
		text += " [" + env + "]"
	}
	return text
}

// names reports whether a text holds a word.
func names(text, word string) bool {
	between := func(c rune) bool { return strings.ContainsRune(" ,;:.()", c) }
	return slices.Contains(strings.FieldsFunc(text, between), word)
}

// exitCodes lists the command's exit codes with their meanings.
func (c *command) exitCodes() [][2]string {
	var out [][2]string
	for _, m := range exitMeanings {
		switch m.code {
		case exitOK, exitUsage, exitInternal, exitInterrupted:
		default:
			if !slices.Contains(c.exits, m.code) {
				continue
			}
		}
		out = append(out, [2]string{fmt.Sprint(m.code), m.meaning})
	}
	return out
}

// table writes n rows of two columns, of which the second is wrapped.
func table(b *strings.Builder, n int, row func(i int) (string, string)) {
	width := 0
	for i := range n {
		left, _ := row(i)
		width = max(width, len(left))
	}
	if width > 34 { // long flags get a line of their own
		for i := range n {
			left, right := row(i)
			fmt.Fprintf(b, "  %s\n%s\n", left, wrap(right, "        "))
		}
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	for i := range n {
		left, right := row(i)
		for k, line := range strings.Split(wrap(right, strings.Repeat(" ", width+5)), "\n") {
			if k > 0 {
				left = ""
			}
			fmt.Fprintf(w, "  %s\t%s\n", left, strings.TrimLeft(line, " "))
		}
	}
	w.Flush()
}

// wrap breaks paragraphs into lines of helpWidth characters, indent included.
// Lines that begin with a space stay as they are.
func wrap(text, indent string) string {
	var out []string
	for para := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(para, " ") {
			out = append(out, indent+para)
			continue
		}
		line := ""
		for _, word := range strings.Fields(para) {
			if line != "" && len(indent)+len(line)+1+len(word) > helpWidth {
				out = append(out, indent+line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		if line != "" {
			line = indent + line
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
