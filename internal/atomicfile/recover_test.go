package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Recover decides by what it finds; a journal is there only if a run of ours has died.
func TestRecover(t *testing.T) {
	for _, tc := range []struct {
		name       string
		p, c, prev string // contents in the notation of short, "" for none
		journal    bool
		// linked makes prev a second name of the companion, other somebody's file in its place.
		linked, other bool
		// before is the production file that the journal speaks of, if not p.
		before string
		want   Recovery
		after  map[string]string
	}{
		{name: "nothing", p: "P a", c: "C a", want: RecoveredNothing,
			after: map[string]string{prodName: "P a", compName: "C a"}},
		{name: "no files", want: RecoveredNothing, after: map[string]string{}},
		{name: "production has followed", p: "P b", c: "C b", prev: "C a", journal: true, want: RecoveredFinished,
			after: map[string]string{prodName: "P b", compName: "C b"}},
		{name: "matching, but not our prev", p: "P b", c: "C b", prev: "C a", want: RecoveredNothing,
			after: map[string]string{prodName: "P b", compName: "C b", prevFile: "C a"}},
		{name: "production has not followed", p: "P a", c: "C b", prev: "C a", journal: true, want: RecoveredRolledBack,
			after: map[string]string{prodName: "P a", compName: "C a"}},
		{name: "production has not followed, journal lost", p: "P a", c: "C b", prev: "C a", want: RecoveredRolledBack,
			after: map[string]string{prodName: "P a", compName: "C a"}},
		{name: "companion missing", p: "P a", prev: "C a", want: RecoveredRolledBack,
			after: map[string]string{prodName: "P a", compName: "C a"}},
		{name: "companion missing, stale prev", p: "P x", prev: "C a", journal: true, want: RecoveredRolledBack,
			after: map[string]string{prodName: "P x", compName: "C a"}},
		{name: "companion missing, not our prev", p: "P x", prev: "C a", want: RecoveredNothing,
			after: map[string]string{prodName: "P x", prevFile: "C a"}},
		{name: "input untouched, companion was stale", p: "P x", c: "C b", prev: "C a", journal: true, want: RecoveredRolledBack,
			after: map[string]string{prodName: "P x", compName: "C a"}},
		{name: "rebuilt since", p: "P y", c: "C b", prev: "C a", journal: true, before: "P x", want: RecoveredNothing,
			after: map[string]string{prodName: "P y", compName: "C b", prevFile: "C a"}},
		{name: "production removed since", c: "C b", prev: "C a", journal: true, before: "P x", want: RecoveredNothing,
			after: map[string]string{compName: "C b", prevFile: "C a"}},
		{name: "killed before the first rename", p: "P a", c: "C a", journal: true, linked: true, want: RecoveredRolledBack,
			after: map[string]string{prodName: "P a", compName: "C a"}},
		{name: "killed before the first rename, stale companion", p: "P x", c: "C a", journal: true, linked: true, want: RecoveredRolledBack,
			after: map[string]string{prodName: "P x", compName: "C a"}},
		{name: "prev was exchanged since", p: "P b", c: "C b", prev: "C a", journal: true, other: true, want: RecoveredNothing,
			after: map[string]string{prodName: "P b", compName: "C b", prevFile: "C other"}},
		{name: "prev of somebody else", p: "P x", c: "C b", prev: "C a", want: RecoveredNothing,
			after: map[string]string{prodName: "P x", compName: "C b", prevFile: "C a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			set := func(name, text string) string {
				path := filepath.Join(dir, name)
				if text != "" {
					put(t, path, contents(text[:1], text[2:]), 0o644)
				}
				return path
			}
			prod, comp, prev := set(prodName, tc.p), set(compName, tc.c), set(prevFile, tc.prev)
			if tc.linked {
				if err := os.Link(comp, prev); err != nil {
					t.Skipf("no hard links here: %v", err)
				}
			}
			if tc.journal {
				j := journal{backup: prevFile, kept: mustID(t, prev)}
				switch {
				case tc.before != "":
					j.before = &identity{size: 1, mtime: time.Now().UnixNano()}
				case tc.p != "":
					id := mustID(t, prod)
					j.before = &id
				}
				leaveJournal(t, comp, &j)
			}
			if tc.other {
				set(prevFile, "C other")
			}
			got, err := Recover(prod, comp, belongs)
			if err != nil || got != tc.want {
				t.Errorf("Recover = %v, %v; want %v", got, err, tc.want)
			}
			if tc.want == RecoveredNothing && tc.journal {
				// What cannot be settled stays noted for the run that will replace both.
				os.Remove(filepath.Join(dir, lockName(compName)))
			}
			wantFiles(t, dir, tc.after)
			if got, err := Recover(prod, comp, belongs); got != RecoveredNothing || err != nil {
				t.Errorf("second Recover = %v, %v", got, err)
			}
		})
	}
}

