package conformance

import (
	"strconv"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// copyOptions say how the copy that is run differs from the file.
type copyOptions struct {
	payload   []byte // the Code payload in place of the module's own; nil: the module's own
	exportAll bool   // export every function under its index, and nothing else; drop the start function
	ownDWARF  bool   // keep the module's own DWARF in place of the synthetic unit
	tableMax  uint64 // greatest size of a table that can grow
}

// copyModule returns the module that is run: the sections of the file in their
// order, the code untouched, without names (so that the engine prints indices),
// and with the synthetic unit behind them, which also keeps a trailing section
// without contents from being the last, where the engine would stumble over it.
//
// A few declarations change where they must, none of which moves an offset that
// counts from the code start. An empty name of a module that is imported from gets
// another. Shared memory is declared as memory of one thread:
// there is but one, and to wait for another would never end. And a table that the
// code can grow gets a greatest size.
func (m *module) copyModule(o copyOptions) ([]byte, error) {
	out := wasm.AppendPreamble(nil)
	exported := false
	for i := range m.file.Sections {
		s := &m.file.Sections[i]
		if o.exportAll && !exported && behindExports(s.ID) {
			out, exported = wasm.AppendSection(out, wasm.SectionExport, m.allExports()), true
		}
		switch {
		case s.IsCustom(wasm.CustomName), s.IsDebug() && !o.ownDWARF:
			continue
		case s.ID == wasm.SectionImport && m.changesImports(o):
			out = wasm.AppendSection(out, s.ID, m.importPayload(o))
			continue
		case s.ID == wasm.SectionTable && m.changesTables(o):
			out = wasm.AppendSection(out, s.ID, m.tablePayload(o))
			continue
		case s.ID == wasm.SectionMemory && m.sharesMemory():
			out = wasm.AppendSection(out, s.ID, m.memoryPayload())
			continue
		case o.exportAll && (s.ID == wasm.SectionExport || s.ID == wasm.SectionStart):
			continue
		case s.ID == wasm.SectionCode && o.payload != nil:
			out = wasm.AppendSection(out, s.ID, o.payload)
			continue
		}
		b, err := m.raw(s)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	if o.ownDWARF {
		// A last section without contents would be refused.
		return wasm.AppendCustom(out, "-", []byte{0}), nil
	}
	return appendShim(out, uint32(len(m.code.payload))), nil
}

// behindExports reports whether a section's place is behind the Export section.
func behindExports(id wasm.SectionID) bool {
	switch id {
	case wasm.SectionStart, wasm.SectionElement, wasm.SectionDataCount, wasm.SectionCode, wasm.SectionData:
		return true
	}
	return false
}

// sweepName is the name under which the sweep exports a function.
func sweepName(index uint32) string { return strconv.FormatUint(uint64(index), 10) }

// allExports returns an Export section's payload with every function that has a
// body.
func (m *module) allExports() []byte {
	out := wasm.AppendUint32(nil, uint32(len(m.code.bodies)))
	for i := range m.code.bodies {
		index := m.code.bodies[i].Index
		out = wasm.AppendName(out, sweepName(index))
		out = append(out, byte(wasm.ExternFunc))
		out = wasm.AppendUint32(out, index)
	}
	return out
}

// capped returns the limits of a table as the copy has them.
func (m *module) capped(l limitsType, o copyOptions) limitsType {
	if m.uses.has(usesTableGrow) && o.tableMax > 0 && (!l.hasMax || l.max > o.tableMax) {
		l.max, l.hasMax = max(o.tableMax, l.min), true
	}
	return l
}

// unshared returns the limits of a memory as the copy has them.
func unshared(l limitsType) limitsType {
	l.flags &^= limitsShared
	return l
}

// importModule returns what a module that is imported from is called in the copy:
// the engine refuses an empty name, which is valid.
func importModule(name string) string {
	if name == "" {
		return "(no name)"
	}
	return name
}

func (m *module) changesImports(o copyOptions) bool {
	for _, im := range m.imports {
		if im.module == "" || im.kind == wasm.ExternMemory && im.limits != unshared(im.limits) ||
			im.kind == wasm.ExternTable && im.limits != m.capped(im.limits, o) {
			return true
		}
	}
	return false
}

func (m *module) importPayload(o copyOptions) []byte {
	out := wasm.AppendUint32(nil, uint32(len(m.imports)))
	for _, im := range m.imports {
		out = wasm.AppendName(wasm.AppendName(out, importModule(im.module)), im.name)
		out = append(append(out, byte(im.kind)), im.typ...)
		switch im.kind {
		case wasm.ExternTable:
			out = m.capped(im.limits, o).append(out)
		case wasm.ExternMemory:
			out = unshared(im.limits).append(out)
		}
	}
	return out
}

func (m *module) changesTables(o copyOptions) bool {
	for _, t := range m.tables {
		if t.limits != m.capped(t.limits, o) {
			return true
		}
	}
	return false
}

func (m *module) tablePayload(o copyOptions) []byte {
	out := wasm.AppendUint32(nil, uint32(len(m.tables)))
	for _, t := range m.tables {
		out = m.capped(t.limits, o).append(append(out, t.typ...))
		out = append(out, t.init...)
	}
	return out
}

func (m *module) sharesMemory() bool {
	for _, l := range m.memories {
		if l.flags&limitsShared != 0 {
			return true
		}
	}
	return false
}

func (m *module) memoryPayload() []byte {
	out := wasm.AppendUint32(nil, uint32(len(m.memories)))
	for _, l := range m.memories {
		out = unshared(l).append(out)
	}
	return out
}
