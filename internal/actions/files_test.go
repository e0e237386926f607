package actions

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// Both places hold one action, which differs in where its scripts are.
func TestBothActionsAreOne(t *testing.T) {
	top, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	below, err := os.ReadFile(filepath.Join(root, nested, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(top), "$GITHUB_ACTION_PATH/"+nested+"/", "$GITHUB_ACTION_PATH/")
	if want == string(top) || want != string(below) {
		t.Errorf("%s/action.yml must be action.yml with the paths of the scripts shortened", nested)
	}
}

// Every input is handed to a script as a variable, and every input and output is in
// the recipe.
func TestActionInterface(t *testing.T) {
	var a action
	decode(t, filepath.Join(root, "action.yml"), &a)
	if a.Runs.Using != "composite" || a.Name == "" || a.Description == "" || len(a.Branding) != 2 {
		t.Errorf("%+v", a)
	}
	recipe, err := os.ReadFile(filepath.Join(root, "docs/recipes/github-actions.md"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"mode": true}
	ids := map[string]bool{}
	for _, s := range a.Runs.Steps {
		ids[s.ID] = true
		for name, value := range s.Env {
			if m := expression.FindStringSubmatch(value); m != nil {
				in, ok := strings.CutPrefix(m[1], "inputs.")
				if ok && name != "INPUT_"+strings.ToUpper(strings.ReplaceAll(in, "-", "_")) {
					t.Errorf("%s holds the input %s", name, in)
				}
				used[in] = true
			}
		}
	}
	for name, in := range a.Inputs {
		if !used[name] || in.Description == "" || in.Default == nil {
			t.Errorf("the input %s is not used, not described or has no default", name)
		}
		if !strings.Contains(string(recipe), "| `"+name+"` |") {
			t.Errorf("the recipe does not explain the input %s", name)
		}
	}
	for name, out := range a.Outputs {
		m := expression.FindStringSubmatch(out.Value)
		if m == nil || !ids[strings.Split(m[1], ".")[1]] {
			t.Errorf("the output %s is %q", name, out.Value)
		}
		if !strings.Contains(string(recipe), "| `"+name+"` |") {
			t.Errorf("the recipe does not explain the output %s", name)
		}
	}
}

// workflows returns the workflows and actions of the repository.
func workflows(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"action.yml", ".github/workflows/*.yml", ".github/actions/*/action.yml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		all = append(all, found...)
	}
	return all
}

// walk calls do with every key of a YAML document that has a text as its value.
func walk(n *yaml.Node, do func(key, value *yaml.Node)) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i+1].Kind == yaml.ScalarNode {
				do(n.Content[i], n.Content[i+1])
			}
		}
	}
	for _, c := range n.Content {
		walk(c, do)
	}
}

var (
	pinned  = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	version = regexp.MustCompile(`^# v\d+\.\d+\.\d+$`)
	// What comes from a person or a file; in a script it would be run.
	typed = regexp.MustCompile(`\$\{\{[^}]*\b(inputs|github\.event|github\.head_ref|github\.ref_name|steps|needs|env)\b`)
)

// Actions of others are pinned to a commit, and no script is put together from what
// somebody types.
func TestWorkflowsAreSafe(t *testing.T) {
	for _, path := range workflows(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		inAction := filepath.Base(path) == "action.yml"
		walk(&doc, func(key, value *yaml.Node) {
			switch key.Value {
			case "uses":
				if !strings.HasPrefix(value.Value, "./") && (!pinned.MatchString(value.Value) || !version.MatchString(value.LineComment)) {
					t.Errorf("%s:%d: %s is not pinned to a commit with its version behind it", path, value.Line, value.Value)
				}
			case "run":
				if typed.MatchString(value.Value) || inAction && strings.Contains(value.Value, "${{") {
					t.Errorf("%s:%d: a script is put together from an expression", path, value.Line)
				}
			}
		})
	}
}

// One commit of an action is one version of it everywhere.
func TestPinsAgree(t *testing.T) {
	versions := map[string][]string{}
	for _, path := range workflows(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`uses: ([\w./-]+@[0-9a-f]{40}) # (v[\d.]+)`).FindAllStringSubmatch(string(text), -1) {
			name, _, _ := strings.Cut(m[1], "@")
			if pin := m[1] + " " + m[2]; !slices.Contains(versions[name], pin) {
				versions[name] = append(versions[name], pin)
			}
		}
	}
	for name, pins := range versions {
		if len(pins) != 1 {
			t.Errorf("%s has several pins: %v", name, pins)
		}
	}
}
