package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Environment of a child process: what it shall do, see children.
const (
	envChild = "ATOMICFILE_TEST_CHILD"
	envDir   = "ATOMICFILE_TEST_DIR"
	envArg   = "ATOMICFILE_TEST_ARG"
)

// children are the things that a test has done by a process of its own.
var children = map[string]func(dir, arg string) error{"kill": childKill, "storm": childStorm}

func TestMain(m *testing.M) {
	if name := os.Getenv(envChild); name != "" {
		if err := children[name](os.Getenv(envDir), os.Getenv(envArg)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child returns the command that runs children[name].
func child(t testing.TB, name, dir, arg string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no way to run this test binary again: %v", err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envChild+"="+name, envDir+"="+dir, envArg+"="+arg)
	return cmd
}

// killAt returns a step hook that kills this very process at the n-th step, counted from 0.
func killAt(n int) func(string) error {
	count := 0
	return func(string) error {
		if count == n {
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				p.Kill()
			}
			time.Sleep(time.Minute)
		}
		count++
		return nil
	}
}

// childKill runs a scenario and dies in it; arg is its number and the step.
func childKill(dir, arg string) error {
	var number, step int
	if _, err := fmt.Sscan(arg, &number, &step); err != nil {
		return err
	}
	_, err := scenarios[number].pair(dir, killAt(step)).Commit(context.Background())
	return err
}

// runKilled runs scenario number in dir until it kills itself at step.
func runKilled(t *testing.T, dir string, number, step int) {
	t.Helper()
	out, err := child(t, "kill", dir, fmt.Sprint(number, step)).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || len(out) > 0 {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
}

func TestKillAtEveryStep(t *testing.T) {
	for number, s := range scenarios {
		for step, name := range countSteps(t, s) {
			for _, then := range []string{"recover", "commit"} {
				t.Run(s.name+"/"+name+"/"+then, func(t *testing.T) {
					t.Parallel()
					dir := fastDir(t)
					s.prepare(t, dir)
					before := look(t, dir)
					runKilled(t, dir, number, step)
					checkRemains(t, s, look(t, dir), before)
					if then == "recover" {
						recoverAndCheck(t, s, dir, before)
					}
					mustCommit(t, s.pair(dir, nil))
					wantFiles(t, dir, s.done())
				})
			}
		}
	}
}

// A run that cleans up after a killed one may be killed itself. Every third combination of steps is
// tried, all with ATOMICFILE_TEST_ALL=1.
func TestKillTwice(t *testing.T) {
	stride := 3
	if os.Getenv("ATOMICFILE_TEST_ALL") != "" {
		stride = 1
	}
	for number, s := range scenarios {
		if s.name != "old pair to new pair" && s.name != "stale companion without hard links" {
			continue
		}
		steps := countSteps(t, s)
		for first := range steps {
			for second := range steps {
				if (first+second)%stride != 0 {
					continue
				}
				t.Run(s.name+"/"+steps[first]+"/"+steps[second], func(t *testing.T) {
					t.Parallel()
					dir := fastDir(t)
					s.prepare(t, dir)
					before := look(t, dir)
					runKilled(t, dir, number, first)
					// After an early kill the second run has other steps, and may come to its end.
					child(t, "kill", dir, fmt.Sprint(number, second)).Run()
					checkRemains(t, s, look(t, dir), before)
					recoverAndCheck(t, s, dir, before)
					mustCommit(t, s.pair(dir, nil))
					wantFiles(t, dir, s.done())
				})
			}
		}
	}
}

// checkRemains checks the directory right after a kill: whole files only, and no production file
// whose companion is nowhere.
func checkRemains(t *testing.T, s scenario, now, before snapshot) {
	t.Helper()
	visible := map[string]string{}
	companions := ""
	for name, e := range now {
		if !strings.HasPrefix(name, ".") {
			visible[name] = e.Bytes
		}
		if strings.HasSuffix(name, ".prev") || name == compName {
			companions += "[" + e.Bytes + "]"
		}
	}
	if s.foreign && visible[prevFile] != "C precious" {
		t.Errorf("somebody's own %s was lost", prevFile)
	}
	prod, hadProd := visible[prodName]
	switch {
	case !hadProd && s.oldP == "":
	case prod == "P "+s.oldP && now[prodName] == before[prodName]:
		if s.oldC != "" && s.oldP != s.newP && !strings.Contains(companions, "[C "+s.oldC+"]") {
			t.Errorf("the old companion is lost: %v", visible)
		}
	case prod == "P "+s.newP:
		if visible[compName] != "C "+s.newC {
			t.Errorf("new production file with companion %q", visible[compName])
		}
	default:
		t.Errorf("production file is %q, neither old nor new", prod)
	}
	if comp, ok := visible[compName]; s.oldC != "" && !s.noLinks && !ok || ok && comp != "C "+s.oldC && comp != "C "+s.newC {
		t.Errorf("companion is %q, neither old nor new", comp)
	}
}

// recoverAndCheck checks that Recover leaves the old pair or the new one, and no NAME.prev of ours.
func recoverAndCheck(t *testing.T, s scenario, dir string, before snapshot) {
	t.Helper()
	prod, comp := filepath.Join(dir, prodName), filepath.Join(dir, compName)
	what, err := Recover(prod, comp, belongs)
	if err != nil {
		t.Fatalf("Recover: %v", err)
	}
	now := look(t, dir)
	for name := range now {
		if strings.HasSuffix(name, ".tmp") {
			delete(now, name) // of a dead run; the next Commit removes it
		}
		if strings.HasSuffix(name, "-lock") && (name != lockName(prodName) || now[name].Bytes != `"" (0 bytes)`) {
			t.Errorf("Recover (%s) left %s: %s", what, name, now[name].Bytes)
		}
		if strings.HasSuffix(name, "-lock") {
			delete(now, name)
		}
	}
	if s.oldP == s.newP && now[compName] == before[compName] {
		// Both companions are good for this production file.
		if d := cmp.Diff(before, now); d != "" {
			t.Errorf("after Recover (%s), not the old pair (-old +now):\n%s", what, d)
		}
		return
	}
	if now[prodName].Bytes == "P "+s.newP {
		want := map[string]string{}
		for name, e := range now {
			want[name] = e.Bytes
		}
		if d := cmp.Diff(s.done(), want); d != "" {
			t.Errorf("after Recover (%s), not the new pair:\n%s", what, d)
		}
		return
	}
	if _, had := before[compName]; !had {
		delete(now, compName) // without a production file of its own it does no harm
	}
	if d := cmp.Diff(before, now); d != "" {
		t.Errorf("after Recover (%s), not the old pair (-old +now):\n%s", what, d)
	}
}

// childStorm writes the pair named arg, and dies at a random step three times out of four.
func childStorm(dir, arg string) error {
	p := pairOf(dir, arg, nil)
	if rand.N(4) != 0 {
		p = pairOf(dir, arg, killAt(rand.N(20)))
	}
	p.Companion.Unchanged, p.Production.Unchanged = nil, nil
	_, err := p.Commit(context.Background())
	return err
}

// Many processes write different pairs onto the same names, and most are killed while they do.
func TestKillStorm(t *testing.T) {
	dir := fastDir(t)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for round := range 12 {
				out, err := child(t, "storm", dir, "w"+strconv.Itoa(worker)+"r"+strconv.Itoa(round)).CombinedOutput()
				if len(out) > 0 {
					t.Errorf("child: %v\n%s", err, out)
				}
			}
		}()
	}
	wg.Wait()
	prod, comp := filepath.Join(dir, prodName), filepath.Join(dir, compName)
	if _, err := Recover(prod, comp, belongs); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(prod); err == nil {
		if ok, err := belongs(prod, comp); !ok {
			t.Errorf("no matching pair: %v (%v)", look(t, dir), err)
		}
	}
	mustCommit(t, pairOf(dir, "end", nil))
	wantFiles(t, dir, map[string]string{prodName: "P end", compName: "C end"})
}
