package actions

import (
	"encoding/xml"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitlabJob is the part of GitLab's job that the template uses, see
// https://docs.gitlab.com/ci/yaml.
type gitlabJob struct {
	Stage, Image string
	Variables    map[string]string
	Script       []string
	Artifacts    struct {
		When     string
		ExposeAs string `yaml:"expose_as"`
		Paths    []string
		Reports  map[string]string
	}
}

// runGitLab runs the job's script as a runner with a POSIX shell does: the lines in
// one script, the variables in the environment.
func runGitLab(t *testing.T, dir string, variables map[string]string, env ...string) (int, string) {
	t.Helper()
	bash(t)
	var doc map[string]gitlabJob
	decode(t, filepath.Join(root, "ci/gitlab/wasm-debugid.yml"), &doc)
	job, ok := doc[".wasm-debugid"]
	if !ok || len(doc) != 1 || job.Artifacts.When != "always" || job.Artifacts.Reports["junit"] != "wasm-debugid.xml" {
		t.Fatalf("%+v", doc)
	}
	all := maps.Clone(job.Variables)
	for name, value := range variables {
		if _, known := all[name]; !known {
			t.Fatalf("the job has no variable %s", name)
		}
		all[name] = value
	}
	c := exec.Command("sh", "-e", "-c", strings.Join(job.Script, "\n"))
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	for name, value := range all {
		c.Env = append(c.Env, name+"="+value)
	}
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// withProgram puts the program on PATH.
func withProgram(t *testing.T) string {
	t.Helper()
	return "PATH=" + filepath.Dir(program(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
}

func TestGitLabJob(t *testing.T) {
	bash(t)
	dir := workspace(t)
	path := withProgram(t)
	code, log := runGitLab(t, dir, map[string]string{"DEBUGID_PATH": "build", "DEBUGID_ARGS": "--min-coverage=95\n--for=sentry"}, path)
	if code != 0 || !strings.Contains(log, "\npass: build/app.wasm") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	var report struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	failures := func() (n int) {
		t.Helper()
		report.Suites = nil
		text, err := os.ReadFile(filepath.Join(dir, "wasm-debugid.xml"))
		if err == nil {
			err = xml.Unmarshal(text, &report)
		}
		if err != nil || len(report.Suites) == 0 {
			t.Fatalf("%v: %s", err, text)
		}
		for _, s := range report.Suites {
			for _, c := range s.Cases {
				if c.Failure != nil {
					n++
				}
			}
		}
		return n
	}
	if n := failures(); n != 0 {
		t.Errorf("%d test cases failed", n)
	}
	code, log = runGitLab(t, dir, map[string]string{"DEBUGID_PATH": "broken/sep.wasm\nbroken/sep.wasm.debug.wasm"}, path)
	if code != 1 || failures() == 0 || !exists(filepath.Join(dir, "wasm-debugid.html")) {
		t.Errorf("a broken pair: exit code %d\n%s", code, log)
	}
	code, log = runGitLab(t, dir, map[string]string{"DEBUGID_PATH": "$(touch pwned)\n`touch pwned`; touch pwned"}, path)
	if code != 4 || exists(filepath.Join(dir, "pwned")) {
		t.Errorf("a path that looks like a command: exit code %d\n%s", code, log)
	}
	if code, log = runGitLab(t, dir, map[string]string{"DEBUGID_MODE": "split"}, path); code != 2 {
		t.Errorf("another mode: exit code %d\n%s", code, log)
	}
}

func TestGitLabJobInstalls(t *testing.T) {
	archive := tarball(t, folder)
	files := map[string][]byte{"/v1.2.3/" + folder + ".tar.gz": archive, "/v1.2.3/SHA256SUMS": []byte(sum(archive) + "  " + folder + ".tar.gz\n")}
	variables := map[string]string{"DEBUGID_URL": downloads(t, files), "DEBUGID_VERSION": "v1.2.3"}
	machine := onlyTools(t, false)
	if err := os.Remove(filepath.Join(strings.TrimPrefix(machine, "PATH="), "uname")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"uname": "#!/bin/sh\necho x86_64\n", "mktemp": "#!/bin/sh\nmkdir -p work\necho \"$PWD/work\"\n"} {
		if err := os.WriteFile(filepath.Join(strings.TrimPrefix(machine, "PATH="), name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if path, err := exec.LookPath("grep"); err != nil {
		t.Skip("the test needs grep")
	} else if err := os.Symlink(path, filepath.Join(strings.TrimPrefix(machine, "PATH="), "grep")); err != nil {
		t.Fatal(err)
	}
	run := func(sha256 string) (int, string) {
		variables["DEBUGID_SHA256"] = sha256
		return runGitLab(t, t.TempDir(), variables, machine)
	}
	for _, sha256 := range []string{"", sum(archive)} {
		if code, log := run(sha256); code != 0 || !strings.Contains(log, "stand-in --version") {
			t.Errorf("digest %q: exit code %d\n%s", sha256, code, log)
		}
	}
	if code, log := run(sum([]byte("other"))); code == 0 || strings.Contains(log, "stand-in") {
		t.Errorf("other bytes: exit code %d\n%s", code, log)
	}
	files["/v1.2.3/SHA256SUMS"] = []byte(sum(archive) + "  another.tar.gz\n")
	variables["DEBUGID_URL"] = downloads(t, files)
	if code, log := run(""); code != 4 || !strings.Contains(log, "SHA256SUMS does not list it") || strings.Contains(log, "stand-in") {
		t.Errorf("an archive that is not listed: exit code %d\n%s", code, log)
	}
	delete(files, "/v1.2.3/SHA256SUMS")
	variables["DEBUGID_URL"] = downloads(t, files)
	if code, log := run(""); code == 0 || strings.Contains(log, "stand-in") {
		t.Errorf("no digest: exit code %d\n%s", code, log)
	}
	variables["DEBUGID_VERSION"] = ""
	if code, log := run(""); code != 2 {
		t.Errorf("no version: exit code %d\n%s", code, log)
	}
}
