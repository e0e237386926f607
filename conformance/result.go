package conformance

import "github.com/wasm-debugid/wasm-debugid/report"

// Result is the outcome of a run.
type Result struct {
	Subject report.Subject
	// Unrunnable says why the module could not be run, one clause each; it is empty
	// where it could.
	Unrunnable []string
	// Acceptable is whether the verdict is a pass, or the module could not be run
	// and Options allow that.
	Acceptable bool

	Engines  []EngineStats
	Calls    []CallReport // every call that was made, by engine
	Offsets  int          // distinct places that were reported
	Reports  int64        // how often places were reported
	Compared int64        // offsets at which input and companion were compared
	// Mismatches is how many places failed.
	Mismatches int
	Resolved   report.Counts // what the distinct places resolve to
}

// CallReport is what an engine reported of one call.
type CallReport struct {
	Engine  Engine
	Call    Call
	Outcome string  // return, trap, exit, limit or stack overflow
	Text    string  // the engine's message; empty for a call that returned
	Frames  []Frame // of a trap, innermost first, at most 30
}

// EngineStats counts what one engine did.
type EngineStats struct {
	Engine    Engine
	Skipped   string // why it was not used
	NoCalls   string // why no calls were made in it; probes may have been
	Calls     int
	Traps     int
	Exits     int
	HostCalls int64
	Entered   int // functions that were entered

	Functions int // with a body
	Points    int // instructions replaced for the sweep
	Trapped   int // functions that trapped in place
	Returned  int // functions that came to no such instruction
	Blanked   int // of these, functions that trapped in place once blanked
	Empty     int // of these, functions without any instruction
	Uncalled  int // functions that could not be called: a parameter has no zero
}
