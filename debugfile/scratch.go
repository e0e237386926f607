package debugfile

import "sync"

// scratch is memory that indexing a unit needs and that none of its results keeps.
type scratch struct {
	claims []claim
	lean   []Extent // of the unit's functions that have lost already, in order
	seqs   []sequence
	sorter sorter
}

// scratches has the memory of the workers of a Build. The zero value is ready.
type scratches struct {
	mu   sync.Mutex
	free []*scratch
	keep bool // what is given back is used again
}

func (s *scratches) get() *scratch {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return new(scratch)
	}
	one := s.free[n-1]
	s.free = s.free[:n-1]
	return one
}

func (s *scratches) put(one *scratch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keep {
		s.free = append(s.free, one)
	}
}

// hold says whether what is given back is kept. Without it there is none.
func (s *scratches) hold(keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keep = keep; !keep {
		s.free = nil
	}
}
