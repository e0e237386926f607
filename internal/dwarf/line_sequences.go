package dwarf

// Sequence is a run of rows that lie in one piece of code.
type Sequence struct {
	Start uint64 // address of the first row
	End   uint64 // first address behind it
	Off   uint64 // offset in .debug_line at which the sequence begins
	Flags SeqFlags
}

// SeqFlags say what is unusual about a sequence.
type SeqFlags uint8

// The flags.
const (
	// SeqUnterminated: the program ends without DW_LNE_end_sequence. End is
	// the last row's address, so that this row covers nothing.
	SeqUnterminated SeqFlags = 1 << iota

	// SeqBackward: rows were dropped because their address lies before the
	// row in front of them.
	SeqBackward

	// SeqPartlyDead: rows were dropped because they follow a tombstone.
	SeqPartlyDead

	// SeqWrapped: rows were dropped because their address left the address
	// space.
	SeqWrapped
)

// LineStats counts what a SequenceReader has seen.
type LineStats struct {
	Sequences     int // live ones
	Rows          int // in live sequences, without the ends
	DeadSequences int // removed as a whole because of a tombstone
	DeadRows      int // dropped with them or after a tombstone
	BackwardRows  int // dropped because the address went back
	WrappedRows   int // dropped because the address left the address space
	Empty         int // sequences without rows, or with Start = End
	Unterminated  int // sequences without an end
}

// SequenceReader gives the live sequences of a line program, one at a time.
//
// The rules, which make every sequence's rows lie in [Start, End) in
// ascending order:
//
//   - Rows after an address of all ones, all ones minus one or (with
//     [Options].ZeroIsDead) 0 belong to removed code and are dropped until the
//     next DW_LNE_set_address. A sequence that has no other rows is dead.
//     Nothing but the value that was set counts: removed code that starts at 0
//     overlaps live addresses once it has advanced.
//   - Rows whose address lies before the last row kept are dropped, and so is
//     everything that follows until the address reaches that row again.
//   - Rows at an address that does not fit into the address size are dropped
//     until the next DW_LNE_set_address.
//   - A sequence ends where its end_sequence row says; when that row would be
//     dropped by the rules above, or is missing, at its last good row.
//
// The order of sequences is the program's and need not be that of addresses.
// Of several rows at one address the last one counts.
type SequenceReader struct {
	rr    RowReader
	rows  []Row
	short []ShortRow // for NextShort

	// For NextCounted:
	count, strangers    int           // rows, and those of them with a file that is not known
	firstFile, numFiles uint32        // files that are known
	counts              *[256]countOp // by opcode; nil: not yet worked out

	leftOut       int  // rows that do not count and are not among those that were read
	lostStrangers int  // those of them with a file that is not known
	giveUp        bool // readPlain gives up on a sequence of many rows
	gaveUp        bool // and it did

	seq   Sequence
	stats LineStats
	done  bool
}

// Sequences returns a reader that stands before the first sequence.
func (p *LineProgram) Sequences() SequenceReader {
	return SequenceReader{rr: p.Rows()}
}

// Reset makes s read another program, from its first sequence, with the memory
// it already has. A nil program has no sequences.
func (s *SequenceReader) Reset(p *LineProgram) {
	if p == nil {
		*s = SequenceReader{rows: s.rows[:0], short: s.short[:0], done: true}
		return
	}
	*s = SequenceReader{rr: p.Rows(), rows: s.rows[:0], short: s.short[:0]}
}

// Sequence returns the current sequence.
func (s *SequenceReader) Sequence() Sequence { return s.seq }

// Rows returns the rows of the current sequence without the end. The slice is
// valid until the next call of Next.
func (s *SequenceReader) Rows() []Row { return s.rows }

// Stats returns the counts so far.
func (s *SequenceReader) Stats() LineStats { return s.stats }

// Problems returns the defects met so far.
func (s *SequenceReader) Problems() Problems { return s.rr.problems }

// Next reads the next live sequence and reports whether there is one.
func (s *SequenceReader) Next() bool {
	for !s.done {
		if s.read() {
			s.stats.Sequences++
			s.stats.Rows += len(s.rows) + s.leftOut
			return true
		}
	}
	s.rows = s.rows[:0]
	return false
}

// read reads one sequence and says whether it is live.
func (s *SequenceReader) read() bool {
	s.rows = s.rows[:0]
	s.seq = Sequence{Off: uint64(s.rr.r.off)}
	s.leftOut, s.lostStrangers = 0, 0
	dead := 0
	last := uint64(0)
	for {
		// The row is decoded in place, behind the rows that are kept.
		n := len(s.rows)
		if n == cap(s.rows) {
			if n > ManyRows {
				n = s.leaveOutLong()
			}
			s.rows = append(s.rows, Row{})[:n]
		}
		row := &s.rows[:n+1][n]
		if !s.rr.Next(row) {
			s.done = true
			if s.rr.fresh {
				return false
			}
			s.seq.Flags |= SeqUnterminated
			s.stats.Unterminated++
			s.rr.problem(int(s.seq.Off), "sequence has no end_sequence")
			return s.finish(last, dead)
		}
		end := row.Flags&RowEndSequence != 0
		switch {
		case s.rr.last == addrDead:
			s.seq.Flags |= SeqPartlyDead
			if !end {
				dead++
			}
		case s.rr.last == addrWrapped:
			s.seq.Flags |= SeqWrapped
			if !end {
				s.stats.WrappedRows++
			}
		case row.Addr < last:
			s.seq.Flags |= SeqBackward
			if !end {
				s.stats.BackwardRows++
			}
		case !end:
			last = row.Addr
			s.rows = s.rows[:n+1]
		case n > 0:
			last = row.Addr
		}
		if end {
			return s.finish(last, dead)
		}
	}
}

// leaveOutLong is leaveOut for rows in full.
func (s *SequenceReader) leaveOutLong() int {
	n := 0
	for i := range s.rows {
		if n > 0 && s.rows[n-1].Addr == s.rows[i].Addr {
			if s.stranger(s.rows[n-1].File) {
				s.lostStrangers++
			}
			s.leftOut++
			n--
		}
		s.rows[n] = s.rows[i]
		n++
	}
	s.rows = s.rows[:n]
	return n
}

// finish sets the bounds of the sequence and says whether it covers anything.
func (s *SequenceReader) finish(end uint64, dead int) bool {
	s.stats.DeadRows += dead
	switch {
	case len(s.rows) == 0 && s.seq.Flags&SeqPartlyDead != 0:
		s.stats.DeadSequences++
		return false
	case len(s.rows) == 0 || s.rows[0].Addr == end:
		s.stats.Empty++
		return false
	}
	s.seq.Start, s.seq.End = s.rows[0].Addr, end
	return true
}
