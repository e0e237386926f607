// Command hello prints one line and exits; the tests run it before and after a
// split.
package main

func main() {
	println("hello from", name())
}

//go:noinline
func name() string { return "wasm" }
