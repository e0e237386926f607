package buildid_test

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
)

// The same section is shown differently by clients that do not read the length in
// front of the ID.
func ExampleForms() {
	id, err := buildid.ParseID("097ef9d0-f128-8c0a-b0ee-14e3345477f9")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, form := range buildid.Forms(buildid.Encode(id), "app.wasm") {
		switch form.Client {
		case "V8, Chrome DevTools protocol", "Datadog":
			fmt.Printf("%s, %s: %s\n", form.Client, form.Kind, form.Value)
		}
	}
	// Output:
	// V8, Chrome DevTools protocol, buildId: 097ef9d0f1288c0ab0ee14e3345477f9
	// Datadog, build id: 10097ef9d0f1288c0ab0ee14e3345477f9
}
