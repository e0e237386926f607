package dwarf

import (
	"encoding/binary"
	"math"
	"slices"
)

// ShortRow is what a lookup needs of a [Row].
type ShortRow struct {
	Addr   uint32 // the low half, where addresses are wider
	File   uint32 // index for [FileTable]
	Line   uint32 // 0: no source line
	Column uint32 // 0: the left edge, or unknown
}

// specialOp is what a special opcode adds to address and line.
type specialOp struct {
	addr uint16
	line int16
}

// prepare works out the special opcodes once, in place of a division for each.
func (p *LineProgram) prepare() {
	for op := int(p.OpcodeBase); op < len(p.special); op++ {
		adj := op - int(p.OpcodeBase)
		p.special[op] = specialOp{
			addr: uint16(adj / int(p.LineRange) * int(p.MinInst)),
			line: int16(int(p.LineBase) + adj%int(p.LineRange)),
		}
	}
	p.plain = p.standard && p.MaxOps == 1
}

// NextShort is [SequenceReader.Next] with the rows in [SequenceReader.ShortRows]
// in place of [SequenceReader.Rows]. It is several times faster.
func (s *SequenceReader) NextShort() bool {
	for !s.done {
		if s.readShort() {
			s.stats.Sequences++
			s.stats.Rows += len(s.short) + s.leftOut
			return true
		}
	}
	s.short = s.short[:0]
	return false
}

// ShortRows returns the rows of the sequence that NextShort read, without the
// end. The slice is valid until its next call.
func (s *SequenceReader) ShortRows() []ShortRow { return s.short }

// DefinesFiles says that what was read so far defines files that the header does
// not have, with DW_LNE_define_file.
func (s *SequenceReader) DefinesFiles() bool { return s.rr.defines }

// ShortRows reads the rows of the sequence at [Sequence].Off once more, with the
// memory of buf.
func (p *LineProgram) ShortRows(off uint64, buf []ShortRow) []ShortRow {
	s := SequenceReader{rr: p.Rows(), short: buf[:0]}
	if off < p.code || off > p.End {
		return s.short
	}
	s.rr.r.off = int(off)
	if !s.readShort() {
		return s.short[:0]
	}
	return s.short
}

// readShort reads one sequence, the careful way if need be.
func (s *SequenceReader) readShort() bool {
	if s.rr.p.plain {
		if live, ok := s.readPlain(); ok {
			return live
		}
	}
	live := s.read()
	s.short = slices.Grow(s.short[:0], len(s.rows))
	for i := range s.rows {
		r := &s.rows[i]
		s.short = append(s.short, ShortRow{uint32(r.Addr), r.File, r.Line, r.Column})
	}
	return live
}

// ManyRows is above how many rows of a sequence those are left out behind which
// another one stands at the same address, and counts. A program can have one for
// each of its bytes.
const ManyRows = 1 << 16

// leaveOut removes the rows that do not count and returns how many are left.
func (s *SequenceReader) leaveOut(rows []ShortRow) int {
	n := 0
	for i := range rows {
		if n > 0 && rows[n-1].Addr == rows[i].Addr {
			if s.stranger(rows[n-1].File) {
				s.lostStrangers++
			}
			s.leftOut++
			n--
		}
		rows[n] = rows[i]
		n++
	}
	return n
}

// readPlain reads one sequence in which nothing is unusual: its addresses have 32
// bits, do not go back, and are all of removed code or none is. That is nearly
// every sequence. Of any other it says that it is not ok and changes nothing, so
// that read can begin at the same place.
func (s *SequenceReader) readPlain() (live, ok bool) {
	p := s.rr.p
	s.leftOut, s.lostStrangers = 0, 0
	data, start := s.rr.r.data, s.rr.r.off
	base, special := p.OpcodeBase, &p.special
	limit := min(maxAddr(p.AddrSize), math.MaxUint32)
	const far = math.MaxUint32 // lines farther off are left to read
	var (
		addr      uint64
		line      = int64(1)
		file      = uint32(1)
		column    uint32
		set, dead bool // an address was set; it was a tombstone
		defines   bool
		v         uint64
		n         int
		rows      = s.short[:cap(s.short)]
	)
	for off := start; off < len(data); {
		op := data[off]
		off++
		if op >= base {
			addr += uint64(special[op].addr)
			line += int64(special[op].line)
		} else {
			switch op {
			case 0:
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
					if !set || !dead && (n == 0 || uint64(rows[0].Addr) == addr || addr > limit) {
						return false, false
					}
					s.short, s.rows = rows[:n], s.rows[:0]
					s.seq = Sequence{Off: uint64(start)}
					s.rr.r.off = off
					s.rr.defines = s.rr.defines || defines
					if dead {
						s.seq.Flags = SeqPartlyDead
						s.short = s.short[:0]
						s.stats.DeadSequences++
						s.stats.DeadRows += n + s.leftOut
						return false, true
					}
					s.seq.Start, s.seq.End = uint64(rows[0].Addr), addr
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
						v = 0 // it does not matter where removed code was
					}
					if n > 0 && (!set || tomb != dead || v < addr) || v > limit || addr > limit && !dead {
						return false, false
					}
					addr, set, dead = v, true, tomb
				case lneDefineFile:
					defines = true
				}
				continue
			case lnsCopy:
			case lnsSetColumn:
				if off < len(data) && data[off] < 0x80 {
					column = uint32(data[off])
					off++
					continue
				}
				if v, off = ulebLongAt(data, off); off > len(data) {
					return false, false
				}
				if column = uint32(v); v > math.MaxUint32 {
					column = 0
				}
				continue
			case lnsAdvanceLine:
				if off < len(data) && data[off] < 0x80 {
					line += int64(int8(data[off]<<1) >> 1)
					off++
					continue
				}
				r := reader{data: data, off: off}
				delta := r.sleb()
				if off = r.off; r.bad || delta > far || delta < -far {
					return false, false
				}
				if line += delta; line > far || line < -far {
					return false, false
				}
				continue
			case lnsAdvancePC:
				if v, off = ulebAt(data, off); off > len(data) || v > limit {
					return false, false
				}
				if addr += v * uint64(p.MinInst); addr > limit && !dead {
					return false, false
				}
				continue
			case lnsConstAddPC:
				addr += uint64(special[255].addr)
				continue
			case lnsFixedAdvancePC:
				if len(data)-off < 2 {
					return false, false
				}
				addr += uint64(binary.LittleEndian.Uint16(data[off:]))
				off += 2
				continue
			case lnsSetFile:
				if v, off = ulebAt(data, off); off > len(data) {
					return false, false
				}
				file = clamp32(v)
				continue
			case lnsSetISA:
				if _, off = ulebAt(data, off); off > len(data) {
					return false, false
				}
				continue
			default: // flags
				continue
			}
		}
		if n == len(rows) {
			switch {
			case n <= ManyRows:
			case s.giveUp:
				s.gaveUp = true
				return false, false
			default:
				n = s.leaveOut(rows)
			}
			rows = slices.Grow(rows[:n], max(64, n/8))
			rows = rows[:cap(rows)]
		}
		r := &rows[n]
		n++
		r.Addr, r.File, r.Column = uint32(addr), file, column
		if r.Line = uint32(line); line < 0 || line > math.MaxUint32 {
			r.Line = 0
		}
	}
	return false, false
}
