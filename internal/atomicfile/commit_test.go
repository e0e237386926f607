package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCommitScenarios(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			s.prepare(t, dir)
			before := look(t, dir)
			r := mustCommit(t, s.pair(dir, nil))
			want := Result{WroteCompanion: s.oldC != s.newC, WroteProduction: s.oldP != s.newP, Notes: r.Notes}
			if d := cmp.Diff(want, r); d != "" {
				t.Errorf("result (-want +got):\n%s", d)
			}
			wantFiles(t, dir, s.done())
			after := look(t, dir)
			for name, e := range before {
				if after[name].Mode != e.Mode {
					t.Errorf("%s: mode %s became %s", name, e.Mode, after[name].Mode)
				}
				if after[name].Bytes == e.Bytes && !after[name].Time.Equal(e.Time) {
					t.Errorf("%s did not change but was touched", name)
				}
			}
			if got := strings.Join(r.Notes, "\n"); strings.Contains(got, ".prev was not left by") != s.foreign {
				t.Errorf("notes: %q", got)
			}

			// The second run changes nothing, the directory's own date included.
			before = look(t, dir)
			fi, err := os.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			if r := mustCommit(t, s.pair(dir, nil)); r.WroteCompanion || r.WroteProduction {
				t.Errorf("second run wrote something: %+v", r)
			}
			wantSame(t, dir, before)
			if again, err := os.Stat(dir); err != nil || (!s.foreign && !again.ModTime().Equal(fi.ModTime())) {
				t.Errorf("second run touched the directory (%v)", err)
			}
		})
	}
}

// countSteps returns the steps of a successful run.
func countSteps(t *testing.T, s scenario) []string {
	t.Helper()
	dir := fastDir(t)
	s.prepare(t, dir)
	var steps []string
	mustCommit(t, s.pair(dir, func(name string) error {
		steps = append(steps, name)
		return nil
	}))
	return steps
}

var errStep = errors.New("simulated trouble")

func TestErrorAtEveryStep(t *testing.T) {
	for _, s := range scenarios {
		for n, name := range countSteps(t, s) {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				dir := fastDir(t)
				s.prepare(t, dir)
				before := look(t, dir)
				count := 0
				r, err := s.pair(dir, func(string) error {
					if count++; count == n+1 {
						return errStep
					}
					return nil
				}).Commit(context.Background())
				checkStopped(t, s, dir, before, r, err, errStep)
			})
		}
	}
}

func TestCancelAtEveryStep(t *testing.T) {
	for _, s := range scenarios {
		for n, name := range countSteps(t, s) {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				dir := fastDir(t)
				s.prepare(t, dir)
				before := look(t, dir)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				count := 0
				r, err := s.pair(dir, func(string) error {
					if count++; count == n+1 {
						cancel()
					}
					return nil
				}).Commit(ctx)
				if err == nil && !strings.HasPrefix(name, "sync ") && name != "remove old companion" && name != "clear journal" {
					t.Errorf("cancelled at %q, but no error", name)
				}
				checkStopped(t, s, dir, before, r, err, context.Canceled)
			})
		}
	}
}

// checkStopped checks the end of a run that met an error or a cancelled context: all old, or all
// new and said so.
func checkStopped(t *testing.T, s scenario, dir string, before snapshot, r Result, err, is error) {
	t.Helper()
	switch {
	case err == nil:
		// Too late to stop, or a step whose failure is only noted; the next run cleans up.
		mustCommit(t, s.pair(dir, nil))
		wantFiles(t, dir, s.done())
	case r.WroteProduction || r.WroteCompanion:
		wantError(t, err, is, "the new files are in place")
		mustCommit(t, s.pair(dir, nil))
		wantFiles(t, dir, s.done())
	default:
		wantError(t, err, is, "existing files are as they were")
		wantSame(t, dir, before)
	}
}

// The production target turns into something that no rename can replace, after all checks.
func TestProductionRenameFails(t *testing.T) {
	for _, s := range scenarios {
		if s.oldP == s.newP {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			s.prepare(t, dir)
			before := look(t, dir)
			path := filepath.Join(dir, prodName)
			_, err := s.pair(dir, func(step string) error {
				if step != "rename production" {
					return nil
				}
				os.Remove(path)
				return os.MkdirAll(filepath.Join(path, "x"), 0o755)
			}).Commit(context.Background())
			wantError(t, err, nil, "cannot replace "+path)
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			delete(before, prodName)
			wantSame(t, dir, before)
		})
	}
}

