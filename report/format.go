package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format names a way to write a report.
type Format string

// The formats.
const (
	FormatText     Format = "text"     // for a person at a terminal
	FormatJSON     Format = "json"     // docs/checks-json.md
	FormatSARIF    Format = "sarif"    // SARIF 2.1.0, for code scanning
	FormatJUnit    Format = "junit"    // JUnit XML, for test reports
	FormatGitHub   Format = "github"   // workflow commands, which become annotations
	FormatMarkdown Format = "markdown" // for a step summary or a pull request
	FormatHTML     Format = "html"     // one page that needs nothing else
)

// Formats returns all formats, text first.
func Formats() []Format {
	return []Format{FormatText, FormatJSON, FormatSARIF, FormatJUnit, FormatGitHub, FormatMarkdown, FormatHTML}
}

// ParseFormat returns the format with a name.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats(), f) {
		return f, nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown report format %q: it is one of %s", name, strings.Join(names, ", "))
}

// Options sets how a report is written. The zero value is good for a file.
type Options struct {
	Color   bool   // text: ANSI colours
	Width   int    // text: columns to wrap at; 0 means 80, less than 0 no wrapping
	Verbose bool   // text and markdown: everything, and not only what matters
	Root    string // sarif and github: absolute paths below this directory are written relative to it
}

// Write writes a report in a format. The same report and options give the same
// bytes.
func Write(w io.Writer, format Format, r *Report, o Options) error {
	switch format {
	case FormatText:
		return WriteText(w, r, o)
	case FormatJSON:
		return WriteJSON(w, r)
	case FormatSARIF:
		return WriteSARIF(w, r, o)
	case FormatJUnit:
		return WriteJUnit(w, r)
	case FormatGitHub:
		return WriteGitHub(w, r, o)
	case FormatMarkdown:
		return WriteMarkdown(w, r, o)
	case FormatHTML:
		return WriteHTML(w, r)
	}
	_, err := ParseFormat(string(format))
	return err
}
