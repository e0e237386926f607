package dwarf

// Value is an attribute's value as it stands in the entry. Values that are
// indices or offsets are resolved by the unit: [Unit.String], [Unit.Address],
// [Unit.Ref], [Unit.Ranges], [Unit.Locations].
type Value struct {
	Form Form   // DW_FORM_indirect is already replaced
	U    uint64 // numbers, offsets, indices; signed ones in two's complement
	B    []byte // strings in place, blocks, expressions, 16-byte data
}

// rawAttr is a Value without bytes, as small as the hot paths need it.
type rawAttr struct {
	u    uint64
	form Form // 0: absent
}

func (v Value) raw() rawAttr { return rawAttr{u: v.U, form: v.Form} }

// readValue reads one attribute value.
func readValue(r *reader, s *attrSpec, e encoding) Value {
	v := Value{Form: s.form}
	size := s.size
	if size == sizeIndirect {
		v.Form = r.indirectForm(e)
		size = v.Form.size(e)
	}
	switch size {
	case 0:
		v.U = 1
		if s.form == FormImplicitConst {
			v.U = uint64(s.implicit)
		}
	case 1, 2, 3, 4, 8:
		v.U = r.uint(int(size))
	case 16:
		v.B = r.bytes(16)
	case sizeLEB:
		if v.Form == FormSdata {
			v.U = uint64(r.sleb())
		} else {
			v.U = r.uleb()
		}
	case sizeString:
		v.B = r.cstring()
	case sizeBlock1:
		v.B = r.bytes(uint64(r.u8()))
	case sizeBlock2:
		v.B = r.bytes(uint64(r.u16()))
	case sizeBlock4:
		v.B = r.bytes(uint64(r.u32()))
	case sizeBlock:
		v.B = r.bytes(r.uleb())
	case sizeLEB4:
		// Index and offset packed together: an index above 2^32 is of no use.
		i := r.uleb()
		v.U = uint64(r.u32())
		if i > 1<<32-1 {
			r.fail()
		}
		v.U |= i << 32
	default:
		r.fail()
	}
	return v
}
