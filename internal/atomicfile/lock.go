package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lockFile is the lock of one target and, for a companion, the journal of its replacement.
type lockFile struct {
	path string
	f    *os.File
	// held is false where the file system has no locks.
	held bool
}

// errBusy is returned by tryLock while a live run holds the lock.
var errBusy = errors.New("another run is writing the same file")

// journal is what a run notes down before it replaces a companion.
type journal struct {
	// backup is the name, without directory, that keeps the old companion; kept is its identity.
	backup string
	kept   identity
	// before is the identity of the production file at that time; nil if there was none.
	before *identity
}

const (
	journalHead = "wasm-debugid journal 1"
	journalMax  = 4096
)

// lockAll locks all targets or none. It never waits for one lock while it holds another, so that
// two runs with crossed names cannot block each other.
func lockAll(ctx context.Context, targets []*target) (failed *target, err error) {
	wait := time.Millisecond
	for {
		t, err := tryLockAll(targets)
		if !errors.Is(err, errBusy) {
			return t, err
		}
		timer := time.NewTimer(wait + rand.N(wait))
		select {
		case <-ctx.Done():
			timer.Stop()
			return t, ctx.Err()
		case <-timer.C:
		}
		wait = min(2*wait, 50*time.Millisecond)
	}
}

// tryLockAll is one try of lockAll; it names the target that it could not lock.
func tryLockAll(targets []*target) (failed *target, err error) {
	for _, t := range targets {
		l, err := tryLock(filepath.Join(t.dir, lockName(t.base)))
		if err != nil {
			unlockAll(targets)
			return t, err
		}
		t.lock = l
	}
	return nil, nil
}

func unlockAll(targets []*target) {
	for _, t := range targets {
		if t.lock != nil {
			t.lock.release()
			t.lock = nil
		}
	}
}

// readJournal returns the journal, or nil if there is none or it was not completed: then its run
// died before it touched the companion.
func (l *lockFile) readJournal(base string) (*journal, error) {
	data, err := io.ReadAll(io.NewSectionReader(l.f, 0, journalMax))
	if err != nil {
		return nil, cause(err)
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 5 || lines[0] != journalHead || lines[3] != "end" || lines[4] != "" {
		return nil, nil
	}
	var (
		j      journal
		quoted string
		before string
	)
	if _, err := fmt.Sscanf(lines[1], "backup %d %d %q", &j.kept.size, &j.kept.mtime, &quoted); err != nil {
		return nil, nil
	}
	// The name is used only if it is one that we would have chosen.
	if quoted != prevName(base) && !isOurs(quoted, base, ".prev") {
		return nil, nil
	}
	j.backup = quoted
	before, ok := strings.CutPrefix(lines[2], "production ")
	if !ok {
		return nil, nil
	}
	if before != "none" {
		var id identity
		if _, err := fmt.Sscanf(before, "%d %d", &id.size, &id.mtime); err != nil {
			return nil, nil
		}
		j.before = &id
	}
	return &j, nil
}

// writeJournal stores j so that it survives a power failure. The file's own entry in the directory
// is made durable by the sync that follows the making of the backup.
func (l *lockFile) writeJournal(j *journal) error {
	before := "none"
	if j.before != nil {
		before = fmt.Sprintf("%d %d", j.before.size, j.before.mtime)
	}
	text := fmt.Sprintf("%s\nbackup %d %d %s\nproduction %s\nend\n",
		journalHead, j.kept.size, j.kept.mtime, strconv.Quote(j.backup), before)
	if err := l.f.Truncate(0); err != nil {
		return cause(err)
	}
	if _, err := l.f.WriteAt([]byte(text), 0); err != nil {
		return cause(err)
	}
	return cause(l.f.Sync())
}

// clearJournal says that there is nothing to recover any more.
func (l *lockFile) clearJournal() error { return cause(l.f.Truncate(0)) }

// empty reports whether the file holds no journal.
func (l *lockFile) empty() bool {
	fi, err := l.f.Stat()
	return err == nil && fi.Size() == 0
}

// matches reports whether fi describes the backup that j speaks of.
func (j *journal) matches(fi fs.FileInfo) bool {
	return j != nil && fi != nil && idOf(fi) == j.kept
}

// hasLockFile reports whether a run is at work on t, or was killed at it.
func (t *target) hasLockFile() bool {
	_, err := os.Lstat(filepath.Join(t.dir, lockName(t.base)))
	return err == nil
}
