package dwarf

// Header is the header of a unit (DWARF 5, 7.5.1).
type Header struct {
	Section   SectionID // SecInfo or SecTypes
	Off       uint64    // offset of the header in the section
	DIE       uint64    // offset of the root entry
	End       uint64    // offset of the byte after the unit
	AbbrevOff uint64    // offset of its abbreviations in .debug_abbrev
	ID        uint64    // signature of a type unit, or id of a split or skeleton unit (DWARF 5)
	TypeOff   uint64    // of a type unit: offset of the type's entry, from Off
	Version   uint16    // 2 to 5
	Type      UnitType  // below DWARF 5: compile, or type in .debug_types
	AddrSize  uint8     // bytes in an address: 1, 2, 4 or 8
	DWARF64   bool      // whether section offsets have 8 bytes
}

func (h *Header) encoding() encoding {
	return encoding{version: h.Version, addrSize: h.AddrSize, is64: h.DWARF64}
}

func (h *Header) isType() bool { return h.Type == UnitTypes || h.Type == UnitSplitType }

// MaxAddr returns the highest value that an address of the unit can have.
func (h *Header) MaxAddr() uint64 { return maxAddr(h.AddrSize) }

func maxAddr(size uint8) uint64 {
	if size >= 8 {
		return ^uint64(0)
	}
	return 1<<(8*size) - 1
}

func validAddrSize(n uint8) bool { return n == 1 || n == 2 || n == 4 || n == 8 }

// readHeader fills in h from what follows the unit length at body.
func (d *Data) readHeader(h *Header, body uint64) *Error {
	r := readerAt(d.sec.Get(h.Section), body, h.End)
	h.Version = r.u16()
	if r.bad {
		return d.errf(h.Section, h.Off, "unit is too short for a header; unit skipped")
	}
	if h.Version < 2 || h.Version > 5 {
		return d.errf(h.Section, h.Off, "unit has DWARF version %d, known are 2 to 5; unit skipped", h.Version)
	}
	h.Type = UnitCompile
	if h.Version >= 5 {
		h.Type = UnitType(r.u8())
		h.AddrSize = r.u8()
		h.AbbrevOff = r.offset(h.DWARF64)
	} else {
		h.AbbrevOff = r.offset(h.DWARF64)
		h.AddrSize = r.u8()
		if h.Section == SecTypes {
			h.Type = UnitTypes
		}
	}
	switch h.Type {
	case UnitCompile, UnitPartial:
	case UnitTypes, UnitSplitType:
		h.ID = r.u64()
		h.TypeOff = r.offset(h.DWARF64)
	case UnitSkeleton, UnitSplitCompile:
		h.ID = r.u64()
	default:
		return d.errf(h.Section, h.Off, "unit has unknown type 0x%x; unit skipped", uint8(h.Type))
	}
	if r.bad {
		return d.errf(h.Section, h.Off, "unit is too short for its header; unit skipped")
	}
	if !validAddrSize(h.AddrSize) {
		return d.errf(h.Section, h.Off, "unit has address size %d; unit skipped", h.AddrSize)
	}
	h.DIE = uint64(r.off)
	return nil
}
