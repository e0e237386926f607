package debugfile

// ByFate counts things by what has become of them.
type ByFate [NumFates]int

// Of returns the count for one fate.
func (n ByFate) Of(t Fate) int { return n[t] }

// Total returns the count for all fates.
func (n ByFate) Total() int {
	sum := 0
	for _, v := range n {
		sum += v
	}
	return sum
}

// Shadowed returns how many there are of definitions that lost at link time.
func (n ByFate) Shadowed() int {
	sum := 0
	for t, v := range n {
		if Fate(t).Shadowed() {
			sum += v
		}
	}
	return sum
}

// Stats counts what the DWARF of a file holds.
type Stats struct {
	Units     int // compile units
	BadUnits  int // whose root entry cannot be read
	CutUnits  int // whose entries cannot be read to the end
	Skeletons int // whose split unit is not at hand
	Entries   int // debugging entries

	FunctionRanges ByFate // ranges of functions with code
	DeadFunctions  int    // functions that the linker removed
	EmptyFunctions int    // functions whose ranges cover nothing
	InlinedCalls   int    // with code
	DeadInlined    int    // without code, or inside of removed functions
	OutsideInlined int    // that leave what they were inlined into

	DeadRanges    int // ranges of removed code, of functions and inlined calls
	BadRanges     int // ranges that end before they begin, or leave the address space
	HighAddresses int // ranges and sequences at addresses above 32 bits

	Sequences     ByFate // runs of rows
	Rows          ByFate // rows by the fate of their sequence
	DeadSequences int    // of removed code
	DeadRows      int    // of removed code
	BackwardRows  int    // dropped because their address goes back
	WrappedRows   int    // dropped because they leave the address space
	EmptySeqs     int    // sequences that cover nothing
	Unterminated  int    // sequences without an end
}

// Stats counts everything. It reports false until [File.Build] is done.
func (f *File) Stats() (Stats, bool) {
	x := f.full.Load()
	if x == nil {
		return Stats{}, false
	}
	var s Stats
	for _, u := range f.units {
		if !u.partial {
			s.Units++
			s.addUnit(u)
		}
	}
	for _, t := range x.claims.fates {
		s.FunctionRanges[t]++
	}
	for i, t := range x.seqs.fates {
		s.Sequences[t]++
		q := &f.units[x.seqs.refs[i].unit].seqs[x.seqs.refs[i].index]
		s.Rows[t] += int(q.rows)
	}
	return s, true
}

func (s *Stats) addUnit(u *unit) {
	switch {
	case u.bad != nil:
		s.BadUnits++
	case u.incomplete():
		s.CutUnits++
	}
	if u.skeleton {
		s.Skeletons++
	}
	s.HighAddresses += u.high
	if u.fns != nil {
		n := &u.fns.Stats
		s.Entries += n.Entries
		s.DeadFunctions += n.DeadFuncs
		s.EmptyFunctions += n.EmptyFuncs
		s.InlinedCalls += n.Inlined
		s.DeadInlined += n.DeadInlines
		s.OutsideInlined += n.Outside
		s.DeadRanges += n.DeadRanges
		s.BadRanges += n.BadRanges
	}
	s.DeadSequences += u.lines.DeadSequences
	s.DeadRows += u.lines.DeadRows
	s.BackwardRows += u.lines.BackwardRows
	s.WrappedRows += u.lines.WrappedRows
	s.EmptySeqs += u.lines.Empty
	s.Unterminated += u.lines.Unterminated
}
