package stacktrace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
)

// maxTried bounds the number of builds whose code is looked at to tell which one
// a frame is from, and maxVotes the frames that are asked.
const (
	maxTried = 64
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
}

// choose finds the build for frames that say the same about their module. Frames
// are those of one trace: what the build must agree with.
func (r *Resolver) choose(o origin, frames []*Frame) choice {
	best, conflict := 0, ""
	var list []*Build
	for _, b := range r.store.builds {
		w, c := b.judge(o)
		switch {
		case c != "":
			conflict = c
		case w > best:
			best, list = w, append(list[:0], b)
		case w == best:
			list = append(list, b)
		}
	}
	if len(list) == 0 {
		if len(r.store.builds) == 0 {
			return choice{cause: CauseNoModule, reason: "no companion was given"}
		}
		if len(r.store.builds) > 1 {
			conflict = "none of the builds at hand is the one that ran; of the last one: " + conflict
		}
		return choice{cause: CauseNoModule, reason: conflict}
	}
	if best == 0 {
		return r.chooseBlind(o, list, frames)
	}
	if len(list) == 1 {
		c := choice{build: list[0]}
		if best <= weightAlike {
			c.assumption = r.onlyOne(o, list[0])
		}
		return c
	}
	return r.narrow(list, frames, "")
}

// chooseBlind chooses where nothing says which module it is: the one build that
// was named, and of several the only one that agrees with the frames.
func (r *Resolver) chooseBlind(o origin, list []*Build, frames []*Frame) choice {
	var named []*Build
	for _, b := range list {
		if b.named {
			named = append(named, b)
		}
	}
	if len(named) == 0 && len(r.store.builds) == 1 {
		named = list
	}
	switch len(named) {
	case 0:
		return choice{cause: CauseNoModule, reason: fmt.Sprintf("none of the %d builds found says by ID, label, URL or name that it is %s", len(list), o.describe())}
	case 1:
		return choice{build: named[0], assumption: r.onlyOne(o, named[0])}
	}
	return r.narrow(named, frames, "nothing but its functions and offsets says which of the modules given this one is")
}

// onlyOne returns the assumption that a frame is from a build although its
// location names another file; it is empty where the location names none.
func (r *Resolver) onlyOne(o origin, b *Build) string {
	names := locationPath(o.frame.Location)
	if len(names) == 0 || len(r.store.builds) == 1 && b.judgePath(names) > 0 {
		return ""
	}
	return fmt.Sprintf("%s is taken to be the build of %s, which is called otherwise", b.Path(), names[len(names)-1])
}

// narrow leaves the builds that agree with all frames.
func (r *Resolver) narrow(list []*Build, frames []*Frame, assumption string) choice {
	if len(list) > maxTried {
		return choice{voted: true, cause: CauseAmbiguous, candidates: list[:maxTried], reason: fmt.Sprintf("%d builds fit; name the one that is meant", len(list))}
	}
	var fit []*Build
	for _, b := range list {
		if r.agrees(b, frames) {
			fit = append(fit, b)
		}
	}
	switch len(fit) {
	case 1:
		return choice{voted: true, build: fit[0], assumption: assumption}
	case 0:
		return choice{voted: true, cause: CauseOtherBuild, reason: "of " + paths(list) + " none has these functions at these offsets: the trace is of another build"}
	}
	return choice{voted: true, cause: CauseAmbiguous, candidates: fit, reason: "several builds fit: " + paths(fit)}
}

func paths(list []*Build) string {
	const shown = 8
	var names []string
	for i, b := range list {
		if i == shown {
			names = append(names, fmt.Sprintf("%d more", len(list)-shown))
			break
		}
		names = append(names, b.Path())
	}
	return strings.Join(names, ", ")
}

// agrees reports whether every frame can be of the build: the function exists,
// the offset lies in it at an instruction that engines report, and the names are
// the same.
func (r *Resolver) agrees(b *Build, frames []*Frame) bool {
	open, err := b.opened()
	if err != nil {
		return false
	}
	for i, f := range frames {
		if i == maxVotes {
			break
		}
		p := positionOf(f, r.opt.Offsets)
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
	if string(f.Name) == have {
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
	return fmt.Sprintf("the trace calls function %d %q, %s calls it %q", index, cleanName(string(f.Name)), b.Path(), cleanName(have))
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
