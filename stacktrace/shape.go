package stacktrace

// Engine names the runtime that printed a frame, as far as the text tells.
type Engine uint8

// The engines whose traces are understood.
const (
	EngineUnknown    Engine = iota
	EngineV8                // Chrome, Edge, Node.js, Deno, Cloudflare Workers
	EngineGecko             // Firefox
	EngineJSC               // Safari, WebKitGTK
	EngineBun               // bun: JavaScriptCore behind V8's trace format
	EngineWasmtime          //
	EngineWasmer            //
	EngineWazero            //
	EngineWAMR              // wasm-micro-runtime (iwasm)
	EngineEmscripten        // emscripten's own runtime support
)

var engineNames = [...]string{"unknown", "v8", "gecko", "jsc", "bun", "wasmtime", "wasmer", "wazero", "wamr", "emscripten"}

// String returns the engine's name in lower case.
func (e Engine) String() string {
	if int(e) < len(engineNames) {
		return engineNames[e]
	}
	return engineNames[0]
}

// Shape is the form a frame was printed in. In the descriptions I is a function
// index and H stands for hexadecimal digits.
type Shape uint8

// The shapes that are recognised.
const (
	ShapeUnknown    Shape = iota
	ShapeV8               // at [NAME (]LOC:wasm-function[I]:0xH[)]
	ShapeV8Column         // at NAME (LOC:1:COL), column F+1: Deno up to 2.6
	ShapeV8Bare           // at [NAME (]wasm-function[I][:N][)], no location
	ShapeV8Old            // at NAME (<WASM>[I]+N), V8 before 2018
	ShapeV8CallSite       // structured: call site or protocol frame
	ShapeGecko            // [NAME]@LOC:wasm-function[I]:0xH
	ShapeGeckoLine        // LOC:F[:1], the error object's position
	ShapeJSCCode          // MOD.wasm-function[NAME]@[wasm code], until mid 2025
	ShapeJSCModule        // NAME@MOD:wasm-function[I], since August 2025
	ShapeJSC              // [NAME@]wasm-function[I][:0xH], later builds
	ShapeBun              // at unknown; MOD.wasm-function[NAME] ([wasm code])
	ShapeWasmtime         // N: [0xH - ]MOD!NAME
	ShapeWasmer           // at NAME (MOD[I]:0xH)
	ShapeWazero           // MOD.NAME(types) types, and 0xH: file:line:col
	ShapeWAMR             // #NN: 0xH - NAME
	ShapeWAMROld          // #NN NAME, no offset
	ShapeSanitizer        // #N 0xH in NAME (FILE.wasm+0xH): emscripten's sanitizers
	ShapeLocation         // LOC:wasm-function[I][:0xH] with no mark of an engine
	ShapeNoIndex          // [NAME] FILE.wasm:0xH, offset without an index
	ShapeSentry           // structured: frame of a Sentry event
)

var shapeInfo = [...]struct {
	name   string
	engine Engine
}{
	ShapeUnknown:    {"unknown", EngineUnknown},
	ShapeV8:         {"v8", EngineV8},
	ShapeV8Column:   {"v8-column", EngineV8},
	ShapeV8Bare:     {"v8-bare", EngineV8},
	ShapeV8Old:      {"v8-old", EngineV8},
	ShapeV8CallSite: {"v8-callsite", EngineV8},
	ShapeGecko:      {"gecko", EngineGecko},
	ShapeGeckoLine:  {"gecko-line", EngineGecko},
	ShapeJSCCode:    {"jsc-code", EngineJSC},
	ShapeJSCModule:  {"jsc-module", EngineJSC},
	ShapeJSC:        {"jsc", EngineJSC},
	ShapeBun:        {"bun", EngineBun},
	ShapeWasmtime:   {"wasmtime", EngineWasmtime},
	ShapeWasmer:     {"wasmer", EngineWasmer},
	ShapeWazero:     {"wazero", EngineWazero},
	ShapeWAMR:       {"wamr", EngineWAMR},
	ShapeWAMROld:    {"wamr-old", EngineWAMR},
	ShapeSanitizer:  {"sanitizer", EngineEmscripten},
	ShapeLocation:   {"location", EngineUnknown},
	ShapeNoIndex:    {"no-index", EngineUnknown},
	ShapeSentry:     {"sentry", EngineUnknown},
}

// String returns the shape's name in lower case.
func (s Shape) String() string {
	if int(s) < len(shapeInfo) {
		return shapeInfo[s].name
	}
	return shapeInfo[ShapeUnknown].name
}

// Engine returns the engine that prints this shape, or EngineUnknown when
// several do.
func (s Shape) Engine() Engine {
	if int(s) < len(shapeInfo) {
		return shapeInfo[s].engine
	}
	return EngineUnknown
}

// joinsTraps reports whether the engine joins a branch to an unreachable into one
// instruction that traps on the condition, and reports the place of the branch.
// wasmtime 50 does; its compiler, Cranelift, is wasmer's as well.
func (s Shape) joinsTraps() bool { return s == ShapeWasmtime || s == ShapeWasmer }

// Role says what a line is to its frame.
type Role uint8

// The roles of a line.
const (
	// RoleFrame is a frame of its own.
	RoleFrame Role = iota
	// RoleSource is a line below a frame that holds what the engine itself
	// resolved: wazero's "0xH: file:line:col" and wasmtime's "at file:line:col".
	// It carries index, name and module of the frame above.
	RoleSource
	// RoleSymbol is wasmtime's " - SYMBOL" line: a further function of the
	// frame above, which was inlined into it or is the function itself.
	RoleSymbol
)

// String returns the role's name in lower case.
func (r Role) String() string {
	switch r {
	case RoleSource:
		return "source"
	case RoleSymbol:
		return "symbol"
	}
	return "frame"
}
