package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// TestDocumentsAreDescribed: docs/json.md names every field that can be printed.
func TestDocumentsAreDescribed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(typ.Elem())
		case reflect.Struct:
			if typ == reflect.TypeFor[rewrite.Record]() {
				return // described with the companion's format
			}
			for i := range typ.NumField() {
				f := typ.Field(i)
				key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch {
				case key == "-":
					continue
				case key == "":
					t.Errorf("%v.%s has no key", typ, f.Name)
				case !strings.Contains(string(page), "`"+key+"`"):
					t.Errorf("%v: %q is not described", typ, key)
				}
				n++
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[rewriteDocument]())
	walk(reflect.TypeFor[infoDocument]())
	if n < 50 {
		t.Errorf("only %d fields seen", n)
	}
}
