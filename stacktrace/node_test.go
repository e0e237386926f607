package stacktrace

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// program is a module of the corpus with the cases that trap.
type program struct {
	input   string
	sources []string
	cases   map[int]int // number and argument
	skip    string      // file of the standard library, whose functions have no marks
}

func programs() []program {
	c := program{sources: []string{"trap.c", "other.c", "util.h"}, cases: map[int]int{0: 20, 1: 1, 2: 20, 3: 20, 4: 20}}
	cpp := program{sources: []string{"trap.cpp", "other.cpp", "shape.hpp"}, cases: map[int]int{0: 20, 1: 9, 2: 20}}
	rust := program{sources: []string{"rust/lib.rs"}, cases: map[int]int{0: 20}, skip: "mod.rs"}
	var out []program
	add := func(p program, inputs ...string) {
		for _, in := range inputs {
			p.input = in
			out = append(out, p)
		}
	}
	add(c, "c/O0-dw4.wasm", "c/O2-dw4.wasm", "c/O2-dw5.wasm", "c/clang14-O2.wasm", "c/dw2.wasm", "c/dw3.wasm", "c/lto.wasm", "c/macros-dw5.wasm", "c/fsect-gc.wasm")
	add(cpp, "cpp/O2-dw4.wasm", "cpp/O2-dw5.wasm", "cpp/types-dw5.wasm", "cpp/dw2.wasm")
	add(rust, "rust/nostd-O0-dw4.wasm", "rust/nostd-O2-dw5.wasm")
	return out
}

const nodeScript = `
const fs = require("fs"); Error.stackTraceLimit = 50;
for (const job of JSON.parse(process.argv[2])) {
  const m = new WebAssembly.Module(fs.readFileSync(job.path));
  const imports = {};
  for (const i of WebAssembly.Module.imports(m))
    (imports[i.module] ??= {})[i.name] = i.kind == "function" ? () => 0 : i.kind == "memory" ? new WebAssembly.Memory({initial: 2}) : 0;
  for (const [kase, arg] of Object.entries(job.cases)) {
    console.log("== " + job.id + " " + kase);
    try { new WebAssembly.Instance(m, imports).exports.run(+kase, arg); console.log("no trap"); }
    catch (e) { console.log(e.stack); }
  }
}
`

// TestNode runs programs without DWARF in Node.js and resolves their traces with
// companions of both kinds, with and without names. The frames must be the marked
// ones.
func TestNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed, so no trace of it is made")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "trap.cjs")
	writeFile(t, script, []byte(nodeScript))
	type job struct {
		ID    int         `json:"id"`
		Path  string      `json:"path"`
		Cases map[int]int `json:"cases"`
	}
	var jobs []job
	list := programs()
	kinds := []rewrite.CompanionKind{rewrite.CompanionFull, rewrite.CompanionSymbols}
	pair := func(n int, kind rewrite.CompanionKind) files {
		return split(t, list[n].input, filepath.Join(dir, fmt.Sprint(n), kind.String()), "app", rewrite.Options{StripNames: n%2 == 1, Companion: kind})
	}
	for n, p := range list {
		jobs = append(jobs, job{n, pair(n, kinds[0]).production, p.cases})
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, script, string(text)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	traces := map[string]string{}
	for _, part := range strings.Split(string(out), "== ")[1:] {
		head, trace, _ := strings.Cut(part, "\n")
		traces[head] = trace
	}
	for n, p := range list {
		t.Run(p.input, func(t *testing.T) {
			want := marked(t, p.sources...)
			for _, kind := range kinds {
				r := resolver(t, pair(n, kind).companion)
				for kase := range p.cases {
					trace := traces[fmt.Sprint(n, " ", kase)]
					got := linesOf(t, r, trace)
					for _, res := range got {
						if res.Confidence != High {
							t.Errorf("case %d, %v: %s: confidence %v: %v", kase, kind, brief(res), res.Confidence, res.Notes)
						}
					}
					have := places(got)
					for len(have) > 0 && have[0].File == p.skip {
						have = have[1:]
					}
					if diff := cmp.Diff(want[kase], plain(have)); diff != "" {
						t.Errorf("case %d, %v (-marked +resolved):\n%s\n%s", kase, kind, diff, trace)
					}
				}
			}
		})
	}
}

// plain takes the scope off names, which the marks do not have.
func plain(list []place) []place {
	for i := range list {
		if j := strings.LastIndex(list[i].Function, "::"); j >= 0 {
			list[i].Function = list[i].Function[j+2:]
		}
	}
	return list
}
