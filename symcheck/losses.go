package symcheck

import (
	"fmt"
	"slices"
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
	x.lostReferences(l.References)
	x.lostCalls(l.Calls)
	x.checked("every entry of %d units is read, and what it refers to in other debug sections", x.f.NumUnits())
	return nil
}

// lostReferences makes one finding for each section.
func (x *dwarfCheck) lostReferences(list []debugfile.LostReference) {
	var sections []string
	for i := range list {
		if !slices.Contains(sections, list[i].Section) {
			sections = append(sections, list[i].Section)
		}
	}
	for _, section := range sections {
		var first *debugfile.LostReference
		values, units := 0, 0
		var samples []report.Location
		for i := range list {
			l := &list[i]
			if l.Section != section {
				continue
			}
			if first == nil {
				first = l
			}
			values, units = values+l.Count, units+1
			if len(samples) < maxSamples {
				samples = append(samples, x.inDebug(l.From, l.Offset, l.Unit))
			}
		}
		what, crash := costs(section)
		severity := report.Error
		if !crash {
			severity = report.Warning
		}
		unit := samples[0].Source
		if unit == "" {
			unit = "number " + fmt.Sprint(first.Unit)
		}
		led := fmt.Sprintf("offset 0x%x", first.Value)
		if first.Index {
			led = fmt.Sprintf("index %d", first.Value)
		}
		size := ""
		if first.Size > 0 {
			size = fmt.Sprintf(" (0x%x bytes)", first.Size)
		}
		f := x.findAs(severity, DebugSectionLost, samples[0], "%s%s %s: %d values of %d units lead there in vain, such as the %s at %s+0x%x in the unit %s; %s",
			section, size, first.Msg, values, units, led, first.From, first.Offset, unit, what)
		many(f, values, samples)
	}
}

// lostCalls reports functions and inlined calls whose ranges are gone, and inlined
// calls whose function cannot be named.
func (x *dwarfCheck) lostCalls(list []debugfile.LostCalls) {
	ranges, names := 0, 0
	severity := report.Warning
	reason := ""
	var rangesAt, namesAt []report.Location
	for i := range list {
		l := &list[i]
		if n := l.NoRanges + l.Functions; n > 0 {
			ranges += n
			if l.Functions > 0 || 2*l.NoRanges >= l.Calls {
				severity = report.Error
			}
			for _, off := range l.NoRangesAt {
				if len(rangesAt) < maxSamples {
					rangesAt = append(rangesAt, x.inDebug(".debug_info", off, l.Unit))
				}
			}
		}
		if l.NoName > 0 {
			names += l.NoName
			if reason == "" {
				reason = l.NoNameReason
			}
			if len(namesAt) < maxSamples {
				namesAt = append(namesAt, x.inDebug(".debug_info", l.NoNameAt, l.Unit))
			}
		}
	}
	if ranges > 0 {
		many(x.findAs(severity, InlinedLost, rangesAt[0], "%d inlined calls or functions have a range list without an entry, or one that cannot be read: they are at no place", ranges), ranges, rangesAt)
	}
	if names > 0 {
		many(x.find(InlinedLost, namesAt[0], "the names of %d inlined calls cannot be read: %s", names, reason), names, namesAt)
	}
}

// unusedLines reports line tables that no unit leads to.
func (x *dwarfCheck) unusedLines() error {
	if !x.f.HasDWARF() {
		return nil // another rule has said so
	}
	list, err := x.f.UnusedLines()
	if err != nil {
		return x.debug().fail(err)
	}
	functions := 0
	severity := report.Warning
	var samples []report.Location
	tables := 0
	for i := range list {
		l := &list[i]
		if l.Sequences == 0 {
			continue // of removed code, or empty: nobody will miss it
		}
		tables++
		if functions += l.Functions; l.Functions > 0 {
			severity = report.Error
		}
		if len(samples) < maxSamples {
			at := x.inDebug(".debug_line", l.Offset, -1)
			if at.Source = l.File; l.Functions > 0 {
				at.Code = &l.First.Start
			}
			samples = append(samples, at)
		}
	}
	if tables > 0 {
		many(x.findAs(severity, LinesUnused, samples[0], "no unit leads to %d line tables; they have rows for %d functions that nothing else describes", tables, functions), tables, samples)
	}
	return nil
}
