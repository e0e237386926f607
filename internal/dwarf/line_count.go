package dwarf

import (
	"encoding/binary"
	"math"
)

// countOp is what counting rows has to know of an opcode, in one word. An operand
// is taken to be a LEB128 number of one byte.
type countOp uint64

const (
	countAddr  = 0  // 16 bits: bytes of code that it advances by itself
	countPC    = 16 // 8 bits: those of the operand that advance the address
	countClose = 24 // 9 bits: those that make it need a closer look; the last one is always set
	countRow   = 33 // 1: it makes a row
	countBits  = 40 // 6 bits: the length of opcode and operand, in bits
)

func (c countOp) addr() uint64 { return uint64(uint16(c)) }
func (c countOp) row() int     { return int(c>>countRow) & 1 }
func (c countOp) bits() uint   { return uint(c>>countBits) & 63 }
func (c countOp) size() int    { return int(c.bits() / 8) }
func (c countOp) number() bool { return c>>countClose&0x80 != 0 }

// closer reports whether the opcode needs a closer look, with this operand.
func (c countOp) closer(operand uint64) bool { return (operand|0x100)&uint64(c>>countClose)&0x1ff != 0 }

// countOps works out what counting has to know of the opcodes of a program.
func (p *LineProgram) countOps() *[256]countOp {
	const (
		row    = 1 << countRow
		number = 0x80 << countClose
		one    = 8 << countBits
		two    = 16 << countBits
	)
	counts := new([256]countOp)
	for op := range counts {
		c := &counts[op]
		switch {
		case op >= int(p.OpcodeBase):
			*c = one | row | countOp(p.special[op].addr)
		case op == lnsCopy:
			*c = one | row
		case op == lnsAdvancePC:
			*c = two | number | 0x7f<<countPC
		case op == lnsAdvanceLine, op == lnsSetColumn, op == lnsSetISA:
			*c = two | number
		case op == lnsConstAddPC:
			*c = one | countOp(p.special[255].addr)
		case op == lnsNegateStmt, op == lnsSetBasicBlock, op == lnsSetPrologueEnd, op == lnsSetEpilogueBegin:
			*c = one
		default:
			*c = one | 0x100<<countClose
		}
	}
	return counts
}

// NextCounted is [SequenceReader.NextShort] for those who need the rows of some
// sequences only: of those whose first address keep, if it is not nil, says true
// to. Of all others, and of those in which that address is not where it usually is,
// there is nothing but their number, in [SequenceReader.RowCount].
func (s *SequenceReader) NextCounted(keep func(addr uint64) bool) bool {
	if s.counts == nil && !s.done {
		s.counts = s.rr.p.countOps()
	}
	for !s.done {
		live, ok := false, false
		wanted := keep != nil && s.rr.p.plain && s.keeps(keep)
		if wanted {
			s.giveUp, s.gaveUp = true, false
			live, ok = s.readPlain()
			s.giveUp = false
			s.count, s.strangers = len(s.short), s.countStrangers()
		}
		if s.rr.p.plain && (!wanted || s.gaveUp && !ok) {
			live, ok = s.countPlain()
		}
		if !ok {
			live = s.readShort()
			s.count = len(s.short) + s.leftOut
			s.strangers = s.countStrangers() + s.lostStrangers
			if !wanted || s.count > ManyRows {
				s.short = s.short[:0]
			}
		}
		if live {
			s.stats.Sequences++
			s.stats.Rows += s.count
			return true
		}
	}
	s.short, s.count, s.strangers = s.short[:0], 0, 0
	return false
}

// RowCount returns how many rows the sequence has that NextCounted read.
func (s *SequenceReader) RowCount() int { return s.count }

// Strangers returns how many of these rows name a file that [SequenceReader.Know]
// was not told of.
func (s *SequenceReader) Strangers() int { return s.strangers }

// Know tells which indices of files there are: n from first on.
func (s *SequenceReader) Know(first, n uint32) { s.firstFile, s.numFiles = first, n }

func (s *SequenceReader) stranger(file uint32) bool { return file-s.firstFile >= s.numFiles }

func (s *SequenceReader) countStrangers() (n int) {
	for i := range s.short {
		if s.stranger(s.short[i].File) {
			n++
		}
	}
	return n
}

// keeps asks keep about the address that the sequence begins with. Where that
// cannot be seen at once the rows are not kept.
func (s *SequenceReader) keeps(keep func(addr uint64) bool) bool {
	data, off := s.rr.r.data, s.rr.r.off
	// Compilers write column and flags of the first row in front of its address.
	const opcodes = 12
	for range opcodes {
		const head = 3 // an extended opcode, its length, DW_LNE_set_address
		if len(data)-off < head+8 {
			return false
		}
		op, operand := data[off], data[off+1]
		switch c := s.counts[op]; {
		case op == 0:
			switch at := data[off+head:]; {
			case data[off+2] != lneSetAddress:
				return false
			case operand == 5:
				return keep(uint64(binary.LittleEndian.Uint32(at)))
			case operand == 9:
				return keep(binary.LittleEndian.Uint64(at))
			}
			return false
		case c.row() != 0:
			return false
		case op == lnsSetFile || c.number():
			_, off = ulebAt(data, off+1)
		case c.closer(0):
			return false
		default:
			off += c.size()
		}
	}
	return false
}

