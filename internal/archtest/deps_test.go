package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/wasm-debugid/wasm-debugid"

// allowed reads the table of docs/architecture.md: for each package, named from
// the module's root, the packages of this module and the modules of others that it
// may import directly. A package without a row fails the test, so that a new one
// gets its place.
func allowed(t *testing.T) map[string][]string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([^`]+)`")
	table := map[string][]string{}
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		var list []string
		for _, m := range name.FindAllStringSubmatch(cells[3], -1) {
			list = append(list, m[1])
		}
		table[name.FindStringSubmatch(cells[1])[1]] = list
	}
	return table
}

func TestDependenciesPointDown(t *testing.T) {
	table := allowed(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := relative(p.ImportPath)
		seen[name] = true
		list, ok := table[name]
		if !ok {
			t.Errorf("package %s has no row in the table of docs/architecture.md", name)
			continue
		}
		for _, imp := range p.Imports {
			if dep := relative(imp); !standard(imp) && !permits(list, dep) {
				t.Errorf("package %s must not import %s", name, dep)
			}
		}
	}
	for name := range table {
		if !seen[name] {
			t.Errorf("docs/architecture.md has a row for %s, which does not exist", name)
		}
	}
}

func relative(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// permits reports whether dep is listed, or lies in a listed module of others.
func permits(list []string, dep string) bool {
	return slices.ContainsFunc(list, func(a string) bool {
		return dep == a || strings.Contains(a, ".") && a != "." && strings.HasPrefix(dep, a+"/")
	})
}
