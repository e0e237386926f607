package hook

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

func TestParseCargoArgs(t *testing.T) {
	const plain = "--message-format=json-render-diagnostics"
	for _, c := range []struct {
		line, want   string
		builds, json bool
		exported     []string
	}{
		{"build --release", "build " + plain + " --release", true, false, nil},
		{"b", "b " + plain, true, false, nil},
		{"-v --color never -Z build-std +nightly build -p x", "-v --color never -Z build-std +nightly build " + plain + " -p x", true, false, nil},
		{"--config a.b=1 rustc -- -C debuginfo=2 --message-format=x", "--config a.b=1 rustc " + plain + " -- -C debuginfo=2 --message-format=x", true, false, nil},
		{"run --bin x -- --help", "run " + plain + " --bin x -- --help", false, false, nil},
		{"build --help", "build " + plain + " --help", false, false, nil},
		{"test", "test " + plain, false, false, nil},
		{"build --message-format=json -p x", "build --message-format=json -p x", true, true, nil},
		{"build --message-format json --message-format json-diagnostic-short", "build --message-format=json,json-diagnostic-short", true, true, nil},
		{"build --message-format short", "build --message-format=json-render-diagnostics,json-diagnostic-short", true, false, nil},
		{"build --message-format=human", "build " + plain, true, false, nil},
		{"build --message-format=bogus -v", "build --message-format=bogus -v", true, false, nil},
		{"build --message-format=Human", "build " + plain, true, false, nil},
		{"build --message-format JSON", "build --message-format=JSON", true, true, nil},
		{"build --message-format=", "build --message-format=", true, false, nil},
		{"build --message-format human --message-format short", "build --message-format=human,short", true, false, nil},
		{"build --message-format", "build " + plain + " --message-format", true, false, nil},
		{"build --artifact-dir", "build " + plain + " --artifact-dir", true, false, nil},
		{"build --artifact-dir out --out-dir=more", "build " + plain + " --artifact-dir=out --out-dir=more", true, false, []string{"out", "more"}},
	} {
		got, err := parseCargoArgs(strings.Fields(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if diff := cmp.Diff(c.want, strings.Join(got.args, " ")); diff != "" || got.builds != c.builds || got.json != c.json || !cmp.Equal(got.exported, c.exported) {
			t.Errorf("%s: %+v\n%s", c.line, got, diff)
		}
	}
	for _, line := range []string{"", "--release", "--color", "clean", "install x", "wasm-alias"} {
		var usage *rewrite.UsageError
		if _, err := parseCargoArgs(strings.Fields(line)); !errors.As(err, &usage) {
			t.Errorf("%q: %v", line, err)
		}
	}
}
