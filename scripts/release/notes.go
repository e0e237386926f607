package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// notesName is the file with what is new, which the page of the release shows.
const notesName = "NOTES.md"

// releaseNotes returns the version's section of the change log. A release must have
// one; a snapshot takes what is not released yet.
func releaseNotes(src *source) (string, error) {
	text, err := os.ReadFile(filepath.Join(src.dir, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	title := bare(src.version)
	if src.snapshot {
		title = "Unreleased"
	}
	notes, ok := section(string(text), title)
	if !ok {
		return "", fmt.Errorf("CHANGELOG.md has no section %q with text: name what is new in %s", "## "+title, src.version)
	}
	return notes, nil
}

// section returns the text below a heading of the second level; the heading may go
// on behind a space, with a date for example.
func section(text, title string) (string, bool) {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "## "); ok {
			first, _, _ := strings.Cut(heading, " ")
			inside = first == title
			continue
		}
		if inside {
			out = append(out, line)
		}
	}
	notes := strings.TrimSpace(strings.Join(out, ""))
	return notes + "\n", notes != ""
}
