package dwarf

import "math/bits"

// Row is a row of the line table (DWARF 5, 6.2.2). Numbers that do not fit
// into their field are given as 0 (lines, columns) or as the highest value
// (files), which no table has.
type Row struct {
	Addr          uint64
	File          uint32 // index for [FileTable]; 0-based in DWARF 5, else 1-based
	Line          uint32 // 0: no source line
	Column        uint32 // 0: the left edge, or unknown
	Discriminator uint32
	ISA           uint32
	OpIndex       uint8
	Flags         RowFlags
}

// RowFlags are a row's yes-or-no registers.
type RowFlags uint8

// The flags.
const (
	RowIsStmt RowFlags = 1 << iota
	RowBasicBlock
	RowEndSequence
	RowPrologueEnd
	RowEpilogueBegin
)

// RowReader runs a line program and gives every row, including those of
// removed code and the ones that end a sequence. [SequenceReader] is for
// lookups. It allocates nothing unless it meets an error.
type RowReader struct {
	p    *LineProgram
	r    reader
	addr uint64
	file uint64
	line int64
	col  uint64
	disc uint64
	isa  uint64
	op   uint8 // op_index
	flag RowFlags

	fresh bool       // no row since the last end of a sequence
	state addrKind   // what has become of addr
	last  addrKind   // state at the last row
	files *FileTable // where defined files go; may be nil

	defines bool // there were defined files

	problems Problems
}

// addrKind says what has become of the address register since it was set.
type addrKind uint8

const (
	addrLive    addrKind = iota
	addrDead             // it was set to a tombstone
	addrWrapped          // it was moved past the highest address
)

// Rows returns a reader that stands before the first row.
func (p *LineProgram) Rows() RowReader {
	rr := RowReader{p: p, r: readerAt(p.d.sec.Line, p.code, p.End)}
	rr.reset()
	return rr
}

func (rr *RowReader) reset() {
	rr.addr, rr.file, rr.line, rr.col, rr.disc, rr.isa, rr.op = 0, 1, 1, 0, 0, 0, 0
	rr.flag = 0
	if rr.p.DefaultIs {
		rr.flag = RowIsStmt
	}
	rr.fresh = true
	rr.state = addrLive
	if rr.p.d.opt.ZeroIsDead {
		rr.state = addrDead // until something sets a real address
	}
}

// Problems returns the defects met so far.
func (rr *RowReader) Problems() Problems { return rr.problems }

// Next runs the program up to the next row. It returns false at the end.
func (rr *RowReader) Next(row *Row) bool {
	p := rr.p
	base := p.OpcodeBase
	data, off := rr.r.data, rr.r.off
	for off < len(data) {
		op := data[off]
		off++
		if op >= base {
			rr.line += int64(p.special[op].line)
			if p.MaxOps == 1 {
				rr.advanceBytes(uint64(p.special[op].addr))
			} else {
				rr.advance(uint64(op-base) / uint64(p.LineRange))
			}
			rr.r.off = off
			rr.emit(row)
			return true
		}
		if op == 0 {
			rr.r.off = off
			if rr.extended(row) {
				return true
			}
			off = rr.r.off
			continue
		}
		if !p.standard && !p.known(op) {
			for range p.lengths[op-1] {
				_, off = ulebAt(data, off)
			}
			continue
		}
		var n uint64
		switch op {
		case lnsCopy:
			rr.r.off = off
			rr.emit(row)
			return true
		case lnsAdvancePC:
			if n, off = ulebAt(data, off); off <= len(data) {
				rr.advance(n)
			}
		case lnsAdvanceLine:
			if off < len(data) && data[off] < 0x80 {
				rr.advanceLine(int64(int8(data[off]<<1) >> 1))
				off++
				break
			}
			rr.r.off = off
			rr.advanceLine(rr.r.sleb())
			off = rr.r.off
		case lnsSetFile:
			rr.file, off = ulebAt(data, off)
		case lnsSetColumn:
			rr.col, off = ulebAt(data, off)
		case lnsNegateStmt:
			rr.flag ^= RowIsStmt
		case lnsSetBasicBlock:
			rr.flag |= RowBasicBlock
		case lnsConstAddPC:
			rr.advance(uint64(255-base) / uint64(p.LineRange))
		case lnsFixedAdvancePC:
			rr.r.off = off
			rr.op = 0
			rr.advanceBytes(uint64(rr.r.u16()))
			off = rr.r.off
		case lnsSetPrologueEnd:
			rr.flag |= RowPrologueEnd
		case lnsSetEpilogueBegin:
			rr.flag |= RowEpilogueBegin
		case lnsSetISA:
			rr.isa, off = ulebAt(data, off)
		}
	}
	rr.r.off = len(data)
	if off > len(data) || rr.r.bad {
		rr.problem(len(data), "last opcode of the line program is cut off")
		rr.r.bad = false
	}
	return false
}

