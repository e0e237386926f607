// Package toolchain holds the checks that need real tools: it builds programs
// with real compilers, splits them and published modules with the command-line
// program, runs what came out, and compares with an independent reader.
//
// Its tests belong to stages of .ci/run and skip unless WASM_DEBUGID_STAGE names
// their stage; in their stage a missing tool is a failure. They use the
// command-line program and none of the module's packages as a source of truth.
package toolchain
