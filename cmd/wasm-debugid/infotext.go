package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	debugid "github.com/wasm-debugid/wasm-debugid"
)

// infoText is the description of a module for people.
func infoText(p painter, m *debugid.ModuleInfo, verbose bool) string {
	var b strings.Builder
	kind := m.Kind
	if m.Record != nil {
		kind += " (" + m.Record.Kind + ")"
	}
	head := fmt.Sprintf("%s: %s, %s bytes", m.Path, kind, grouped(m.Size))
	fmt.Fprintf(&b, "%s\n", p.bold(head))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	list := func(name string, items []string) {
		for _, item := range items {
			row(name, "%s", item)
			name = ""
		}
	}
	list("about", m.Traits)
	row("tier", "%s: %s", m.Tier, m.TierReason)
	if m.Code == nil {
		row("code", "none")
	} else {
		row("code", "starts at %v, %s bytes, %s, %s imported", m.Code.Start, grouped(m.Code.Size), plural(int64(m.Code.Functions), "function"), grouped(int64(m.Code.Imported)))
	}
	idRows(m, row)
	pointerRow(row, "companion", m.ExternalDebugInfo)
	pointerRow(row, "source map", m.SourceMappingURL)
	if n := m.Names; n != nil {
		text := plural(int64(n.Functions), "function")
		if n.Module != "" {
			text += fmt.Sprintf(", module %q", n.Module)
		}
		row("names", "%s", text)
	}
	name := "producers"
	for _, v := range m.Producers {
		row(name, "%s: %s", v.Field, strings.TrimSpace(v.Name+" "+v.Version))
		name = ""
	}
	if len(m.Features) > 0 {
		row("features", "%s", strings.Join(m.Features, " "))
	}
	dwarfRows(m.DWARF, row, list)
	problems := m.Problems
	if m.DWARF != nil {
		problems = append(problems[:len(problems):len(problems)], m.DWARF.Problems...)
	}
	if len(problems) > 10 && !verbose {
		problems = append(problems[:10:10], fmt.Sprintf("%d more (--verbose lists them)", len(problems)-10))
	}
	w.Flush()
	if len(problems) > 0 {
		fmt.Fprintf(&b, "\n  %s\n", p.yellow("problems"))
		for _, text := range problems {
			fmt.Fprintf(&b, "    %s\n", text)
		}
	}
	sectionTable(&b, p, m)
	if m.BuildID.Status != "absent" {
		b.WriteByte('\n')
		formTable(&b, p, m, verbose)
	}
	return b.String()
}

func idRows(m *debugid.ModuleInfo, row func(name, format string, args ...any)) {
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
	for _, s := range id.Sections {
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
	if id.Freshness != "" {
		row("freshness", "%s: %s", id.Freshness, id.Reason)
	}
}

func pointerRow(row func(name, format string, args ...any), name string, p *debugid.PointerInfo) {
	if p == nil {
		return
	}
	text := p.URL
	switch p.Found {
	case "missing":
		text += " (there is no such file here)"
	case "found":
		text += " (found; wasm-debugid check proves that the two belong together)"
	}
	if p.Sections > 1 {
		text += fmt.Sprintf("; there are %d such sections", p.Sections)
	}
	row(name, "%s", text)
}

func dwarfRows(d *debugid.DWARFInfo, row func(name, format string, args ...any), list func(name string, items []string)) {
	if d == nil {
		return
	}
	row("dwarf", "%s bytes in %s", grouped(d.Size), strings.Join(d.Sections, " "))
	var units []string
	for _, g := range d.Groups {
		text := fmt.Sprintf("%d × DWARF %d %s", g.Count, g.Version, g.Type)
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
	const most = 20
	if len(units) > most {
		units = append(units[:most], fmt.Sprintf("%d more kinds of units (see --json)", len(units)-most))
	}
	list("units", units)
	files := d.SplitFiles
	if len(files) > most {
		files = append(files[:most:most], fmt.Sprintf("%d more (see --json)", len(files)-most))
	}
	list("split files", files)
}

// sectionTable lists the sections. A size whose LEB128 is wider than it need be is
// marked, because a tool that rewrites it moves everything behind it.
func sectionTable(b *strings.Builder, p painter, m *debugid.ModuleInfo) {
	fmt.Fprintf(b, "\n  %s\n", p.bold("sections"))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "    index\toffset\tpayload\tsize\tsize LEB\t  section\n")
	for _, s := range m.Sections {
		name := s.Kind
		if s.Kind == "custom" {
			name = fmt.Sprintf("custom %q", s.Name)
		}
		width := fmt.Sprint(s.SizeWidth)
		if !s.Minimal {
			width += " padded"
		}
		fmt.Fprintf(w, "    %d\t%v\t%v\t%s\t%s\t  %s\n", s.Index, s.Offset, s.Payload, grouped(s.Size), width, name)
	}
	w.Flush()
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
		fmt.Fprintf(w, "    %s\t%s\t%s\n", f.Client, f.Kind, value)
		if f.Note != "" && verbose {
			fmt.Fprintf(w, "    \t\t  %s\n", p.dim(f.Note))
		}
	}
	w.Flush()
	for _, text := range m.BuildID.Disagreement {
		fmt.Fprintf(b, "%s\n", wrap(text, "    "))
	}
}

// idsText is what --ids prints.
func idsText(p painter, m *debugid.ModuleInfo, named bool) string {
	var b strings.Builder
	if named {
		fmt.Fprintf(&b, "%s\n", p.bold(m.Path))
	}
	id := &m.BuildID
	switch {
	case id.Status == "absent":
		b.WriteString("no build ID\n")
		return b.String()
	case id.ID == "":
		fmt.Fprintf(&b, "no single build ID: the section is %s\n", id.Status)
		for _, text := range m.Problems {
			fmt.Fprintf(&b, "%s\n", text)
		}
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range id.Forms {
		value := f.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Client, f.Kind, value)
	}
	w.Flush()
	for _, text := range id.Disagreement {
		fmt.Fprintf(&b, "%s\n", wrap(text, ""))
	}
	return b.String()
}