// extended runs an extended opcode and says whether it made a row. The length
// that stands before it decides where the next opcode is.
func (rr *RowReader) extended(row *Row) bool {
	at := rr.r.off - 1
	n := rr.r.uleb()
	if rest := uint64(len(rr.r.data) - rr.r.off); rr.r.bad || n > rest {
		rr.problem(at, "extended opcode runs past the end of the line program")
		rr.r.off, rr.r.bad = len(rr.r.data), false
		return false
	}
	if n == 0 {
		rr.problem(at, "extended opcode of length 0")
		return false
	}
	end := rr.r.off + int(n)
	sub := reader{data: rr.r.data[:end], off: rr.r.off}
	rr.r.off = end
	switch sub.u8() {
	case lneEndSequence:
		rr.flag |= RowEndSequence
		rr.emit(row)
		rr.reset()
		return true
	case lneSetAddress:
		size := int(n - 1)
		if !validAddrSize(uint8(size)) || size > 8 {
			rr.problem(at, "address of 0x%x bytes in the line program; ignored", size)
			break
		}
		rr.addr = sub.uint(size)
		rr.op = 0
		rr.state = addrLive
		if isTombstone(rr.addr, maxAddr(uint8(size))) || rr.addr == 0 && rr.p.d.opt.ZeroIsDead {
			rr.state = addrDead
		}
	case lneDefineFile:
		rr.defines = true
		if rr.files != nil {
			if e := fileEntry4(&sub, sub.cstring()); !sub.bad {
				rr.files.defined = append(rr.files.defined, e)
			}
		}
	case lneSetDiscriminator:
		rr.disc = sub.uleb()
		if sub.bad {
			rr.disc = 0
		}
	}
	return false
}

// advance moves by operations (DWARF 5, 6.2.5.1).
func (rr *RowReader) advance(ops uint64) {
	p := rr.p
	if p.MaxOps > 1 {
		sum, carry := bits.Add64(ops, uint64(rr.op), 0)
		if carry != 0 {
			rr.wrapped()
			return
		}
		ops = sum / uint64(p.MaxOps)
		rr.op = uint8(sum % uint64(p.MaxOps))
	}
	hi, n := bits.Mul64(ops, uint64(p.MinInst))
	if hi != 0 {
		rr.wrapped()
		return
	}
	rr.advanceBytes(n)
}

func (rr *RowReader) advanceBytes(n uint64) {
	sum := rr.addr + n
	if sum < rr.addr || sum > maxAddr(rr.p.AddrSize) {
		rr.wrapped()
		return
	}
	rr.addr = sum
}

// wrapped records that the address has left the address space. A sequence of
// removed code does that often (its start is all ones) and is not worth a
// word.
func (rr *RowReader) wrapped() {
	if rr.state == addrDead {
		return
	}
	if rr.state != addrWrapped {
		rr.problem(rr.r.off, "address 0x%x is advanced past the highest address; rows up to the next set_address are dropped", rr.addr)
	}
	rr.state = addrWrapped
}

// advanceLine keeps the line register away from overflow; a line outside of
// 32 bits is no line anyway.
func (rr *RowReader) advanceLine(n int64) {
	const far = 1 << 40
	rr.line = min(max(rr.line+min(max(n, -far), far), -far), far)
}

// emit fills in a row and resets what is valid for one row only.
func (rr *RowReader) emit(row *Row) {
	row.Addr = rr.addr
	row.File = clamp32(rr.file)
	row.Line = 0
	if rr.line > 0 && rr.line <= 1<<32-1 {
		row.Line = uint32(rr.line)
	}
	row.Column = uint32(rr.col)
	if rr.col > 1<<32-1 {
		row.Column = 0
	}
	row.Discriminator = clamp32(rr.disc)
	row.ISA = clamp32(rr.isa)
	row.OpIndex = rr.op
	row.Flags = rr.flag
	rr.flag &= RowIsStmt
	rr.disc = 0
	rr.fresh = false
	rr.last = rr.state
}

func clamp32(n uint64) uint32 {
	if n > 1<<32-1 {
		return 1<<32 - 1
	}
	return uint32(n)
}

func (rr *RowReader) problem(off int, format string, args ...any) {
	if rr.problems.full() {
		rr.problems.Total++
		return
	}
	rr.problems.add(rr.p.d.errf(SecLine, uint64(off), format, args...))
}
