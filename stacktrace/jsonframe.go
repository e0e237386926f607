package stacktrace

import (
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// The JSON form of resolved frames. Fields stand in the order of their names;
// fields are only ever added.

// JSONFrame is a frame of a trace with what it was resolved to.
type JSONFrame struct {
	Candidates   []JSONBuild      `json:"candidates"`  // builds that fit, where several do
	Cause        string           `json:"cause"`       // why it was not resolved, in a word; empty if it was
	CodeOffset   *wasm.CodeOffset `json:"code_offset"` // C, what was looked up
	Confidence   string           `json:"confidence"`  // high, medium or low
	Engine       string           `json:"engine"`
	Frames       []JSONFunction   `json:"frames"`        // innermost first
	FunctionOnly bool             `json:"function_only"` // the place in the function is not known
	Index        *uint32          `json:"index"`         // function index, imports counted
	Inferred     bool             `json:"inferred"`      // the place is that of the only call that fits
	Line         int64            `json:"line"`          // of the input; 0 for a document
	Location     string           `json:"location"`
	Module       *JSONBuild       `json:"module"` // the build that was chosen
	Notes        []string         `json:"notes"`  // assumptions and doubts
	Offset       *int64           `json:"offset"` // as printed
	OffsetUnit   string           `json:"offset_unit"`
	Path         string           `json:"path"` // of the frame in a JSON document; empty for text
	Reason       string           `json:"reason"`
	Resolved     bool             `json:"resolved"`
	Shape        string           `json:"shape"`
	Text         string           `json:"text"` // the frame as printed
}

// JSONBuild names a build.
type JSONBuild struct {
	BuildID    string `json:"build_id"`
	Companion  string `json:"companion"`
	Name       string `json:"name"` // of the module
	Production string `json:"production"`
}

// JSONFunction is one function at a place.
type JSONFunction struct {
	Column   uint32       `json:"column"`
	Context  []JSONSource `json:"context"`
	File     string       `json:"file"`
	Function string       `json:"function"` // for people; empty if it is not known
	Inlined  bool         `json:"inlined"`
	Line     uint32       `json:"line"`
	Linkage  string       `json:"linkage_name"` // the mangled name
	Name     string       `json:"name"`         // as the source has it
	Tier     string       `json:"tier"`         // dwarf, sourcemap, names or index
}

// NewJSONFunction returns the JSON form of a function at a place, without source
// lines.
func NewJSONFunction(f *debugfile.Frame) JSONFunction {
	return JSONFunction{Context: []JSONSource{}, Column: f.Column, File: f.File, Function: cleanName(f.Name()), Inlined: f.Inlined, Line: f.Line,
		Linkage: f.Linkage, Name: f.Function, Tier: f.Source.String()}
}

// JSONSource is a line of source text.
type JSONSource struct {
	Line uint32 `json:"line"`
	Text string `json:"text"`
}

// newJSONBuild returns nil for nil.
func newJSONBuild(b *Build) *JSONBuild {
	if b == nil {
		return nil
	}
	return &JSONBuild{BuildID: b.ID().String(), Companion: b.Companion(), Name: b.Name(), Production: b.Production()}
}

// NewJSONFrame returns the JSON form of a frame and its resolution. Context is the
// number of source lines around each function's line; sources may be nil.
func NewJSONFrame(f *Frame, r *Resolution, sources *Sources, context int) JSONFrame {
	j := JSONFrame{Confidence: r.Confidence.String(), Cause: r.Cause.String(), Engine: f.Shape.Engine().String(), Shape: f.Shape.String(),
		Candidates: []JSONBuild{}, Frames: []JSONFunction{}, FunctionOnly: r.FunctionOnly, Inferred: r.Inferred, Location: string(f.Location.Text),
		Module: newJSONBuild(r.Build), Notes: []string{}, OffsetUnit: f.Offset.unit.String(), Reason: r.Reason, Resolved: r.Resolved()}
	j.Notes = append(j.Notes, r.Notes...)
	if d := f.Doubts.Reason(); d != "" {
		j.Notes = append(j.Notes, d)
	}
	for _, b := range r.Candidates {
		j.Candidates = append(j.Candidates, *newJSONBuild(b))
	}
	if r.HasCode {
		j.CodeOffset = &r.Code
	}
	switch {
	case r.HasIndex:
		j.Index = &r.Index
	case f.HasIndex:
		index := f.Index
		j.Index = &index
	}
	if f.Offset.unit != UnitNone {
		value := f.Offset.value
		j.Offset = &value
	}
	for i := range r.Frames {
		x := &r.Frames[i]
		fn := NewJSONFunction(&x.Frame)
		if sources != nil && x.Line != 0 {
			lines, first := sources.Context(x.File, x.Line, context)
			for k, text := range lines {
				fn.Context = append(fn.Context, JSONSource{first + uint32(k), string(text)})
			}
		}
		j.Frames = append(j.Frames, fn)
	}
	return j
}