// countPlain is readPlain without the rows.
func (s *SequenceReader) countPlain() (live, ok bool) {
	p, counts := s.rr.p, s.counts
	data, start := s.rr.r.data, s.rr.r.off
	limit := min(maxAddr(p.AddrSize), math.MaxUint32)
	var (
		addr, from uint64 // from is the address of the first row
		set, dead  bool
		defines    bool
		rows       int
		checked    int // rows that have been looked at for strangers
		strangers  int
		unknown    = s.stranger(1)
		scale      = uint64(p.MinInst)
	)
	for off := start; off < len(data); {
		if rows > 0 {
			// Up to four opcodes from one word, without a branch that depends on
			// which they are. A sum of what so many bytes can add does not overflow,
			// and that the address has left its space is seen at the end.
		words:
			for off <= len(data)-8 {
				word := binary.LittleEndian.Uint64(data[off:])
				for range 4 {
					c, operand := counts[byte(word)], word>>8&0xff
					if c.closer(operand) {
						switch {
						case c.number() && c>>countPC&0xff == 0 && off+2 < len(data) && data[off+2] < 0x80:
							off += 3 // a number of two bytes that does not matter
							continue words
						case byte(word) == lnsSetFile && operand < 0x80:
							if unknown {
								strangers += rows - checked
							}
							checked, unknown = rows, s.stranger(uint32(operand))
							off += 2
							continue words
						}
						break words
					}
					addr += c.addr() + (operand&uint64(c>>countPC))*scale
					rows += c.row()
					off += c.size()
					word >>= c.bits()
				}
			}
			if off >= len(data) {
				break
			}
		}
		op := data[off]
		off++
		var v uint64
		switch {
		case op >= p.OpcodeBase || op == lnsCopy:
			if op >= p.OpcodeBase {
				addr += uint64(p.special[op].addr)
			}
			if rows++; rows == 1 {
				from = addr
			}
		case op == 0:
			if len(data)-off < 2 {
				return false, false
			}
			size, sub := int(data[off]), data[off+1]
			body := off + 2
			if off += 1 + size; size == 0 || size >= 0x80 || off > len(data) {
				return false, false
			}
			switch sub {
			case lneEndSequence:
				if !set || !dead && (rows == 0 || from == addr || addr > limit) {
					return false, false
				}
				if unknown {
					strangers += rows - checked
				}
				s.short, s.rows, s.count, s.strangers = s.short[:0], s.rows[:0], rows, strangers
				s.seq = Sequence{Off: uint64(start)}
				s.rr.r.off = off
				s.rr.defines = s.rr.defines || defines
				if dead {
					s.seq.Flags = SeqPartlyDead
					s.stats.DeadSequences++
					s.stats.DeadRows += rows
					return false, true
				}
				s.seq.Start, s.seq.End = from, addr
				return true, true
			case lneSetAddress:
				switch size {
				case 5:
					v = uint64(binary.LittleEndian.Uint32(data[body:]))
				case 9:
					v = binary.LittleEndian.Uint64(data[body:])
				default:
					return false, false
				}
				tomb := isTombstone(v, maxAddr(uint8(size-1))) || v == 0 && p.d.opt.ZeroIsDead
				if tomb {
					v = 0
				}
				if rows > 0 && (!set || tomb != dead || v < addr) || v > limit || addr > limit && !dead {
					return false, false
				}
				addr, set, dead = v, true, tomb
			case lneDefineFile:
				defines = true
			}
		case op == lnsAdvancePC:
			if v, off = ulebAt(data, off); off > len(data) || v > limit {
				return false, false
			}
			if addr += v * scale; addr > limit && !dead {
				return false, false
			}
		case op == lnsConstAddPC:
			addr += uint64(p.special[255].addr)
		case op == lnsFixedAdvancePC:
			if len(data)-off < 2 {
				return false, false
			}
			addr += uint64(binary.LittleEndian.Uint16(data[off:]))
			off += 2
		case op == lnsSetFile:
			if v, off = ulebAt(data, off); off > len(data) {
				return false, false
			}
			if unknown {
				strangers += rows - checked
			}
			checked, unknown = rows, s.stranger(clamp32(v))
		case op == lnsSetColumn, op == lnsSetISA:
			if _, off = ulebAt(data, off); off > len(data) {
				return false, false
			}
		case op == lnsAdvanceLine:
			for off < len(data) && data[off] >= 0x80 {
				off++
			}
			if off++; off > len(data) {
				return false, false
			}
		}
	}
	return false, false
}
