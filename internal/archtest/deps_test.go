package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/wasm-debugid/wasm-debugid"

// allowed lists, for each package, the packages of this module and the modules of
// others that it may import directly. Packages are named from the module's root.
// A package that is not listed fails the test, so that a new one gets its place.
var allowed = map[string][]string{
	".":                   {"buildid", "debugfile", "internal/atomicfile", "internal/dwarf", "internal/mapped", "report", "rewrite", "stacktrace", "symcheck", "wasm"},
	"cmd/wasm-debugid":    {".", "buildid", "debugfile", "report", "rewrite", "stacktrace", "symcheck", "wasm", "internal/atomicfile", "github.com/urfave/cli/v2", "github.com/fatih/color", "github.com/schollz/progressbar/v3", "golang.org/x/term"},
	"stacktrace":          {"buildid", "debugfile", "rewrite", "wasm"},
	"report":              {"wasm", "github.com/owenrumney/go-sarif/v3"},
	"symcheck":            {"buildid", "debugfile", "internal/mapped", "report", "rewrite", "wasm"},
	"debugfile":           {"buildid", "internal/dwarf", "internal/mapped", "wasm", "github.com/ianlancetaylor/demangle"},
	"internal/mapped":     {"github.com/edsrzf/mmap-go"},
	"rewrite":             {"buildid", "internal/atomicfile", "wasm"},
	"buildid":             {"wasm", "lukechampine.com/blake3", "github.com/zeebo/xxh3"},
	"wasm":                {},
	"internal/dwarf":      {},
	"internal/atomicfile": {"golang.org/x/sys"},
	"internal/testwasm":   {"wasm"},
	"internal/testdwarf":  {},
	"internal/archtest":   {},
	"internal/toolchain":  {},
	"scripts/bench-split": {"buildid", "internal/testwasm"},
	"scripts/bench-index": {},
}

func TestDependenciesPointDown(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
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
		seen++
		name := relative(p.ImportPath)
		list, ok := allowed[name]
		if !ok {
			t.Errorf("package %s has no line in the table of allowed imports", name)
			continue
		}
		for _, imp := range p.Imports {
			if dep := relative(imp); !standard(imp) && !permits(list, dep) {
				t.Errorf("package %s must not import %s", name, dep)
			}
		}
	}
	if seen < 8 {
		t.Errorf("go list named %d packages only", seen)
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
