package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestDiffIsDescribed: docs/json.md names every field of the document in its
// section.
func TestDiffIsDescribed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, page, ok := strings.Cut(string(text), "## `wasm-debugid/diff`")
	if !ok {
		t.Fatal("there is no section about the document")
	}
	n := 0
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			key := typ.Field(i).Tag.Get("json")
			if !strings.Contains(page, "`"+key+"`") {
				t.Errorf("%v: %q is not described", typ, key)
			}
			n++
			walk(typ.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[diffDocument]())
	if n < 20 {
		t.Errorf("only %d fields seen", n)
	}
}

func TestNumbers(t *testing.T) {
	if got := delta(5) + delta(-5) + delta(0); got != "+5-50" {
		t.Errorf("changes are %q", got)
	}
	if got := escapeMarkdown("a|b<c>*_`"); got != "a\\|b&lt;c&gt;\\*\\_\\`" {
		t.Errorf("escaped: %q", got)
	}
}

// TestBareValue: --fix takes a value only when it is attached.
func TestBareValue(t *testing.T) {
	for line, want := range map[string]string{
		"check a.wasm --fix":                   "wasm-debugid check --fix=companion -- a.wasm",
		"check --fix a.wasm b.wasm":            "wasm-debugid check --fix=companion -- a.wasm b.wasm",
		"check --fix=production a.wasm -q":     "wasm-debugid check --fix=production -q -- a.wasm",
		"check a.wasm --fix --format json":     "wasm-debugid check --fix=companion --format=json -- a.wasm",
		"check a.wasm --debug x --fix -o y -q": "wasm-debugid check --debug=x --fix=companion -o=y -q -- a.wasm",
	} {
		got, err := reorder(append([]string{program}, strings.Fields(line)...), commands())
		if err != nil || strings.Join(got.ordered, " ") != want {
			t.Errorf("%s: %v, %v", line, got, err)
		}
	}
}
