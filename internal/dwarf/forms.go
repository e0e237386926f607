package dwarf

// Form is the encoding of an attribute value (DWARF 5, 7.5.6).
type Form uint16

// The forms of DWARF 2 to 5 and the extensions in use.
const (
	FormAddr          Form = 0x01
	FormBlock2        Form = 0x03
	FormBlock4        Form = 0x04
	FormData2         Form = 0x05
	FormData4         Form = 0x06
	FormData8         Form = 0x07
	FormString        Form = 0x08
	FormBlock         Form = 0x09
	FormBlock1        Form = 0x0a
	FormData1         Form = 0x0b
	FormFlag          Form = 0x0c
	FormSdata         Form = 0x0d
	FormStrp          Form = 0x0e
	FormUdata         Form = 0x0f
	FormRefAddr       Form = 0x10
	FormRef1          Form = 0x11
	FormRef2          Form = 0x12
	FormRef4          Form = 0x13
	FormRef8          Form = 0x14
	FormRefUdata      Form = 0x15
	FormIndirect      Form = 0x16
	FormSecOffset     Form = 0x17
	FormExprloc       Form = 0x18
	FormFlagPresent   Form = 0x19
	FormStrx          Form = 0x1a
	FormAddrx         Form = 0x1b
	FormRefSup4       Form = 0x1c
	FormStrpSup       Form = 0x1d
	FormData16        Form = 0x1e
	FormLineStrp      Form = 0x1f
	FormRefSig8       Form = 0x20
	FormImplicitConst Form = 0x21
	FormLoclistx      Form = 0x22
	FormRnglistx      Form = 0x23
	FormRefSup8       Form = 0x24
	FormStrx1         Form = 0x25
	FormStrx2         Form = 0x26
	FormStrx3         Form = 0x27
	FormStrx4         Form = 0x28
	FormAddrx1        Form = 0x29
	FormAddrx2        Form = 0x2a
	FormAddrx3        Form = 0x2b
	FormAddrx4        Form = 0x2c

	FormGNUAddrIndex    Form = 0x1f01
	FormGNUStrIndex     Form = 0x1f02
	FormGNURefAlt       Form = 0x1f20
	FormGNUStrpAlt      Form = 0x1f21
	FormLLVMAddrxOffset Form = 0x2001
)

// Sizes of values: zero and above are bytes, below are ways to find the size.
const (
	sizeLEB      int8 = -1 // LEB128
	sizeString   int8 = -2 // up to a NUL
	sizeBlock1   int8 = -3 // one byte of length, then that much
	sizeBlock2   int8 = -4
	sizeBlock4   int8 = -5
	sizeBlock    int8 = -6 // LEB128 length
	sizeIndirect int8 = -7 // the form comes first
	sizeLEB4     int8 = -8 // LEB128, then four bytes
	sizeUnknown  int8 = -9 // cannot be skipped: the rest of the unit is lost
)

// encoding is what a unit header says about sizes.
type encoding struct {
	version  uint16
	addrSize uint8
	is64     bool
}

func (e encoding) offsetSize() int8 {
	if e.is64 {
		return 8
	}
	return 4
}

