package dwarf

import "strings"

// SectionID names one section that this package reads.
type SectionID uint8

// The sections. Macro, frame and name-index sections are of no use for
// addresses and are not read.
const (
	SecInfo SectionID = iota
	SecAbbrev
	SecLine
	SecStr
	SecLineStr
	SecStrOffsets
	SecAddr
	SecRanges
	SecRnglists
	SecLoc
	SecLoclists
	SecTypes
	SecAranges
	SecCUIndex
	SecTUIndex
	numSections
)

var sectionNames = [numSections]string{
	SecInfo:       ".debug_info",
	SecAbbrev:     ".debug_abbrev",
	SecLine:       ".debug_line",
	SecStr:        ".debug_str",
	SecLineStr:    ".debug_line_str",
	SecStrOffsets: ".debug_str_offsets",
	SecAddr:       ".debug_addr",
	SecRanges:     ".debug_ranges",
	SecRnglists:   ".debug_rnglists",
	SecLoc:        ".debug_loc",
	SecLoclists:   ".debug_loclists",
	SecTypes:      ".debug_types",
	SecAranges:    ".debug_aranges",
	SecCUIndex:    ".debug_cu_index",
	SecTUIndex:    ".debug_tu_index",
}

// String returns the section's name, without the .dwo suffix.
func (id SectionID) String() string {
	if id < numSections {
		return sectionNames[id]
	}
	return "unknown section"
}

// Sections holds the bytes of each section; nil where there is none. The bytes
// are never copied or changed and must stay valid as long as anything made
// from them is used.
//
// With DWO set the fields hold the sections of split DWARF whose names end in
// ".dwo"; a .dwp has its two index sections besides. An object file built with
// -gsplit-dwarf=single has both kinds and needs two Sections. A module linked of
// such objects has both kinds too, but its split ones are of no use: linkers
// put them together without adjusting the offsets in them.
type Sections struct {
	Info       []byte
	Abbrev     []byte
	Line       []byte
	Str        []byte
	LineStr    []byte
	StrOffsets []byte
	Addr       []byte
	Ranges     []byte
	Rnglists   []byte
	Loc        []byte
	Loclists   []byte
	Types      []byte
	Aranges    []byte
	CUIndex    []byte
	TUIndex    []byte

	// DWO says that these are split DWARF's sections.
	DWO bool

	// base is what to add to an offset to get one of the whole section, for
	// pieces of a .dwp.
	base [numSections]uint64
}

func (s *Sections) field(id SectionID) *[]byte {
	switch id {
	case SecInfo:
		return &s.Info
	case SecAbbrev:
		return &s.Abbrev
	case SecLine:
		return &s.Line
	case SecStr:
		return &s.Str
	case SecLineStr:
		return &s.LineStr
	case SecStrOffsets:
		return &s.StrOffsets
	case SecAddr:
		return &s.Addr
	case SecRanges:
		return &s.Ranges
	case SecRnglists:
		return &s.Rnglists
	case SecLoc:
		return &s.Loc
	case SecLoclists:
		return &s.Loclists
	case SecTypes:
		return &s.Types
	case SecAranges:
		return &s.Aranges
	case SecCUIndex:
		return &s.CUIndex
	case SecTUIndex:
		return &s.TUIndex
	}
	return nil
}

// Get returns the bytes of a section, nil if there is none.
func (s *Sections) Get(id SectionID) []byte {
	if p := s.field(id); p != nil {
		return *p
	}
	return nil
}

// Set stores data under the name that a file gives to it (".debug_info", or
// ".debug_info.dwo" when DWO is set) and reports whether it is one of the
// sections read here. A later section of the same name replaces the earlier.
func (s *Sections) Set(name string, data []byte) bool {
	id, dwo, ok := ParseSectionName(name)
	if !ok {
		return false
	}
	if index := id == SecCUIndex || id == SecTUIndex; dwo != s.DWO && !(index && s.DWO) {
		return false
	}
	*s.field(id) = data
	return true
}

// ParseSectionName tells which section a name stands for and whether it is the
// split DWARF variant.
func ParseSectionName(name string) (id SectionID, dwo, ok bool) {
	base, dwo := strings.CutSuffix(name, ".dwo")
	for i, n := range sectionNames {
		if n == base {
			return SectionID(i), dwo, true
		}
	}
	return 0, false, false
}

// name returns the name as it is in the file.
func (s *Sections) name(id SectionID) string {
	if s.DWO && id != SecCUIndex && id != SecTUIndex {
		return id.String() + ".dwo"
	}
	return id.String()
}
