package conformance

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// built splits a module that a test builds.
func built(t testing.TB, sections ...testwasm.Section) *pair {
	t.Helper()
	return split(t, "built.wasm", testwasm.Build(sections...), rewrite.Options{})
}

// names gives every function a name, so that frames resolve to something.
func names(list ...string) testwasm.Section {
	return testwasm.Names{Functions: testwasm.List(list...)}.Section()
}

// deepCaller is a module whose export down(n) calls itself n times and then the
// host.
func deepCaller(t testing.TB, n int) *pair {
	t.Helper()
	return built(t,
		testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{Params: []byte{testwasm.I32}}),
		testwasm.Imports(testwasm.Import{Module: "env", Name: "host", Kind: testwasm.KindFunc}),
		testwasm.Functions(1),
		testwasm.Exports(testwasm.Export{Name: "down", Kind: testwasm.KindFunc, Index: 1}),
		testwasm.Code(testwasm.Fn(
			0x20, 0, 0x04, 0x40, // local.get 0, if
			0x20, 0, 0x41, 1, 0x6b, 0x10, 1, // call down(n-1)
			0x05, 0x10, 0, // else call host
			0x0b)),
		names("host", "down"),
	)
}
