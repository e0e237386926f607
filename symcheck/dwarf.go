package symcheck

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// dwarfCheck holds the debug information against the code.
type dwarfCheck struct {
	*checker
	f     *debugfile.File
	stats debugfile.Stats

	sum    tally          // what the walk found out
	listed []report.Group // by body: the functions that the report lists

	namesAll []bool // of units: it has an entry for each of its functions

	ghost, sourceMap bool
	walrus           bool // walrus shifted all of the DWARF
}

// dwarf checks the debug information, decodes every body and looks every
// reportable point up.
func (c *checker) dwarf() error {
	d := c.debug()
	opt := c.o.Debug
	opt.Path = d.Path
	opt.CheckScopes = true
	if c.comp != nil && (!c.same || c.moved() || d.File.Custom(wasm.CustomName) == nil) {
		opt.Production, opt.ProductionPath = c.prod.File, c.prod.Path
	}
	f, err := debugfile.New(d.File, d.Source, opt)
	if err != nil {
		return d.fail(err)
	}
	defer f.Close()
	if err := f.Build(c.ctx, c.o.Workers); err != nil {
		return d.fail(err)
	}
	x := &dwarfCheck{checker: c, f: f, sum: *newTally()}
	first := len(c.findings)
	x.stats, _ = f.Stats()
	x.sourceMap = f.Tier() == debugfile.TierSourceMap
	c.s.Tier = f.Tier().String()
	c.fact("tier", "%s", f.TierReason())
	if err := f.BodyError(); err != nil {
		if err := c.damaged(c.prod, err); err != nil {
			return err
		}
	}
	if err := f.NamesError(); err != nil && opt.SymbolMap != "" {
		x.couldNot("the names of functions: %v", err) // a name section by itself is judged with its shape
	}
	if err := x.sourceMaps(); err != nil {
		return err
	}
	x.namesAll = make([]bool, f.NumUnits())
	for i := range x.namesAll {
		x.namesAll[i] = f.UnitNamesAll(i)
	}
	x.units()
	x.problems()
	if err := x.fates(); err != nil {
		return err
	}
	x.empty()
	if err := x.walk(); err != nil {
		return err
	}
	x.bodyFindings()
	if err := x.losses(); err != nil {
		return err
	}
	if err := x.unusedLines(); err != nil {
		return err
	}
	x.coverage()
	x.undebugged()
	x.lost()
	x.adviseWalrus(first)
	return nil
}

// moved reports whether the code starts elsewhere in the companion: source maps count
// from the start of the production module.
func (c *checker) moved() bool {
	p, _ := c.prod.File.CodeSpan()
	k, _ := c.comp.File.CodeSpan()
	return p.Start != k.Start
}

// claimsOf returns the numbers, from first to before end, of the ranges that start
// at or behind the start of body i and before the next body.
func (x *dwarfCheck) claimsOf(i int) (first, end int) {
	_, e := x.f.Body(i)
	if first, end = x.f.FirstFunctionRange(e.Start), x.f.NumFunctionRanges(); i+1 < x.f.NumBodies() && first < end {
		_, next := x.f.Body(i + 1)
		end = x.f.FirstFunctionRange(next.Start)
	}
	return first, end
}

// seqsOf is claimsOf for line sequences.
func (x *dwarfCheck) seqsOf(i int) (first, end int) {
	_, e := x.f.Body(i)
	if first, end = x.f.FirstSequence(e.Start), x.f.NumSequences(); i+1 < x.f.NumBodies() && first < end {
		_, next := x.f.Body(i + 1)
		end = x.f.FirstSequence(next.Start)
	}
	return first, end
}

// claimed reports whether a function's range starts in body i.
func (x *dwarfCheck) claimed(i int) bool {
	first, end := x.claimsOf(i)
	return first < end
}

// at returns the location of an offset of the code in the file that it is read
// from, with what stands there.
func (x *dwarfCheck) at(where wasm.CodeOffset) report.Location {
	l := report.Location{Path: x.debug().Path, Section: "code section", Code: &where}
	if span, ok := x.debug().File.CodeSpan(); ok {
		if f, ok := span.File(where); ok {
			l.File = &f
		}
	}
	a := x.f.Lookup(where, nil)
	if a.HasIndex {
		index := a.Index
		l.Index = &index
	}
	if n := len(a.Frames); n > 0 {
		l.Function = a.Frames[n-1].Name()
		l.Source, l.Line, l.Column = a.Frames[0].File, a.Frames[0].Line, a.Frames[0].Column
	}
	return l
}

// inDebug returns the location of an offset in a DWARF section.
func (x *dwarfCheck) inDebug(section string, off uint64, unit int) report.Location {
	l := report.Location{Path: x.debug().Path, Section: section}
	if s := x.debug().File.Custom(section); s != nil && off < uint64(s.DataSize()) {
		f := s.Data + wasm.FileOffset(off)
		l.File = &f
	}
	if unit >= 0 && unit < x.f.NumUnits() {
		l.Source = x.f.Unit(unit).Name
	}
	return l
}

