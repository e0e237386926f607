package dwarf

// LineProgram is the header of a line program (DWARF 5, 6.2.4). The tables of
// directories and files behind it are read by [LineProgram.Files], the rows by
// [LineProgram.Rows] and [LineProgram.Sequences].
type LineProgram struct {
	Off        uint64 // of the header in .debug_line
	End        uint64 // of the byte after the program
	Version    uint16 // 2 to 5
	AddrSize   uint8
	DWARF64    bool
	MinInst    uint8 // bytes in an instruction
	MaxOps     uint8 // operations in an instruction (VLIW); 1 below DWARF 4
	DefaultIs  bool  // initial is_stmt
	LineBase   int8
	LineRange  uint8
	OpcodeBase uint8

	d       *Data
	strs    *Unit  // resolves indexed strings; may be nil
	compDir []byte // of the unit
	lengths []byte // operands of each standard opcode, from opcode 1

	special  [256]specialOp
	standard bool   // all standard opcodes have their standard meaning
	plain    bool   // and an instruction has one operation
	tables   uint64 // offset of the directory table
	code     uint64 // offset of the first opcode

	problems Problems
}

// LineProgram returns the unit's line program: nil without an error if it has
// none. A split unit uses that of its skeleton; several units may share one,
// which Off tells.
func (u *Unit) LineProgram() (*LineProgram, error) {
	if u.skel != nil && !u.isType() {
		return u.skel.LineProgram()
	}
	st, err := u.load()
	if err != nil {
		return nil, err
	}
	if !st.root.HasLineOff {
		return nil, nil
	}
	p, err := u.d.readLineHeader(st.root.LineOff, u.AddrSize)
	if err != nil {
		return nil, err
	}
	p.compDir = st.root.CompDir
	p.strs = u
	return p, nil
}

// LinePrograms calls f for each line program of .debug_line in order, also
// when no unit leads to it, until f returns false. addrSize is the address
// size for programs before DWARF 5, which do not say it themselves. Programs
// that cannot be read are skipped and returned.
func (d *Data) LinePrograms(addrSize uint8, f func(*LineProgram) bool) Problems {
	var problems Problems
	n := uint64(len(d.sec.Line))
	for off := uint64(0); off < n; {
		if zeros := zeroWords(d.sec.Line[off:]); zeros > 0 { // padding
			off += uint64(zeros)
			continue
		}
		p, err := d.readLineHeader(off, addrSize)
		if err != nil {
			problems.add(err)
			r := readerAt(d.sec.Line, off, n)
			length, _ := r.initialLength()
			if body := uint64(r.off); !r.bad && length <= n-body {
				off = body + length
				continue
			}
			return problems
		}
		off = p.End
		if !f(p) {
			break
		}
	}
	return problems
}

// Problems returns the defects of the header that do not make the program
// unreadable.
func (p *LineProgram) Problems() Problems { return p.problems }

func (d *Data) readLineHeader(off uint64, addrSize uint8) (*LineProgram, *Error) {
	data := d.sec.Line
	n := uint64(len(data))
	if off >= n {
		return nil, d.errf(SecLine, off, "line program lies outside of the section (0x%x bytes)", n)
	}
	p := &LineProgram{Off: off, AddrSize: addrSize, MaxOps: 1, d: d}
	r := readerAt(data, off, n)
	length, is64 := r.initialLength()
	if r.bad {
		return nil, d.errf(SecLine, off, "length of the line program is cut off or reserved")
	}
	p.DWARF64 = is64
	body := uint64(r.off)
	if rest := n - body; length > rest {
		p.problems.add(d.errf(SecLine, off, "line program claims 0x%x bytes but the section has 0x%x left; read as far as it goes", length, rest))
		length = rest
	}
	p.End = body + length
	r = readerAt(data, body, p.End)
	p.Version = r.u16()
	if !r.bad && (p.Version < 2 || p.Version > 5) {
		return nil, d.errf(SecLine, off, "line program has version %d, known are 2 to 5", p.Version)
	}
	if p.Version >= 5 {
		p.AddrSize = r.u8()
		if seg := r.u8(); seg != 0 && !r.bad {
			return nil, d.errf(SecLine, off, "line program uses segments (selector size %d)", seg)
		}
	}
	headerLen := r.offset(is64)
	headerEnd := uint64(r.off) + headerLen
	if r.bad || headerEnd < headerLen || headerEnd > p.End {
		return nil, d.errf(SecLine, off, "header of the line program does not fit into it")
	}
	p.code = headerEnd
	r = readerAt(data, uint64(r.off), headerEnd)
	p.MinInst = r.u8()
	if p.Version >= 4 {
		p.MaxOps = r.u8()
	}
	p.DefaultIs = r.u8() != 0
	p.LineBase = int8(r.u8())
	p.LineRange = r.u8()
	p.OpcodeBase = r.u8()
	if p.OpcodeBase > 0 {
		p.lengths = r.bytes(uint64(p.OpcodeBase) - 1)
	}
	switch {
	case r.bad:
		return nil, d.errf(SecLine, off, "header of the line program is cut off")
	case !validAddrSize(p.AddrSize):
		return nil, d.errf(SecLine, off, "line program has address size %d", p.AddrSize)
	case p.OpcodeBase == 0:
		return nil, d.errf(SecLine, off, "line program has opcode base 0")
	case p.LineRange == 0:
		return nil, d.errf(SecLine, off, "line program has line range 0")
	}
	if p.MaxOps == 0 {
		p.problems.add(d.errf(SecLine, off, "line program has no operations in an instruction; 1 assumed"))
		p.MaxOps = 1
	}
	p.tables = uint64(r.off)
	p.standard = true
	for op := uint8(1); op < p.OpcodeBase; op++ {
		p.standard = p.standard && p.known(op)
	}
	p.prepare()
	return p, nil
}

// standardOperands is how many operands each standard opcode has by the
// standard. A header that says otherwise means another opcode.
var standardOperands = [lnsLast + 1]uint8{
	lnsAdvancePC: 1, lnsAdvanceLine: 1, lnsSetFile: 1, lnsSetColumn: 1, lnsFixedAdvancePC: 1, lnsSetISA: 1,
}

// known says that op is a standard opcode with its standard meaning.
func (p *LineProgram) known(op uint8) bool {
	return op <= lnsLast && p.lengths[op-1] == standardOperands[op]
}