func mustID(t *testing.T, path string) identity {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return idOf(fi)
}

// leaveJournal leaves the lock file of a dead run.
func leaveJournal(t *testing.T, companion string, j *journal) {
	t.Helper()
	l, err := tryLock(filepath.Join(filepath.Dir(companion), lockName(filepath.Base(companion))))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.writeJournal(j); err != nil {
		t.Fatal(err)
	}
	l.release()
}

// A run that finds remains it cannot settle still ends with one clean pair.
func TestCommitAfterUnsettled(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, prodName), contents("P", "rebuilt"), 0o644)
	put(t, filepath.Join(dir, compName), contents("C", "b"), 0o644)
	put(t, filepath.Join(dir, prevFile), contents("C", "a"), 0o644)
	leaveJournal(t, filepath.Join(dir, compName), &journal{backup: prevFile, kept: mustID(t, filepath.Join(dir, prevFile))})
	before := look(t, dir)
	for _, step := range []string{"half of companion", "rename companion", "rename production"} {
		_, err := pairOf(dir, "new", func(name string) error {
			if name == step {
				return errStep
			}
			return nil
		}).Commit(t.Context())
		wantError(t, err, errStep, "existing files are as they were")
		wantSame(t, dir, ignoreTime(before, look(t, dir), lockName(compName)))
	}
	mustCommit(t, pairOf(dir, "new", nil))
	wantFiles(t, dir, scenarios[0].done())
}

// ignoreTime gives one file of want the date that it has in got.
func ignoreTime(want, got snapshot, name string) snapshot {
	e := want[name]
	e.Time = got[name].Time
	want[name] = e
	return want
}

func TestRecoverBelongsFails(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, prodName), contents("P", "a"), 0o644)
	put(t, filepath.Join(dir, compName), contents("C", "b"), 0o644)
	put(t, filepath.Join(dir, prevFile), contents("C", "a"), 0o644)
	before := look(t, dir)
	fails := func(string, string) (bool, error) { return false, errStep }
	_, err := Recover(filepath.Join(dir, prodName), filepath.Join(dir, compName), fails)
	wantError(t, err, errStep, "cannot recover")
	p := pairOf(dir, "new", nil)
	p.Belongs = fails
	_, err = p.Commit(t.Context())
	wantError(t, err, errStep, "cannot recover")
	wantSame(t, dir, before)
}

func TestRecoverOddTargets(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ prod, comp string }{{"no/p", "c"}, {"p", "no/c"}} {
		if r, err := Recover(filepath.Join(dir, tc.prod), filepath.Join(dir, tc.comp), belongs); r != RecoveredNothing || err != nil {
			t.Errorf("%s, %s: %v, %v", tc.prod, tc.comp, r, err)
		}
	}
	_, err := Recover(dir, filepath.Join(dir, "c"), belongs)
	wantError(t, err, nil, "cannot recover "+dir)
	wantFiles(t, dir, map[string]string{})
}

// Prev as a directory is nobody's backup.
func TestPrevIsDirectory(t *testing.T) {
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	if err := os.Mkdir(filepath.Join(dir, prevFile), 0o755); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, pairOf(dir, "new", nil))
	want := scenarios[1].done()
	want[prevFile] = ""
	wantFiles(t, dir, want)
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(journalHead + "\nbackup 1 2 \"app.debug.wasm.prev\"\nproduction none\nend\n"))
	f.Add([]byte(journalHead + "\nbackup 1 -2 \".app.debug.wasm.wasm-debugid-0123456789abcdef.prev\"\nproduction 3 4\nend\n"))
	f.Add([]byte(journalHead + "\nbackup 1 2 \"../../etc/passwd\"\nproduction none\nend\n"))
	f.Add([]byte(journalHead + "\nbackup 1 2 \"app.debug.wasm.prev\"\nprod"))
	f.Add([]byte{})
	dir := f.TempDir()
	file, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &lockFile{f: file}
		if err := l.clearJournal(); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
		j, err := l.readJournal(compName)
		if err != nil {
			t.Fatal(err)
		}
		if j == nil {
			return
		}
		if filepath.Base(j.backup) != j.backup || j.backup == compName {
			t.Fatalf("the journal makes us use the name %q", j.backup)
		}
		if err := l.writeJournal(j); err != nil {
			t.Fatal(err)
		}
		again, err := l.readJournal(compName)
		if err != nil || again == nil || again.backup != j.backup || again.kept != j.kept || (again.before == nil) != (j.before == nil) {
			t.Fatalf("journal %+v came back as %+v (%v)", j, again, err)
		}
	})
}
