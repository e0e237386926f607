package hook

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// Cargo's layout: one file with two names.
func TestSplitKeepsCopiesTogether(t *testing.T) {
	for _, linked := range []bool{true, false} {
		dir := t.TempDir()
		app, deps, other := filepath.Join(dir, "release", "app.wasm"), filepath.Join(dir, "release", "deps", "app.wasm"), filepath.Join(dir, "other.wasm")
		write(t, deps, sample)
		changed := bytes.Clone(sample)
		changed[len(changed)-1]++
		write(t, other, changed)
		if linked {
			link(t, deps, app)
		} else {
			write(t, app, sample)
		}
		past := time.Unix(1_700_000_000, 0)
		if err := os.Chtimes(app, past, past); err != nil {
			t.Fatal(err)
		}
		j := Job{Path: app, Copies: []string{deps, other, filepath.Join(dir, "missing.wasm")}, KeepTime: true}
		r := mustSplit(t, Options{}, j)
		mustPair(t, app)
		mustPair(t, deps)
		if !isSame(app, deps) || !isSame(r.Split.Companion, filepath.Join(dir, "release", "deps", "app.debug.wasm")) {
			t.Error("the copies are no links")
		}
		if info, err := os.Stat(app); err != nil || !info.ModTime().Equal(past) {
			t.Errorf("the modification time is %v", info.ModTime())
		}
		if !hasDebug(t, other) || exists(filepath.Join(dir, "missing.wasm")) {
			t.Error("a file that is no copy was touched")
		}
		want := []string{"other.wasm", "release/app.debug.wasm", "release/app.debugid.json", "release/app.wasm",
			"release/deps/app.debug.wasm", "release/deps/app.debugid.json", "release/deps/app.wasm"}
		if diff := cmp.Diff(want, names(t, dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if again := mustSplit(t, Options{}, j); again.Changed {
			t.Error("the second run changed something")
		}

		// The build tool links the split module to its place again, where somebody has
		// removed everything.
		for _, name := range []string{"app.wasm", "app.debug.wasm", "app.debugid.json"} {
			if err := os.Remove(filepath.Join(dir, "release", name)); err != nil {
				t.Fatal(err)
			}
		}
		link(t, deps, app)
		if again := mustSplit(t, Options{}, j); !again.Split.Already || !again.Changed {
			t.Errorf("%+v", again)
		}
		mustPair(t, app)
		if diff := cmp.Diff(want, names(t, dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
}

// The linker writes deps/my_app.wasm; cargo links it to my-app.wasm one folder up.
func TestSplitForAnotherHome(t *testing.T) {
	dir := t.TempDir()
	deps, home := filepath.Join(dir, "deps", "my_app.wasm"), filepath.Join(dir, "my-app.wasm")
	write(t, deps, sample)
	j := Job{Path: deps, Home: home}
	mustSplit(t, Options{}, j)
	want := []string{"deps/my-app.debug.wasm", "deps/my_app.debugid.json", "deps/my_app.wasm", "my-app.debug.wasm", "my-app.debugid.json"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	link(t, deps, home)
	mustPair(t, home)
	mustPair(t, deps)
	n, err := ReadNote(NotePath(home))
	if err != nil || n.Production.Path != "my-app.wasm" || n.Companion.Path != "my-app.debug.wasm" || n.Production.BLAKE3 != sum(t, home) {
		t.Errorf("%+v %v", n, err)
	}
	if again := mustSplit(t, Options{}, Job{Path: home, Copies: []string{deps}}); again.Changed {
		t.Error("a run from the other side changed something")
	}
}

// A folder for companions; the pointer leads there from where the module will lie.
func TestSplitWithAFolderForCompanions(t *testing.T) {
	dir := t.TempDir()
	deps, home := filepath.Join(dir, "release", "deps", "app.wasm"), filepath.Join(dir, "release", "app.wasm")
	o := Options{CompanionDir: filepath.Join(dir, "symbols", IDPlaceholder)}
	for _, policy := range []string{"auto", "random"} {
		var err error
		if o.BuildID, err = buildid.ParsePolicy(policy); err != nil {
			t.Fatal(err)
		}
		write(t, deps, sample)
		r := mustSplit(t, o, Job{Path: deps, Home: home})
		if want := filepath.Join(dir, "symbols", r.Split.ID.String(), "app.debug.wasm"); r.Split.Companion != want {
			t.Errorf("companion %s, want %s", r.Split.Companion, want)
		}
		os.Remove(home)
		link(t, deps, home)
		mustPair(t, home)
		n, err := ReadNote(NotePath(home))
		if want := "../symbols/" + r.Split.ID.String() + "/app.debug.wasm"; err != nil || n.Companion.Path != want {
			t.Errorf("%+v %v", n, err)
		}
		if policy == "auto" {
			if again := mustSplit(t, o, Job{Path: deps, Home: home}); again.Changed || !again.Split.Already {
				t.Errorf("the second run: %+v", again)
			}
		}
	}
	given := Options{}
	given.BuildID = buildid.Policy{Mode: buildid.ModeGiven, ID: []byte{1, 2, 3, 4}}
	app := filepath.Join(dir, "app.wasm")
	write(t, app, sample)
	mustSplit(t, Options{}, Job{Path: app})
	var refused *rewrite.RefusedError
	if _, err := Split(context.Background(), given, Job{Path: app}); !errors.As(err, &refused) {
		t.Errorf("another ID for a module that is split: %v", err)
	}
}

// What a fresh module cannot be given any more is said, with the way out.
func TestSplitAgainWithOtherSettings(t *testing.T) {
	dir := t.TempDir()
	app, deps := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "deps", "app.wasm")
	write(t, deps, sample)
	link(t, deps, app)
	j := Job{Path: app, Copies: []string{deps}}
	o := Options{CompanionDir: filepath.Join(dir, "symbols")}
	first := mustSplit(t, o, j)
	note := string(read(t, first.NotePath))
	o.StripNames = true
	r := mustSplit(t, o, j)
	warned := slices.ContainsFunc(r.Split.Notes, func(n rewrite.Note) bool {
		return n.Warning && strings.Contains(n.Text, "the settings have changed") && strings.Contains(n.Text, deps)
	})
	if !warned || r.Changed || string(read(t, first.NotePath)) != note {
		t.Errorf("notes %v, changed %v", r.Split.Notes, r.Changed)
	}

	// A companion that is gone does not come back by itself.
	if err := os.Remove(first.Split.Companion); err != nil {
		t.Fatal(err)
	}
	_, err := Split(context.Background(), o, j)
	var refused *rewrite.RefusedError
	if string(read(t, first.NotePath)) != note {
		t.Error("the note of the module is gone")
	}
	if want := "to have it linked anew, remove " + app + " and " + deps + " and build again"; !errors.As(err, &refused) || debugid.Hint(err) != want {
		t.Errorf("error %v, hint %q", err, debugid.Hint(err))
	}
	write(t, first.Split.Companion, read(t, mustSplit(t, Options{}, Job{Path: func() string {
		path := filepath.Join(t.TempDir(), "app.wasm")
		write(t, path, tw.Build(tw.Without(tw.Sample(), "data", "datacount")...))
		return path
	}()}).Split.Companion))
	var mismatch *debugid.MismatchError
	if _, err := Split(context.Background(), o, j); !errors.As(err, &mismatch) || !strings.Contains(debugid.Hint(err), "linked anew") {
		t.Errorf("error %v, hint %q", err, debugid.Hint(err))
	}
}

// A build without debug information under the ID of an earlier one would take that
// one's DWARF away. What to do is said, and helps.
func TestSplitWithoutDebugInformationUnderAnOldID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.wasm")
	id := tw.BuildID([]byte("0123456789"))
	write(t, path, tw.Build(append(tw.Sample(), id)...))
	companion := mustSplit(t, Options{}, Job{Path: path}).Split.Companion
	plain := tw.Build(append(tw.Without(tw.Sample(), ".debug_abbrev", ".debug_info", ".debug_line", ".debug_str"), id)...)
	write(t, path, plain)
	_, err := Split(context.Background(), Options{}, Job{Path: path})
	var refused *rewrite.RefusedError
	if !errors.As(err, &refused) || !strings.HasSuffix(debugid.Hint(err), "remove that build's companion as well") || !strings.Contains(err.Error(), companion) {
		t.Errorf("error %v, hint %q", err, debugid.Hint(err))
	}
	if err := os.Remove(companion); err != nil {
		t.Fatal(err)
	}
	write(t, path, plain)
	mustSplit(t, Options{}, Job{Path: path})
}
