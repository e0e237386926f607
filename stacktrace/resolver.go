package stacktrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
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

	mu      sync.Mutex
	known   map[resolveKey]*Resolution
	choices map[string]choice // those that rest on what frames say about their module alone
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
	return &Resolver{store: s, opt: o, known: map[resolveKey]*Resolution{}, choices: map[string]choice{}}
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
	return r.trace(frames, nil, &traceMemory{})
}

// trace resolves frames; images are those of the frames of a Sentry event. The
// result is good until the memory is used again.
func (r *Resolver) trace(frames []*Frame, images []*Image, m *traceMemory) []*Resolution {
	m.out, m.origins, m.chosen, m.group, m.sizes = m.out[:0], m.origins[:0], m.chosen[:0], m.group[:0], m.sizes[:0]
	clear(m.numbers)
	for i, f := range frames {
		g := -1
		if f != nil {
			o := origin{frame: f, named: r.store.moduleOf(f)}
			if images != nil {
				o.image = images[i]
			}
			g = m.originOf(o)
			m.sizes[g]++
		}
		m.group = append(m.group, g)
	}
	m.members = slices.Grow(m.members[:0], len(frames))[:len(frames)]
	end := 0
	for g, n := range m.sizes { // to where the next member stands
		m.sizes[g] = end
		end += n
	}
	for i, f := range frames {
		if g := m.group[i]; g >= 0 {
			m.members[m.sizes[g]] = f
			m.sizes[g]++
		}
	}
	for g, o := range m.origins {
		first := 0
		if g > 0 {
			first = m.sizes[g-1]
		}
		members := m.members[first:m.sizes[g]]
		c := r.choice(o, members, m)
		if o.frame.PastOpcode {
			c.exact = r.exact(c, members)
		}
		m.chosen = append(m.chosen, c)
	}
	var above *Resolution // the frame that the next one called
	for i, f := range frames {
		if f == nil {
			m.out, above = append(m.out, nil), nil
			continue
		}
		above = r.resolve(f, m.chosen[m.group[i]], above)
		m.out = append(m.out, above)
	}
	return m.out
}

// choice is choose with a memory.
func (r *Resolver) choice(o origin, members []*Frame, m *traceMemory) choice {
	if o.image != nil {
		return r.choose(o, members)
	}
	m.key = binary.AppendVarint(append(m.key[:0], byte(o.frame.Location.Kind)), int64(o.named))
	m.key = append(append(m.key, o.frame.Location.Text...), 0)
	m.key = append(m.key, o.frame.Module...)
	r.mu.Lock()
	c, ok := r.choices[string(m.key)]
	r.mu.Unlock()
	if ok {
		return c
	}
	if c = r.choose(o, members); !c.voted {
		r.mu.Lock()
		if len(r.choices) >= maxKnown {
			clear(r.choices)
		}
		r.choices[string(m.key)] = c
		r.mu.Unlock()
	}
	return c
}

// moduleOf returns the number of the longest module name of the store that a
// frame's name begins with, or −1. Where an engine's location is that of the
// script that compiled the module, it is all that tells modules apart.
func (s *Store) moduleOf(f *Frame) int {
	if f.Separator == 0 {
		return -1
	}
	for i := len(f.Name) - 1; i > 0; i-- {
		if f.Name[i] != f.Separator {
			continue
		}
		if i <= s.longest {
			if n, ok := s.names[string(f.Name[:i])]; ok {
				return n
			}
		}
		if !f.unmarked() {
			continue
		}
		start := i
		for start > 0 && i-start <= s.longest && !endsPrefix(f.Name[start-1]) {
			start--
		}
		if n, ok := s.names[string(f.Name[start:i])]; ok && start > 0 {
			return n
		}
	}
	return -1
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
	key := resolveKey{build: c.build, position: r.position(c.build, f), assumption: c.assumption}
	key.position.exact = key.position.past && c.exact
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
		res := r.resolve(f, choice{build: b, exact: c.exact}, above)
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
	same.Notes = append(slices.Clip(first.Notes), "several builds fit and all of them say this: "+listed(c.candidates))
	return &same
}

// build resolves a frame that is not known yet.
func (r *Resolver) build(f *Frame, key resolveKey) *Resolution {
	res := &Resolution{Build: key.build, Confidence: key.position.doubts.Confidence()}
	open, err := key.build.opened()
	var pair *notAPair
	if errors.As(err, &pair) {
		return res.refuse(CauseOtherBuild, err.Error())
	}
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
	if p.zero {
		res.note("the index is taken to be none, because Deno prints 0 for every function; offset and name agree")
	}
	if key.calls && !res.HasCode {
		if inferred := res.infer(open, key.callee); inferred != nil {
			return inferred
		}
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

// infer returns the resolution with the place in the function found from the
// function that it called, where one direct call fits. It returns nil if none
// does, or if no line stands there.
func (r *Resolution) infer(open *openBuild, callee uint32) *Resolution {
	number, _, ok := open.body(r.Index)
	if !r.HasIndex || !ok {
		return nil
	}
	code := open.calls.of(number)
	if code == nil {
		return nil
	}
	at, indirect, ok := code.callTo(callee)
	if !ok {
		return nil
	}
	inferred := *r
	inferred.Notes = slices.Clip(r.Notes)
	inferred.Code, inferred.HasCode, inferred.Inferred, inferred.FunctionOnly = at, true, true, false
	text := fmt.Sprintf("inferred: the engine prints no offsets, and this is the only direct call of function %d here", callee)
	if indirect {
		text += "; the function also calls through values, so it may have been one of these calls"
	}
	inferred.note(text)
	if inferred.look(open); !inferred.Resolved() || !inferred.HasLine() {
		return nil
	}
	return &inferred
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
	if text := open.missing(); text != "" && a.Reason == debugfile.ReasonNoDebugInfo {
		r.Reason = text
	}
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
