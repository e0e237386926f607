package stacktrace

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// maxTried bounds the number of builds whose code is looked at to tell which one
// a frame is from, and maxVotes the frames that are asked.
const (
	maxTried = 256
	maxVotes = 64
)

// choice is the build for frames of one module, or why there is none.
type choice struct {
	build      *Build
	candidates []*Build
	cause      Cause
	reason     string
	assumption string
	voted      bool // the frames had a say, not only their module's name
	exact      bool // see Resolver.exactOffsets; of one trace, and never remembered
}

// weighed is a build with what speaks for it.
type weighed struct {
	build  *Build
	weight int
}

// choose finds the build for frames that say the same about their module. Frames
// are those of one trace: what the build must agree with.
//
// IDs and labels decide. Names do not: releases of one module share them, and they
// change on the way. So of several builds with a fitting name those that do not
// agree with the frames are ruled out, also where the name of another fits better.
func (r *Resolver) choose(o origin, frames []*Frame) choice {
	conflict := ""
	var list []weighed
	for _, b := range r.store.builds {
		w, c := b.judge(o)
		if c != "" {
			conflict = c
			continue
		}
		list = append(list, weighed{b, w})
	}
	if len(list) == 0 {
		if len(r.store.builds) == 0 {
			return choice{cause: CauseNoModule, reason: "no companion and no module is at hand"}
		}
		if len(r.store.builds) > 1 {
			conflict = "none of the builds at hand is the one that ran; of the last one: " + conflict
		}
		return choice{cause: CauseNoModule, reason: conflict}
	}
	best := 0
	for _, x := range list {
		best = max(best, x.weight)
	}
	if best == 0 {
		return r.chooseBlind(o, list, frames)
	}
	var top, rest []*Build
	for _, x := range list {
		switch {
		case x.weight == best:
			top = append(top, x.build)
		case best < weightLabel && x.weight >= weightCalled:
			rest = append(rest, x.build)
		}
	}
	switch {
	case len(top)+len(rest) == 1:
		return choice{build: top[0], assumption: r.onlyOne(o, top[0], best)}
	case best >= weightLabel:
		return r.narrow(o, top, nil, frames, false)
	}
	return r.narrow(o, top, rest, frames, true)
}

// chooseBlind chooses where nothing says which module it is: the one build that
// was named, and of several the only one that agrees with the frames. Of builds
// that a search has found none is used, because frames without a name fit many a
// module by chance; those that fit are listed.
func (r *Resolver) chooseBlind(o origin, list []weighed, frames []*Frame) choice {
	var named, all []*Build
	for _, x := range list {
		all = append(all, x.build)
		if x.build.named {
			named = append(named, x.build)
		}
	}
	if len(named) == 0 && len(r.store.builds) == 1 {
		named = all
	}
	switch len(named) {
	case 0:
		c := choice{cause: CauseNoModule, reason: fmt.Sprintf("none of the %d builds found says by ID, label, URL or name that it is %s", len(all), o.describe())}
		if len(all) > maxTried {
			return c
		}
		c.voted = true
		if c.candidates = r.fitting(all, frames); len(c.candidates) > 0 {
			c.reason += "; by functions and offsets it can be " + listed(c.candidates) + ": name the one that is meant"
		}
		return c
	case 1:
		return choice{build: named[0], assumption: r.onlyOne(o, named[0], 0)}
	}
	return r.narrow(o, named, nil, frames, true)
}

// onlyOne returns the assumption that a frame is from the only build that comes
// into question; it is empty where a label or a file's name says so.
func (r *Resolver) onlyOne(o origin, b *Build, weight int) string {
	names := locationPath(o.frame.Location)
	switch {
	case len(names) == 0, weight >= weightModule:
		return ""
	case weight == weightCalled:
		if len(r.store.builds) == 1 {
			return ""
		}
		return fmt.Sprintf("%s is taken to be the build because its module is called %s; the trace has no build ID that says so", listed([]*Build{b}), b.Name())
	case len(r.store.builds) == 1 && b.judgePath(names) > 0:
		return ""
	}
	return fmt.Sprintf("%s is taken to be the build of %s, which is called otherwise", b.Path(), names[len(names)-1])
}

// narrow leaves the builds that agree with all frames: of the first list, and if
// none of it does, of the second. By says what has decided then; it is empty where
// that is no matter of doubt.
func (r *Resolver) narrow(o origin, first, second []*Build, frames []*Frame, doubtful bool) choice {
	n := len(first) + len(second)
	if n > maxTried {
		return choice{voted: true, cause: CauseAmbiguous, candidates: first[:min(len(first), maxTried)], reason: fmt.Sprintf("%d builds may be %s; name the one that is meant", n, o.describe())}
	}
	fit, others := r.fitting(first, frames), r.fitting(second, frames)
	alone := len(first) == 1 && len(fit) == 1 // its name fits best
	if len(fit) == 0 {
		fit, others = others, nil
	}
	assumption := ""
	switch {
	case len(fit) != 1 || !doubtful:
	case !alone:
		assumption = fmt.Sprintf("of %d builds %s is the only one that agrees with the trace: nothing but its functions and offsets says which one ran", n, listed(fit))
	case len(others) > 0:
		assumption = fmt.Sprintf("%s was chosen by the name of its file; the trace agrees with %s as well", listed(fit), listed(others))
	}
	switch len(fit) {
	case 1:
		return choice{voted: true, build: fit[0], assumption: assumption}
	case 0:
		if len(first) == 1 {
			return choice{voted: true, build: first[0]} // frame by frame, with the reason
		}
		all := slices.Concat(first, second)
		c := choice{voted: true, cause: CauseOtherBuild, reason: "of " + listed(all) + " none has these functions at these offsets: the trace is of another build"}
		for _, b := range all {
			if b.stranger != nil {
				c.reason += "; " + b.stranger.Error()
				break
			}
			if _, err := b.opened(); err != nil {
				c.reason += "; " + err.Error()
				break
			}
		}
		return c
	}
	return choice{voted: true, cause: CauseAmbiguous, candidates: fit, reason: "several builds fit: " + listed(fit)}
}

