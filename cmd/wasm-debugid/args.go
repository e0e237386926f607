package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// arguments is a command line put in order for the parser, which stops reading
// flags at the first argument that is none.
type arguments struct {
	ordered  []string            // program, command, flags, "--", everything else
	command  *command            // nil when the line names none that exists
	explicit map[string][]string // flags on the line by first name, with their values
}

// has reports whether the line itself holds the flag; a variable does not count.
func (a *arguments) has(name string) bool {
	_, ok := a.explicit[name]
	return ok
}

// again reports whether the line has given a flag this value before. Another value
// is an error: to take the last one would write to a place that was not meant.
func (a *arguments) again(o *option, part, value string) (bool, error) {
	before, ok := a.explicit[o.name()]
	if !ok || o.many {
		return false, nil
	}
	had := before[0]
	if o.value == "" {
		x, errX := switchValue(had)
		y, errY := switchValue(value)
		if errX != nil || errY != nil {
			return false, nil // the parser tells
		}
		had, value = strconv.FormatBool(x), strconv.FormatBool(y)
	}
	if had == value {
		return true, nil
	}
	name, _, _ := strings.Cut(part, "=")
	return false, &usageError{fmt.Sprintf("%s is given twice: as %q and as %q", name, had, value), "give it once"}
}

// switchValue reads the value of a switch, which is true without one.
func switchValue(text string) (bool, error) {
	if text == "" {
		return true, nil
	}
	return strconv.ParseBool(text)
}

// isOn reports whether the line sets a switch.
func (a *arguments) isOn(name string) bool {
	v, ok := a.explicit[name]
	if !ok {
		return false
	}
	on, err := switchValue(v[0])
	return on && err == nil
}

// reorder puts flags in front of the other arguments, wherever they stand:
// "split in.wasm -o out.wasm" is what people type. Flags that stand before the
// command and belong to it as well are moved behind its name.
//
// Accepted are --flag VALUE, --flag=VALUE, the same with one dash, switches that
// are put together ("-qv", whose last may take a value: "-qo FILE"), and "--",
// behind which nothing is a flag. A flag that takes one value may be given again
// with the same one. A lone "-" is no flag. A value that stands by
// itself must not look like a flag: "-o --json" is a forgotten value, and a file
// that really has such a name is given as --output=--json. It must not be empty
// either, except for flags that may be repeated.
func reorder(args []string, commands []command) (*arguments, error) {
	out := &arguments{explicit: map[string][]string{}}
	if len(args) == 0 {
		return out, nil
	}
	var root, flags, rest []string
	known := append(common(), rootOnly()...)
	onlyRoot := rootOnly()
	// The command is found first: a flag before its name is read as one behind it is.
	at := commandAt(args, known)
	if at > 0 {
		out.command = findCommand(commands, args[at])
	}
	if out.command == nil {
		at = 0
	} else {
		known = append(out.command.allOptions(), onlyRoot...)
	}
	for i := 1; i < len(args); i++ {
		arg := args[i]
		if i == at {
			continue
		}
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		parts, err := unbundle(arg, known)
		if err != nil {
			return nil, err
		}
		for k, part := range parts {
			name, value, has := strings.Cut(strings.TrimLeft(part, "-"), "=")
			o := find(known, name)
			if o != nil && o.bare != "" && !has {
				value, has = o.bare, true
				part += "=" + value
			}
			if o != nil && o.value != "" && !has {
				if k < len(parts)-1 || i+1 == len(args) {
					return nil, &usageError{fmt.Sprintf("%s needs a value", part), fmt.Sprintf("%s %s", part, o.value)}
				}
				i++
				if i == at {
					return nil, &usageError{fmt.Sprintf("%s needs a value, but %s follows, which is the command", part, args[i]),
						fmt.Sprintf("%s %s %s", args[at], part, o.value)}
				}
				if value = args[i]; len(value) > 1 && value[0] == '-' {
					return nil, &usageError{fmt.Sprintf("%s needs a value, but %s follows, which looks like a flag", part, value),
						fmt.Sprintf("if %s is meant as the value, write %s=%s", value, part, value)}
				}
				if value == "" && !o.many {
					return nil, emptyValue(part, o)
				}
				part += "=" + value
			}
			if o != nil {
				again, err := out.again(o, part, value)
				if err != nil {
					return nil, err
				}
				if again {
					continue // the parser would not take another form of the same
				}
				out.explicit[o.name()] = append(out.explicit[o.name()], value)
			}
			if find(onlyRoot, name) != nil {
				root = append(root, part)
			} else {
				flags = append(flags, part)
			}
		}
	}
	out.ordered = append([]string{args[0]}, root...)
	if out.command != nil {
		out.ordered = append(out.ordered, out.command.name)
	}
	out.ordered = append(out.ordered, flags...)
	if len(rest) > 0 {
		out.ordered = append(append(out.ordered, "--"), rest...)
	}
	return out, nil
}

