package hook

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// variables makes a getenv of pairs of names and values.
func variables(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestReadOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	got, err := ReadOptions(variables())
	if diff := cmp.Diff(Options{}, got); diff != "" || err != nil {
		t.Errorf("without variables: %v\n%s", err, diff)
	}
	got, err = ReadOptions(variables(VarHook, "off", VarOut, "symbols/{id}", VarBuildID, "0x01020304", VarNormalizeBuildID, "1", VarCompanionKind, "symbols",
		VarStripNames, "true", VarKeep, "a\nb*\r\n", VarRemove, "c", VarExternalURL, "none", VarAllowBindgenInput, "TRUE",
		VarMinCoverage, "user=97", VarRule, "WD112=warning\nWD301=off\nWD110=off\nWD210=error", VarFor, "sentry"))
	want := Options{Off: true, CompanionDir: "symbols/{id}", URL: "none", Check: &symcheck.Options{For: symcheck.Sentry,
		Rules:       symcheck.Settings{"WD112": report.Warning, "WD110": report.Off},
		MinCoverage: symcheck.Thresholds{"user": 97}}}
	want.BuildID = buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID{1, 2, 3, 4}}
	want.NormalizeBuildID, want.StripNames, want.AllowBindgenInput = true, true, true
	want.Companion, want.Keep, want.Remove = rewrite.CompanionSymbols, []string{"a", "b*"}, []string{"c"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("with all variables: %v\n%s", err, diff)
	}
}

// The variable wins over the file; a file that is named must be there.
func TestReadOptionsConfiguration(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, symcheck.ConfigName, []byte(`{"min_coverage": {"user": 50, "runtime": 10}}`))
	got, err := ReadOptions(variables(VarCheck, "true", VarMinCoverage, "user=97"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(symcheck.Thresholds{"user": 97, "runtime": 10}, got.Check.MinCoverage); diff != "" {
		t.Error(diff)
	}
	if got, err := ReadOptions(variables(VarCheck, "0", VarMinCoverage, "user=97")); err != nil || got.Check != nil {
		t.Errorf("the check is off: %+v %v", got.Check, err)
	}
	if _, err := ReadOptions(variables(VarCheck, "true", VarConfig, filepath.Join(dir, "none.json"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	write(t, "bad.json", []byte(`{"min_cover": 1}`))
	var usage *rewrite.UsageError
	if _, err := ReadOptions(variables(VarCheck, "true", VarConfig, "bad.json")); !errors.As(err, &usage) {
		t.Errorf("a file that makes no sense: %v", err)
	}
}

func TestReadOptionsRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "bad.json", []byte(`{"min_cover": 1}`))
	for _, c := range [][]string{
		{VarHook, "perhaps"}, {VarHook, "1"}, {VarStripNames, "2"}, {VarStripNames, "on"}, {VarBuildID, "newest"}, {VarCompanionKind, "half"}, {VarCheck, "x"},
		{VarMinCoverage, "user=many"}, {VarRule, "WD112=loud", VarCheck, "1"}, {VarFor, "nobody", VarCheck, "1"}, {VarOut, "symbols", VarCompanionKind, "none"},
		{VarRule, "WD112=loud"}, {VarFor, "nobody"}, {VarConfig, "bad.json"}, {VarMinCoverage, "user=many", VarCheck, "0"},
	} {
		var usage *rewrite.UsageError
		if _, err := ReadOptions(variables(c...)); !errors.As(err, &usage) {
			t.Errorf("%q: %v", c, err)
		}
	}
	// A check that is not made is none of the business of a hook that is off, nor is a
	// configuration that no variable names.
	if _, err := ReadOptions(variables(VarHook, "off", VarRule, "WD112=loud", VarConfig, "bad.json")); err != nil {
		t.Errorf("the hook is off: %v", err)
	}
	write(t, symcheck.ConfigName, []byte("nonsense"))
	if _, err := ReadOptions(variables(VarFor, "sentry")); err != nil {
		t.Errorf("no check: %v", err)
	}
}
