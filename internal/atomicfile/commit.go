package atomicfile

import (
	"context"
	"fmt"
)

// run is one Commit. A target is nil if the Pair does not have it.
type run struct {
	ctx                   context.Context
	companion, production *target
	belongs               func(production, companion string) (bool, error)
	release               func() error
	hooks                 hooks
	result                Result

	// backup keeps the old companion while the production file is not in place yet.
	backup string
	// placed is true once the new companion has its name.
	placed bool
	// pending is the journal of a killed run that could not be settled, pendingPath its backup.
	pending     *journal
	pendingPath string
}

// Commit writes the files of p, all or nothing; the package comment has the protocol. It waits for
// a run that is at work on the same names. The error is an [*Error]; unless it says otherwise,
// existing files are as they were. A context that ends before the production file is in place undoes everything.
func (p *Pair) Commit(ctx context.Context) (result Result, err error) {
	r := &run{ctx: ctx, belongs: p.Belongs, release: p.Release, hooks: p.hooks}
	targets, err := r.resolve(p)
	if err != nil || len(targets) == 0 {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fail("write", targets[0].spec.Path, err)
	}
	if r.isIdle(targets) {
		// Looking without a lock is enough when nothing is to be done: not even a lock file
		// touches the directory then.
		if same, err := allUnchanged(targets); same || err != nil {
			return Result{}, err
		}
	}
	if t, err := lockAll(ctx, targets); err != nil {
		return r.withoutLock(targets, t, err)
	}
	defer unlockAll(targets)
	defer func() {
		for _, t := range targets {
			t.discard()
		}
	}()
	err = r.locked(targets)
	return r.result, err
}

// resolve makes the targets, companion first.
func (r *run) resolve(p *Pair) (targets []*target, err error) {
	if p.Companion != nil {
		if r.companion, err = newTarget(p.Companion, "write"); err != nil {
			return nil, err
		}
		targets = append(targets, r.companion)
	}
	if p.Production != nil {
		if r.production, err = newTarget(p.Production, "write"); err != nil {
			return nil, err
		}
		targets = append(targets, r.production)
	}
	if len(targets) == 2 && sameTarget(targets[0], targets[1]) {
		return nil, fail("write", p.Production.Path,
			fmt.Errorf("it and its companion %s are the same file; name another one", p.Companion.Path))
	}
	return targets, nil
}

// isIdle reports whether no run is at work on the targets and none was killed at them.
func (r *run) isIdle(targets []*target) bool {
	for _, t := range targets {
		if t.hasLockFile() {
			return false
		}
	}
	return r.companion == nil || !r.companion.hasRemains()
}

// withoutLock ends a run that could not lock t, one of its targets. In a directory that cannot be
// written to, that is an error only if there is something to write.
func (r *run) withoutLock(targets []*target, t *target, err error) (Result, error) {
	if r.ctx.Err() != nil {
		return Result{}, fail("write", t.spec.Path, err)
	}
	if same, cmpErr := allUnchanged(targets); same && cmpErr == nil {
		return Result{}, nil
	}
	return Result{}, fail("write", t.spec.Path, fmt.Errorf("no file can be created in %s: %w", t.dir, err))
}

// allUnchanged reports whether nothing is to be written.
func allUnchanged(targets []*target) (bool, error) {
	all := true
	for _, t := range targets {
		same, err := t.isUnchanged()
		if err != nil {
			return false, err
		}
		all = all && same
	}
	return all, nil
}

// locked is the part of Commit that holds the locks; r.result is filled in as it goes.
func (r *run) locked(targets []*target) error {
	for _, t := range targets {
		if err := t.refresh(); err != nil {
			return err
		}
	}
	if r.companion != nil && r.production != nil {
		recovery, err := r.recover()
		if err != nil {
			return err
		}
		r.result.Recovered = recovery
	}
	var work []*target
	for _, t := range targets {
		t.removeStale(t.lock.held)
		same, err := t.isUnchanged()
		if err != nil {
			return err
		}
		if !same {
			work = append(work, t)
		}
	}
	if len(work) == 0 {
		return nil
	}
	r.noteLinks(work)
	if err := r.writeAll(work); err != nil {
		return err
	}
	if r.release != nil {
		if err := r.release(); err != nil {
			return fail("write", work[0].spec.Path, err)
		}
	}
	return r.putInPlace()
}

// noteLinks tells the user about names that keep the old contents.
func (r *run) noteLinks(work []*target) {
	for _, t := range work {
		if t.info != nil && linkCount(t.path, t.info) > 1 {
			r.note("%s has another hard link, which keeps the old contents", t.spec.Path)
		}
	}
}

func (r *run) note(format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf(format, args...))
}

// step is passed between any two changes to the disk; an error undoes the run.
func (r *run) step(name string) error {
	if err := r.late(name); err != nil {
		return err
	}
	return r.ctx.Err()
}

// late is a step at which it is too late to be cancelled.
func (r *run) late(name string) error {
	if r.hooks.step != nil {
		return r.hooks.step(name)
	}
	return nil
}

// writeAll makes all temporaries and writes them, companion first. While one is on its way to the
// disk the next is written already.
func (r *run) writeAll(work []*target) (err error) {
	for _, t := range work {
		if err := r.step("create " + r.role(t)); err != nil {
			return fail("write", t.spec.Path, err)
		}
		if err := t.createTemp(); err != nil {
			return err
		}
	}
	finished := make(chan error, len(work))
	started := 0
	// Deferred, so that nobody removes a temporary under finish even if a writer panics.
	defer func() {
		for range started {
			if e := <-finished; err == nil {
				err = e
			}
		}
	}()
	for _, t := range work {
		if err := r.step("fill " + r.role(t)); err != nil {
			return fail("write", t.spec.Path, err)
		}
		if err := t.fill(r.ctx); err != nil {
			return err
		}
		if err := r.step("finish " + r.role(t)); err != nil {
			return fail("write", t.spec.Path, err)
		}
		started++
		go func() { finished <- t.finish() }()
	}
	return nil
}

// role names t in steps.
func (r *run) role(t *target) string {
	if t == r.companion {
		return "companion"
	}
	return "production"
}
