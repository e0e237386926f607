package stacktrace

import (
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Cause says why a frame was not resolved.
type Cause uint8

// The causes.
const (
	CauseNone       Cause = iota // it was resolved, at least to a function
	CauseNoModule                // none of the builds at hand fits the frame
	CauseAmbiguous               // several builds fit; see Resolution.Candidates
	CauseOtherBuild              // the frame contradicts the build: another one ran
	CauseNotCode                 // the offset is no code of the module
	CauseHost                    // a function of the host, or offset 0, which stands for none
	CauseNoPosition              // the engine printed neither function nor offset
	CauseNoInfo                  // the build knows neither name nor line for the place
	CauseUnreadable              // the files of the build cannot be read
)

var causeNames = [...]string{"", "no module", "ambiguous", "other build", "not code", "host", "no position", "no debug information", "unreadable"}

// String returns the cause in a word or two, empty for CauseNone.
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return "unknown"
}

// SourceFrame is one function at the place of a frame.
type SourceFrame struct {
	debugfile.Frame
	// Display is the function's name for people: demangled, never empty.
	Display string
}

// Resolution is what a frame of a trace turned out to be. It is shared between
// equal frames and must not be changed.
type Resolution struct {
	// Cause and Reason say why the frame was not resolved. A resolved frame may
	// have a reason as well: why there is a function and no line.
	Cause  Cause
	Reason string

	// Build is the build that was chosen; nil if none was.
	Build *Build
	// Candidates are the builds that fit where more than one does.
	Candidates []*Build

	// Code is C of the operator, if HasCode: what was looked up.
	Code    wasm.CodeOffset
	HasCode bool
	// Index is the function's index, imports counted, if HasIndex.
	Index    uint32
	HasIndex bool

	// Frames are the functions at the place, innermost first: what was inlined,
	// and last the function that the frame is of.
	Frames []SourceFrame
	// FunctionOnly says that the place in the function is not known: the line, if
	// there is one, is that of the function's declaration.
	FunctionOnly bool
	// Inferred says that the engine printed no offset, and that Code is the only
	// direct call of the function above it in the trace.
	Inferred bool

	// Notes are assumptions that the answer rests on, and doubts.
	Notes      []string
	Confidence Confidence

	suspicious bool // an instruction that no engine should report
}

// Resolved reports whether the frame was resolved, at least to a function.
func (r *Resolution) Resolved() bool { return r.Cause == CauseNone }

// HasLine reports whether there is a file and a line for the place itself.
func (r *Resolution) HasLine() bool {
	return !r.FunctionOnly && len(r.Frames) > 0 && r.Frames[0].Line != 0 && r.Frames[0].File != ""
}

// refuse makes r an unresolved frame.
func (r *Resolution) refuse(c Cause, reason string) *Resolution {
	r.Cause, r.Reason, r.Frames, r.Confidence = c, reason, nil, Low
	return r
}

// note adds a doubt or an assumption, which costs full confidence.
func (r *Resolution) note(text string) {
	if text == "" {
		return
	}
	r.Notes = append(r.Notes, text)
	r.Confidence = min(r.Confidence, Medium)
}

// take stores the frames of an answer in memory of their own.
func (r *Resolution) take(frames []debugfile.Frame) {
	for i := range frames {
		f := frames[i]
		f.Function, f.Linkage, f.File = strings.Clone(f.Function), strings.Clone(f.Linkage), strings.Clone(f.File)
		name := f.Name()
		if name == "" {
			name = "<unknown>"
		}
		r.Frames = append(r.Frames, SourceFrame{f, cleanName(name)})
	}
}

// cleanName makes a name fit for people and for one line of text.
func cleanName(name string) string {
	if strings.IndexByte(name, '\\') >= 0 {
		name = string(DecodeName([]byte(name)))
	}
	return oneLine(name)
}

// oneLine replaces control characters.
func oneLine(text string) string {
	control := func(c rune) bool { return c < ' ' || c == 0x7f }
	if strings.IndexFunc(text, control) < 0 {
		return text
	}
	return strings.Map(func(c rune) rune {
		if control(c) {
			return '\ufffd'
		}
		return c
	}, text)
}

// takeName stores a function of which there is only the name.
func (r *Resolution) takeName(name string) {
	r.take([]debugfile.Frame{{Function: name, Source: debugfile.TierNames}})
	r.Reason = "nothing but the function's name is known"
}
