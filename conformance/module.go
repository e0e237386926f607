package conformance

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// limitsType is the limits of a table or memory.
//
// https://webassembly.github.io/spec/core/binary/types.html#limits
type limitsType struct {
	flags  byte
	min    uint64
	max    uint64
	hasMax bool
}

// Bits of the flags of limits.
const (
	limitsHasMax   = 1 << 0
	limitsShared   = 1 << 1
	limitsIs64     = 1 << 2
	limitsPageSize = 1 << 3 // the size of a page follows
)

// append appends the encoded limits to b.
func (l limitsType) append(b []byte) []byte {
	flags := l.flags &^ limitsHasMax
	if l.hasMax {
		flags |= limitsHasMax
	}
	b = wasm.AppendUint64(append(b, flags), l.min)
	if l.hasMax {
		b = wasm.AppendUint64(b, l.max)
	}
	return b
}

// importEntry is an import with its type.
type importEntry struct {
	module, name string
	kind         wasm.ExternKind
	typ          []byte     // encoded: type index of functions, reference type of tables, value type and mutability of globals, attribute and type index of tags
	limits       limitsType // tables and memories
	index        uint32     // of its kind
}

// tableEntry is a table that the module defines.
type tableEntry struct {
	typ    []byte // encoded reference type, led by 0x40 0x00 if there is an initial value
	limits limitsType
	init   []byte // the expression of the initial value; may be empty
}

// exportEntry is an export.
type exportEntry struct {
	name  string
	kind  wasm.ExternKind
	index uint32
}

// module is a production module in memory, as far as running it needs.
type module struct {
	path     string
	file     *wasm.File
	span     wasm.CodeSpan
	imports  []importEntry
	imported uint32 // number of imported functions
	tables   []tableEntry
	memories []limitsType
	exports  []exportEntry
	hasStart bool
	types    []byte // payload of the Type section
	code     *code
	uses     features
}

// readModule reads the outline of a module and its code. The error is an
// *UnrunnableError for what cannot be run, and otherwise one of package wasm. In
// the first case the module is returned as well if its code could be decoded.
func readModule(path string, f *wasm.File, l *Limits) (*module, error) {
	m := &module{path: path, file: f}
	span, ok := f.CodeSpan()
	if !ok {
		return nil, &UnrunnableError{Why: []string{"the module has no code"}}
	}
	m.span = span
	if int64(span.Size) > l.CodeBytes {
		return nil, &UnrunnableError{Why: []string{fmt.Sprintf("its code has %d bytes; the limit is %d", span.Size, l.CodeBytes)}}
	}
	var err error
	if m.imported, err = f.ImportedFunctions(); err != nil {
		return nil, err
	}
	var data int64
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.ID != wasm.SectionCustom {
			data += int64(s.Size)
		}
	}
	if m.code, err = readCode(f, span, m.imported, l); err != nil {
		return nil, err
	}
	m.uses.add(m.code.uses)
	if data > l.CodeBytes+l.DataBytes {
		return m, &UnrunnableError{Why: []string{fmt.Sprintf("its sections have %d bytes; the limit is %d", data, l.CodeBytes+l.DataBytes)}}
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch s.ID {
		case wasm.SectionType:
			if m.types, err = s.Bytes(data); err == nil {
				err = m.uses.readTypes(s)
			}
		case wasm.SectionImport:
			err = m.readImports(s)
		case wasm.SectionTable:
			err = m.readTables(s)
		case wasm.SectionMemory:
			err = m.readMemories(s)
		case wasm.SectionExport:
			err = m.readExports(s)
		case wasm.SectionStart:
			m.hasStart = true
		}
		if err != nil {
			return m, err
		}
	}
	return m, m.runnable(l)
}

// runnable returns an *UnrunnableError if the module uses what the engine lacks,
// or asks for more than the limits.
func (m *module) runnable(l *Limits) error {
	why := m.uses.missing()
	memories, pages := len(m.memories), uint64(0)
	elements := uint64(0)
	for _, x := range m.memories {
		pages += x.min
	}
	for _, t := range m.tables {
		elements += t.limits.min
	}
	for _, im := range m.imports {
		switch im.kind {
		case wasm.ExternMemory:
			memories++
			pages += im.limits.min
		case wasm.ExternTable:
			elements += im.limits.min
		}
	}
	if memories > 1 {
		why = append(why, fmt.Sprintf("it uses several memories (multi-memory), which %s does not have", engineName))
	}
	if pages > uint64(l.MemoryPages) {
		why = append(why, fmt.Sprintf("it asks for %d pages of memory; the limit is %d", pages, l.MemoryPages))
	}
	if elements > uint64(l.TableElements) {
		why = append(why, fmt.Sprintf("its tables have %d elements; the limit is %d", elements, l.TableElements))
	}
	if len(why) > 0 {
		return &UnrunnableError{Why: why}
	}
	return nil
}

