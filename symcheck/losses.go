package symcheck

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// costs says what a crash report loses with a section. Where variables are is not
// in it: that is the debuggers' loss alone.
func costs(section string) (what string, crash bool) {
	switch strings.TrimSuffix(section, ".dwo") {
	case ".debug_str", ".debug_str_offsets":
		return "names of functions, inlined calls and units are lost", true
	case ".debug_line_str":
		return "names of files and directories are lost", true
	case ".debug_addr":
		return "where functions and inlined calls are is lost", true
	case ".debug_ranges", ".debug_rnglists":
		return "where inlined calls, functions and units are is lost", true
	}
	return "debuggers lose where variables are; crash reports lose nothing", false
}

// losses reports what the DWARF refers to and does not hold.
func (x *dwarfCheck) losses() error {
	l, err := x.f.Losses(x.ctx, x.o.Workers)
	if err != nil {
		return x.debug().fail(err)
	}
	for i := range l.References {
		x.lostReferences(&l.References[i])
	}
	for i := range l.Stray {
		r := &l.Stray[i]
		f := x.find(DebugSectionLost, x.inDebug(r.Section, r.Offset, -1), "%d entries of %s belong to no list, the first one at 0x%x: a list ends before it should, and inlined calls have lost code", r.Entries, r.Section, r.Offset)
		if f != nil {
			f.Count = r.Entries
		}
	}
	if n := &l.Ranges; n.Entries > 0 {
		severity := report.Warning
		if n.Heavy > 0 {
			severity = report.Error
		}
		at := x.placesOf(n.At)
		many(x.findAs(severity, InlinedLost, at[0], "%d inlined calls or functions have a range list without an entry, or one that cannot be read: they are at no place", n.Entries), n.Entries, at)
	}
	if n := &l.Names; n.Entries > 0 {
		at := x.placesOf(n.At)
		many(x.find(InlinedLost, at[0], "the names of %d inlined calls cannot be read: %s", n.Entries, n.Reason), n.Entries, at)
	}
	x.checked("every entry of %d units is read, and what it refers to in other debug sections", x.f.NumUnits())
	return nil
}

// lostReferences reports values that lead to where a section holds nothing.
func (x *dwarfCheck) lostReferences(l *debugfile.LostReferences) {
	what, crash := costs(l.Section)
	severity := report.Error
	if !crash {
		severity = report.Warning
	}
	at, first := x.placesOf(l.At), l.At[0]
	unit := at[0].Source
	if unit == "" {
		unit = fmt.Sprintf("number %d", first.Unit)
	}
	led := fmt.Sprintf("offset 0x%x", l.Value)
	if l.Index {
		led = fmt.Sprintf("index %d", l.Value)
	}
	size := ""
	if l.Size > 0 {
		size = fmt.Sprintf(" (0x%x bytes)", l.Size)
	}
	f := x.findAs(severity, DebugSectionLost, at[0], "%s%s %s: %d values of %d units lead there in vain, such as the %s at %s+0x%x in the unit %s; %s",
		l.Section, size, l.Msg, l.Values, l.Units, led, first.Section, first.Offset, unit, what)
	many(f, l.Values, at)
}

func (x *dwarfCheck) placesOf(list []debugfile.Place) []report.Location {
	var out []report.Location
	for _, p := range list {
		out = append(out, x.inDebug(p.Section, p.Offset, p.Unit))
	}
	return out
}

// unusedLines reports line tables that no unit leads to.
func (x *dwarfCheck) unusedLines() error {
	if !x.f.HasDWARF() {
		return nil // another rule has said so
	}
	l, err := x.f.UnusedLines()
	if err != nil {
		return x.debug().fail(err)
	}
	if l.Programs == 0 {
		return nil
	}
	severity := report.Warning
	if l.Functions > 0 {
		severity = report.Error
	}
	var samples []report.Location
	for i := range l.First {
		p := &l.First[i]
		at := x.inDebug(".debug_line", p.Offset, -1)
		if at.Source = p.File; p.Functions > 0 {
			at.Code = &p.Body.Start
		}
		samples = append(samples, at)
	}
	many(x.findAs(severity, LinesUnused, samples[0], "no unit leads to %d line tables; they have rows for %d functions that nothing else describes", l.Programs, l.Functions), l.Programs, samples)
	return nil
}
