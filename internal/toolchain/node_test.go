//go:build linux

package toolchain

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// job tells testdata/run.mjs what to do with the files of one split.
type job struct {
	Files  map[string]jobFile `json:"files"`
	Mode   string             `json:"mode"` // run, wasi, or compile
	Args   []string           `json:"args,omitempty"`
	Memory map[string]any     `json:"memory,omitempty"` // descriptor of an imported memory
}

type jobFile struct {
	Path      string `json:"path"`
	CodeStart int    `json:"codeStart"`
	Run       bool   `json:"run"` // else it is only validated
}

// seen is what Node saw of one file.
type seen struct {
	Error   string   `json:"error"`
	Valid   bool     `json:"valid"`
	Exports []string `json:"exports"`
	Imports []string `json:"imports"`
	BuildID []string `json:"buildID"`
	Debug   int      `json:"debug"`
	Outcome any      `json:"outcome"`
}

// loaded is a split module that is to be loaded.
type loaded struct {
	name          string
	full, symbols pair
	mode          string
	args          []string
	memory        map[string]any
	run           func(t *testing.T) // a further check that runs the program
}

func (l loaded) job(t *testing.T) job {
	file := func(path string, b []byte, run bool) jobFile {
		c, _ := code(mustSections(t, path, b))
		return jobFile{path, c.at, run}
	}
	return job{Mode: l.mode, Args: l.args, Memory: l.memory, Files: map[string]jobFile{
		"input":             file(l.full.input, l.full.in, true),
		"production":        file(l.full.production, l.full.prod, true),
		"full companion":    file(l.full.companion, l.full.comp, false),
		"symbols companion": file(l.symbols.companion, l.symbols.comp, false),
	}}
}

// load runs all modules in one Node process: inputs and production modules must
// show the same interface and behave the same, every companion must be valid.
func load(t *testing.T, node string, all []loaded) {
	t.Helper()
	jobs := make([]job, len(all))
	for i, l := range all {
		jobs[i] = l.job(t)
	}
	list, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jobs.json")
	write(t, file, list)
	out := cmd{args: []string{node, "--no-warnings", filepath.Join("testdata", "run.mjs"), file}}.run(t)
	var results []struct {
		Files map[string]seen `json:"files"`
	}
	if err := json.Unmarshal([]byte(out), &results); err != nil || len(results) != len(all) {
		t.Fatalf("%d results for %d modules: %v\n%.500s", len(results), len(all), err, out)
	}
	for i, l := range all {
		t.Run(l.name, func(t *testing.T) {
			compare(t, l, results[i].Files)
			if l.run != nil {
				l.run(t)
			}
		})
	}
	t.Logf("%d modules loaded by %s", len(all), node)
}

func compare(t *testing.T, l loaded, files map[string]seen) {
	t.Helper()
	for name, s := range files {
		if s.Error != "" || !s.Valid {
			t.Errorf("%s: valid %v %s", name, s.Valid, s.Error)
		}
	}
	in, prod := files["input"], files["production"]
	if len(prod.BuildID) != 1 {
		t.Errorf("the engine finds %d build IDs", len(prod.BuildID))
	}
	if prod.Debug != 0 {
		t.Error("the engine finds debug sections in the production module")
	}
	in.BuildID, in.Debug = nil, 0
	prod.BuildID, prod.Debug = nil, 0
	if diff := cmp.Diff(in, prod); diff != "" {
		t.Errorf("the production module behaves differently (-input +production):\n%s", diff)
	}
	if l.mode != "compile" && in.Outcome == nil {
		t.Error("nothing was run")
	}
}
