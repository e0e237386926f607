package main

import "testing"

func TestSuggestCommand(t *testing.T) {
	for typed, want := range map[string]string{
		"spilt": "split", "SPLIT": "split", "splt": "split", "splits": "split", "cehck": "check", "Info": "info", "ifno": "info",
		"symbolicat": "symbolicate", "addr2lines": "addr2line", "verfy": "verify", "hlep": "help", "completions": "completion",
		"id": "info --ids", "strip": "split", "symbolize": "symbolicate", "show": "info",
		"h": "", "x": "", "frobnicate": "", "app": "", "dist": "", "zz": "",
	} {
		if got := suggestCommand(typed, commands()); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"abc", "xabc", 1}, {"abcd", "acd", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
