package stacktrace

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// position is what decides about a frame's place in a build: the printed values
// without the text.
type position struct {
	unit     Unit
	value    int64
	index    uint32
	hasIndex bool
	past     bool
	exact    bool // past, but the other frames of the trace say that offsets are exact
	zero     bool // the printed index is 0 as that of every function
	doubts   Doubts
	shape    Shape
}

// positionOf returns the position of a frame under the given reading of offsets.
func positionOf(f *Frame, mode OffsetMode) position {
	p := position{unit: f.Offset.unit, value: f.Offset.value, index: f.Index, hasIndex: f.HasIndex, past: f.PastOpcode, doubts: f.Doubts, shape: f.Shape}
	if p.unit != UnitNone && mode != OffsetsAuto {
		p.doubts &^= DoubtMode | DoubtDecimal
		p.past = false
		switch mode {
		case OffsetsFile:
			p.unit = UnitFile
		case OffsetsCode:
			p.unit = UnitCode
		case OffsetsFunction:
			p.unit = UnitFunction
		case OffsetsNext:
			p.unit, p.past = UnitFile, true
		}
	}
	return p
}

// position returns the position of a frame of a build. Deno prints index 0 for
// every function, which shows where the offset lies in another one and that is
// called exactly as the trace says: Deno leaves out the module's name, V8 does not.
func (r *Resolver) position(b *Build, f *Frame) position {
	p := positionOf(f, r.opt.Offsets)
	if f.Shape != ShapeV8 || !p.hasIndex || p.index != 0 || p.unit != UnitFile || !f.HasName || len(f.Name) == 0 || f.Doubts.Has(DoubtBoundary) {
		return p
	}
	open, err := b.opened()
	if err != nil {
		return p
	}
	span, _, ok := b.codeStart()
	if at := wasm.FileOffset(p.value); ok && span.Contains(at) {
		c, _ := span.Code(at)
		index, ok := open.function(c)
		if !ok || index == 0 {
			return p
		}
		if have, ok := open.debug.FunctionName(index); ok && string(f.Name) == have {
			p.hasIndex, p.zero = false, true
			p.doubts |= DoubtNoIndex
		}
	}
	return p
}

// locate turns the printed position into C and checks it against the function
// index. It fills Code and Index of r, or refuses the frame. FunctionOnly is set
// where the place in the function is unknown.
//
// Nothing is subtracted from an offset: engines report the operator itself, for
// callers as well. WAMR's classic interpreter is the one that differs.
func (r *Resolution) locate(o *openBuild, p position) bool {
	path := r.Build.Path()
	if p.hasIndex {
		imported, bodies := o.functions()
		if p.index < imported && p.unit != UnitNone && p.value != 0 {
			r.refuse(CauseOtherBuild, fmt.Sprintf("function %d has an offset in the trace, but is imported in %s: the trace is of another build", p.index, path))
			return false
		}
		if p.index < imported {
			reason := fmt.Sprintf("function %d is imported", p.index)
			if name := o.importName(p.index); name != "" {
				reason += " (" + name + ")"
			}
			r.Index, r.HasIndex = p.index, true
			r.refuse(CauseHost, reason+", so its code is not in the module")
			return false
		}
		if _, _, ok := o.body(p.index); !ok && bodies > 0 {
			r.refuse(CauseOtherBuild, fmt.Sprintf("%s has no function %d, only %d: the trace is of another build", path, p.index, int64(imported)+int64(bodies)))
			return false
		}
		r.Index, r.HasIndex = p.index, true
	}
	if p.unit == UnitNone {
		r.FunctionOnly = true
		return true
	}
	if p.doubts.Has(DoubtRange) {
		r.refuse(CauseNotCode, "the printed index or offset is too large for any module")
		return false
	}
	if p.value == 0 && p.unit != UnitFunction {
		r.refuse(CauseHost, "offset 0 is no code: it stands for a host function, a stub or an unknown position")
		return false
	}
	c, ok := r.codeOffset(o, p)
	if !ok {
		return false
	}
	return r.agree(o, p, c)
}

