package wasm

import (
	"errors"
	"fmt"
)

// NameID is the id of a subsection of the name section.
type NameID byte

// Subsections of the name section, those of the extended-name-section proposal
// and of later proposals included.
//
// https://webassembly.github.io/spec/core/appendix/custom.html#subsections
const (
	NameModule NameID = iota
	NameFunctions
	NameLocals
	NameLabels
	NameTypes
	NameTables
	NameMemories
	NameGlobals
	NameElements
	NameData
	NameFields
	NameTags
)

var nameIDs = [...]string{"module", "function", "local", "label", "type", "table", "memory", "global",
	"element segment", "data segment", "field", "tag"}

// String returns what the subsection names: "function", "local", or
// "unknown (17)".
func (id NameID) String() string {
	if int(id) < len(nameIDs) {
		return nameIDs[id]
	}
	return fmt.Sprintf("unknown (%d)", byte(id))
}

// Indirect reports whether the subsection maps an index to a map of names, as
// those of locals, labels and fields do.
func (id NameID) Indirect() bool { return id == NameLocals || id == NameLabels || id == NameFields }

// maxNameSubsections bounds the list of subsections in memory. The
// specification knows twelve, each at most once.
const maxNameSubsections = 1 << 12

// NameSubsection is one subsection of a name section, found by its header
// alone.
type NameSubsection struct {
	ID     NameID
	Offset FileOffset // F of the id byte
	Data   FileOffset // F of the payload's first byte
	Size   uint32     // payload size in bytes
}

// End returns F of the first byte behind the subsection.
func (s *NameSubsection) End() FileOffset { return s.Data + FileOffset(s.Size) }

// Len returns the length in bytes of the whole subsection, header included.
func (s *NameSubsection) Len() int64 { return int64(s.End() - s.Offset) }

// Names is a name section split into its subsections.
type Names struct {
	Section     *Section
	Subsections []NameSubsection // in file order, unknown ones included
}

// ReadNames reads the headers of a name section's subsections. Their payloads
// are not read, so what is wrong inside of one does not matter to the others.
//
// The error is a *FormatError at the first header that does not fit the section;
// the subsections in front of it are returned with it.
func ReadNames(sec *Section) (*Names, error) {
	n := &Names{Section: sec}
	s := smallStream(sec)
	for s.Remaining() > 0 {
		sub, err := scanName(s)
		if err != nil {
			return n, err
		}
		if len(n.Subsections) == maxNameSubsections {
			return n, &FormatError{Off: sub.Offset, Section: sec.Label(), Err: ErrLimit,
				Msg: fmt.Sprintf("more than %d subsections", maxNameSubsections)}
		}
		n.Subsections = append(n.Subsections, sub)
	}
	return n, nil
}

// smallStream returns a stream for headers that are far apart.
func smallStream(sec *Section) *Stream {
	s := sec.Stream()
	s.window = make([]byte, min(max(s.Remaining(), 0), 256))
	return s
}

// scanName reads one subsection header and passes over the payload.
func scanName(s *Stream) (NameSubsection, error) {
	sub := NameSubsection{Offset: s.Offset()}
	id, err := s.Byte("a subsection id")
	if err != nil {
		return sub, err
	}
	sub.ID = NameID(id)
	sizeAt := s.Offset()
	if sub.Size, err = s.Uint32("a subsection size"); err != nil {
		return sub, err
	}
	sub.Data = s.Offset()
	if int64(sub.Size) > s.Remaining() {
		return sub, &FormatError{Off: sizeAt, Section: s.section, Err: ErrTruncated,
			Msg: fmt.Sprintf("the subsection of %s names claims %d bytes, the section has %d left", sub.ID, sub.Size, s.Remaining())}
	}
	return sub, s.Skip(int64(sub.Size), "the subsection")
}

// Find returns the first subsection with the given id, or nil.
func (n *Names) Find(id NameID) *NameSubsection {
	for i := range n.Subsections {
		if n.Subsections[i].ID == id {
			return &n.Subsections[i]
		}
	}
	return nil
}

// stream returns a Stream over the payload of a subsection.
func (n *Names) stream(sub *NameSubsection) *Stream {
	return NewStream(n.Section.r, sub.Data, sub.End(), n.Section.Label())
}

// Module returns the module's name. It returns an empty string for a section
// without the subsection.
func (n *Names) Module() (string, error) {
	sub := n.Find(NameModule)
	if sub == nil {
		return "", nil
	}
	s := n.stream(sub)
	name, err := s.Name(MaxCustomName, "the module name")
	if err != nil {
		return "", err
	}
	if s.Remaining() > 0 {
		return name, s.Errorf(nil, "%d bytes follow the module name inside its subsection", s.Remaining())
	}
	return name, nil
}

// FunctionNamesExtent returns where the names of functions stand in the file: F
// and size of the payload of subsection 1 of the name section. It loads nothing.
//
// The content ID of package buildid is defined by this function, so its rule is
// fixed. Of the file's custom sections with the name "name" the first counts,
// wherever it stands. Its contents must be a sequence of subsections, each a
// byte and a u32 size followed by that many bytes, that ends exactly where the
// section ends. Of the subsections with id 1 the first counts. Its payload must
// be a u32 count followed by that many entries, each a u32 index, a u32 length
// and that many bytes, that end exactly where the payload ends. A u32 is an
// unsigned LEB128 number of at most five bytes, minimal or not. The indices may
// come in any order and repeat, and names need not be UTF-8. Where any of this
// does not hold, or there is no such section or subsection, ok is false.
//
// The error is set, and ok is false, only when the file cannot be read.
func FunctionNamesExtent(f *File) (off FileOffset, size int64, ok bool, err error) {
	sec := f.Custom(CustomName)
	if sec == nil {
		return 0, 0, false, nil
	}
	var found *NameSubsection
	s := smallStream(sec)
	for s.Remaining() > 0 {
		sub, err := scanName(s)
		if err != nil {
			return 0, 0, false, onlyRead(err)
		}
		if sub.ID == NameFunctions && found == nil {
			found = &sub
		}
	}
	if found == nil {
		return 0, 0, false, nil
	}
	m := newNameMap(NewStream(sec.r, found.Data, found.End(), sec.Label()), found.ID)
	for m.skip() {
	}
	if err := m.Err(); err != nil {
		return 0, 0, false, onlyRead(err)
	}
	return found.Data, int64(found.Size), true, nil
}

// onlyRead returns err when it says that the file could not be read, and nil
// when it says that the file is malformed.
func onlyRead(err error) error {
	if errors.Is(err, ErrRead) {
		return err
	}
	return nil
}
