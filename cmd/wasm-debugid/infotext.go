package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
)

// What is shown of long lists without --verbose: a file may have a million
// sections, and as many of anything else.
const (
	maxItems    = 20
	maxSections = 1000
)

// cut returns the items that are shown, and how many there are besides.
func cut[T any](items []T, verbose bool) (shown []T, rest int) {
	if verbose || len(items) <= maxItems {
		return items, 0
	}
	return items[:maxItems], len(items) - maxItems
}

// infoText is the description of a module for people.
func infoText(p painter, m *debugid.ModuleInfo, verbose bool) string {
	var b strings.Builder
	kind := m.Kind
	if m.Record != nil {
		kind += " (" + m.Record.Kind + ")"
	}
	head := fmt.Sprintf("%s: %s, %s bytes", m.Path, kind, printable.Number(m.Size))
	fmt.Fprintf(&b, "%s\n", p.bold(printable.Clip(head, maxCell)))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := rows(w)
	list := func(name string, items []string) {
		shown, rest := cut(items, verbose)
		for _, item := range shown {
			row(name, "%s", item)
			name = ""
		}
		if rest > 0 {
			row("", "%s more (--verbose lists them)", printable.Number(int64(rest)))
		}
	}
	list("about", m.Traits)
	row("tier", "%s: %s", m.Tier, m.TierReason)
	if m.Code == nil {
		row("code", "none")
	} else {
		row("code", "starts at %v, %s bytes, %s, %s imported", m.Code.Start, printable.Number(m.Code.Size), printable.Count(int64(m.Code.Functions), "function"), printable.Number(int64(m.Code.Imported)))
	}
	idRows(m, verbose, row)
	pointerRow(row, "companion", m.ExternalDebugInfo)
	pointerRow(row, "source map", m.SourceMappingURL)
	if n := m.Names; n != nil {
		text := printable.Count(int64(n.Functions), "function")
		if n.Module != "" {
			text += fmt.Sprintf(", module %q", n.Module)
		}
		row("names", "%s", text)
	}
	var producers []string
	for i := range m.Producers {
		v := &m.Producers[i]
		producers = append(producers, v.Field+": "+strings.TrimSpace(v.Name+" "+v.Version))
	}
	list("producers", producers)
	if len(m.Features) > 0 {
		row("features", "%s", strings.Join(m.Features, " "))
	}
	dwarfRows(m.DWARF, row, list)
	problems := m.Problems
	if m.DWARF != nil {
		problems = append(problems[:len(problems):len(problems)], m.DWARF.Problems...)
	}
	problems, rest := cut(problems, verbose)
	if rest > 0 {
		problems = append(problems[:len(problems):len(problems)], fmt.Sprintf("%s more (--verbose lists them)", printable.Number(int64(rest))))
	}
	w.Flush()
	if len(problems) > 0 {
		fmt.Fprintf(&b, "\n  %s\n", p.yellow("problems"))
		for _, text := range problems {
			fmt.Fprintf(&b, "    %s\n", printable.Clip(text, maxCell))
		}
	}
	sectionTable(&b, p, m, verbose)
	if m.BuildID.Status != "absent" {
		b.WriteByte('\n')
		formTable(&b, p, m, verbose)
	}
	return b.String()
}

func idRows(m *debugid.ModuleInfo, verbose bool, row rowFunc) {
	id := &m.BuildID
	switch {
	case id.Status == "absent":
		if m.Kind == "object" || m.Kind == "split DWARF" {
			row("build id", "none; a linked module gets one")
		} else {
			row("build id", "none; split or inject derives one")
		}
		return
	case id.ID == "":
		row("build id", "%s", id.Status)
	case id.Status == "ok":
		row("build id", "%s", id.ID)
	default:
		row("build id", "%s (%s, %s encoding)", id.ID, id.Status, id.Sections[0].Encoding)
	}
	shown, rest := cut(id.Sections, verbose)
	for i := range shown {
		s := &shown[i]
		switch {
		case s.Error != "":
			row("", "section %d: %s", s.Index, s.Error)
		case len(id.Sections) > 1:
			row("", "section %d: %s (%s encoding)", s.Index, s.ID, s.Encoding)
		}
		if s.Note != "" {
			row("", "%s", s.Note)
		}
	}
	if rest > 0 {
		row("", "%s more sections (--verbose lists them)", printable.Number(int64(rest)))
	}
	if id.Freshness != "" {
		row("freshness", "%s: %s", id.Freshness, id.Reason)
	}
}

