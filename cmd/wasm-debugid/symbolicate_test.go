package main

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/stacktrace"
)

// TestSymbolicateIsDescribed: docs/json.md names every field of the document.
func TestSymbolicateIsDescribed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "## `"+stacktrace.JSONSchema+"`")
	for _, typ := range []reflect.Type{reflect.TypeFor[stacktrace.JSONFrame](), reflect.TypeFor[stacktrace.JSONBuild](), reflect.TypeFor[stacktrace.JSONFunction](),
		reflect.TypeFor[stacktrace.JSONSource](), reflect.TypeFor[stacktrace.Summary]()} {
		for i := range typ.NumField() {
			if key := typ.Field(i).Tag.Get("json"); !strings.Contains(part, "`"+key+"`") {
				t.Errorf("%v: %q is not described", typ, key)
			}
		}
	}
}

// TestSymbolicateStreams: what is complete is written before the input ends, so
// that a growing log can be watched.
func TestSymbolicateStreams(t *testing.T) {
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, result, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	module := filepath.Join("..", "..", "testdata", "traces", "traps-named.wasm")
	done := make(chan int)
	go func() {
		done <- run(context.Background(), []string{program, "symbolicate", "-q", "--debug", module}, in, result, os.Stderr)
		result.Close()
	}()
	const want = "first\n    at https://x/traps-named.wasm:wasm-function[1]:0x1e5\n      => t_unreachable (no line: the function has no debug information)\nnext\n"
	if _, err := feed.WriteString("first\n    at https://x/traps-named.wasm:wasm-function[1]:0x1e5\nnext\n"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	for n := 0; n < len(got); {
		k, err := out.Read(got[n:])
		if err != nil {
			t.Fatalf("after %q: %v", got[:n], err)
		}
		n += k
	}
	if string(got) != want {
		t.Errorf("got %q", got)
	}
	feed.Close()
	if code := <-done; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestSymbolicateColor: what is added is coloured, the input is not.
func TestSymbolicateColor(t *testing.T) {
	module := filepath.Join("..", "..", "testdata", "traces", "traps-named.wasm")
	line := "    at https://x/traps-named.wasm:wasm-function[1]:0x1e5\n"
	r := tryWith(t, context.Background(), strings.NewReader(line), "symbolicate", "--debug", module, "--color", "always")
	r.want(t, exitOK, line+"      \x1b[1m=> t_unreachable", "\x1b[33;1mwarning")
}
