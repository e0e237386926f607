package symcheck_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// FuzzCheck checks any two files as a pair and each by itself. It must not panic,
// an error must be about reading, and the verdict must be the one that the
// findings ask for.
func FuzzCheck(f *testing.F) {
	p := split(f, newFixture().build(f), rewrite.Options{Pointer: "good.debug.wasm"})
	f.Add(p.production, p.companion)
	s := split(f, newFixture().build(f), rewrite.Options{Companion: rewrite.CompanionSymbols})
	f.Add(s.production, s.companion)
	for _, name := range []string{"c/O2-dw5.wasm", "post/c-O0-dw4.opt132.wasm", "c/split-dw5.wasm", "emscripten/srcmap.wasm"} {
		b := readFile(f, corpusDir+"/"+name)
		f.Add(b, b)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var files [2]*symcheck.Module
		for i, data := range [][]byte{a, b} {
			file, err := wasm.NewFile(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				continue
			}
			files[i] = &symcheck.Module{Path: "dir/app.wasm", File: file, Source: memory{bytes.NewReader(data)}}
		}
		if files[0] == nil {
			return
		}
		for _, companion := range []*symcheck.Module{nil, files[1]} {
			s, err := symcheck.Check(context.Background(), files[0], companion, symcheck.Options{Workers: 1, Debug: debugfile.Options{Alone: true}})
			if err != nil {
				t.Fatalf("%v", err)
			}
			if s.Verdict == report.Pass && len(s.NotChecked) > 0 || s.Verdict != symcheck.VerdictOf(s) {
				t.Fatalf("verdict %v\n%s", s.Verdict, list(s))
			}
		}
	})
}

// TestCancelled: a check ends with its context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := symcheck.Check(ctx, module(t, "app.wasm", newFixture().build(t)), nil, symcheck.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
