package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Recover settles what a killed [Pair.Commit] onto these two names has left, so that the production
// file has its companion again; belongs is [Pair.Belongs]. Commit does the same before it writes.
// Nothing is touched while a live run is at work, and nothing if there is nothing to settle.
//
// The state on disk decides. If the companion belongs to the production file, both new files are
// there and the kept NAME.prev goes (only if the journal says that it is ours). If NAME.prev belongs
// to the production file, or that file is still the one that the killed run found, NAME.prev is put
// back. If neither is so, somebody has replaced the production file since, and both are left.
func Recover(production, companion string, belongs func(production, companion string) (bool, error)) (Recovery, error) {
	p, err := newTarget(&File{Path: production}, "recover")
	if err != nil {
		return RecoveredNothing, ignoreMissing(err)
	}
	c, err := newTarget(&File{Path: companion}, "recover")
	if err != nil {
		return RecoveredNothing, ignoreMissing(err)
	}
	if !c.hasRemains() {
		return RecoveredNothing, nil
	}
	switch c.lock, err = tryLock(filepath.Join(c.dir, lockName(c.base))); {
	case errors.Is(err, errBusy):
		return RecoveredNothing, nil
	case err != nil:
		return RecoveredNothing, fail("lock", companion, err)
	}
	defer unlockAll([]*target{c})
	r := &run{companion: c, production: p, belongs: belongs}
	return r.recover()
}

// ignoreMissing drops the error for a directory that does not exist: no run has died in it.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// hasRemains reports whether there may be something to recover for the companion t.
func (t *target) hasRemains() bool {
	if t.hasLockFile() {
		return true
	}
	prev := prevName(t.base)
	if prev == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(t.dir, prev))
	return err == nil
}

// recover is Recover with the companion's lock held.
func (r *run) recover() (Recovery, error) {
	c, p := r.companion, r.production
	for _, t := range []*target{c, p} {
		if err := t.refresh(); err != nil {
			return RecoveredNothing, err
		}
	}
	j, err := c.lock.readJournal(c.base)
	if err != nil {
		return RecoveredNothing, fail("recover", c.spec.Path, err)
	}
	backup, kept := c.findBackup(j)
	if kept == nil || (p.info != nil && os.SameFile(kept, p.info)) {
		return RecoveredNothing, r.settled()
	}
	ours := j.matches(kept)
	if ours && c.info != nil && os.SameFile(kept, c.info) {
		// Killed after the link was made: the companion itself was not touched yet.
		return r.recovered(RecoveredRolledBack, backup)
	}
	match, err := r.matches(c.path, c.info)
	if err != nil {
		return RecoveredNothing, err
	}
	if match {
		if ours {
			return r.recovered(RecoveredFinished, backup)
		}
		return RecoveredNothing, r.settled()
	}
	match, err = r.matches(backup, kept)
	if err != nil {
		return RecoveredNothing, err
	}
	if match || (ours && (c.info == nil || j.sawProduction(p.info))) {
		return r.recovered(RecoveredRolledBack, backup)
	}
	if ours {
		r.pending, r.pendingPath = j, backup
		return RecoveredNothing, nil
	}
	return RecoveredNothing, r.settled()
}

// findBackup returns the file that keeps an old companion, with its description, or nil.
func (t *target) findBackup(j *journal) (path string, info fs.FileInfo) {
	name := prevName(t.base)
	if j != nil {
		name = j.backup
	}
	if name == "" {
		return "", nil
	}
	path = filepath.Join(t.dir, name)
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return path, nil
	}
	return path, fi
}

// matches asks whether the companion at path belongs to the production file.
func (r *run) matches(path string, info fs.FileInfo) (bool, error) {
	if info == nil || r.production.info == nil || r.belongs == nil {
		return false, nil
	}
	ok, err := r.belongs(r.production.path, path)
	if err != nil {
		return false, fail("recover", r.companion.spec.Path, err)
	}
	return ok, nil
}

// sawProduction reports whether the production file is the one that was there when j was written.
func (j *journal) sawProduction(now fs.FileInfo) bool {
	if j == nil || j.before == nil || now == nil {
		return j != nil && j.before == nil && now == nil
	}
	return *j.before == idOf(now)
}

// recovered carries out what was decided about backup.
func (r *run) recovered(what Recovery, backup string) (Recovery, error) {
	var err error
	if what == RecoveredFinished {
		err = os.Remove(backup)
	} else {
		err = putBack(backup, r.companion.path)
	}
	if err == nil {
		err = syncDir(r.companion.dir)
	}
	if err == nil {
		err = r.settled()
	}
	if err != nil {
		return RecoveredNothing, fail("recover", r.companion.spec.Path, cause(err))
	}
	return what, r.companion.refresh()
}

// settled notes that the journal's run has nothing left on disk.
func (r *run) settled() error {
	if r.companion.lock.empty() {
		return nil
	}
	if err := r.companion.lock.clearJournal(); err != nil {
		return fail("recover", r.companion.spec.Path, err)
	}
	return nil
}

// putBack restores the companion at path from backup. When both are one file, a rename would do
// nothing and leave the second name.
func putBack(backup, path string) error {
	kept, err := os.Lstat(backup)
	if err != nil {
		return err
	}
	if now, err := os.Lstat(path); err == nil && os.SameFile(kept, now) {
		return os.Remove(backup)
	}
	return replace(backup, path)
}