// emptyValue is the error for a value that is empty: most likely that of a variable of
// a script that was never set, and the run without the flag is another one than was
// meant. "--flag=" is accepted where it makes a variable of ours void.
func emptyValue(flag string, o *option) error {
	return &usageError{fmt.Sprintf("the value of %s is empty", flag), fmt.Sprintf("give it one (%s %s), or leave the flag out", flag, o.value)}
}

// notEmpty refuses flags that are given an empty value, "--flag=" as well: less would be
// done than was asked for, or something else.
func (c *call) notEmpty(flags ...string) error {
	for _, name := range flags {
		if o := find(c.args.command.allOptions(), name); o != nil && slices.Contains(c.args.explicit[name], "") {
			return emptyValue(dashed(name), o)
		}
	}
	return nil
}

// noEmptyNames refuses names that are empty: most likely those of variables of a script
// that were never set. A pair without its companion is another one than was meant, and
// doctor without its folder looks at the tools alone.
func (c *call) noEmptyNames() error {
	if slices.Contains(c.Args().Slice(), "") {
		return &usageError{c.Command.Name + ": the name of a file or folder is empty", "see whether a variable that stands for it is set"}
	}
	return c.notEmpty("debug", "dist")
}

// commandAt is where the command's name stands if it is one: at the first argument
// that is neither a flag nor the value of one that is read without a command. It is
// 0 when there is none.
func commandAt(args []string, known []option) int {
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		if len(args[i]) < 2 || args[i][0] != '-' {
			return i
		}
		parts, err := unbundle(args[i], known)
		if err != nil {
			continue // what is wrong with it is told when it is read
		}
		name, _, has := strings.Cut(strings.TrimLeft(parts[len(parts)-1], "-"), "=")
		if o := find(known, name); o != nil && o.value != "" && o.bare == "" && !has {
			i++
		}
	}
	return 0
}

// unbundle takes switches apart that were put together behind one dash. An
// argument that is a flag by itself, or that cannot be taken apart, comes back as
// it is. A value cannot be attached to a short flag without "=": "-ouput" is a
// typo, not the output "uput".
func unbundle(arg string, known []option) ([]string, error) {
	body := strings.TrimPrefix(arg, "-")
	name, value, has := strings.Cut(body, "=")
	if strings.HasPrefix(body, "-") || len(name) < 2 || find(known, name) != nil {
		return []string{arg}, nil
	}
	letters := strings.Split(name, "")
	parts := make([]string, len(letters))
	for i, letter := range letters {
		o := find(known, letter)
		if o == nil || o.value != "" && i < len(letters)-1 {
			if o != nil && i == 0 {
				return nil, &usageError{"there is no flag " + arg,
					fmt.Sprintf("for %s with the value %q, write %s %s", dashed(letter), body[1:], dashed(letter), body[1:])}
			}
			return []string{arg}, nil
		}
		parts[i] = "-" + letter
	}
	if has {
		parts[len(parts)-1] += "=" + value
	}
	return parts, nil
}
