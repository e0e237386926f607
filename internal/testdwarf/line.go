package testdwarf

// File is an entry of a line program's file table.
type File struct {
	Name string
	Dir  int
	MD5  []byte // 16 bytes; with it the table gets that column (DWARF 5)
}

// Line is a line program. The zero value of a field that must not be zero
// means what clang writes for WebAssembly.
type Line struct {
	Version    int
	AddrSize   int // DWARF 5 only; 0: 4
	Is64       bool
	MinInst    int   // 0: 1
	MaxOps     int   // 0: 1
	LineBase   int   // 0: -5
	LineRange  int   // 0: 14
	OpcodeBase int   // 0: 13
	Lengths    []int // of the standard opcodes; nil: as in the standard
	NotStmt    bool  // initial is_stmt is false

	Dirs  []string // DWARF 5: entry 0 is the compilation directory
	Files []File   // DWARF 5: entry 0 is the primary file

	// Tables replaces the directory and file tables by these bytes.
	Tables []byte

	// Header replaces the header length by this number, if not nil.
	HeaderLen *uint64

	Code Bytes
}

// Special appends a special opcode.
func (l *Line) Special(addrDelta, lineDelta int) *Line {
	op := lineDelta - l.lineBase() + l.lineRange()*addrDelta + l.opcodeBase()
	if op > 255 {
		panic("testdwarf: deltas too large for a special opcode")
	}
	l.Code = l.Code.U8(uint64(op))
	return l
}

// Op appends an opcode with LEB128 operands.
func (l *Line) Op(op int, operands ...int64) *Line {
	l.Code = l.Code.U8(uint64(op))
	for _, v := range operands {
		if op == 3 { // advance_line is the only signed one
			l.Code = l.Code.SLEB(v)
		} else {
			l.Code = l.Code.ULEB(uint64(v))
		}
	}
	return l
}

// Ext appends an extended opcode.
func (l *Line) Ext(op int, operands ...byte) *Line {
	l.Code = l.Code.U8(0).ULEB(uint64(len(operands) + 1)).U8(uint64(op))
	l.Code = append(l.Code, operands...)
	return l
}

// SetAddress appends DW_LNE_set_address.
func (l *Line) SetAddress(addr uint64) *Line {
	return l.Ext(2, Bytes(nil).Uint(addr, l.addrSize())...)
}

// EndSequence appends DW_LNE_end_sequence.
func (l *Line) EndSequence() *Line { return l.Ext(1) }

// Copy appends DW_LNS_copy.
func (l *Line) Copy() *Line { return l.Op(1) }

// Advance appends DW_LNS_advance_pc.
func (l *Line) Advance(n uint64) *Line {
	l.Code = l.Code.U8(2).ULEB(n)
	return l
}

// Row moves address and line forward and appends a row.
func (l *Line) Row(addrDelta uint64, lineDelta int64) *Line {
	return l.Advance(addrDelta).Op(3, lineDelta).Copy()
}

// Sequence appends a sequence with a row at each of the lines, one byte apart.
func (l *Line) Sequence(addr uint64, lines ...int) *Line {
	l.SetAddress(addr)
	last := 1
	for _, line := range lines {
		l.Op(3, int64(line-last)).Copy().Advance(1)
		last = line
	}
	return l.EndSequence()
}

func (l *Line) addrSize() int   { return orDefault(l.AddrSize, 4) }
func (l *Line) lineBase() int   { return orDefault(l.LineBase, -5) }
func (l *Line) lineRange() int  { return orDefault(l.LineRange, 14) }
func (l *Line) opcodeBase() int { return orDefault(l.OpcodeBase, 13) }

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

// AddLine adds a program to .debug_line and returns its offset.
func (b *Builder) AddLine(l *Line) uint64 {
	h := Bytes(nil).U8(uint64(orDefault(l.MinInst, 1)))
	if l.Version >= 4 {
		h = h.U8(uint64(orDefault(l.MaxOps, 1)))
	}
	h = h.U8(number(!l.NotStmt), uint64(l.lineBase()), uint64(l.lineRange()), uint64(l.opcodeBase()))
	lengths := l.Lengths
	if lengths == nil {
		lengths = []int{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}
	}
	for i := range l.opcodeBase() - 1 {
		n := 0
		if i < len(lengths) {
			n = lengths[i]
		}
		h = h.U8(uint64(n))
	}
	switch {
	case l.Tables != nil:
		h = append(h, l.Tables...)
	case l.Version >= 5:
		h = l.tables5(h)
	default:
		h = l.tables4(h)
	}
	body := Bytes(nil).U16(uint64(l.Version))
	if l.Version >= 5 {
		body = body.U8(uint64(l.addrSize()), 0)
	}
	n := uint64(len(h))
	if l.HeaderLen != nil {
		n = *l.HeaderLen
	}
	body = body.offset(n, l.Is64)
	body = append(append(body, h...), l.Code...)
	return b.Append(".debug_line", Bytes(nil).withLength(body, l.Is64))
}

func (l *Line) tables4(h Bytes) Bytes {
	for _, d := range l.Dirs {
		h = h.Str(d)
	}
	h = h.U8(0)
	for _, f := range l.Files {
		h = h.Str(f.Name).ULEB(uint64(f.Dir)).U8(0, 0)
	}
	return h.U8(0)
}

func (l *Line) tables5(h Bytes) Bytes {
	h = h.U8(1).ULEB(1).ULEB(FormString).ULEB(uint64(len(l.Dirs)))
	for _, d := range l.Dirs {
		h = h.Str(d)
	}
	md5 := len(l.Files) > 0 && l.Files[0].MD5 != nil
	if md5 {
		h = h.U8(3)
	} else {
		h = h.U8(2)
	}
	h = h.ULEB(1).ULEB(FormString).ULEB(2).ULEB(FormUdata)
	if md5 {
		h = h.ULEB(5).ULEB(FormData16)
	}
	h = h.ULEB(uint64(len(l.Files)))
	for _, f := range l.Files {
		h = h.Str(f.Name).ULEB(uint64(f.Dir))
		if md5 {
			h = append(h, append(f.MD5, make([]byte, 16)...)[:16]...)
		}
	}
	return h
}
