package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// putInPlace renames the finished temporaries onto their targets, companion first.
func (r *run) putInPlace() error {
	c, p := r.companion, r.production
	writeC := c != nil && c.tmp != nil
	writeP := p != nil && p.tmp != nil
	if writeC {
		if err := r.placeCompanion(writeP); err != nil {
			return err
		}
	}
	if writeP {
		if err := r.placeProduction(); err != nil {
			return err
		}
	}
	return r.dropBackup()
}

// placeCompanion puts the companion in place. If a production file follows, the old companion is
// kept until that has its name.
func (r *run) placeCompanion(followed bool) error {
	c := r.companion
	if followed && c.info != nil {
		if err := r.preserve(); err != nil {
			return r.undo(c, "keep a copy of", err)
		}
	}
	if err := r.step("rename companion"); err != nil {
		return r.undo(c, "replace", err)
	}
	if err := replace(c.tmp.path, c.path); err != nil {
		return r.undo(c, "replace", err)
	}
	r.placed = true
	err := r.late("sync companion directory")
	if err == nil {
		err = syncDir(c.dir)
	}
	if err != nil {
		if followed {
			return r.undo(c, "replace", err)
		}
		c.tmp = nil
		r.result.WroteCompanion = true
		return &Error{Op: "store", Path: c.spec.Path, Err: cause(err), state: statePlaced}
	}
	if !followed {
		c.tmp = nil
		r.result.WroteCompanion = true
	}
	return nil
}

// placeProduction puts the production file in place; from then on the run counts as done.
func (r *run) placeProduction() error {
	p := r.production
	if err := r.step("rename production"); err != nil {
		return r.undo(p, "replace", err)
	}
	if err := replace(p.tmp.path, p.path); err != nil {
		return r.undo(p, "replace", err)
	}
	p.tmp = nil
	r.result.WroteProduction = true
	if r.placed {
		r.companion.tmp = nil
		r.result.WroteCompanion = true
	}
	err := r.late("sync production directory")
	if err == nil {
		err = syncDir(p.dir)
	}
	if err != nil {
		// The backup and the journal stay: after a power failure the next run decides.
		return &Error{Op: "store", Path: p.spec.Path, Err: cause(err), state: statePlaced}
	}
	return nil
}

// preserve gives the old companion a second name, after that name was noted in the journal.
func (r *run) preserve() error {
	c := r.companion
	backup, err := r.backupName()
	if err != nil {
		return err
	}
	j := &journal{backup: filepath.Base(backup), kept: idOf(c.info)}
	if r.production.info != nil {
		id := idOf(r.production.info)
		j.before = &id
	}
	if err := r.step("write journal"); err != nil {
		return err
	}
	if err := c.lock.writeJournal(j); err != nil {
		return err
	}
	if err := r.step("keep old companion"); err != nil {
		return err
	}
	link := os.Link
	if r.hooks.link != nil {
		link = r.hooks.link
	}
	if link(c.path, backup) != nil {
		// No hard links here, or none to this file: for a moment the companion has no name of
		// its own, which Recover knows about.
		if err := os.Rename(c.path, backup); err != nil {
			return err
		}
	}
	r.backup = backup
	if err := r.step("sync old companion"); err != nil {
		return err
	}
	return syncDir(c.dir)
}

// backupName returns NAME.prev if that is free and not too long, else a hidden name.
func (r *run) backupName() (string, error) {
	c := r.companion
	if prev := prevName(c.base); prev != "" {
		path := filepath.Join(c.dir, prev)
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if path != r.pendingPath {
			r.note("%s was not left by a killed run and is left alone", filepath.Join(filepath.Dir(c.spec.Path), prev))
		}
	}
	for range 100 {
		path := filepath.Join(c.dir, randomName(c.base, ".prev"))
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no free name to keep the old file in %s", c.dir)
}

// undo puts the companion back as it was, after err happened to t, and returns the error to report.
func (r *run) undo(t *target, op string, err error) error {
	report := &Error{Op: op, Path: t.spec.Path, Err: cause(err), state: stateUntouched}
	c := r.companion
	if c == nil {
		return report
	}
	var undoErr error
	switch {
	case r.backup != "":
		if undoErr = putBack(r.backup, c.path); undoErr != nil {
			report.state = fmt.Sprintf("the old %s could not be put back (%v), it is kept as %s, and the next run will try again",
				c.spec.Path, cause(undoErr), r.backup)
			return report
		}
	case r.placed && c.info == nil:
		// The number of a removed file is soon used again, so SameFile alone does not prove that
		// it is ours.
		now, statErr := os.Lstat(c.path)
		if statErr == nil && os.SameFile(now, c.tmp.info) && idOf(now) == idOf(c.tmp.info) {
			undoErr = os.Remove(c.path)
		}
		if undoErr != nil {
			report.state = fmt.Sprintf("the new %s could not be removed (%v)", c.spec.Path, cause(undoErr))
			return report
		}
	}
	if r.backup != "" || r.placed {
		// The old state is back in any case; if it is not stored, the journal's loss does no harm.
		_ = syncDir(c.dir)
	}
	r.backup, r.placed = "", false
	if r.pending != nil {
		_ = c.lock.writeJournal(r.pending)
	} else {
		_ = c.lock.clearJournal()
	}
	return report
}

// dropBackup removes the old companion, which nothing needs any more. A failure is left to the next
// run, which the journal tells what to do.
func (r *run) dropBackup() error {
	if r.backup == "" {
		return nil
	}
	c := r.companion
	err := r.late("remove old companion")
	if err == nil {
		err = os.Remove(r.backup)
	}
	if err != nil {
		r.note("%s could not be removed (%v), the next run will try again", r.backup, cause(err))
		return nil
	}
	if r.pendingPath != "" && r.pendingPath != r.backup {
		os.Remove(r.pendingPath)
	}
	if err := r.late("clear journal"); err != nil {
		return nil
	}
	_ = syncDir(c.dir)
	_ = c.lock.clearJournal()
	return nil
}
