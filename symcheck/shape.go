package symcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// kind checks that the files are modules whose offsets mean something.
func (c *checker) kind() error {
	for _, m := range []*Module{c.prod, c.comp} {
		if m == nil {
			continue
		}
		cl, err := wasm.Classify(m.File)
		if err != nil {
			if err := c.damaged(m, err); err != nil {
				return err
			}
			continue
		}
		at := report.Location{Path: m.Path}
		if c.comp == nil {
			record, err := rewrite.ReadRecord(m.File)
			if err == nil && record != nil && record.Kind == rewrite.CompanionSymbols.String() {
				c.couldNot("the code: this is a debug companion that holds none, only the places of its functions; name the production module that it belongs to")
			}
		}
		switch {
		case cl.Object:
			c.find(WrongKind, at, "this is a relocatable object file, whose code a linker has yet to place")
		case cl.SplitDWARF:
			c.find(WrongKind, at, "this is a .dwo or .dwp file, which holds DWARF and no program")
		case cl.AwaitsBindgen && m == c.prod:
			c.find(BindgenInput, at, "the module has the section %s: wasm-bindgen has yet to rewrite it", wasm.CustomWasmBindgen)
		}
	}
	return nil
}

// shape checks which sections are where.
func (c *checker) shape() error {
	if c.comp != nil || c.o.ForbidDWARF {
		c.noDWARF()
	}
	if c.prod.File.Custom(wasm.CustomExternalDebugInfo) != nil && c.comp == nil && c.prod.File.HasDebug() {
		c.find(CompanionPointer, in(c.prod, c.prod.File.Custom(wasm.CustomExternalDebugInfo)),
			"the module holds DWARF and points to other debug information: clients ignore its DWARF")
	}
	d := c.debug()
	if c.comp != nil {
		if s := d.File.Custom(wasm.CustomExternalDebugInfo); s != nil {
			c.find(CompanionPointer, in(d, s), "the companion points to debug information elsewhere, so that clients ignore its own")
		}
	}
	c.order(d)
	c.repeated(d)
	c.names(d)
	if n := len(c.prod.File.Sections); n > 0 {
		if s := &c.prod.File.Sections[n-1]; s.ID == wasm.SectionCustom && s.DataSize() == 0 {
			c.find(LastSectionEmpty, in(c.prod, s), "the last section, %s, is empty", s.Label())
		}
	}
	return c.sizes()
}

// noDWARF reports debug sections in the production module.
func (c *checker) noDWARF() {
	var samples []report.Location
	var names []string
	var size int64
	for i := range c.prod.File.Sections {
		if s := &c.prod.File.Sections[i]; s.IsDebug() {
			samples = append(samples, in(c.prod, s))
			names = append(names, s.Name)
			size += s.Len()
		}
	}
	if len(samples) == 0 {
		c.checked("the production module holds no DWARF")
		return
	}
	f := c.find(ProductionDWARF, samples[0], "%d bytes of DWARF are left in the production module: %s", size, strings.Join(names, ", "))
	many(f, len(samples), samples)
}

// ranked are the custom sections whose order and number LLVM's readers check.
var ranked = []string{wasm.CustomName, wasm.CustomProducers, wasm.CustomTargetFeatures}

// order checks that name, producers and target_features come in this order, once
// each, and that name comes behind Data.
func (c *checker) order(m *Module) {
	last := -1
	for i := range m.File.Sections {
		s := &m.File.Sections[i]
		if s.ID == wasm.SectionData && last >= 0 {
			c.find(SectionRefused, in(m, s), "the data section stands behind %s", ranked[last])
		}
		if s.ID != wasm.SectionCustom {
			continue
		}
		rank := slices.Index(ranked, s.Name)
		switch {
		case rank < 0:
		case rank == last:
			c.find(SectionRefused, in(m, s), "there are two sections called %s", s.Name)
		case rank < last:
			c.find(SectionRefused, in(m, s), "%s stands behind %s", s.Name, ranked[last])
		default:
			last = rank
		}
	}
}

// shownNames bounds how many names of sections a message lists.
const shownNames = 5

// repeated reports debug sections, and records, that stand in a file more than
// once.
func (c *checker) repeated(m *Module) {
	times := map[string]int{}
	n := 0
	var samples []report.Location
	var names []string
	for i := range m.File.Sections {
		s := &m.File.Sections[i]
		if s.ID != wasm.SectionCustom || !s.IsDebug() && s.Name != wasm.CustomWasmDebugID {
			continue
		}
		if times[s.Name]++; times[s.Name] == 1 {
			continue
		}
		if n++; len(samples) < maxSamples {
			samples = append(samples, in(m, s))
		}
		if times[s.Name] == 2 && len(names) <= shownNames {
			names = append(names, s.Name)
		}
	}
	if n == 0 {
		return
	}
	if len(names) > shownNames {
		names[shownNames] = "and others"
	}
	many(c.find(SectionRepeated, samples[0], "readers disagree about which section counts of those called %s: some take the first, some the last", strings.Join(names, ", ")), n, samples)
}

