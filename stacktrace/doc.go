// Package stacktrace reads the stack traces that WebAssembly engines print, and
// resolves them to functions, files and lines.
//
// # Reading
//
// [ParseLine] reads one line. [Scanner] streams a log of any size, carries what
// the shapes that span several lines need, and hands every byte back, so that a
// program can annotate the WebAssembly frames and pass all else through.
// [ParseSentryEvent], [ParseCallSites] and [ParseGeckoError] do the same for
// traces that travel as JSON.
//
// A [Frame] says what was printed and nothing more. Its offset carries the unit
// the engine counts in, because mixing the units is the usual way to a wrong line:
//
//	V8, Firefox, wasmtime, wasmer, WAMR   F, from the start of the file
//	wazero                                C, from the code start
//	V8 before 2019                        from the start of the function
//	JavaScriptCore, bun                   none: function index or name only
//
// The offsets of callers are those of the call operator itself in every engine
// but one: nothing may be subtracted from them. WAMR prints F as well, but its
// text does not say how it ran: compiled code gives the operator, the classic
// interpreter what stands behind its first byte, the fast interpreter a number
// that means nothing in the file. [Frame.PastOpcode] therefore says that the
// offset may be behind the operator, and such frames keep [DoubtMode].
//
// Where the text leaves room for doubt the frame says so in [Frame.Doubts], in
// words ([Doubts.Reason]) and as a [Confidence].
//
// The format that engines agreed on is described in the conventions of the
// WebAssembly Web API:
// https://webassembly.github.io/spec/web-api/#conventions
//
// # Resolving
//
//	store, err := stacktrace.OpenStore(ctx, stacktrace.StoreOptions{Debug: []string{"symbols"}})
//	defer store.Close()
//	resolver := stacktrace.NewResolver(store, stacktrace.ResolverOptions{})
//	sum, err := stacktrace.Annotate(os.Stdout, os.Stdin, resolver, stacktrace.AnnotateOptions{})
//
// A [Store] knows the builds of modules by their files: production modules and
// companions. A [Resolver] chooses a build for each frame, by build ID, by V8's
// label, by the file name in a URL, or by the name of the module, and a build that
// is the only one named also without any of these. Of builds whose names fit alike,
// as releases of one module do, those are ruled out that do not hold the trace.
// Where several are left it lists them and does not guess.
//
// F becomes C with the code start of the production module, which a companion of
// ours has on record, and C must lie in the function that the trace names, at the
// start of an instruction. A frame for which that does not hold is of another
// build, and is never resolved. What an answer rests on beyond that stands in
// [Resolution.Notes].
//
// A frame without an offset resolves to its function. Where the code is at hand,
// and the function has exactly one direct call of the function above it in the
// trace, the frame resolves to that call, and [Resolution.Inferred] says so. Two
// calls of one function cannot be told apart, calls through tables and references
// name no function, and frames that made a tail call are gone.
//
// [Annotate], [WriteJSON], [WriteSentry] and [EnrichDocument] write what was
// found; [Log] gives it to a program line by line.
package stacktrace