func TestOneFile(t *testing.T) {
	dir := t.TempDir()
	prod := fileOf(filepath.Join(dir, prodName), contents("P", "a"), nil)
	if r := mustCommit(t, &Pair{Production: prod}); !r.WroteProduction || r.WroteCompanion {
		t.Errorf("result %+v", r)
	}
	comp := fileOf(filepath.Join(dir, compName), contents("C", "a"), nil)
	if r := mustCommit(t, &Pair{Companion: comp}); r.WroteProduction || !r.WroteCompanion {
		t.Errorf("result %+v", r)
	}
	wantFiles(t, dir, map[string]string{prodName: "P a", compName: "C a"})
	if r := mustCommit(t, &Pair{}); r.WroteProduction || r.WroteCompanion {
		t.Errorf("empty pair: %+v", r)
	}
}

func TestSizeChecked(t *testing.T) {
	for _, size := range []int64{0, 9, 11, 1 << 20} {
		dir := t.TempDir()
		f := fileOf(filepath.Join(dir, "x"), []byte("0123456789"), nil)
		f.Size = size
		_, err := (&Pair{Production: f}).Commit(context.Background())
		wantError(t, err, nil, fmt.Sprintf("10 bytes were written where %d were planned", size))
		wantFiles(t, dir, map[string]string{})
	}
	dir := t.TempDir()
	f := fileOf(filepath.Join(dir, "x"), contents("P", "a"), nil)
	f.Size = -1
	mustCommit(t, &Pair{Production: f})
	wantFiles(t, dir, map[string]string{"x": "P a"})
}

func TestRefusedTargets(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), []byte("x"), 0o644)
	put(t, filepath.Join(dir, "other"), []byte("y"), 0o644)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := look(t, dir)
	for _, tc := range []struct {
		prod, comp, text string
		is               error
	}{
		{"sub", "c", "is a directory", nil},
		{"p", "sub", "is a directory", nil},
		{"sub/", "c", "is a directory", nil},
		{"sub/..", "c", "is a directory", nil},
		{"missing/p", "c", "its directory cannot be used", fs.ErrNotExist},
		{"p", "missing/c", "its directory cannot be used", fs.ErrNotExist},
		{"file/p", "c", "", nil},
		{"p", "p", "are the same file", nil},
		{"file", "file", "are the same file", nil},
		{"file", "sub/../file", "are the same file", nil},
		{"new", "sub/../new", "are the same file", nil},
	} {
		t.Run(tc.prod+" "+tc.comp, func(t *testing.T) {
			join := func(name string) string { return dir + string(filepath.Separator) + filepath.FromSlash(name) }
			_, err := (&Pair{
				Companion:  fileOf(join(tc.comp), contents("C", "a"), nil),
				Production: fileOf(join(tc.prod), contents("P", "a"), nil),
			}).Commit(context.Background())
			wantError(t, err, tc.is, tc.text)
			wantSame(t, dir, before)
		})
	}
	_, err := (&Pair{Production: &File{}}).Commit(context.Background())
	wantError(t, err, nil, "the path is empty")
	_, err = (&Pair{Production: &File{Path: filepath.Join(dir, "file")}}).Commit(context.Background())
	wantError(t, err, nil, "no function that writes it")
	wantSame(t, dir, before)
}

// The usual case of --in-place: the writer reads the file that is about to be replaced.
func TestInputIsTarget(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, prodName)
	put(t, path, contents("P", "input"), 0o755)
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	size := int64(len(contents("P", "input")))
	released := 0
	p := &Pair{
		Companion: &File{Path: filepath.Join(dir, compName), Size: size, Write: func(ctx context.Context, w *os.File) error {
			return CopyRange(ctx, w, in, 0, size, nil, nil)
		}},
		Production: &File{Path: path, Size: size - 1, Write: func(ctx context.Context, w *os.File) error {
			return CopyRange(ctx, w, in, 1, size-1, nil, nil)
		}},
		Release: func() error { released++; return in.Close() },
	}
	mustCommit(t, p)
	got := look(t, dir)
	if got[compName].Bytes != "P input" || !strings.HasPrefix(got[prodName].Bytes, `" input`) || len(got) != 2 {
		t.Errorf("files: %+v", got)
	}
	if released != 1 {
		t.Errorf("Release was called %d times", released)
	}
	p.Release = func() error { return errStep }
	p.Companion.Write = func(context.Context, *os.File) error { return nil }
	p.Production.Write = p.Companion.Write
	p.Companion.Size, p.Production.Size = 0, 0
	_, err = p.Commit(context.Background())
	wantError(t, err, errStep, "existing files are as they were")
	if d := cmp.Diff(got, look(t, dir)); d != "" {
		t.Errorf("a failed Release changed files:\n%s", d)
	}
}

