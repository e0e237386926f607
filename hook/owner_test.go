package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// another is a build with another ID.
var another = tw.Build(tw.Without(tw.Sample(), "data", "datacount")...)

// Two modules of one name must not lose a companion to each other, and a module that
// is built again must replace its own.
func TestSplitKeepsCompanionsOfOtherModules(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one", "app.wasm"), filepath.Join(dir, "two", "app.wasm")
	o := Options{CompanionDir: filepath.Join(dir, "symbols")}
	write(t, one, sample)
	first := mustSplit(t, o, Job{Path: one})
	companion := read(t, first.Split.Companion)

	write(t, two, another)
	var refused *rewrite.RefusedError
	_, err := Split(context.Background(), o, Job{Path: two})
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), one) || !strings.Contains(debugid.Hint(err), filepath.Join("symbols", IDPlaceholder)) {
		t.Fatalf("error %v, hint %q", err, debugid.Hint(err))
	}
	if string(read(t, first.Split.Companion)) != string(companion) || string(read(t, two)) != string(another) {
		t.Error("files were changed")
	}
	mustPair(t, one)
	apart := Options{CompanionDir: filepath.Join(o.CompanionDir, IDPlaceholder)}
	mustSplit(t, apart, Job{Path: two})
	mustPair(t, one)
	mustPair(t, two)

	// The same module again: as it is, changed, and after everything was cleared away.
	for i, b := range [][]byte{sample, another, sample} {
		write(t, one, b)
		if i == 2 {
			if err := os.RemoveAll(filepath.Dir(one)); err != nil {
				t.Fatal(err)
			}
			write(t, one, b)
		}
		r := mustSplit(t, o, Job{Path: one})
		mustPair(t, one)
		if slices.ContainsFunc(r.Split.Notes, func(n rewrite.Note) bool { return n.Warning }) {
			t.Errorf("build %d: %v", i, r.Split.Notes)
		}
		if again := mustSplit(t, o, Job{Path: one}); again.Changed {
			t.Errorf("build %d: the second run changed something", i)
		}
	}

	// The other module is gone, or is another build by now.
	for _, now := range [][]byte{nil, sample[:8]} {
		write(t, one, sample)
		mustSplit(t, o, Job{Path: one})
		if err := os.Remove(one); err != nil {
			t.Fatal(err)
		}
		if now != nil {
			write(t, one, now)
		}
		write(t, two, another)
		mustSplit(t, o, Job{Path: two})
		mustPair(t, two)
		if err := os.Remove(two); err != nil {
			t.Fatal(err)
		}
	}
}

// The linker writes to deps/, while the old build still has the place that cargo will
// link the new one to.
func TestSplitReplacesTheCompanionOfItsHome(t *testing.T) {
	dir := t.TempDir()
	deps, home := filepath.Join(dir, "release", "deps", "app.wasm"), filepath.Join(dir, "release", "app.wasm")
	o := Options{CompanionDir: filepath.Join(dir, "symbols")}
	for _, b := range [][]byte{sample, another} {
		if exists(deps) {
			if err := os.Remove(deps); err != nil {
				t.Fatal(err)
			}
		}
		write(t, deps, b)
		mustSplit(t, o, Job{Path: deps, Home: home})
		if b := read(t, deps); exists(home) && string(read(t, home)) == string(b) {
			t.Fatal("the old build has gone from its place")
		}
		if !exists(home) {
			link(t, deps, home)
		}
	}
}

// Where nothing tells whose companion it was, there is a warning.
func TestSplitWarnsOfCompanionsOfNobody(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one", "app.wasm"), filepath.Join(dir, "two", "app.wasm")
	o := Options{CompanionDir: filepath.Join(dir, "symbols")}
	warned := func(r *Result) bool {
		return slices.ContainsFunc(r.Split.Notes, func(n rewrite.Note) bool { return n.Warning && n.Disk && strings.Contains(n.Text, "of which module") })
	}
	write(t, one, sample)
	owner := NotePath(mustSplit(t, o, Job{Path: one}).Split.Companion)
	if err := os.Remove(owner); err != nil {
		t.Fatal(err)
	}
	write(t, one, another)
	if warned(mustSplit(t, o, Job{Path: one})) {
		t.Error("its own note tells that it was its own")
	}
	if err := os.Remove(owner); err != nil {
		t.Fatal(err)
	}
	write(t, two, sample)
	if !warned(mustSplit(t, o, Job{Path: two})) {
		t.Error("no warning")
	}
}

// A companion stays where the pointer leads, whatever the options ask for by now.
func TestSplitFindsTheCompanionWhereItIs(t *testing.T) {
	for _, asked := range []string{"symbols", filepath.Join("symbols", IDPlaceholder)} {
		dir := t.TempDir()
		app, home := filepath.Join(dir, "deps", "app.wasm"), filepath.Join(dir, "app.wasm")
		write(t, app, sample)
		mustSplit(t, Options{}, Job{Path: app, Home: home})
		link(t, app, home)
		before := names(t, dir)
		o := Options{CompanionDir: filepath.Join(dir, asked)}
		r := mustSplit(t, o, Job{Path: home, Copies: []string{app}})
		if want := filepath.Join(dir, "app.debug.wasm"); r.Split.Companion != want || r.Changed {
			t.Errorf("companion %s, want %s; changed: %v", r.Split.Companion, want, r.Changed)
		}
		if !slices.ContainsFunc(r.Split.Notes, func(n rewrite.Note) bool { return n.Warning && strings.Contains(n.Text, "the settings have changed") }) {
			t.Errorf("notes %v", r.Split.Notes)
		}
		if diff := cmp.Diff(before, names(t, dir)); diff != "" || exists(filepath.Join(dir, "symbols")) {
			t.Errorf("files:\n%s", diff)
		}

		// One that cannot be found leaves no folder either.
		for _, path := range []string{filepath.Join(dir, "app.debug.wasm"), filepath.Join(dir, "deps", "app.debug.wasm")} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Split(context.Background(), o, Job{Path: home}); err == nil || exists(filepath.Join(dir, "symbols")) {
			t.Errorf("without a companion: %v, %v", err, names(t, dir))
		}
	}
}
