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
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// fullIndex holds every range and sequence of every unit, by start, with what has
// become of it.
type fullIndex struct {
	claims, seqs         []ref
	claimFates, seqFates []Fate
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
	f.coarse()
	// Large units first, so that none is left to one worker at the end.
	order := slices.Clone(f.units)
	slices.SortStableFunc(order, func(a, b *unit) int {
		return cmp.Compare(b.skel.End-b.skel.Off, a.skel.End-a.skel.Off)
	})
	err := f.parallel(ctx, workers, len(order), func(i int) { f.build(order[i]) })
	if err != nil {
		return err
	}
	x := f.collect()
	doubts := f.doubtIndex()
	const batch = 256
	err = f.parallel(ctx, workers, (f.bodies.len()+batch-1)/batch, func(i int) {
		s := settler{f: f}
		s.results.piece, s.refs.piece, s.lists.piece, s.calls.piece, s.rows.piece = batch, batch, batch, batch, 8*batch
		for body := i * batch; body < min(f.bodies.len(), (i+1)*batch); body++ {
			f.answers[body].done.Store(x.settle(&s, body, &doubts))
		}
	})
	if err != nil {
		return err
	}
	f.full.Store(x)
	return nil
}

// collect lists everything by start, equals by unit.
func (f *File) collect() *fullIndex {
	claims, seqs := 0, 0
	for _, u := range f.units {
		claims, seqs = claims+len(u.claims), seqs+len(u.seqs)
	}
	x := &fullIndex{claims: make([]ref, 0, claims), seqs: make([]ref, 0, seqs)}
	for _, u := range f.units {
		for k := range u.claims {
			x.claims = append(x.claims, ref{u.claims[k].Extent, int32(u.number), uint32(k)})
		}
		for k := range u.seqs {
			x.seqs = append(x.seqs, ref{u.seqs[k].Extent, int32(u.number), uint32(k)})
		}
	}
	byStart := func(r *ref) wasm.CodeOffset { return r.Start }
	sortByStart(&x.claims, byStart)
	sortByStart(&x.seqs, byStart)
	x.claimFates, x.seqFates = noBody(len(x.claims)), noBody(len(x.seqs))
	return x
}

// noBody returns the fates that hold for what starts in no body.
func noBody(n int) []Fate {
	fates := make([]Fate, n)
	for i := range fates {
		fates[i] = NoBody
	}
	return fates
}

// doubtIndex indexes what the units claim of which not all is known.
func (f *File) doubtIndex() coarseIndex {
	var all []coarseRange
	for i, u := range f.units {
		if u.bad == nil && !u.partial && (u.incomplete() || u.skeleton) {
			for _, e := range u.code {
				all = append(all, coarseRange{e, int32(i)})
			}
		}
	}
	var x coarseIndex
	x.fill(all)
	return x
}

// settle settles a body from the sorted lists, by the rule of resolve.
func (x *fullIndex) settle(s *settler, body int, doubts *coarseIndex) *resolved {
	f := s.f
	e := f.bodies.extent(body)
	var r resolved
	doubts.each(e, func(i int32) bool {
		r.doubt(f.units[i])
		return !r.damaged || !r.skeleton
	})
	s.begin(body)
	x.contend(s, e, false)
	s.settle(&r, x.claimFates, x.seqFates)
	if unranged := f.coarse().unranged; r.empty() && len(unranged) > 0 {
		for _, i := range unranged {
			r.doubt(f.units[i])
		}
		s.begin(body)
		x.contend(s, e, true)
		s.settle(&r, x.claimFates, x.seqFates)
	}
	if r.empty() && !r.shadowed && !r.damaged && !r.skeleton {
		return &f.nothing
	}
	kept := &s.results.take(1)[0]
	*kept = r
	return kept
}

// contend collects the functions and sequences that start in e: of units that
// claim code in e, and with unranged also of those that claim none at all.
func (x *fullIndex) contend(s *settler, e Extent, unranged bool) {
	units := s.f.units
	s.claims = contenders(s.claims, x.claims, x.claimFates, e, func(i int32) bool {
		return claimsIn(units[i].code, e) || unranged && units[i].unranged
	})
	s.seqs = contenders(s.seqs, x.seqs, x.seqFates, e, func(i int32) bool {
		return claimsIn(units[i].lineCode, e) || unranged && units[i].lineUnranged
	})
}

// contenders appends to dst what of a sorted list starts in e, of units that are
// asked.
func contenders(dst []contender, list []ref, fates []Fate, e Extent, asked func(unit int32) bool) []contender {
	k := lowerBound(list, e.Start, func(c *ref) wasm.CodeOffset { return c.Start })
	for ; k < len(list) && list[k].Start < e.End; k++ {
		if asked(list[k].unit) {
			dst = append(dst, contender{ref: list[k], at: int32(k)})
		} else {
			fates[k] = Unclaimed
		}
	}
	return dst
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
		if r := f.answers[i].done.Load(); r != nil && r != &f.nothing {
			n += int64(unsafe.Sizeof(*r)) + int64(cap(r.claims)+cap(r.seqs))*int64(unsafe.Sizeof(ref{})) + int64(len(r.calls))*8
			for k := range r.rows {
				n += int64(cap(r.rows[k]))*int64(unsafe.Sizeof(dwarf.ShortRow{})) + int64(unsafe.Sizeof(r.rows[k]))
			}
		}
	}
	for _, u := range f.units {
		n += int64(unsafe.Sizeof(*u)) + u.memory()
	}
	if x := f.full.Load(); x != nil {
		n += int64(len(x.claims)+len(x.seqs)) * int64(unsafe.Sizeof(ref{})+1)
	}
	if m := f.sources.loaded(); m != nil {
		n += m.memory()
	}
	return n
}
