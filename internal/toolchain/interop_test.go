//go:build linux

package toolchain

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// interopPairs builds and splits the programs that the stage interop shows to
// other tools.
func interopPairs(t *testing.T) map[string][2]pair {
	t.Helper()
	pairs := map[string][2]pair{}
	var mu sync.Mutex
	add := func(name string, full, symbols pair) {
		mu.Lock()
		defer mu.Unlock()
		pairs[name] = [2]pair{full, symbols}
	}
	t.Run("split", func(t *testing.T) {
		dir := filepath.Join(scratch, "interop", t.Name())
		write(t, filepath.Join(dir, "README"), nil)
		for name, l := range matrix() {
			if strings.HasPrefix(name, "c") && !strings.HasSuffix(name, "-id-none") && !strings.HasSuffix(name, "-id-sha1") {
				continue // what differs between these is the ID alone
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				full, symbols := splitAndCheck(t, l.build(t, dir, name), dir)
				add(name, full, symbols)
			})
		}
		for _, version := range []string{"19", "22"} {
			t.Run("wasi-"+version, func(t *testing.T) {
				t.Parallel()
				out := clangWASI(t, version, "wasi.cpp", []string{"-O2", "-gdwarf-5", "-std=c++17", "-fno-exceptions"}, dir)
				full, symbols := splitAndCheck(t, out, dir)
				add("wasi-"+version, full, symbols)
			})
		}
	})
	if t.Failed() || len(pairs) < 30 {
		t.Fatalf("only %d programs were split", len(pairs))
	}
	return pairs
}

// sentryCheck is what sentry-cli says of a file.
type sentryCheck struct {
	Type     string
	Variants []struct {
		DebugID string `json:"debug_id"`
		CodeID  string `json:"code_id"`
	}
	Features string
	Usable   bool `json:"is_usable"`
	Problem  any
}

// newSentryCheck is what the newer CLI of the same vendor says.
type newSentryCheck struct {
	Usable  bool
	Objects []struct {
		DebugID      string `json:"debugId"`
		CodeID       string `json:"codeId"`
		HasDebugInfo bool   `json:"hasDebugInfo"`
	}
}

// forms returns the IDs that `info` says the clients will show, by client and kind.
func forms(t *testing.T, path string) map[string]string {
	t.Helper()
	var info struct {
		Modules []struct {
			BuildID struct {
				Forms []struct{ Client, Kind, Value string }
			} `json:"build_id"`
		}
	}
	out := cmd{args: []string{program(t), "info", "--json", path}}.run(t)
	if err := json.Unmarshal([]byte(out), &info); err != nil || len(info.Modules) != 1 {
		t.Fatalf("info --json: %v\n%s", err, out)
	}
	all := map[string]string{}
	for _, f := range info.Modules[0].BuildID.Forms {
		all[f.Client+", "+f.Kind] = f.Value
	}
	return all
}

// Both of Sentry's programs accept every companion as one with debug
// information and show the IDs that `info` promises.
func TestInteropSentry(t *testing.T) {
	stage(t, "interop")
	quiet := []string{"SENTRY_DISABLE_UPDATE_CHECK=1", "SENTRY_CLI_NO_UPDATE_CHECK=1"}
	old := npmTool(t, "@sentry", "cli-linux-x64", "bin", "sentry-cli")
	node, newer := tool(t, "node"), npmTool(t, "sentry", "dist", "bin.cjs")
	checked := 0
	for name, p := range interopPairs(t) {
		// The newer one takes a second to start; it sees one program of each kind.
		both := strings.HasSuffix(name, "-22") || strings.Contains(name, "22-O2-gdwarf-5")
		for _, p := range p {
			t.Run(name+"/"+p.kind, func(t *testing.T) {
				ids := forms(t, p.companion)
				var c sentryCheck
				r := cmd{env: quiet, args: []string{old, "debug-files", "check", "--json", p.companion}}.try(t)
				if err := json.Unmarshal([]byte(r.stdout), &c); err != nil || len(c.Variants) != 1 {
					t.Fatalf("%v: %+v", err, r)
				}
				if r.code != 0 || !c.Usable || c.Problem != nil || !strings.Contains(", "+c.Features+",", ", debug,") {
					t.Errorf("exit code %d, usable %v, features %q, problem %v", r.code, c.Usable, c.Features, c.Problem)
				}
				want := []string{ids["sentry-cli 3.8, symbolic, debug id"], ids["sentry-cli 3.8, symbolic, code id"]}
				if diff := cmp.Diff(want, []string{c.Variants[0].DebugID, c.Variants[0].CodeID}); diff != "" {
					t.Errorf("info and sentry-cli disagree (-info +sentry-cli):\n%s", diff)
				}
				checked++
				if !both {
					return
				}
				var n newSentryCheck
				r = cmd{env: quiet, args: []string{node, newer, "debug-files", "check", "--json", p.companion}}.try(t)
				if err := json.Unmarshal([]byte(r.stdout), &n); err != nil || len(n.Objects) != 1 {
					t.Fatalf("%v: %+v", err, r)
				}
				o := n.Objects[0]
				if r.code != 0 || !n.Usable || !o.HasDebugInfo {
					t.Errorf("exit code %d, %+v", r.code, n)
				}
				want = []string{ids["sentry 0.49 (CLI), debug id"], ids["sentry 0.49 (CLI), code id"]}
				if diff := cmp.Diff(want, []string{o.DebugID, o.CodeID}); diff != "" {
					t.Errorf("info and sentry disagree (-info +sentry):\n%s", diff)
				}
			})
		}
	}
	t.Logf("%d companions checked", checked)
}
