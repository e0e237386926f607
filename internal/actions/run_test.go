package actions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const demoID = "097ef9d0f1288c0ab0ee14e3345477f9"

// workspace is a folder with the demo module and a pair that cannot work.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, filepath.Join(root, "testdata/demo/app.wasm"), filepath.Join(dir, "build/app.wasm"))
	for _, name := range []string{"sep.wasm", "sep.wasm.debug.wasm"} {
		copyFile(t, filepath.Join(root, "testdata/broken/real", name), filepath.Join(dir, "broken", name))
	}
	return dir
}

// use runs the action with a program that is built once.
func use(t *testing.T, dir string, inputs map[string]string) outcome {
	t.Helper()
	bash(t)
	action := checkout(t, "")
	script := "printf 'program=%s\\n' \"$TEST_PROGRAM\" >>\"$GITHUB_OUTPUT\"\n"
	if err := os.WriteFile(filepath.Join(action, nested, "install.sh"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	j := job{action: action, workspace: dir, inputs: inputs, env: []string{"TEST_PROGRAM=" + program(t)}}
	return j.run(t)
}

// with returns inputs from names and values.
func with(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestSplit(t *testing.T) {
	dir := workspace(t)
	r := use(t, dir, with("mode", "split", "path", "build/app.wasm", "output", "dist/app.wasm", "companion-dir", "symbols",
		"client", "sentry", "min-coverage", "95", "sarif", "check.sarif", "args", "--external-url=none\n\n  --companion-kind=symbols  \n"))
	want := map[string]string{"build-id": demoID, "production": "dist/app.wasm", "companion": "symbols/app.debug.wasm", "coverage": "100.00",
		"verdict": "pass", "exit-code": "0", "sarif": filepath.Join(dir, "check.sarif"), "program": program(t)}
	if diff := cmp.Diff(want, r.outputs); diff != "" || r.code != 0 {
		t.Errorf("exit code %d, outputs (-want +got):\n%s\n%s", r.code, diff, r.log)
	}
	for _, name := range []string{"dist/app.wasm", "symbols/app.debug.wasm"} {
		if !exists(filepath.Join(dir, name)) {
			t.Errorf("there is no %s", name)
		}
	}
	if !strings.Contains(r.summary, demoID) || !strings.Contains(r.log, "\npass: dist/app.wasm") {
		t.Errorf("summary:\n%s\nlog:\n%s", r.summary, r.log)
	}
	var sarif struct{ Version string }
	text, err := os.ReadFile(r.outputs["sarif"])
	if err == nil {
		err = json.Unmarshal(text, &sarif)
	}
	if err != nil || sarif.Version != "2.1.0" {
		t.Errorf("SARIF %v %v", sarif, err)
	}
	// And what was split passes both proofs, from another directory.
	r = use(t, dir, with("mode", "verify", "path", "app.wasm", "companion", "../symbols/app.debug.wasm", "working-directory", "dist"))
	if r.code != 0 || r.outputs["verdict"] != "pass" || r.outputs["companion"] != "../symbols/app.debug.wasm" {
		t.Errorf("verify: exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
}

func TestSplitSeveral(t *testing.T) {
	dir := workspace(t)
	copyFile(t, filepath.Join(root, "testdata/corpus/c/O0-dw4.wasm"), filepath.Join(dir, "build/other module.wasm"))
	r := use(t, dir, with("mode", "split", "path", "build/*.wasm", "output", "dist/"))
	if r.code != 0 || r.outputs["verdict"] != "pass" || !strings.Contains(r.log, "2 of 2 subjects pass") {
		t.Errorf("exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
	for _, name := range []string{"app.wasm", "app.debug.wasm", "other module.wasm", "other module.debug.wasm"} {
		if !exists(filepath.Join(dir, "dist", name)) {
			t.Errorf("there is no %s", name)
		}
	}
	// Without a place to write to, modules are replaced.
	r = use(t, dir, with("mode", "split", "path", "build/app.wasm\nbuild/other module.wasm\n"))
	if r.code != 0 || !exists(filepath.Join(dir, "build/other module.debug.wasm")) {
		t.Errorf("exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
	// And a folder of pairs is checked whole.
	r = use(t, dir, with("path", "build"))
	if r.code != 0 || !strings.Contains(r.log, "2 of 2 subjects pass") {
		t.Errorf("exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
}

// A pair whose code starts differ is what the action exists for.
func TestBrokenPair(t *testing.T) {
	dir := workspace(t)
	pair := []string{"path", "broken/sep.wasm", "companion", "broken/sep.wasm.debug.wasm", "sarif", "out.sarif"}
	r := use(t, dir, with(pair...))
	if r.code != 1 || r.outputs["verdict"] != "fail" || r.outputs["exit-code"] != "1" || r.outputs["sarif"] == "" {
		t.Errorf("exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
	if !strings.Contains(r.log, "\n::error file=broken/sep.wasm.debug.wasm,title=WD101 code-start-differs::") || !strings.Contains(r.summary, "WD101") {
		t.Errorf("log:\n%s\nsummary:\n%s", r.log, r.summary)
	}
	if r = use(t, dir, with(append(pair, "fail-on", "never")...)); r.code != 0 || r.outputs["verdict"] != "fail" || r.outputs["exit-code"] != "1" {
		t.Errorf("fail-on never: exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
	args := "--rule=code-start-differs=warning\n--rule=build-id-missing=off"
	if r = use(t, dir, with(append(pair, "args", args)...)); r.code != 0 || !strings.Contains(r.log, "::warning file=") {
		t.Errorf("a warning: exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
	if r = use(t, dir, with(append(pair, "args", args, "fail-on", "warning")...)); r.code != 1 || r.outputs["exit-code"] != "0" {
		t.Errorf("fail-on warning: exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
}

// The program's exit codes come through, and never is for the verdict alone.
func TestExitCodes(t *testing.T) {
	dir := workspace(t)
	if err := os.WriteFile(filepath.Join(dir, "text.wasm"), []byte("no module"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code   int
		inputs map[string]string
		says   string
	}{
		{2, with("path", ""), "path is empty"},
		{2, with("path", " \n "), "path is empty"},
		{2, with("path", "build/app.wasm", "mode", "prove"), "mode is"},
		{2, with("path", "build/app.wasm", "fail-on", "nothing"), "fail-on is"},
		{2, with("path", "build/app.wasm", "args", "--no-such-flag", "fail-on", "never"), "no-such-flag"},
		{2, with("path", "build/app.wasm\nbroken/sep.wasm", "mode", "verify"), "one module"},
		{2, with("path", "build/app.wasm\nbroken/sep.wasm", "companion", "c.wasm"), "companion-dir"},
		{3, with("path", "text.wasm"), "text.wasm"},
		{3, with("path", "text.wasm", "mode", "split"), "text.wasm"},
		{4, with("path", "none.wasm", "fail-on", "never"), "none.wasm"},
		{4, with("path", "none/*.wasm"), "no file matches none/*.wasm"},
		{4, with("path", "build/app.wasm", "working-directory", "nowhere"), "nowhere"},
	} {
		r := use(t, dir, c.inputs)
		if r.code != c.code || !strings.Contains(r.log, c.says) || r.outputs["exit-code"] != "" && r.outputs["exit-code"] != itoa(c.code) {
			t.Errorf("%v: exit code %d, want %d; %v\n%s", c.inputs, r.code, c.code, r.outputs, r.log)
		}
	}
}

// taken reports whether a line of the log begins with a command that the runner
// carries out.
func taken(log, command string) bool {
	stopped := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		switch token, stops := strings.CutPrefix(line, "::stop-commands::"); {
		case stopped != "":
			if line == "::"+stopped+"::" {
				stopped = ""
			}
		case stops:
			stopped = token
		case strings.HasPrefix(line, command):
			return true
		}
	}
	return false
}

func itoa(n int) string { return string(rune('0' + n)) }

// Nothing that is typed as an input, and no name of a file, is run by the shell or
// taken for a command of the workflow.
func TestInputsAreData(t *testing.T) {
	dir := workspace(t)
	hostile := []string{"$(touch pwned) `touch pwned` | touch pwned", "'; touch pwned; \"; touch pwned; '", "a\n::set-output name=build-id::pwned\n::error::pwned",
		"a\nbuild-id=pwned", "x<<y", "--output=pwned", "../../*", "%0A::error::pwned"}
	names := []string{"path", "mode", "companion", "companion-dir", "output", "client", "min-coverage", "fail-on", "sarif", "args", "working-directory"}
	for _, name := range names {
		for _, text := range hostile {
			inputs := with("path", "build/app.wasm", "mode", "check")
			if slices.Contains([]string{"output", "companion-dir"}, name) {
				inputs["mode"] = "split"
			}
			inputs[name] = text
			r := use(t, dir, inputs)
			if taken(r.log, "::set-output") || taken(r.log, "::error::") {
				t.Errorf("%s=%q is taken for a command:\n%s", name, text, r.log)
			}
			if r.outputs["build-id"] == "pwned" {
				t.Errorf("%s=%q sets an output", name, text)
			}
			if text == "--output=pwned" && name == "args" { // that is a flag of check
				if err := os.Remove(filepath.Join(dir, "pwned")); err != nil {
					t.Error(err)
				}
			}
			if exists(filepath.Join(dir, "pwned")) {
				t.Fatalf("%s=%q was run", name, text)
			}
		}
	}
	// A file may be called like a pattern, or like a command.
	odd := "::error::odd [name] $(touch pwned).wasm"
	copyFile(t, filepath.Join(root, "testdata/demo/app.wasm"), filepath.Join(dir, odd))
	r := use(t, dir, with("path", odd, "mode", "split"))
	if r.code != 0 || taken(r.log, "::error::") || r.outputs["production"] != odd {
		t.Errorf("exit code %d, %v\n%s", r.code, r.outputs, r.log)
	}
}