// units reports skeletons whose split units are not at hand.
func (x *dwarfCheck) units() {
	x.fact("units", "%d", x.stats.Units)
	if x.stats.Skeletons == 0 {
		return
	}
	var samples []report.Location
	names := ""
	for i := range x.f.NumUnits() {
		u := x.f.Unit(i)
		if !u.Skeleton || u.Complete {
			continue
		}
		l := x.inDebug(".debug_info", u.Offset, i)
		if l.Source == "" {
			l.Source = u.DWOName
		}
		if len(samples) == 0 && u.DWOName != "" {
			names = fmt.Sprintf(", such as %q", u.DWOName)
		}
		samples = append(samples, l)
	}
	if len(samples) == 0 {
		samples = append(samples, report.Location{Path: x.debug().Path})
	}
	many(x.find(SkeletonAlone, samples[0], "%d units have their entries in files that are not at hand%s", x.stats.Skeletons, names), x.stats.Skeletons, samples)
	x.couldNot("functions and inlined calls of %d units, whose .dwo or .dwp files are not at hand", x.stats.Skeletons)
}

// problems sorts the reader's complaints: units and line tables that are lost,
// inlined calls outside of their parents, and the rest.
func (x *dwarfCheck) problems() {
	nested := map[uint64]bool{}
	var outside []report.Location
	for p := range x.f.NestingProblems() {
		nested[p.Offset] = true
		if len(outside) < maxSamples {
			l := x.inDebug(".debug_info", p.Offset, p.Unit)
			start := p.Code.Start
			l.Code = &start
			outside = append(outside, l)
		}
	}
	if n := len(nested); n > 0 {
		many(x.find(InlineOutside, outside[0], "%d inlined calls have code outside of the function that they were inlined into", n), n, outside)
	}
	lost := x.stats.BadUnits + x.stats.CutUnits
	live := make([]bool, x.f.NumUnits()) // units with a function that answers
	for c := range x.f.Functions() {
		if c.Fate == debugfile.Live {
			live[c.Unit] = true
		}
	}
	var unreadable, damaged, lists group
	for _, p := range x.f.Problems() {
		if p.Section == ".debug_info" && nested[p.Off] && strings.Contains(p.Msg, "outside") {
			continue // found above
		}
		switch {
		case p.Section == "" && p.Unit < 0: // a .dwo or .dwp file
			if x.stats.Skeletons > 0 {
				continue // found with the skeletons
			}
			damaged.add(x, p)
		case p.Unit < 0, x.costsUnit(p, lost > 0, live):
			unreadable.add(x, p)
		case p.Section == ".debug_ranges" || p.Section == ".debug_rnglists":
			lists.add(x, p)
		default:
			damaged.add(x, p)
		}
	}
	if unreadable.n < lost {
		unreadable.n = lost
	}
	unreadable.report(x, UnitUnreadable, "%d units or line tables cannot be read to the end: %s")
	lists.report(x, DebugSectionLost, "%d range lists cannot be read to the end: %s; where inlined calls, functions and units are is lost")
	damaged.report(x, DWARFDamaged, "%d entries of the DWARF are damaged: %s")
}

// costsUnit reports whether a problem inside of a unit may be the one that made
// the rest of the unit or of its line table unreadable.
func (x *dwarfCheck) costsUnit(p debugfile.Problem, anyLost bool, live []bool) bool {
	switch p.Section {
	case ".debug_abbrev":
		return true
	case ".debug_info":
		return anyLost && !live[p.Unit]
	case ".debug_line":
		return true
	}
	return false
}

// group is a number of things of one kind.
type group struct {
	n       int
	first   string
	samples []report.Location
}

func (g *group) add(x *dwarfCheck, p debugfile.Problem) {
	g.n += max(p.Count, 1)
	if g.first == "" {
		g.first = p.Error()
	}
	if len(g.samples) < maxSamples {
		g.samples = append(g.samples, x.inDebug(p.Section, p.Off, p.Unit))
	}
}

// report adds a finding for the group; the format takes the number and the text
// of the first.
func (g *group) report(x *dwarfCheck, code, format string) {
	if g.n == 0 {
		return
	}
	at := report.Location{Path: x.debug().Path}
	if len(g.samples) > 0 {
		at = g.samples[0]
	}
	if g.first == "" {
		g.first = "see wasm-debugid info"
	}
	many(x.find(code, at, format, g.n, g.first), g.n, g.samples)
}

// empty reports DWARF that describes no code although it is there.
func (x *dwarfCheck) empty() {
	if x.f.NumBodies() == 0 {
		return
	}
	at := report.Location{Path: x.debug().Path, Section: ".debug_info"}
	if !x.f.HasDWARF() {
		if x.debug().File.Custom(at.Section) != nil {
			x.find(DWARFEmpty, at, "the section is there, and it holds no unit that describes code")
			x.ghost = true
		}
		return
	}
	s := &x.stats
	live, rows := s.FunctionRanges.Of(debugfile.Live), s.Sequences.Of(debugfile.Live)
	switch {
	case live == 0 && rows == 0 && s.DeadFunctions > 0 && s.FunctionRanges.Total() == 0:
		x.find(DWARFEmpty, at, "all %d functions of the DWARF have the address of removed code, and no line table has a row: an optimiser dropped the addresses", s.DeadFunctions)
	case live == 0 && rows == 0:
		x.find(DWARFEmpty, at, "no function and no row of the DWARF (%d units) describes code of this module", s.Units)
	case rows == 0 && s.Skeletons == 0 && s.Sequences.Total() == 0:
		at.Section = ".debug_line"
		x.find(DWARFEmpty, at, "the DWARF has %d functions, but its line tables have no row", live)
	default:
		return
	}
	x.ghost = true
}
