package debugfile

import (
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// HasDWARF reports whether there is DWARF that can name code: a compile unit that
// can be read. Other .debug_ sections are of no use without .debug_info.
func (f *File) HasDWARF() bool {
	has := false
	err := mapped.Guard(func() {
		for i := 0; i < len(f.units) && !has; i++ {
			f.rootsUpTo(i)
			has = f.units[i].bad == nil && !f.units[i].partial
		}
	})
	if err != nil {
		f.shrunk.Store(true)
	}
	return has
}

// Tier returns the best source of answers that the file has.
func (f *File) Tier() Tier {
	switch {
	case f.HasDWARF():
		return TierDWARF
	case f.sources.table(f) != nil:
		return TierSourceMap
	case f.names.any(f):
		return TierNames
	case f.bodies.len() > 0:
		return TierIndex
	}
	return TierNone
}

// TierReason says in a sentence what the best source of answers is, or why there
// is no better one.
func (f *File) TierReason() string {
	debug := false
	for i := range f.module.Sections {
		debug = debug || f.module.Sections[i].IsDebug()
	}
	text := map[Tier]string{
		TierDWARF:     "DWARF: functions, inlined calls, files and lines",
		TierSourceMap: "a source map: files and lines, no inlined calls",
		TierNames:     "names of functions, no files and lines",
		TierIndex:     "no debug information: functions have an index and nothing else",
		TierNone:      "no code and no debug information",
	}[f.Tier()]
	switch {
	case f.HasDWARF() || !debug:
	case len(f.units) > 0:
		text += "; there is DWARF, but none of its units can be read"
	case f.module.Custom(".debug_info") == nil:
		text += "; there are .debug_ sections, but .debug_info, without which the others say nothing, is missing"
	default:
		text += "; there is a .debug_info, but it holds no unit of code"
	}
	return text
}

// lowerTiers completes an answer where DWARF has no line or no name.
func (f *File) lowerTiers(a *Answer, c wasm.CodeOffset) {
	if n := len(a.Frames); n > 0 {
		// Line tables alone name no function.
		if last := &a.Frames[n-1]; last.Function == "" && last.Linkage == "" {
			last.Function = f.names.function(f, a.Index)
		}
		return
	}
	frame := Frame{Source: TierIndex, Function: f.names.function(f, a.Index)}
	if frame.Function != "" {
		frame.Source = TierNames
	}
	if f.opt.SourceMap != "" || !f.HasDWARF() {
		f.sources.complete(f, a, &frame, c)
	}
	a.Frames = append(a.Frames, frame)
}