// codeOffset converts the printed offset to C.
func (r *Resolution) codeOffset(o *openBuild, p position) (wasm.CodeOffset, bool) {
	switch p.unit {
	case UnitFile:
		span, assumption, ok := r.Build.codeStart()
		if !ok {
			r.refuse(CauseNoInfo, fmt.Sprintf("where the code starts is not known, because %s holds none; give the production module as well", r.Build.Path()))
			return 0, false
		}
		at := wasm.FileOffset(p.value)
		if !span.Contains(at) {
			r.refuse(CauseNotCode, r.outside(at, span, p.shape))
			return 0, false
		}
		c, _ := span.Code(at)
		r.note(assumption)
		return c, true
	case UnitCode:
		if p.value > 1<<32-1 {
			r.refuse(CauseNotCode, "the offset is too large for code")
			return 0, false
		}
		return wasm.CodeOffset(p.value), true
	}
	_, e, ok := o.body(p.index)
	if !p.hasIndex || !ok {
		r.refuse(CauseNoPosition, "an offset within a function means nothing without the function's index")
		return 0, false
	}
	if p.value >= int64(e.End-e.Start) {
		r.refuse(CauseOtherBuild, fmt.Sprintf("function %d is %d bytes long, the offset in it is %d: another build, or the offset counts from elsewhere", p.index, e.End-e.Start, p.value))
		return 0, false
	}
	return e.Start + wasm.CodeOffset(p.value), true
}

// outside says what lies at a file offset that is no code.
func (r *Resolution) outside(at wasm.FileOffset, span wasm.CodeSpan, shape Shape) string {
	where := "behind the code"
	if at < span.Start {
		where = "before the code"
	}
	text := fmt.Sprintf("file offset %v lies %s, which is %v to %v in the module of %s: the trace is of another build, or counts from elsewhere", at, where, span.Start, span.End(), r.Build.Path())
	if shape == ShapeWasmtime {
		text += "; in a component, wasmtime counts from the start of the component"
	}
	return text
}

// agree checks C against the function index and the code.
func (r *Resolution) agree(o *openBuild, p position, c wasm.CodeOffset) bool {
	if _, bodies := o.functions(); bodies == 0 {
		r.Code, r.HasCode = c, true
		r.note(r.Build.Path() + " holds no code to check the frame against")
		return true
	}
	if p.hasIndex {
		_, e, _ := o.body(p.index)
		switch {
		case e.Contains(c):
		case p.past && c == e.End:
			// Behind the operator that ends the body.
		case c+1 == e.Start && p.shape.Engine() == EngineV8:
			r.FunctionOnly = true
			r.note("optimised code of older versions of V8 reports this place where it does not know the position in the function")
			return true
		default:
			r.refuse(CauseOtherBuild, r.disagreement(o, p, c, e))
			return false
		}
		return r.operator(o, p, c, e, int(p.index))
	}
	a := o.debug.Lookup(c, nil)
	if !a.HasIndex {
		r.refuse(CauseNotCode, a.Reason.String()+": the trace is of another build, or counts from elsewhere")
		return false
	}
	r.Index, r.HasIndex = a.Index, true
	return r.operator(o, p, c, a.Body, int(a.Index))
}

func (r *Resolution) disagreement(o *openBuild, p position, c wasm.CodeOffset, e debugfile.Extent) string {
	where := "in no function"
	if a := o.debug.Lookup(c, nil); a.HasIndex {
		where = fmt.Sprintf("in function %d", a.Index)
	}
	text := fmt.Sprintf("the trace says function %d, which is code offset %v to %v in %s, but the offset lies %s (code offset %v): the trace is of another build", p.index, e.Start, e.End, r.Build.Path(), where, c)
	if p.shape == ShapeWasmtime {
		text += ", or of a component, where wasmtime counts from the component's start"
	}
	return text
}

// operator checks that an operator which engines report starts at c, where the
// code is at hand, and steps back to the operator where c may be behind it.
func (r *Resolution) operator(o *openBuild, p position, c wasm.CodeOffset, e debugfile.Extent, index int) bool {
	imported, _ := o.functions()
	code := o.calls.of(index - int(imported))
	if p.past {
		r.stepBack(code, c, e, p)
		return true
	}
	r.Code, r.HasCode = c, true
	if c == e.Start || code == nil {
		return true // the body's start is where a stack overflow points
	}
	if text := code.contradiction(c); text != "" {
		r.refuse(CauseOtherBuild, fmt.Sprintf("%s of function %d in %s: the trace is of another build, or its offsets count from elsewhere", text, index, r.Build.Path()))
		return false
	}
	if i, starts := code.starting(c); starts && (code.list[i].kind == siteQuiet || code.list[i].kind == siteBranch && !p.shape.joinsTraps()) {
		r.note("the instruction at this offset neither calls nor traps, so no engine should report it: the trace may be of another build")
		r.Confidence, r.suspicious = Low, true
	}
	return true
}

