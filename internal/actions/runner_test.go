package actions

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"
)

const root = "../.."

// nested is where the action's scripts are, and the action under another name.
const nested = ".github/actions/wasm-debugid"

// action is a composite action, see
// https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax.
type action struct {
	Name, Description, Author string
	Branding                  map[string]string
	Inputs                    map[string]struct {
		Description string
		Default     *string
		Required    bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

type step struct {
	ID, Name, If, Shell, Run, Uses string
	Env, With                      map[string]string
	WorkingDirectory               string `yaml:"working-directory"`
	ContinueOnError                bool   `yaml:"continue-on-error"`
	TimeoutMinutes                 int    `yaml:"timeout-minutes"`
}

// decode reads a YAML file and refuses fields that v does not have.
func decode(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// job is the surroundings of a run: what a runner gives to the steps.
type job struct {
	action    string            // the folder with action.yml
	workspace string            // the working directory of the steps
	inputs    map[string]string // what stands under with:
	env       []string          // added to the environment
	temp      string            // the folder for the job's temporary files; a new one if it is empty
}

// outcome is what a run of the action did.
type outcome struct {
	code    int // of the first step that failed
	log     string
	outputs map[string]string
	summary string
	path    string // what was added to PATH
}

// bash returns the shell. Plain tests do without where there is none; the stage does
// not.
func bash(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("bash")
	inStage := os.Getenv("WASM_DEBUGID_STAGE") == "actions"
	switch {
	case inStage && err != nil:
		t.Fatal(err)
	case err != nil:
		t.Skip("there is no bash")
	case runtime.GOOS == "windows":
		t.Skip("on Windows the workflow runs the action itself")
	}
	return path
}

var expression = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)

// run runs the steps of the action in order, as the runner does with
// `shell: bash`.
func (j *job) run(t *testing.T) outcome {
	t.Helper()
	shell := bash(t)
	var a action
	decode(t, filepath.Join(j.action, "action.yml"), &a)
	inputs := map[string]string{}
	for name, in := range a.Inputs {
		if in.Default != nil {
			inputs[name] = *in.Default
		}
	}
	for name := range j.inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("the action has no input %s", name)
		}
	}
	maps.Copy(inputs, j.inputs)

	temp := j.temp
	if temp == "" {
		temp = t.TempDir()
	}
	out := outcome{outputs: map[string]string{}}
	steps := map[string]map[string]string{}
	value := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			name := expression.FindStringSubmatch(e)[1]
			if in, ok := strings.CutPrefix(name, "inputs."); ok {
				if _, known := inputs[in]; !known {
					t.Fatalf("unknown input %s", in)
				}
				return inputs[in]
			}
			if parts := strings.Split(name, "."); len(parts) == 4 && parts[0] == "steps" && parts[2] == "outputs" {
				return steps[parts[1]][parts[3]]
			}
			t.Fatalf("the runner of these tests does not know ${{ %s }}", name)
			return ""
		})
	}
	summary, added := filepath.Join(temp, "summary.md"), filepath.Join(temp, "path")
	for i, s := range a.Runs.Steps {
		if s.Shell != "bash" || s.Uses != "" {
			t.Fatalf("step %d is not a bash script: %+v", i, s)
		}
		if out.code != 0 { // no step of the action runs after a failure
			continue
		}
		switch s.If {
		case "":
		case "inputs.mode != 'install'":
			if inputs["mode"] == "install" {
				continue
			}
		default:
			t.Fatalf("the runner of these tests does not know the condition %q", s.If)
		}
		script, results := filepath.Join(temp, fmt.Sprintf("step%d.sh", i)), filepath.Join(temp, fmt.Sprintf("output%d", i))
		if err := os.WriteFile(script, []byte(s.Run), 0o666); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(shell, "--noprofile", "--norc", "-eo", "pipefail", script)
		c.Dir = j.workspace
		c.Env = append(os.Environ(), "GITHUB_ACTIONS=true", "CI=true", "GITHUB_ACTION_PATH="+absolute(t, j.action), "GITHUB_WORKSPACE="+j.workspace,
			"GITHUB_OUTPUT="+results, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_PATH="+added, "RUNNER_TEMP="+temp)
		c.Env = append(c.Env, j.env...)
		for name, text := range s.Env {
			c.Env = append(c.Env, name+"="+value(text))
		}
		text, err := c.CombinedOutput()
		out.log += string(text)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out.code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		steps[s.ID] = readOutputs(t, results)
		os.Remove(results)
	}
	for name, o := range a.Outputs {
		out.outputs[name] = value(o.Value)
	}
	if b, err := os.ReadFile(summary); err == nil {
		out.summary = string(b)
	}
	if b, err := os.ReadFile(added); err == nil {
		out.path = strings.TrimSpace(string(b))
	}
	return out
}

// readOutputs reads the file that GITHUB_OUTPUT names: name=value, or name<<END and
// lines until END.
func readOutputs(t *testing.T, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil {
		return out
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines) && lines[i] != ""; i++ {
		name, value, ok := strings.Cut(lines[i], "=")
		if before, end, several := strings.Cut(lines[i], "<<"); several && len(before) < len(name) {
			var value []string
			for i++; i < len(lines) && lines[i] != end; i++ {
				value = append(value, lines[i])
			}
			out[before] = strings.Join(value, "\n")
			continue
		}
		if !ok {
			t.Fatalf("%q is not an output", lines[i])
		}
		out[name] = value
	}
	return out
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

var built struct {
	sync.Once
	dir string
	out []byte
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// program builds the program once and returns its path.
func program(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "wasm-debugid-actions-"); built.err != nil {
			return
		}
		c := exec.Command("go", "build", "-o", filepath.Join(built.dir, "wasm-debugid"), "./cmd/wasm-debugid")
		c.Dir = root
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		built.out, built.err = c.CombinedOutput()
	})
	if built.err != nil {
		t.Fatalf("%v\n%s", built.err, built.out)
	}
	return filepath.Join(built.dir, "wasm-debugid")
}

// copyFile copies a file of the repository.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, info.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
}
