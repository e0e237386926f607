package wasm

import (
	"fmt"
	"io"
	"strings"
)

// SectionID is the byte that opens a section.
type SectionID byte

// Section ids of the core specification. Ids above SectionTag are kept by their
// bytes and reported as unknown.
//
// https://webassembly.github.io/spec/core/binary/modules.html#sections
const (
	SectionCustom SectionID = iota
	SectionType
	SectionImport
	SectionFunction
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElement
	SectionCode
	SectionData
	SectionDataCount
	SectionTag
)

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global",
	"export", "start", "element", "code", "data", "data count", "tag"}

// String returns the section's name, or "unknown section 17".
func (id SectionID) String() string {
	if int(id) < len(sectionNames) {
		return sectionNames[id]
	}
	return fmt.Sprintf("unknown section %d", byte(id))
}

// Known reports whether this package knows the section id.
func (id SectionID) Known() bool { return int(id) < len(sectionNames) }

// Section is one section of a file, found by its header alone.
//
// The layout in the file is: id (1 byte), payload size (SizeWidth bytes of
// LEB128), payload. A custom section's payload opens with its name; Data* are
// what follows the name.
type Section struct {
	Index     int        // position among all sections of the file
	ID        SectionID  // section id
	Offset    FileOffset // F of the id byte
	SizeWidth int        // width in bytes of the size LEB, 1 to 5
	Payload   FileOffset // F of the payload's first byte
	Size      uint32     // payload size in bytes
	Name      string     // custom sections: the name
	Data      FileOffset // F of the contents: Payload, or behind the name of a custom section

	r io.ReaderAt
}

// End returns F of the first byte behind the section.
func (s *Section) End() FileOffset { return s.Payload + FileOffset(s.Size) }

// Len returns the length in bytes of the whole section, header included.
func (s *Section) Len() int64 { return int64(s.End() - s.Offset) }

// DataSize returns the length in bytes of the contents: the payload, without
// the name of a custom section.
func (s *Section) DataSize() int64 { return int64(s.End() - s.Data) }

// Label names the section for messages: "code section", "custom section
// \"name\"".
func (s *Section) Label() string {
	if s.ID == SectionCustom {
		return fmt.Sprintf("custom section %q", s.Name)
	}
	if !s.ID.Known() {
		return s.ID.String()
	}
	return s.ID.String() + " section"
}

// IsCustom reports whether the section is a custom section of the given name.
func (s *Section) IsCustom(name string) bool { return s.ID == SectionCustom && s.Name == name }

// IsDebug reports whether the section holds DWARF: a custom section whose name
// begins with ".debug_". Names that merely look similar do not.
func (s *Section) IsDebug() bool {
	return s.ID == SectionCustom && strings.HasPrefix(s.Name, ".debug_")
}

// Open returns a reader over the contents (without a custom section's name).
func (s *Section) Open() *io.SectionReader {
	return io.NewSectionReader(s.r, int64(s.Data), s.DataSize())
}

// Stream returns a Stream over the contents; its errors carry offsets in the
// file and the section's label.
func (s *Section) Stream() *Stream { return NewStream(s.r, s.Data, s.End(), s.Label()) }

// Bytes reads the contents into memory. It refuses a section larger than limit
// bytes.
func (s *Section) Bytes(limit int64) ([]byte, error) {
	return s.Stream().Bytes(s.DataSize(), limit, "the section")
}
