package main

import (
	"fmt"
	"strings"
)

func manCommand() command {
	return command{
		name: "man", summary: "print the man page",
		about: "Prints the man page in roff. It holds every command and every flag.",
		examples: []example{
			{"read it", "wasm-debugid man | man -l -"},
			{"install it", "wasm-debugid man > /usr/local/share/man/man1/wasm-debugid.1"},
		},
		exits: []int{exitFiles},
		run: func(c *call) error {
			if c.NArg() > 0 {
				return &usageError{"man takes no arguments", "wasm-debugid man"}
			}
			return c.print(manPage(c.all))
		},
	}
}

// manPage returns the man page. It depends on nothing but the commands, so that
// two builds of one version ship the same page.
//
// The macros are those of man(7): https://man7.org/linux/man-pages/man7/man.7.html
func manPage(all []command) string {
	var b strings.Builder
	b.WriteString(".TH WASM\\-DEBUGID 1\n")
	b.WriteString(".SH NAME\nwasm\\-debugid \\- build IDs and debug companions for WebAssembly modules\n")
	b.WriteString(".SH SYNOPSIS\n.B wasm\\-debugid\n.I COMMAND\n[FLAGS] [ARGUMENTS]\n")
	b.WriteString(".SH DESCRIPTION\n" + roffText(aboutProgram))
	b.WriteString(".SH COMMANDS\n")
	for i := range all {
		c := &all[i]
		fmt.Fprintf(&b, ".SS %s\n.B %s\n.PP\n%s", roff(c.name+" \\(em "+c.summary), roff(usageLine(c)), roffText(c.about))
		for _, o := range visible(c.options) {
			roffOption(&b, &o)
		}
		for _, e := range c.examples {
			fmt.Fprintf(&b, ".PP\n%s:\n.PP\n.in +4n\n.nf\n%s\n.fi\n.in\n", roff(e.does), roff(e.line))
		}
	}
	b.WriteString(".SH FLAGS\nEvery command has these flags; they may also stand in front of the command.\n")
	for _, o := range append(common(), rootOnly()...) {
		roffOption(&b, &o)
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, m := range exitMeanings {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", m.code, roff(m.meaning))
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is not empty, there is no colour.\n")
	for _, o := range common() {
		if o.env() != "" {
			fmt.Fprintf(&b, ".TP\n.B %s\nSets %s.\n", roff(o.env()), roff(dashed(o.name())))
		}
	}
	b.WriteString(".PP\nThe flags of the commands have variables as well; they are named above.\n")
	return b.String()
}

func roffOption(b *strings.Builder, o *option) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(o.forms()), roff(optionText(o)))
}

// roffText formats paragraphs.
func roffText(text string) string {
	var b strings.Builder
	for para := range strings.SplitSeq(text, "\n\n") {
		b.WriteString(".PP\n")
		for line := range strings.SplitSeq(para, "\n") {
			if strings.HasPrefix(line, " ") {
				fmt.Fprintf(&b, ".br\n%s\n", roff(strings.TrimSpace(line)))
				continue
			}
			b.WriteString(roff(line) + "\n")
		}
	}
	return b.String()
}

// roff escapes a line of text. Dashes are typed by people who copy them, so they
// stay dashes.
func roff(line string) string {
	em := strings.Split(line, "\\(em")
	for i := range em {
		em[i] = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(em[i])
	}
	line = strings.Join(em, "\\(em")
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
