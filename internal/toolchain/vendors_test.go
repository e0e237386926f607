//go:build linux

package toolchain

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wouldUpload is a line of datadog-ci's dry run.
var wouldUpload = regexp.MustCompile(`\[DRYRUN\] Uploading debug info for WASM file (\S+) \(BuildID:([0-9a-f]+)\)`)

// datadog returns what datadog-ci would upload from a folder: IDs by file.
func datadog(t *testing.T, dir string) map[string]string {
	t.Helper()
	r := cmd{
		// The key is not one, and a dry run sends nothing.
		env: []string{"DD_BETA_COMMANDS_ENABLED=1", "DATADOG_API_KEY=none", "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9"},
		args: []string{tool(t, "node"), npmTool(t, "@datadog", "datadog-ci", "dist", "bundle.js"),
			"wasm-symbols", "upload", "--dry-run", "--disable-git", dir},
	}.try(t)
	files := map[string]string{}
	for _, m := range wouldUpload.FindAllStringSubmatch(r.stdout, -1) {
		files[m[1]] = m[2]
	}
	if r.code != 0 {
		t.Errorf("datadog-ci: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	return files
}

// Datadog's program takes every companion, of both kinds, under the ID that `info`
// promises.
func TestInteropDatadog(t *testing.T) {
	stage(t, "interop")
	// O2 and O3 come to the same bytes here, so to one ID, which datadog-ci takes once.
	inputs, err := filepath.Glob(filepath.Join("..", "..", "testdata", "corpus", "c", "O[012s]-dw?.wasm"))
	if err != nil || len(inputs) < 4 {
		t.Fatal(inputs, err)
	}
	for _, kind := range []string{"full", "symbols"} {
		t.Run(kind, func(t *testing.T) {
			dist, symbols := t.TempDir(), t.TempDir()
			cmd{args: append([]string{program(t), "split", "-q", "--companion-kind=" + kind, "--out-dir", dist, "--debug-dir", symbols}, inputs...)}.run(t)
			want := map[string]string{}
			for _, in := range inputs {
				name := strings.TrimSuffix(filepath.Base(in), ".wasm")
				cmd{args: []string{program(t), "check", "-q", "--for=datadog", "--debug", symbols, filepath.Join(dist, name+".wasm")}}.run(t)
				companion := filepath.Join(symbols, name+".debug.wasm")
				want[companion] = forms(t, companion)["Datadog, build id"]
			}
			if diff := cmp.Diff(want, datadog(t, symbols)); diff != "" {
				t.Errorf("info and datadog-ci disagree (-info +datadog-ci):\n%s", diff)
			}
		})
	}
}

// broken are pairs that no crash resolves with. All that vendors look at is there: an
// ID, and sections with names that they know.
var broken = map[string]string{
	"shifted-section":   "WD101", // the code starts elsewhere in the companion
	"code-other-build":  "WD106",
	"companion-no-code": "WD120",
	"dwarf-zero":        "WD111", // DWARF of an optimiser that dropped all addresses
	"dwarf-past-end":    "WD110",
	"row-inside":        "WD112",
}

// The vendors' own checks pass pairs that cannot work. This is why check stands in
// front of the upload; when one of them begins to see it, this test says so.
func TestInteropVendorsPassBrokenPairs(t *testing.T) {
	stage(t, "interop")
	quiet := []string{"SENTRY_DISABLE_UPDATE_CHECK=1", "SENTRY_CLI_NO_UPDATE_CHECK=1"}
	old := npmTool(t, "@sentry", "cli-linux-x64", "bin", "sentry-cli")
	node, newer := tool(t, "node"), npmTool(t, "sentry", "dist", "bin.cjs")
	for name, rule := range broken {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			companion := filepath.Join(dir, name+".debug.wasm")
			write(t, companion, read(t, filepath.Join("..", "..", "testdata", "broken", name+".debug.wasm")))
			var c sentryCheck
			r := cmd{env: quiet, args: []string{old, "debug-files", "check", "--json", companion}}.try(t)
			if err := json.Unmarshal([]byte(r.stdout), &c); err != nil || r.code != 0 || !c.Usable {
				t.Errorf("sentry-cli sees it now: %v %+v", err, r)
			}
			var n newSentryCheck
			r = cmd{env: quiet, args: []string{node, newer, "debug-files", "check", "--json", companion}}.try(t)
			if err := json.Unmarshal([]byte(r.stdout), &n); err != nil || r.code != 0 || !n.Usable {
				t.Errorf("sentry sees it now: %v %+v", err, r)
			}
			if files := datadog(t, dir); files[companion] == "" {
				t.Errorf("datadog-ci sees it now: %v", files)
			}
			for _, client := range []string{"sentry", "datadog"} {
				r = cmd{args: []string{program(t), "check", "--for", client, filepath.Join("..", "..", "testdata", "broken", name+".wasm"), companion}}.try(t)
				if r.code != 1 || !strings.Contains(r.stdout, "error "+rule+" ") {
					t.Errorf("check --for %s: exit code %d, no %s in\n%s", client, r.code, rule, r.stdout)
				}
			}
		})
	}
}
