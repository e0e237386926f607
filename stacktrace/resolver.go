package stacktrace

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
)

// ResolverOptions say how frames are read.
type ResolverOptions struct {
	// Offsets overrides what the printed offsets count from.
	Offsets OffsetMode
}

// Resolver resolves frames with the builds of a Store. It remembers what it has
// resolved, so that a log of many equal traces costs little, and is safe for
// concurrent use.
type Resolver struct {
	store *Store
	opt   ResolverOptions

	mu    sync.Mutex
	known map[resolveKey]*Resolution
}

// maxKnown is the number of resolutions that are remembered.
const maxKnown = 1 << 16

// resolveKey is all that a resolution depends on, but for the assumptions about
// the build and the name.
type resolveKey struct {
	build      *Build
	position   position
	name       string // where it is all that identifies the function
	callee     uint32
	calls      bool // whether callee is set
	assumption string
}

// NewResolver returns a Resolver.
func NewResolver(s *Store, o ResolverOptions) *Resolver {
	return &Resolver{store: s, opt: o, known: map[resolveKey]*Resolution{}}
}

// Trace resolves the frames of one trace, innermost first. A nil entry stands for
// something in between that is not a WebAssembly frame, or is not known to be one:
// a JavaScript frame, for example. Its place in the result is nil.
//
// A trace is resolved as a whole, because its frames tell of each other: frames
// with one location are of one module, and where an engine prints no offsets a
// frame was called from the next one.
//
// Lines that are no frames of their own, see [Role], must not be among the frames.
func (r *Resolver) Trace(frames []*Frame) []*Resolution {
	return r.trace(frames, nil, nil)
}

// trace resolves frames in memory that out may give; images are those of the
// frames of a Sentry event.
func (r *Resolver) trace(frames []*Frame, images []*Image, out []*Resolution) []*Resolution {
	out = out[:0]
	var chosen []choice
	var group []int // number of the choice of each frame
	var origins []origin
	for i, f := range frames {
		if f == nil {
			group = append(group, -1)
			continue
		}
		o := origin{frame: f}
		if images != nil {
			o.image = images[i]
		}
		g := -1
		for k := len(origins) - 1; k >= 0; k-- {
			if origins[k].same(o) {
				g = k
				break
			}
		}
		if g < 0 {
			g = len(origins)
			origins = append(origins, o)
		}
		group = append(group, g)
	}
	var members []*Frame
	for g, o := range origins {
		members = members[:0]
		for i, f := range frames {
			if group[i] == g {
				members = append(members, f)
			}
		}
		chosen = append(chosen, r.choose(o, members))
	}
	var above *Resolution // the frame that the next one called
	for i, f := range frames {
		if f == nil {
			out, above = append(out, nil), nil
			continue
		}
		res := r.resolve(f, chosen[group[i]], above)
		out, above = append(out, res), res
	}
	return out
}

// same reports whether two frames say the same about their module. Names that may
// begin with the module's are compared as far as the first separator.
func (o origin) same(other origin) bool {
	a, b := o.frame, other.frame
	return o.image == other.image && a.Location.Kind == b.Location.Kind && bytes.Equal(a.Location.Text, b.Location.Text) &&
		bytes.Equal(a.Module, b.Module) && bytes.Equal(a.modulePrefix(), b.modulePrefix())
}

// modulePrefix is what a frame's name has in front of its first separator, for
// frames that have nothing else to tell their module by.
func (f *Frame) modulePrefix() []byte {
	if f.Separator == 0 || len(f.Location.Text) > 0 || len(f.Module) > 0 {
		return nil
	}
	if i := bytes.IndexByte(f.Name, f.Separator); i > 0 {
		return f.Name[:i]
	}
	return nil
}

// resolve resolves one frame of a chosen build. Above is the frame that it
// called, nil if it is not known.
func (r *Resolver) resolve(f *Frame, c choice, above *Resolution) *Resolution {
	if c.build == nil {
		if c.cause == CauseAmbiguous && len(c.candidates) <= maxAgreeing {
			if res := r.unanimous(f, c, above); res != nil {
				return res
			}
		}
		return (&Resolution{Candidates: c.candidates}).refuse(c.cause, c.reason)
	}
	key := resolveKey{build: c.build, position: positionOf(f, r.opt.Offsets), assumption: c.assumption}
	if !f.HasIndex && f.Offset.unit == UnitNone {
		key.name = string(f.Name)
	}
	if f.Offset.unit == UnitNone && above != nil && above.HasIndex && above.Build == c.build && (above.Resolved() || above.Cause == CauseHost || above.Cause == CauseNoInfo) {
		key.callee, key.calls = above.Index, true
	}
	r.mu.Lock()
	res := r.known[key]
	r.mu.Unlock()
	if res == nil {
		res = r.build(f, key)
		r.mu.Lock()
		if len(r.known) >= maxKnown {
			clear(r.known)
		}
		r.known[key] = res
		r.mu.Unlock()
	}
	if !res.HasIndex || !res.Resolved() {
		return res
	}
	open, err := c.build.opened()
	if err != nil {
		return res
	}
	if text := namesDiffer(c.build, open, f, res.Index); text != "" {
		differs := *res
		differs.Notes = append([]string(nil), res.Notes...)
		if f.HasIndex && f.Offset.unit != UnitNone {
			differs.note(text + ": the trace may be of another build")
			return &differs
		}
		return differs.refuse(CauseOtherBuild, text+": the trace is of another build")
	}
	return res
}