func pointerRow(row rowFunc, name string, p *debugid.PointerInfo) {
	if p == nil {
		return
	}
	text := p.URL
	switch p.Found {
	case "nowhere":
		text = fmt.Sprintf("%q (this is no URL, and leads nowhere)", text)
	case "unusable":
		text += " (what lies there cannot be used, see below)"
	case "missing":
		text += " (there is no such file here)"
	case "found":
		text += " (found; wasm-debugid check proves that the two belong together)"
	}
	if p.Sections > 1 {
		text += fmt.Sprintf("; there are %s such sections", printable.Number(int64(p.Sections)))
	}
	row(name, "%s", text)
}

func dwarfRows(d *debugid.DWARFInfo, row rowFunc, list func(name string, items []string)) {
	if d == nil {
		return
	}
	row("dwarf", "%s bytes in %s", printable.Number(d.Size), strings.Join(d.Sections, " "))
	var units []string
	for _, g := range d.Groups {
		text := fmt.Sprintf("%s × DWARF %d %s", printable.Number(int64(g.Count)), g.Version, g.Type)
		if g.Count == 1 {
			text = fmt.Sprintf("DWARF %d %s", g.Version, g.Type)
		}
		text += fmt.Sprintf(", %d-byte addresses", g.AddressSize)
		if g.Bits == 64 {
			text += ", 64-bit"
		}
		if g.Language != "" {
			text += ", " + g.Language
		}
		if g.Producer != "" {
			text += ", " + g.Producer
		}
		units = append(units, text)
	}
	list("units", units)
	list("split files", d.SplitFiles)
}

// sectionTable lists the sections. A size whose LEB128 is wider than it need be is
// marked, because a tool that rewrites it moves everything behind it.
func sectionTable(b *strings.Builder, p painter, m *debugid.ModuleInfo, verbose bool) {
	fmt.Fprintf(b, "\n  %s\n", p.bold("sections"))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "    index\toffset\tpayload\tsize\tsize LEB\t  section\n")
	sections := m.Sections
	if len(sections) > maxSections && !verbose {
		sections = sections[:maxSections]
	}
	for i := range sections {
		s := &sections[i]
		name := s.Kind
		if s.Kind == "custom" {
			name = printable.Clip(fmt.Sprintf("custom %q", s.Name), maxCell)
		}
		width := fmt.Sprint(s.SizeWidth)
		if !s.Minimal {
			width += " padded"
		}
		fmt.Fprintf(w, "    %d\t%v\t%v\t%s\t%s\t  %s\n", s.Index, s.Offset, s.Payload, printable.Number(s.Size), width, name)
	}
	w.Flush()
	if rest := len(m.Sections) - len(sections); rest > 0 {
		fmt.Fprintf(b, "    %s more (--verbose lists them)\n", printable.Number(int64(rest)))
	}
}

// formTable lists what each client shows. Why it is what it is says each line of
// a verbose table, and in any case the text below it.
func formTable(b *strings.Builder, p painter, m *debugid.ModuleInfo, verbose bool) {
	fmt.Fprintf(b, "  %s\n", p.bold("the build ID as each client shows it"))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, f := range m.BuildID.Forms {
		value := f.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "    %s\t%s\t%s\n", f.Client, f.Kind, printable.Clip(value, maxCell))
		if f.Note != "" && verbose {
			fmt.Fprintf(w, "    \t\t  %s\n", p.dim(printable.Line(f.Note)))
		}
	}
	w.Flush()
	for _, text := range m.BuildID.Disagreement {
		fmt.Fprintf(b, "%s\n", wrap(printable.Line(text), "    "))
	}
}

// idsText is what --ids prints.
func idsText(p painter, m *debugid.ModuleInfo, named bool) string {
	var b strings.Builder
	if named {
		fmt.Fprintf(&b, "%s\n", p.bold(printable.Clip(m.Path, maxCell)))
	}
	id := &m.BuildID
	switch {
	case id.Status == "absent":
		b.WriteString("no build ID\n")
		return b.String()
	case id.ID == "":
		fmt.Fprintf(&b, "no single build ID: the section is %s\n", id.Status)
		for _, text := range m.Problems {
			fmt.Fprintf(&b, "%s\n", printable.Clip(text, maxCell))
		}
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range id.Forms {
		value := f.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Client, f.Kind, printable.Clip(value, maxCell))
	}
	w.Flush()
	for _, text := range id.Disagreement {
		fmt.Fprintf(&b, "%s\n", wrap(printable.Line(text), ""))
	}
	return b.String()
}
