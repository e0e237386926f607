package debugid_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
)

// Split a module, prove that the pair resolves, and read a stack trace with it.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	app := filepath.Join(dir, "app.wasm")

	split, err := debugid.Split(ctx, debugid.SplitOptions{Input: filepath.FromSlash("testdata/demo/app.wasm"), Output: app})
	if err != nil {
		fmt.Println(err, debugid.Hint(err))
		return
	}
	fmt.Println("build id", split.ID)
	fmt.Println(split.InputSize, "→", split.ProductionSize, "bytes, companion", filepath.Base(split.Companion))

	report, err := debugid.Check(ctx, debugid.CheckOptions{Path: app})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("check:", report.Verdict())

	trace := "    at run (https://app.example/app.wasm:wasm-function[1]:0x8f)\n"
	if _, err := debugid.Symbolicate(ctx, debugid.SymbolicateOptions{
		Input: strings.NewReader(trace), Output: os.Stdout, Debug: []string{split.Companion}}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// build id 097ef9d0f1288c0ab0ee14e3345477f9
	// 9351 → 1530 bytes, companion app.debug.wasm
	// check: pass
	//     at run (https://app.example/app.wasm:wasm-function[1]:0x8f)
	//       => run at ./trap.cpp:61:29
}
