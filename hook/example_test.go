package hook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasm-debugid/wasm-debugid/hook"
)

// A build tool has written a module, and it is split on the spot.
func ExampleSplit() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	linked, err := os.ReadFile("../testdata/demo/app.wasm")
	if err != nil {
		fmt.Println(err)
		return
	}
	app := filepath.Join(dir, "app.wasm")
	if err := os.WriteFile(app, linked, 0o666); err != nil {
		fmt.Println(err)
		return
	}
	options, err := hook.ReadOptions(os.Getenv)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := hook.Split(context.Background(), options, hook.Job{Path: app})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Note.BuildID, r.Note.Production.Size)
	files, err := os.ReadDir(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range files {
		fmt.Println(f.Name())
	}
	// Output:
	// 097ef9d0f1288c0ab0ee14e3345477f9 1530
	// app.debug.wasm
	// app.debugid.json
	// app.wasm
}