func TestUnchangedError(t *testing.T) {
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	before := look(t, dir)
	p := pairOf(dir, "new", nil)
	p.Production.Unchanged = func(string) (bool, error) { return false, errStep }
	_, err := p.Commit(context.Background())
	wantError(t, err, errStep, "cannot compare")
	wantSame(t, dir, before)
}

// Comparing a large file is asked for once a run.
func TestUnchangedAskedOnce(t *testing.T) {
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	p := pairOf(dir, "new", nil)
	asked := 0
	was := p.Companion.Unchanged
	p.Companion.Unchanged = func(path string) (bool, error) { asked++; return was(path) }
	mustCommit(t, p)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestWriterPanics(t *testing.T) {
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	before := look(t, dir)
	p := pairOf(dir, "new", nil)
	p.Production.Write = func(context.Context, *os.File) error { panic("writer") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		p.Commit(context.Background())
	}()
	wantSame(t, dir, before)
}

func TestConcurrentPairs(t *testing.T) {
	dir := t.TempDir()
	const n = 8
	var wg sync.WaitGroup
	for _, id := range []string{"red", "blue"} {
		for range n {
			wg.Add(1)
			go func() {
				defer wg.Done()
				p := pairOf(dir, id, nil)
				p.Companion.Unchanged, p.Production.Unchanged = nil, nil
				if _, err := p.Commit(context.Background()); err != nil {
					t.Errorf("%s: %v", id, err)
				}
				if _, err := Recover(p.Production.Path, p.Companion.Path, belongs); err != nil {
					t.Errorf("%s: Recover: %v", id, err)
				}
			}()
		}
	}
	wg.Wait()
	got := look(t, dir)
	if len(got) != 2 || got[prodName].Bytes[1:] != got[compName].Bytes[1:] {
		t.Errorf("no matching pair: %v", got)
	}
}

// A run that waits can be cancelled, does not disturb the live one, and neither does Recover.
func TestLiveRunIsLeftAlone(t *testing.T) {
	if locksMissing {
		t.Skip("this system has no locks")
	}
	dir := t.TempDir()
	scenarios[1].prepare(t, dir)
	checked := 0
	mustCommit(t, pairOf(dir, "new", func(step string) error {
		if step != "half of production" && step != "rename production" {
			return nil
		}
		checked++
		before := look(t, dir)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := pairOf(dir, "late", nil).Commit(ctx)
		wantError(t, err, context.DeadlineExceeded, "existing files are as they were")
		r, err := Recover(filepath.Join(dir, prodName), filepath.Join(dir, compName), belongs)
		if r != RecoveredNothing || err != nil {
			t.Errorf("Recover beside a live run: %v, %v", r, err)
		}
		wantSame(t, dir, before)
		return nil
	}))
	if checked != 2 {
		t.Errorf("checked %d times", checked)
	}
	wantFiles(t, dir, scenarios[1].done())
}

func TestStaleTemporaries(t *testing.T) {
	dir := t.TempDir()
	dead := []string{
		".app.wasm.wasm-debugid-0123456789abcdef.tmp",
		".app.debug.wasm.wasm-debugid-fedcba9876543210.tmp",
	}
	foreign := []string{
		".app.wasm.wasm-debugid-0123456789abcde.tmp",
		".app.wasm.wasm-debugid-0123456789abcdeg.tmp",
		".bpp.wasm.wasm-debugid-0123456789abcdef.tmp",
		"app.wasm.wasm-debugid-0123456789abcdef.tmp",
	}
	want := scenarios[0].done()
	for _, name := range foreign {
		put(t, filepath.Join(dir, name), contents("X", "x"), 0o644)
		want[name] = "X x"
	}
	for _, name := range dead {
		path := filepath.Join(dir, name)
		put(t, path, contents("X", "x"), 0o600)
	}
	mustCommit(t, pairOf(dir, "new", nil))
	wantFiles(t, dir, want)
}

// Without locks only age tells a dead run's temporary.
func TestStaleTemporariesWithoutLocks(t *testing.T) {
	dir := t.TempDir()
	old := ".app.wasm.wasm-debugid-0123456789abcdef.tmp"
	young := ".app.wasm.wasm-debugid-1123456789abcdef.tmp"
	put(t, filepath.Join(dir, old), contents("X", "x"), 0o600)
	put(t, filepath.Join(dir, young), contents("X", "x"), 0o600)
	if now := time.Now(); os.Chtimes(filepath.Join(dir, young), now, now) != nil {
		t.Fatal("cannot set a date")
	}
	target, err := newTarget(&File{Path: filepath.Join(dir, prodName)}, "write")
	if err != nil {
		t.Fatal(err)
	}
	target.removeStale(false)
	wantFiles(t, dir, map[string]string{young: "X x"})
}

func TestLongNames(t *testing.T) {
	for _, n := range []int{60, 64, 65, 200, 249, 250, 251, 255} {
		for _, letter := range []string{"a", "é"} {
			t.Run(fmt.Sprint(n, letter), func(t *testing.T) {
				dir := t.TempDir()
				fill := func(first string) string {
					name := first + strings.Repeat(letter, (n-1)/len(letter))
					return name + strings.Repeat("z", n-len(name))
				}
				pair := func(id string) *Pair {
					p := pairOf(dir, id, nil)
					p.Production.Path, p.Companion.Path = filepath.Join(dir, fill("p")), filepath.Join(dir, fill("c"))
					return p
				}
				mustCommit(t, pair("one"))
				mustCommit(t, pair("two"))
				wantFiles(t, dir, map[string]string{fill("p"): "P two", fill("c"): "C two"})
			})
		}
	}
}

// A companion of which the production file's own name is the NAME.prev.
func TestProductionNamedPrev(t *testing.T) {
	dir := t.TempDir()
	pair := func(id string) *Pair {
		p := pairOf(dir, id, nil)
		p.Production.Path = filepath.Join(dir, prevFile)
		// A production file that still holds its debug information belongs to itself.
		p.Belongs = func(production, companion string) (bool, error) {
			ok, err := belongs(production, companion)
			return ok || production == companion, err
		}
		return p
	}
	for _, id := range []string{"one", "two"} {
		mustCommit(t, pair(id))
		wantFiles(t, dir, map[string]string{prevFile: "P " + id, compName: "C " + id})
	}
	put(t, filepath.Join(dir, compName), contents("C", "stale"), 0o644)
	if r := mustCommit(t, pair("three")); r.Recovered != RecoveredNothing {
		t.Errorf("result %+v", r)
	}
	wantFiles(t, dir, map[string]string{prevFile: "P three", compName: "C three"})
}

// Undoing a first companion removes only what this run has put there.
func TestUndoLeavesOutsiders(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, compName)
	_, err := pairOf(dir, "new", func(step string) error {
		if step != "rename production" {
			return nil
		}
		os.Remove(path)
		put(t, path, contents("C", "outsider"), 0o644)
		return errStep
	}).Commit(context.Background())
	wantError(t, err, errStep, "existing files are as they were")
	wantFiles(t, dir, map[string]string{compName: "C outsider"})
}

// Never two holders of one lock, though its file comes and goes.
func TestLockExcludes(t *testing.T) {
	if locksMissing {
		t.Skip("this system has no locks")
	}
	path := filepath.Join(fastDir(t), "lock")
	var holders atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for got := 0; got < 300 && !t.Failed(); {
				l, err := tryLock(path)
				if errors.Is(err, errBusy) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				l.release()
				got++
			}
		})
	}
	wg.Wait()
	if _, err := os.Lstat(path); err == nil && runtime.GOOS != "windows" {
		t.Error("the lock file was left")
	}
}

func TestErrorText(t *testing.T) {
	err := fail("write", "dist/app.wasm", cause(&fs.PathError{Op: "open", Path: "dist/.x.tmp", Err: io.ErrShortWrite}))
	const want = "cannot write dist/app.wasm: short write; existing files are as they were"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}