// stepBack finds the operator for an offset that may be behind it. With the code
// at hand it is the one that contains C−1, unless only the one at C can be in a
// trace. Without, C−1 lies inside the operator, which is enough for its line.
func (r *Resolution) stepBack(code *sites, c wasm.CodeOffset, e debugfile.Extent, p position) {
	r.HasCode = true
	if code == nil {
		r.Code = max(e.Start, c-1)
		r.note("the offset was taken to be behind the operator, as WAMR's classic interpreter prints it")
		return
	}
	before := code.containing(c - 1)
	exact, next := code.readings(c)
	if exact && (!next || p.exact) && p.doubts.Has(DoubtMode) {
		r.Code = c
		r.note("the offset was taken to be exact, as WAMR prints it for compiled code")
		return
	}
	if before < 0 {
		r.Code = e.Start
		return
	}
	r.Code = code.list[before].at
	if p.doubts.Has(DoubtMode) {
		r.note("the offset was taken to be behind the operator, as WAMR's classic interpreter prints it")
	}
}

// readings reports which readings of C are a place that a trace can hold: an
// operator there, and one that contains C−1.
func (s *sites) readings(c wasm.CodeOffset) (exact, next bool) {
	loud := func(i int) bool {
		return i >= 0 && s.list[i].kind >= siteTraps
	}
	at, starts := s.starting(c)
	return starts && loud(at), loud(s.containing(c - 1))
}

// exact is exactOffsets for a choice: of the build, or of all builds that fit.
func (r *Resolver) exact(c choice, frames []*Frame) bool {
	if c.build != nil {
		return r.exactOffsets(c.build, frames)
	}
	if c.cause != CauseAmbiguous || len(c.candidates) > maxAgreeing {
		return false
	}
	for _, b := range c.candidates {
		if !r.exactOffsets(b, frames) {
			return false
		}
	}
	return true
}

// exactOffsets reports whether frames of one trace, whose engine prints offsets in
// one of two ways, can be read in one of them only: as those of the operator. One
// frame often leaves both open, a trace seldom does.
func (r *Resolver) exactOffsets(b *Build, frames []*Frame) bool {
	if r.opt.Offsets != OffsetsAuto {
		return false
	}
	said := false
	for _, f := range frames {
		if !f.PastOpcode || f.Offset.unit != UnitFile {
			continue
		}
		open, err := b.opened()
		if err != nil {
			return false
		}
		span, _, ok := b.codeStart()
		if !ok || !span.Contains(wasm.FileOffset(f.Offset.value)) {
			continue
		}
		c, _ := span.Code(wasm.FileOffset(f.Offset.value))
		index, ok := open.function(c)
		if !ok {
			continue
		}
		number, _, _ := open.body(index)
		code := open.calls.of(number)
		if code == nil {
			return false
		}
		exact, next := code.readings(c)
		if next && !exact {
			return false
		}
		said = said || exact && !next
	}
	return said
}

// OffsetMode says what the offsets of a trace count from.
type OffsetMode uint8

// The modes.
const (
	OffsetsAuto     OffsetMode = iota // what the frame's engine counts from
	OffsetsFile                       // F
	OffsetsCode                       // C
	OffsetsFunction                   // from the start of the function's body
	OffsetsNext                       // F of what follows the operator: WAMR's classic interpreter
)

var offsetModeNames = [...]string{"auto", "file", "code", "function", "next"}

// String returns the mode as the command line spells it.
func (m OffsetMode) String() string {
	if int(m) < len(offsetModeNames) {
		return offsetModeNames[m]
	}
	return fmt.Sprintf("OffsetMode(%d)", int(m))
}

// ParseOffsetMode is the inverse of String.
func ParseOffsetMode(s string) (OffsetMode, error) {
	for i, n := range offsetModeNames {
		if s == n {
			return OffsetMode(i), nil
		}
	}
	return 0, fmt.Errorf("offsets are one of %s, not %q", strings.Join(offsetModeNames[:], ", "), s)
}
