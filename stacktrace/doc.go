// Package stacktrace reads the stack traces that WebAssembly engines print.
//
// [ParseLine] reads one line. [Scanner] streams a log of any size, carries what
// the shapes that span several lines need, and hands every byte back, so that a
// program can annotate the WebAssembly frames and pass all else through.
// [ParseSentryEvent], [ParseCallSites] and [ParseGeckoError] do the same for
// traces that travel as JSON.
//
// A [Frame] says what was printed and nothing more: no companion is opened and
// no address is translated here. Its offset carries the unit the engine counts
// in, because mixing the units is the usual way to a wrong line:
//
//	V8, Firefox, wasmtime, wasmer, WAMR   F, from the start of the file
//	wazero                                C, from the code start
//	V8 before 2019                        from the start of the function
//	JavaScriptCore, bun                   none: function index or name only
//
// The offsets of callers are those of the call operator itself in every engine
// but WAMR's classic interpreter (see [Frame.PastOpcode]): nothing may be
// subtracted from them.
//
// Where the text leaves room for doubt the frame says so in [Frame.Doubts], in
// words ([Doubts.Reason]) and as a [Confidence].
//
// The format that engines agreed on is described in the conventions of the
// WebAssembly Web API:
// https://webassembly.github.io/spec/web-api/#conventions
package stacktrace
