package report

import (
	"strconv"
	"strings"
)

// function returns the function of a location, by name and index.
func (l *Location) function() string {
	switch {
	case l.Index != nil && l.Function != "":
		return clean(l.Function) + " (function " + strconv.FormatUint(uint64(*l.Index), 10) + ")"
	case l.Index != nil:
		return "function " + strconv.FormatUint(uint64(*l.Index), 10)
	}
	return clean(l.Function)
}

// source returns the place in the source file, as compilers print it.
func (l *Location) source() string {
	s := clean(l.Source)
	if s == "" || l.Line == 0 {
		return s
	}
	s += ":" + strconv.FormatUint(uint64(l.Line), 10)
	if l.Column > 0 {
		s += ":" + strconv.FormatUint(uint64(l.Column), 10)
	}
	return s
}

// offsets returns F and C in hexadecimal.
func (l *Location) offsets() string {
	var parts []string
	if l.File != nil {
		parts = append(parts, "F "+l.File.String())
	}
	if l.Code != nil {
		parts = append(parts, "C "+l.Code.String())
	}
	return strings.Join(parts, " ")
}

// place describes a location in one line; without the path for a place in the
// file that is spoken of.
func (l *Location) place(spoken string) string {
	var parts []string
	switch line := strconv.FormatUint(uint64(l.Line), 10); {
	case l.Path != "" && l.Path != spoken && l.Source == "" && l.Line > 0:
		parts = append(parts, clean(l.Path)+":"+line)
	case l.Path != "" && l.Path != spoken:
		parts = append(parts, clean(l.Path))
	case l.Source == "" && l.Line > 0:
		parts = append(parts, "line "+line)
	}
	for _, p := range []string{l.offsets(), section(l.Section), l.function(), l.source()} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

func section(name string) string {
	if name = clean(name); name == "" || strings.HasSuffix(name, " section") || strings.HasPrefix(name, "custom section ") {
		return name
	}
	return "section " + name
}
