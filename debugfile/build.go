package debugfile

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
)

// fullIndex holds every range and sequence of every unit.
type fullIndex struct {
	claims, seqs *placed
	unranged     []int32 // units that may have code anywhere
}

// Build indexes all units with the given number of workers, 0 meaning one for
// each processor. Lookups after it give the answers that they gave before; it is
// for those who will look up much, or need the counts of everything.
func (f *File) Build(ctx context.Context, workers int) error {
	if f.full.Load() != nil {
		return nil
	}
	if f.shrunk.Load() {
		return mapped.ErrShrunk
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	unranged := f.claims()
	f.winners.Store(newWinners(f.bodies))
	f.scratches.hold(true)
	defer f.scratches.hold(false)
	defer f.winners.Store(nil)
	// Large units first, so that none is left to one worker at the end.
	order := slices.Clone(f.units)
	slices.SortStableFunc(order, func(a, b *unit) int {
		return cmp.Compare(b.skel.End-b.skel.Off, a.skel.End-a.skel.Off)
	})
	err := f.parallel(ctx, workers, len(order), func(i int) { f.build(order[i]) })
	if err != nil {
		return err
	}
	x := &fullIndex{unranged: unranged}
	err = f.parallel(ctx, workers, 2, func(i int) {
		if i == 0 {
			x.claims = place(f.bodies, f.units, func(u *unit) []claim { return u.claims }, func(c *claim) Extent { return c.Extent }, func(u *unit) []Extent { return u.code })
		} else {
			x.seqs = place(f.bodies, f.units, func(u *unit) []sequence { return u.seqs }, func(s *sequence) Extent { return s.Extent }, func(u *unit) []Extent { return u.lineCode })
		}
	})
	if err != nil {
		return err
	}
	doubts := f.newDoubts(unranged)
	const batch = 256
	err = f.parallel(ctx, workers, (f.bodies.len()+batch-1)/batch, func(i int) {
		s := settler{f: f}
		s.results.piece, s.refs.piece, s.lists.piece, s.calls.piece, s.rows.piece = batch, 2*batch, batch, batch, 8*batch
		for body := i * batch; body < min(f.bodies.len(), (i+1)*batch); body++ {
			f.answers[body].done.Store(x.settle(&s, body, doubts))
		}
	})
	if err != nil {
		return err
	}
	f.full.Store(x)
	return nil
}

// doubts is what the units claim of which not all is known. Which unit it is that
// claims a place does not matter, and there may be many for each of many bodies.
type doubts struct {
	damaged, skeleton []Extent // sorted and disjoint
	unranged          resolved // the flags of units that may have code anywhere
}

func (f *File) newDoubts(unranged []int32) *doubts {
	d := &doubts{}
	for _, u := range f.units {
		if u.bad != nil || u.partial {
			continue
		}
		if u.incomplete() {
			d.damaged = append(d.damaged, u.code...)
		}
		if u.skeleton {
			d.skeleton = append(d.skeleton, u.code...)
		}
	}
	d.damaged, d.skeleton = merged(d.damaged), merged(d.skeleton)
	for _, i := range unranged {
		d.unranged.doubt(f.units[i])
	}
	return d
}

// settle settles a body from the sorted lists, by the rule of resolve.
func (x *fullIndex) settle(s *settler, body int, doubts *doubts) *resolved {
	f := s.f
	e := f.bodies.extent(body)
	r := resolved{damaged: claimsIn(doubts.damaged, e), skeleton: claimsIn(doubts.skeleton, e)}
	x.contend(s, &r, body, false)
	if r.empty() && len(x.unranged) > 0 {
		r.damaged = r.damaged || doubts.unranged.damaged
		r.skeleton = r.skeleton || doubts.unranged.skeleton
		x.contend(s, &r, body, true)
	}
	if r.empty() && !r.shadowed {
		return f.emptyHanded(r.damaged, r.skeleton)
	}
	kept := &s.results.take(1)[0]
	*kept = r
	return kept
}

// emptyHanded returns what all bodies share for which there is nothing.
func (f *File) emptyHanded(damaged, skeleton bool) *resolved {
	i := 0
	if damaged {
		i |= 1
	}
	if skeleton {
		i |= 2
	}
	return &f.nothing[i]
}

// contend settles what starts in a body: of units that claim code in it, and with
// unranged also of those that claim none at all.
func (x *fullIndex) contend(s *settler, r *resolved, body int, unranged bool) {
	units := s.f.units
	var unrangedClaims, unrangedSeqs func(int32) bool
	if unranged {
		unrangedClaims = func(i int32) bool { return units[i].unranged }
		unrangedSeqs = func(i int32) bool { return units[i].lineUnranged }
	}
	s.begin(body)
	s.claims.placed(x.claims, body, unrangedClaims)
	s.seqs.placed(x.seqs, body, unrangedSeqs)
	s.settle(r)
}

// parallel calls do for 0 to n−1 from several goroutines.
func (f *File) parallel(ctx context.Context, workers, n int, do func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, min(workers, max(n, 1)))
	for w := range errs {
		wg.Go(func() {
			errs[w] = mapped.Guard(func() {
				for ctx.Err() == nil {
					i := int(next.Add(1)) - 1
					if i >= n {
						return
					}
					do(i)
				}
			})
			if errs[w] != nil {
				f.shrunk.Store(true)
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// Memory returns the bytes that the index takes so far, without the mapping of
// the file.
func (f *File) Memory() int64 {
	const perBody = 8 + 8 // extent and the answer's slot
	n := int64(f.bodies.len())*perBody + f.tables.Load() + f.names.memory.Load()
	if x := f.roots.index.Load(); x != nil {
		n += int64(len(x.ranges)) * int64(unsafe.Sizeof(coarseRange{}))
	}
	f.roots.mu.Lock()
	for _, u := range f.units {
		n += int64(cap(u.code)) * int64(unsafe.Sizeof(Extent{}))
	}
	f.roots.mu.Unlock()
	for i := range f.answers {
		if r := f.answers[i].done.Load(); r != nil && r != f.emptyHanded(r.damaged, r.skeleton) {
			n += int64(unsafe.Sizeof(*r)) + int64(cap(r.claims)+cap(r.seqs))*int64(unsafe.Sizeof(ref{})) + int64(len(r.calls))*8
			for k := range r.rows {
				n += int64(unsafe.Sizeof(r.rows[k]))
				if s := &r.seqs[k]; f.units[s.unit].seqs[s.index].kept == 0 { // else they are the unit's
					n += int64(cap(r.rows[k])) * int64(unsafe.Sizeof(dwarf.ShortRow{}))
				}
			}
		}
	}
	for _, u := range f.units {
		n += int64(unsafe.Sizeof(*u)) + u.memory()
	}
	if x := f.full.Load(); x != nil {
		n += x.claims.memory() + x.seqs.memory()
	}
	if m := f.sources.loaded(); m != nil {
		n += m.memory()
	}
	return n
}
