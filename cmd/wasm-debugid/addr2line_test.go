package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/stacktrace"
)

// TestAddr2lineIsDescribed: docs/json.md names every field of the document.
func TestAddr2lineIsDescribed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "## `wasm-debugid/addr2line`")
	part, _, _ = strings.Cut(part, "\n## ")
	for _, typ := range []reflect.Type{reflect.TypeFor[addr2lineDocument](), reflect.TypeFor[addressResult](), reflect.TypeFor[stacktrace.JSONFunction]()} {
		for i := range typ.NumField() {
			if key := typ.Field(i).Tag.Get("json"); !strings.Contains(part, "`"+key+"`") {
				t.Errorf("%v: %q is not described", typ, key)
			}
		}
	}
}

// TestAddr2lineFields: what addr2line and symbolicate both say has one name in both
// documents.
func TestAddr2lineFields(t *testing.T) {
	fields := map[string]reflect.Type{}
	for _, typ := range []reflect.Type{reflect.TypeFor[stacktrace.JSONFrame](), reflect.TypeFor[stacktrace.JSONBuild]()} {
		for i := range typ.NumField() {
			fields[typ.Field(i).Tag.Get("json")] = typ.Field(i).Type
		}
	}
	for _, key := range []string{"index", "code_offset", "frames", "reason", "companion", "production"} {
		if fields[key] == nil {
			t.Errorf("symbolicate has no %q", key)
		}
	}
	typ := reflect.TypeFor[addressResult]()
	for i := range typ.NumField() {
		key := typ.Field(i).Tag.Get("json")
		if fields[key] == nil && key != "input" && key != "file_offset" {
			t.Errorf("symbolicate has no %q", key)
		}
	}
}

// TestAddr2lineMoved: a tool has moved the code of a companion. File offsets are
// those of the production module, whose code start is on record.
func TestAddr2lineMoved(t *testing.T) {
	dir := t.TempDir()
	companion, moved := filepath.Join(dir, "app.debug.wasm"), filepath.Join(dir, "moved.wasm")
	if r := try(t, "split", "-q", filepath.Join("..", "..", "testdata", "corpus", "c", "O2-dw5.wasm"), "-o", filepath.Join(dir, "app.wasm"), "--debug-out", companion); r.code != exitOK {
		t.Fatal(r.stderr)
	}
	b, err := os.ReadFile(companion)
	if err != nil {
		t.Fatal(err)
	}
	b = append(tw.Custom("padding", nil).Append(bytes.Clone(b[:8])), b[8:]...)
	if err := os.WriteFile(moved, b, 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, "addr2line", "-e", moved, "-fp", "0xd5").want(t, exitOK, "level3 at ./trap.c:17\n",
		"warning: "+moved+": its code starts at 0x64, that of the production module, by its record, at 0x5a; offsets are taken as offsets in the production module")
	try(t, "addr2line", "-q", "-e", moved, "-fp", "0x3").want(t, exitOK, "this lies outside of the code, which is 0x5a to 0x17a in the production module", "")
	r := try(t, "addr2line", "-e", moved, "--json", "--offsets", "code", "0x7b")
	for _, want := range []string{`"file_offset": 213`, `"code_start": 90`} {
		r.want(t, exitOK, want, "")
	}
}