// entries reads the count of a section's vector and calls each for its entries.
func entries(s *wasm.Section, what string, each func(r *wasm.Stream) error) error {
	r := s.Stream()
	n, err := r.Uint32("the number of " + what)
	if err != nil {
		return err
	}
	for ; n > 0; n-- {
		if err := each(r); err != nil {
			return err
		}
	}
	if r.Remaining() != 0 {
		return r.Errorf(nil, "bytes behind the last of the %s", what)
	}
	return nil
}

func (m *module) readImports(s *wasm.Section) error {
	counts := map[wasm.ExternKind]uint32{}
	err := entries(s, "imports", func(r *wasm.Stream) error {
		var im importEntry
		var err error
		if im.module, err = r.Name(maxName, "an import's module"); err != nil {
			return err
		}
		if im.name, err = r.Name(maxName, "an import's name"); err != nil {
			return err
		}
		kind, err := r.Byte("an import's kind")
		if err != nil {
			return err
		}
		im.kind = wasm.ExternKind(kind)
		switch im.kind {
		case wasm.ExternFunc:
			err = copyUint32(r, &im.typ, "an import's type")
		case wasm.ExternTable:
			if im.typ, err = m.uses.readRefType(r); err == nil {
				im.limits, err = m.uses.readLimits(r, true)
			}
		case wasm.ExternMemory:
			im.limits, err = m.uses.readLimits(r, false)
		case wasm.ExternGlobal:
			if im.typ, err = m.uses.readValType(r); err == nil {
				err = copyByte(r, &im.typ, "a global's mutability")
			}
		case wasm.ExternTag:
			if err = copyByte(r, &im.typ, "a tag's attribute"); err == nil {
				err = copyUint32(r, &im.typ, "a tag's type")
			}
		default:
			return &UnrunnableError{Why: []string{fmt.Sprintf("it has an import of the unknown kind 0x%02x", kind)}}
		}
		im.index = counts[im.kind]
		counts[im.kind]++
		m.imports = append(m.imports, im)
		return err
	})
	return err
}

func (m *module) readTables(s *wasm.Section) error {
	return entries(s, "tables", func(r *wasm.Stream) error {
		var t tableEntry
		head, err := r.Peek(1)
		if err != nil {
			return err
		}
		withInit := len(head) == 1 && head[0] == 0x40
		if withInit {
			if t.typ, err = r.Bytes(2, 2, "a table's form"); err != nil {
				return err
			}
		}
		ref, err := m.uses.readRefType(r)
		if err != nil {
			return err
		}
		t.typ = append(t.typ, ref...)
		if t.limits, err = m.uses.readLimits(r, true); err != nil {
			return err
		}
		if withInit {
			if t.init, err = readConstExpr(r); err != nil {
				return err
			}
		}
		m.tables = append(m.tables, t)
		return nil
	})
}

func (m *module) readMemories(s *wasm.Section) error {
	return entries(s, "memories", func(r *wasm.Stream) error {
		l, err := m.uses.readLimits(r, false)
		m.memories = append(m.memories, l)
		return err
	})
}

func (m *module) readExports(s *wasm.Section) error {
	return entries(s, "exports", func(r *wasm.Stream) error {
		var e exportEntry
		var err error
		if e.name, err = r.Name(maxName, "an export's name"); err != nil {
			return err
		}
		kind, err := r.Byte("an export's kind")
		if err != nil {
			return err
		}
		e.kind = wasm.ExternKind(kind)
		e.index, err = r.Uint32("an export's index")
		m.exports = append(m.exports, e)
		return err
	})
}

// maxName is the length in bytes of the name of an import or export that is read.
const maxName = 100_000

// readConstExpr reads a constant expression up to and including its end.
func readConstExpr(r *wasm.Stream) ([]byte, error) {
	var out []byte
	for {
		window, err := r.Peek(64)
		if err != nil {
			return nil, err
		}
		in, err := wasm.DecodeInstr(window, 0, r.Offset())
		if err != nil {
			return nil, err
		}
		b, err := r.Bytes(int64(in.Len), 64, "a constant expression")
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
		if in.Op == 0x0b {
			return out, nil
		}
	}
}

func copyByte(r *wasm.Stream, to *[]byte, what string) error {
	b, err := r.Byte(what)
	*to = append(*to, b)
	return err
}

func copyUint32(r *wasm.Stream, to *[]byte, what string) error {
	v, err := r.Uint32(what)
	*to = wasm.AppendUint32(*to, v)
	return err
}

// export returns the function export of a name.
func (m *module) export(name string) (exportEntry, bool) {
	for _, e := range m.exports {
		if e.name == name && e.kind == wasm.ExternFunc {
			return e, true
		}
	}
	return exportEntry{}, false
}

// raw reads a whole section, header included.
func (m *module) raw(s *wasm.Section) ([]byte, error) {
	b := make([]byte, s.Len())
	if _, err := m.file.ReadAt(b, int64(s.Offset)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}