// maxNameBytes is the length in bytes of a function's name above which the
// validators that clients use refuse the whole file.
const maxNameBytes = 100_000

// names checks the name section as strictly as strict readers do.
func (c *checker) names(m *Module) {
	sec := m.File.Custom(wasm.CustomName)
	if sec == nil {
		return
	}
	names, err := wasm.ReadNames(sec)
	if err != nil {
		c.find(SectionRefused, atError(m, err), "the name section is malformed: %v", err)
	}
	if names == nil {
		return
	}
	if problems := names.Problems(); len(problems) > 0 && err == nil {
		c.find(SectionRefused, atError(m, problems[0]), "the name section is not as the specification has it: %v", problems[0])
	}
	if sub := names.Find(wasm.NameFunctions); sub == nil || sub.Size < maxNameBytes {
		return
	}
	for list := names.Map(wasm.NameFunctions); list.Next(); {
		if at, n := list.Extent(); n > maxNameBytes {
			severity := report.Warning
			if c.o.For == Sentry {
				severity = report.Error
			}
			index := list.Index()
			c.findAs(severity, SizeLimit, report.Location{Path: m.Path, Section: sec.Label(), File: &at, Index: &index},
				"a function's name has %d bytes; Sentry's reader refuses a file with a name of more than %d", n, maxNameBytes)
			return
		}
	}
}

// Limits of engines and clients, in bytes and functions. V8's are those of its
// wasm-limits.h; symbolic validates with wasmparser, whose limits are the same.
const (
	maxModule    = 1 << 30
	maxCompanion = 2 << 30
	maxFunctions = 1_000_000
	maxBody      = 7_654_321
)

// sizes checks limits that can be seen from the headers. That of one body is
// checked where the bodies are decoded.
func (c *checker) sizes() error {
	if n := c.prod.File.Size() - debugBytes(c.prod.File); n > maxModule {
		c.findAs(report.Error, SizeLimit, report.Location{Path: c.prod.Path}, "the module has %d bytes without its DWARF; V8 refuses more than %d", n, maxModule)
	}
	if n := c.debug().File.Size(); n > maxCompanion && c.o.For != Generic {
		c.find(SizeLimit, report.Location{Path: c.debug().Path}, "the file has %d bytes; uploads of more than %d are refused", n, int64(maxCompanion))
	}
	n, err := c.prod.File.FunctionCount()
	if err != nil {
		return c.damaged(c.prod, err)
	}
	if n > maxFunctions {
		c.find(SizeLimit, in(c.prod, c.prod.File.Section(wasm.SectionFunction)), "the module has %d functions; engines refuse more than %d", n, maxFunctions)
	}
	return nil
}

func debugBytes(f *wasm.File) int64 {
	var n int64
	for i := range f.Sections {
		if f.Sections[i].IsDebug() {
			n += f.Sections[i].Len()
		}
	}
	return n
}

// clients checks what the client that the pair is for asks beyond the rest.
func (c *checker) clients() error {
	d := c.debug()
	name := d.Path
	if !strings.HasSuffix(name, ".wasm") {
		severity := report.Info
		if c.o.For == Datadog {
			severity = report.Error
		}
		c.findAs(severity, CompanionName, report.Location{Path: name}, "the name does not end in .wasm: datadog-ci passes over it")
	}
	if c.comp == nil && c.o.ForbidDWARF {
		return nil
	}
	info, line := d.File.Custom(".debug_info"), d.File.Custom(".debug_line")
	if info != nil {
		return nil
	}
	what := "there is no .debug_ section"
	switch {
	case line != nil:
		what = "there is a .debug_line, but without .debug_info nothing leads to it"
	case d.File.HasDebug():
		what = "there are .debug_ sections, but .debug_info, without which the others say nothing, is missing"
	}
	severity := report.Error
	if ref, err := c.prod.File.SourceMappingURL(); err == nil && ref.Section != nil || c.o.Debug.SourceMap != "" {
		severity = report.Info
		what += "; a source map gives files and lines, but no inlined calls"
		if c.o.For != Generic {
			severity = report.Error
			what += fmt.Sprintf(", and %s does not use it for WebAssembly", c.o.For)
		}
	}
	f := c.findAs(severity, NoDebugInfo, report.Location{Path: d.Path}, "%s", what)
	switch {
	case f == nil:
	case c.comp != nil && c.hadDWARF():
		f.Remedy = "take the companion that the split wrote, and strip nothing from it"
	case c.comp != nil:
		f.Remedy = "name the file that holds the DWARF; if none does, " + rebuildWithDebug
	case len(c.ids[0].ID) > 0 && !d.File.HasDebug():
		// An ID and no DWARF is what a split leaves.
		f.Message += "; the module has a build ID, so that it was most likely split, and its companion is not at hand"
		f.Remedy = "name its companion, or a directory with it, with --debug; if it never was split, " + rebuildWithDebug
	}
	return nil
}

// hadDWARF reports whether the companion held DWARF when the split wrote it.
func (c *checker) hadDWARF() bool {
	return c.record != nil && slices.ContainsFunc(c.record.Stripped, func(s rewrite.RecordStripped) bool { return s.Name == ".debug_info" })
}
