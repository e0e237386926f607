package debugfile

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Tier is the kind of source that an answer comes from, from best to least.
type Tier uint8

// The tiers.
const (
	TierNone      Tier = iota // no answer
	TierDWARF                 // DWARF
	TierSourceMap             // a source map: file and line, no inlining
	TierNames                 // a name section or symbol map: the function's name
	TierIndex                 // the function's index alone
)

var tierNames = [...]string{"none", "dwarf", "sourcemap", "names", "index"}

// String returns "dwarf", "sourcemap", "names", "index" or "none".
func (t Tier) String() string {
	if int(t) < len(tierNames) {
		return tierNames[t]
	}
	return fmt.Sprintf("Tier(%d)", int(t))
}

// Frame is one function at a code offset.
type Frame struct {
	Function string // the function's name as the source has it, or as found; may be empty
	Linkage  string // the mangled name; may be empty
	File     string // path of the source file; empty if unknown
	Line     uint32 // 1-based; 0: unknown, or code that no line is responsible for
	Column   uint32 // 1-based; 0: unknown
	Inlined  bool   // the function was inlined into the next frame's
	Source   Tier   // where the position, or else the name, comes from
}

// Name returns the name to show: the mangled name in readable form where there is
// one, which is more precise than the source's.
func (f *Frame) Name() string {
	if f.Linkage != "" {
		if s, ok := Demangle(f.Linkage); ok {
			return s
		}
	}
	if f.Function != "" {
		s, _ := Demangle(f.Function)
		return s
	}
	return f.Linkage
}

// Reason says why an answer is not complete.
type Reason uint8

// The reasons.
const (
	ReasonNone          Reason = iota // the answer has a line
	ReasonFunctionCount               // the offset is the function count that opens the Code section
	ReasonSizeLEB                     // the offset lies in the size that stands before a body
	ReasonPastEnd                     // the offset lies behind the last body
	ReasonNoDebugInfo                 // the function has no debug information
	ReasonNoRow                       // the function has debug information, but no line row covers the offset
	ReasonLineZero                    // the compiler made this code; no line is responsible
	ReasonSkeleton                    // the function's DWARF is in a .dwo or .dwp that is not at hand
	ReasonShadowed                    // only DWARF of a definition that lost at link time covers the offset
	ReasonDamaged                     // the unit that covers the offset cannot be read
	ReasonUnavailable                 // the file became shorter while it was in use
	ReasonNoFile                      // the line row names a file that its table does not have
	ReasonCodeDamaged                 // the function bodies from here on cannot be listed
)

var reasonTexts = [...]string{
	"",
	"this is the function count, no code",
	"this is the size in front of a function body, no code",
	"this lies behind the last function body",
	"the function has no debug information",
	"no line covers this place in the function",
	"the compiler made this code, no line is responsible for it",
	"the function's debug information is in a .dwo or .dwp file that is not at hand",
	"only debug information of another definition of this function, which lost at link time, covers this place",
	"the debug information of this place is damaged",
	"the file became shorter while it was in use",
	"the line table names a file that it does not have",
	"the Code section is damaged before this place, so that functions from there on are not known",
}

// String returns the reason as a clause, empty for ReasonNone.
func (r Reason) String() string {
	if int(r) < len(reasonTexts) {
		return reasonTexts[r]
	}
	return fmt.Sprintf("Reason(%d)", int(r))
}

// Answer is what stands at a code offset.
type Answer struct {
	// Frames are the functions at the offset, innermost first: what was inlined,
	// and last the function itself. There is none for an offset that is no code.
	Frames []Frame
	// Index is the function's index, imports counted, if HasIndex.
	Index    uint32
	HasIndex bool
	// Body is the extent of the function's body, if HasIndex.
	Body Extent
	// Reason says why there is no line.
	Reason Reason
}

// Extent is a half-open range of code offsets.
type Extent struct{ Start, End wasm.CodeOffset }

// Contains reports whether c lies in the extent.
func (e Extent) Contains(c wasm.CodeOffset) bool { return c >= e.Start && c < e.End }

// Tier returns the tier of the innermost frame.
func (a *Answer) Tier() Tier {
	if len(a.Frames) == 0 {
		return TierNone
	}
	return a.Frames[0].Source
}

// HasLine reports whether the innermost frame has a file and a line.
func (a *Answer) HasLine() bool {
	return len(a.Frames) > 0 && a.Frames[0].Line != 0 && a.Frames[0].File != ""
}
