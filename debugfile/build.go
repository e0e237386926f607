package debugfile

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// Large units first, so that none is left to one worker at the end.
	order := make([]*unit, len(f.units))
	copy(order, f.units)
	slices.SortStableFunc(order, func(a, b *unit) int {
		return cmp.Compare(b.skel.End-b.skel.Off, a.skel.End-a.skel.Off)
	})
	err := f.parallel(ctx, workers, len(order), func(i int) { f.build(order[i]) })
	if err != nil {
		return err
	}
	full := &fullIndex{}
	for _, u := range f.units {
		for k := range u.claims {
			full.claims = append(full.claims, ref{u.claims[k].Extent, u, uint32(k)})
		}
		for k := range u.seqs {
			full.seqs = append(full.seqs, ref{u.seqs[k].Extent, u, uint32(k)})
		}
	}
	full.claimFates, full.seqFates = sorted(full.claims), sorted(full.seqs)
	const batch = 256
	err = f.parallel(ctx, workers, (f.bodies.len()+batch-1)/batch, func(i int) {
		for body := i * batch; body < min(f.bodies.len(), (i+1)*batch); body++ {
			full.settle(f, body)
		}
	})
	if err != nil {
		return err
	}
	f.full.Store(full)
	return nil
}

// sorted sorts by start, equals by unit, and returns the fates that hold for what
// starts in no body.
func sorted(list []ref) []Fate {
	slices.SortStableFunc(list, func(a, b ref) int { return cmp.Compare(a.Start, b.Start) })
	fates := make([]Fate, len(list))
	for i := range fates {
		fates[i] = NoBody
	}
	return fates
}

// settle settles a body from the sorted lists.
func (x *fullIndex) settle(f *File, body int) {
	e := f.bodies.extent(body)
	r := &resolved{}
	collect := func(list []ref, fates []Fate) []contender {
		var out []contender
		for k := lowerBound(list, e.Start, func(c *ref) wasm.CodeOffset { return c.Start }); k < len(list) && list[k].Start < e.End; k++ {
			out = append(out, contender{list[k], &fates[k]})
		}
		return out
	}
	f.settleBody(body, r, collect(x.claims, x.claimFates), collect(x.seqs, x.seqFates))
	if len(r.claims) == 0 {
		for _, i := range f.candidates(nil, e) {
			r.damaged = r.damaged || f.units[i].fns == nil
			r.skeleton = r.skeleton || f.units[i].skeleton
		}
	}
	f.answers[body].done.Store(r)
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
		})
	}
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// Memory returns the bytes that the index takes so far, without the mapping of
// the file.
func (f *File) Memory() int64 {
	const perBody = 8 + 8 + 96 // extents, the answer's slot and what it holds
	n := int64(f.bodies.len())*perBody + int64(len(f.coarse))*16
	for _, u := range f.units {
		n += u.memory()
	}
	if x := f.full.Load(); x != nil {
		n += int64(len(x.claims)+len(x.seqs)) * 25
	}
	return n
}