// maxAgreeing is the number of builds that fit whose answers are compared.
const maxAgreeing = 8

// unanimous returns the answer for a frame that several builds fit, if all of them
// give the same one: two builds of one source, for example. It returns nil if they
// differ.
func (r *Resolver) unanimous(f *Frame, c choice, above *Resolution) *Resolution {
	var first *Resolution
	for _, b := range c.candidates {
		if above != nil && above.Build != b {
			above = nil
		}
		res := r.resolve(f, choice{build: b}, above)
		switch {
		case !res.Resolved():
			return nil
		case first == nil:
			first = res
		case !slices.Equal(first.Frames, res.Frames) || first.FunctionOnly != res.FunctionOnly:
			return nil
		}
	}
	if first == nil {
		return nil
	}
	same := *first
	same.Candidates = c.candidates
	same.Notes = append(slices.Clip(first.Notes), "several builds fit and all of them say this: "+paths(c.candidates))
	return &same
}

// build resolves a frame that is not known yet.
func (r *Resolver) build(f *Frame, key resolveKey) *Resolution {
	res := &Resolution{Build: key.build, Confidence: key.position.doubts.Confidence()}
	open, err := key.build.opened()
	if err != nil {
		return res.refuse(CauseUnreadable, err.Error())
	}
	p := key.position
	if !p.hasIndex && p.unit == UnitNone && !r.byName(open, f, &p) {
		return res.refuse(CauseNoPosition, reasonNoPosition(f))
	}
	if !res.locate(open, p) {
		return res
	}
	res.note(key.assumption)
	if key.calls && !res.HasCode {
		res.infer(open, key.callee)
	}
	res.look(open)
	return res
}

// byName finds the function of a frame that has nothing but a name.
func (r *Resolver) byName(open *openBuild, f *Frame, p *position) bool {
	for _, name := range f.Names() {
		if len(name) == 0 {
			continue
		}
		if i, ok := open.names.find(name); ok {
			p.index, p.hasIndex = i, true
			return true
		}
	}
	return false
}

func reasonNoPosition(f *Frame) string {
	if f.HasName && len(f.Name) > 0 {
		return fmt.Sprintf("the engine printed neither index nor offset, and no single function is called %q", cleanName(string(f.Name)))
	}
	return "the engine printed neither function nor offset"
}

// infer finds the place in the function from the function that it called, where
// one direct call fits.
func (r *Resolution) infer(open *openBuild, callee uint32) {
	imported, _ := open.functions()
	if !r.HasIndex || r.Index < imported {
		return
	}
	code := open.calls.of(int(r.Index - imported))
	if code == nil {
		return
	}
	at, indirect, ok := code.callTo(callee)
	if !ok {
		return
	}
	r.Code, r.HasCode, r.Inferred, r.FunctionOnly = at, true, true, false
	text := fmt.Sprintf("inferred: the engine prints no offsets, and this is the only direct call of function %d here", callee)
	if indirect {
		text += "; the function also calls through values, so it may have been one of these calls"
	}
	r.note(text)
}

// look looks the place up.
func (r *Resolution) look(open *openBuild) {
	if !r.HasCode {
		r.lookFunction(open)
		return
	}
	a := open.debug.Lookup(r.Code, nil)
	r.take(a.Frames)
	r.Reason = a.Reason.String()
	r.known(a.HasIndex)
}

// lookFunction answers for the function as a whole: its name and where it is
// declared.
func (r *Resolution) lookFunction(open *openBuild) {
	_, e, ok := open.body(r.Index)
	if !ok {
		// Without code the index has nothing but its name.
		if name, ok := open.debug.FunctionName(r.Index); ok {
			r.takeName(name)
			return
		}
		r.refuse(CauseNoInfo, r.Build.Path()+" holds no code and no name for the function")
		return
	}
	a := open.debug.Lookup(e.Start, nil)
	if n := len(a.Frames); n > 1 {
		// Something was inlined at the very start: what is left is a call's line.
		a.Frames = a.Frames[n-1:]
		a.Frames[0].Line, a.Frames[0].Column = 0, 0
	}
	r.take(a.Frames)
	for i := range r.Frames {
		r.Frames[i].Inlined, r.Frames[i].Column = false, 0
	}
	r.Reason = "the trace has no usable offset for this frame, so that only the function is known"
	r.known(true)
}

// known refuses the frame if nothing is known about its place.
func (r *Resolution) known(inFunction bool) {
	for i := range r.Frames {
		f := &r.Frames[i]
		if f.Function != "" || f.Linkage != "" || f.Line != 0 {
			return
		}
	}
	text := r.Reason
	if text == "" || r.FunctionOnly {
		text = "the function has no debug information"
	}
	if inFunction {
		text = fmt.Sprintf("function %d: %s", r.Index, text)
	}
	r.refuse(CauseNoInfo, text)
}
