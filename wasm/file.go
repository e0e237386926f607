// Package wasm reads the WebAssembly binary format as far as debug information
// needs it: section headers, LEB128 numbers, the standard custom sections,
// function bodies and the lengths of instructions.
//
// A [File] is opened by a scan of its section headers. No payload is read until
// it is asked for, and nothing is decoded that does not have to be, so a module
// that uses a feature this package does not know still opens, and its sections
// can be copied by their bytes.
//
// # Offsets
//
// Two address spaces meet in this field, and mixing them is its standard
// mistake. They are two types here. [FileOffset] (F) counts from the start of a
// file; stack traces of browsers hold it. [CodeOffset] (C) counts from the first
// byte of the Code section's payload; DWARF holds it. A module of three
// functions whose code starts at F = 0x41:
//
//	F 0x41 = C 0x00  function count
//	F 0x42 = C 0x01  size of body 0
//	F 0x43 = C 0x02  body 0: count of local declarations   DW_AT_low_pc
//	F 0x44 = C 0x03  body 0: first instruction             first line row
//	F 0x49 = C 0x08  body 0: final end instruction
//	F 0x4a = C 0x09  size of body 1                        DW_AT_high_pc of body 0
//	F 0x4b = C 0x0a  body 1
//
// [CodeSpan] converts between the two.
//
// The format is specified at https://webassembly.github.io/spec/core/binary/.
package wasm

import (
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
)

// File is an open core module.
type File struct {
	Sections []Section // all sections in file order

	r      io.ReaderAt
	size   int64
	closer io.Closer
	code   int // index of the Code section, or -1
}

// Open opens the named file, which must be a regular one; Close releases it.
func Open(name string) (*File, error) {
	f, info, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	m, err := NewFile(f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	m.closer = f
	return m, nil
}

// NewFile scans the section headers of the module in r, which is size bytes
// long. Payloads are not read.
//
// The error is a *NotModuleError for anything that is not a core module, and a
// *FormatError for a core module whose sections do not fit the file.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	// Only headers are read: a small window keeps a scan cheap.
	return newFile(r, size, 256)
}

func newFile(r io.ReaderAt, size int64, window int) (*File, error) {
	if size < 0 {
		return nil, fmt.Errorf("a module of %d bytes: the size is negative", size)
	}
	if err := checkPreamble(r, size); err != nil {
		return nil, err
	}
	f := &File{r: r, size: size, code: -1}
	s := NewStream(r, 8, FileOffset(size), "")
	s.window = make([]byte, min(size-8, int64(window)))
	for s.Remaining() > 0 {
		sec, err := scanSection(r, s)
		if err != nil {
			return nil, err
		}
		if len(f.Sections) == MaxSections {
			return nil, &FormatError{Off: sec.Offset, Msg: fmt.Sprintf("more than %d sections", MaxSections), Err: ErrLimit}
		}
		sec.Index = len(f.Sections)
		if sec.ID == SectionCode {
			if f.code >= 0 {
				return nil, &FormatError{Off: sec.Offset, Section: "code section",
					Msg: fmt.Sprintf("a second code section; the first is at %v", f.Sections[f.code].Offset)}
			}
			f.code = sec.Index
		}
		f.Sections = append(f.Sections, sec)
	}
	return f, nil
}

func scanSection(r io.ReaderAt, s *Stream) (Section, error) {
	sec := Section{Offset: s.Offset(), r: r}
	id, err := s.Byte("a section id")
	if err != nil {
		return sec, err
	}
	sec.ID = SectionID(id)
	s.section = sec.ID.String() + " section"
	sizeAt := s.Offset()
	if sec.Size, err = s.Uint32("the section size"); err != nil {
		return sec, err
	}
	sec.Payload = s.Offset()
	sec.SizeWidth = int(sec.Payload - sizeAt)
	sec.Data = sec.Payload
	if int64(sec.Size) > s.Remaining() {
		return sec, &FormatError{Off: sizeAt, Section: s.section, Err: ErrTruncated,
			Msg: fmt.Sprintf("the section claims %d bytes, the file has %d left", sec.Size, s.Remaining())}
	}
	if sec.ID == SectionCustom {
		body := NewStream(r, sec.Payload, sec.End(), s.section)
		body.window = make([]byte, min(int64(sec.Size), 64))
		if sec.Name, err = body.Name(MaxCustomName, "the section name"); err != nil {
			return sec, err
		}
		sec.Data = body.Offset()
	}
	err = s.Skip(int64(sec.Size), "the section")
	s.section = ""
	return sec, err
}

// Close closes the file if Open opened it.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// ReadAt reads from the file as it stands; it implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.r.ReadAt(p, off) }

// Reader returns the io.ReaderAt that the file was opened on.
func (f *File) Reader() io.ReaderAt { return f.r }

// Code returns the Code section, or nil.
func (f *File) Code() *Section {
	if f.code < 0 {
		return nil
	}
	return &f.Sections[f.code]
}

// CodeSpan returns where the Code section's payload lies. It reports false for
// a module without code.
func (f *File) CodeSpan() (CodeSpan, bool) {
	c := f.Code()
	if c == nil {
		return CodeSpan{}, false
	}
	return CodeSpan{Start: c.Payload, Size: c.Size}, true
}

// Section returns the first section with the given id, or nil.
func (f *File) Section(id SectionID) *Section {
	for i := range f.Sections {
		if f.Sections[i].ID == id {
			return &f.Sections[i]
		}
	}
	return nil
}

// Custom returns the first custom section with the given name, or nil.
func (f *File) Custom(name string) *Section {
	for i := range f.Sections {
		if f.Sections[i].IsCustom(name) {
			return &f.Sections[i]
		}
	}
	return nil
}

// Customs returns every custom section with the given name, in file order.
func (f *File) Customs(name string) []*Section {
	var out []*Section
	for i := range f.Sections {
		if f.Sections[i].IsCustom(name) {
			out = append(out, &f.Sections[i])
		}
	}
	return out
}

// HasDebug reports whether the file holds DWARF sections.
func (f *File) HasDebug() bool {
	for i := range f.Sections {
		if f.Sections[i].IsDebug() {
			return true
		}
	}
	return false
}
