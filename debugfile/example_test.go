package debugfile_test

import (
	"fmt"
	"path/filepath"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
)

// A browser reported file offset 0x1f3: look up what stands there.
func ExampleFile_Lookup() {
	f, err := debugfile.Open(filepath.FromSlash("../testdata/demo/app.wasm"), debugfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	span, _ := f.CodeSpan()
	c, ok := span.Code(0x1f3)
	if !ok {
		fmt.Println(debugfile.NotCode(f.Module(), 0x1f3))
		return
	}
	a := f.Lookup(c, nil)
	for _, frame := range a.Frames[:2] {
		fmt.Printf("%s at %s:%d\n", frame.Name(), frame.File, frame.Line)
	}
	// Output:
	// app::Ring<double, 8>::at(int) at ./trap.cpp:12
	// app::Ring<double, 8>::sum(int) at ./trap.cpp:18
}