// size tells how long a value of form f is in a unit with this encoding.
func (f Form) size(e encoding) int8 {
	switch f {
	case FormFlagPresent, FormImplicitConst:
		return 0
	case FormData1, FormRef1, FormFlag, FormStrx1, FormAddrx1:
		return 1
	case FormData2, FormRef2, FormStrx2, FormAddrx2:
		return 2
	case FormStrx3, FormAddrx3:
		return 3
	case FormData4, FormRef4, FormStrx4, FormAddrx4, FormRefSup4:
		return 4
	case FormData8, FormRef8, FormRefSig8, FormRefSup8:
		return 8
	case FormData16:
		return 16
	case FormAddr:
		return int8(e.addrSize)
	case FormRefAddr:
		if e.version <= 2 { // DWARF 2 made it as wide as an address
			return int8(e.addrSize)
		}
		return e.offsetSize()
	case FormStrp, FormLineStrp, FormStrpSup, FormSecOffset, FormGNURefAlt, FormGNUStrpAlt:
		return e.offsetSize()
	case FormUdata, FormSdata, FormRefUdata, FormStrx, FormAddrx, FormLoclistx, FormRnglistx,
		FormGNUAddrIndex, FormGNUStrIndex:
		return sizeLEB
	case FormString:
		return sizeString
	case FormBlock1:
		return sizeBlock1
	case FormBlock2:
		return sizeBlock2
	case FormBlock4:
		return sizeBlock4
	case FormBlock, FormExprloc:
		return sizeBlock
	case FormIndirect:
		return sizeIndirect
	case FormLLVMAddrxOffset:
		return sizeLEB4
	}
	return sizeUnknown
}

// IsAddress says that the form is of class address, directly or by index.
func (f Form) IsAddress() bool {
	switch f {
	case FormAddr, FormAddrx, FormAddrx1, FormAddrx2, FormAddrx3, FormAddrx4,
		FormGNUAddrIndex, FormLLVMAddrxOffset:
		return true
	}
	return false
}

// IsConstant says that the form is of class constant.
func (f Form) IsConstant() bool {
	switch f {
	case FormData1, FormData2, FormData4, FormData8, FormData16, FormUdata, FormSdata, FormImplicitConst:
		return true
	}
	return false
}

// IsString says that the form is of class string.
func (f Form) IsString() bool {
	switch f {
	case FormString, FormStrp, FormLineStrp, FormStrpSup, FormGNUStrpAlt, FormGNUStrIndex,
		FormStrx, FormStrx1, FormStrx2, FormStrx3, FormStrx4:
		return true
	}
	return false
}

// IsReference says that the form is of class reference.
func (f Form) IsReference() bool {
	switch f {
	case FormRef1, FormRef2, FormRef4, FormRef8, FormRefUdata, FormRefAddr, FormRefSig8,
		FormRefSup4, FormRefSup8, FormGNURefAlt:
		return true
	}
	return false
}

// IsBlock says that the value is bytes: a block or an expression.
func (f Form) IsBlock() bool {
	switch f {
	case FormBlock, FormBlock1, FormBlock2, FormBlock4, FormExprloc:
		return true
	}
	return false
}

// IsSupplementary says that the value lies in a supplementary file.
func (f Form) IsSupplementary() bool {
	switch f {
	case FormRefSup4, FormRefSup8, FormStrpSup, FormGNURefAlt, FormGNUStrpAlt:
		return true
	}
	return false
}

// skipValue steps over a value whose size is not fixed.
func (r *reader) skipValue(size int8, e encoding) {
	switch size {
	case sizeLEB:
		r.skipLEB()
	case sizeString:
		r.cstring()
	case sizeBlock1:
		r.skip(uint64(r.u8()))
	case sizeBlock2:
		r.skip(uint64(r.u16()))
	case sizeBlock4:
		r.skip(uint64(r.u32()))
	case sizeBlock:
		r.skip(r.uleb())
	case sizeLEB4:
		r.skipLEB()
		r.skip(4)
	case sizeIndirect:
		f := r.indirectForm(e)
		if s := f.size(e); s >= 0 {
			r.skip(uint64(s))
		} else {
			r.skipValue(s, e)
		}
	default:
		if size < 0 {
			r.fail()
			return
		}
		r.skip(uint64(size))
	}
}

// indirectForm reads the form that stands before an indirect value.
// DW_FORM_implicit_const has no value there and is refused.
func (r *reader) indirectForm(e encoding) Form {
	for range maxIndirect {
		n := r.uleb()
		f := Form(n)
		if n > 0xffff || f == FormImplicitConst || f.size(e) == sizeUnknown {
			break
		}
		if f != FormIndirect {
			return f
		}
	}
	r.fail()
	return FormFlagPresent
}