// listed names builds by path and ID.
func listed(list []*Build) string {
	const shown = 8
	var names []string
	for i, b := range list {
		if i == shown {
			names = append(names, fmt.Sprintf("%d more", len(list)-shown))
			break
		}
		name := b.Path()
		// In a store of files that are called after their IDs the path says it all.
		if id := b.ID().String(); id != "" && !strings.Contains(name, id) {
			name += " (build ID " + id + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// fitting returns the builds that agree with the frames.
func (r *Resolver) fitting(list []*Build, frames []*Frame) []*Build {
	var fit []*Build
	for _, b := range list {
		if r.agrees(b, frames) {
			fit = append(fit, b)
		}
	}
	return fit
}

// agrees reports whether every frame can be of the build: the function exists,
// the offset lies in it at an instruction that engines report, and the names are
// the same.
func (r *Resolver) agrees(b *Build, frames []*Frame) bool {
	for _, f := range frames {
		// Most builds are ruled out by the size of their code, without opening them.
		p := positionOf(f, r.opt.Offsets)
		if span, _, ok := b.codeStart(); ok && p.unit == UnitFile && p.value != 0 && !p.past && !span.Contains(wasm.FileOffset(p.value)) {
			return false
		}
	}
	open, err := b.opened()
	if err != nil {
		return false
	}
	for i, f := range frames {
		if i == maxVotes {
			break
		}
		p := r.position(b, f)
		res := &Resolution{Build: b}
		if !res.locate(open, p) {
			if res.Cause != CauseHost {
				return false
			}
			continue
		}
		if res.suspicious {
			return false
		}
		if res.HasIndex && namesDiffer(b, open, f, res.Index) != "" {
			return false
		}
	}
	return true
}

// namesDiffer returns a sentence if the trace calls a function otherwise than the
// build's name section. Only engines that print names as they stand are believed.
func namesDiffer(b *Build, open *openBuild, f *Frame, index uint32) string {
	switch f.Shape {
	case ShapeV8, ShapeV8Column, ShapeV8Bare, ShapeGecko, ShapeJSCCode, ShapeJSCModule, ShapeJSC, ShapeWazero:
	default:
		return ""
	}
	if !f.HasName || len(f.Name) == 0 || f.Doubts&(DoubtNameCut|DoubtBoundary) != 0 || bytes.IndexByte(f.Name, 0) >= 0 {
		return ""
	}
	have, ok := open.debug.FunctionName(index)
	if !ok || have == "" {
		return ""
	}
	if string(f.Name) == have || string(f.Name) == "?" { // as services show that there was no name
		return ""
	}
	for module, name := range f.Names() {
		// V8 prints the module's name alone for a function without one.
		if own := b.Name(); (own == "" || string(module) == own) && (name == nil && own != "" || string(name) == have) {
			return ""
		}
	}
	if d, ok := debugfile.Demangle(have); ok && d == string(f.Name) {
		return ""
	}
	if f.unmarked() && (isPrefix(string(f.Name)) || isBehindPrefix(f, b.Name(), have)) {
		return ""
	}
	return fmt.Sprintf("the trace calls function %d %q, %s calls it %q", index, cleanName(string(f.Name)), b.Path(), cleanName(have))
}

// isBehindPrefix reports whether the text in front of a frame's location ends in
// the name of the function, or in the index that JavaScriptCore prints for one
// that has none, and there is only the prefix of a log before it.
func isBehindPrefix(f *Frame, module, have string) bool {
	name := string(f.Name)
	rest, ok := strings.CutSuffix(name, have)
	if ok && module != "" {
		rest = strings.TrimSuffix(rest, module+".")
	}
	if !ok && f.HasIndex && f.Shape != ShapeGecko {
		rest, ok = strings.CutSuffix(name, strconv.FormatUint(uint64(f.Index), 10))
	}
	return ok && isPrefix(rest)
}

// isPrefix reports whether a text can stand in front of a frame that nothing marks.
// Web pages indent with blanks of their own, and editors begin files with a mark.
func isPrefix(text string) bool {
	for _, blank := range []string{"\u00a0", "\u200b", "\ufeff"} {
		if strings.HasSuffix(text, blank) {
			return true
		}
	}
	return text != "" && endsPrefix(text[len(text)-1])
}

// describe names the module of a frame for messages.
func (o origin) describe() string {
	switch {
	case len(o.frame.Location.Text) > 0:
		text := o.frame.Location.Text
		if len(text) > 100 {
			return fmt.Sprintf("%q...", text[:100])
		}
		return string(text)
	case len(o.frame.Module) > 0:
		return string(o.frame.Module)
	}
	return "the module of this frame"
}
