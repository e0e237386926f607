package main

import (
	"strings"
	"testing"
)

// TestHelpNamesValues: help names every value that a flag can have.
func TestHelpNamesValues(t *testing.T) {
	all := commands()
	for i := range all {
		for _, o := range all[i].allOptions() {
			for _, value := range o.choice {
				if text := optionText(&o); !names(text, value) {
					t.Errorf("%s --%s: %q is not in %q", all[i].name, o.name(), value, text)
				}
			}
		}
	}
	if text := optionText(&option{names: []string{"x"}, usage: "texts or not; b", choice: []string{"text", "b"}}); !strings.Contains(text, "; one of: text, b") {
		t.Error(text)
	}
	if text := optionText(&option{names: []string{"x"}, usage: "text, or b", choice: []string{"text", "b"}}); strings.Contains(text, "one of") {
		t.Error(text)
	}
}
