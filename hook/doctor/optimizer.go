package doctor

import (
	"embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
)

// Small modules with right DWARF. probe/README.md says how they were made.
//
//go:embed probe/dwarf4.wasm probe/dwarf5.wasm
var probes embed.FS

// optimizers tries out what each wasm-opt on PATH does to DWARF. What lies in
// node_modules is not run; there the version has to tell.
func (e *examiner) optimizers() error {
	use := e.uses(namesClang, namesOpt)
	if _, _, kept := e.drivesClang(); use == used && kept != byNothing && e.uses(namesOpt) != used {
		use = unknown // clang is kept from running it, and nothing else does
	}
	for _, t := range e.of("wasm-opt") {
		if use == unused {
			break
		}
		for _, dwarf := range []string{"4", "5"} {
			trouble, err := e.probe(t, dwarf)
			if err != nil {
				return err
			}
			if trouble != "" {
				e.addFor(use, OptimizerDWARF, report.Warning, report.Location{Path: t.path}, "%s -O2 -g on a module with DWARF %s: %s", t.describe(), dwarf, trouble)
			}
		}
	}
	if e.o.Dir == "" {
		return nil
	}
	path := filepath.Join(e.o.Dir, "node_modules", "binaryen", "package.json")
	if version := npmVersion(path); version != "" && !olderThan(version, 132) {
		e.add(OptimizerDWARF, report.Location{Path: path}, "the npm package binaryen %s: its wasm-opt copies DWARF and does not update it, with and without -g (measured with 132.0.0)", version)
	}
	return nil
}

// probe has wasm-opt optimise a small module and says what is wrong with the
// result; nothing if the DWARF of it is right.
func (e *examiner) probe(t *tool, dwarf string) (string, error) {
	dir, err := os.MkdirTemp("", "wasm-debugid-doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	module, err := probes.ReadFile("probe/dwarf" + dwarf + ".wasm")
	if err != nil {
		return "", err
	}
	in, out := filepath.Join(dir, "in.wasm"), filepath.Join(dir, "out.wasm")
	if err := os.WriteFile(in, module, 0o600); err != nil {
		return "", err
	}
	_, err = e.o.Run(e.ctx, dir, t.path, in, "-O2", "-g", "-o", out)
	var exit *exec.ExitError
	switch {
	case e.ctx.Err() != nil:
		return "", e.ctx.Err()
	case errors.As(err, &exit):
		return "it fails (" + exit.ProcessState.String() + ")", nil
	case err != nil:
		return "", nil // it cannot be run at all, and so ruins nothing
	}
	r, err := debugid.Check(e.ctx, debugid.CheckOptions{Path: out, Options: symcheck.Options{Workers: 1}})
	if err != nil {
		return "it writes no module", nil
	}
	for i := range r.Subjects {
		for _, f := range r.Subjects[i].Findings {
			if f.Severity == report.Error {
				return strings.ToLower(r.Rule(f.Rule).Title[:1]) + r.Rule(f.Rule).Title[1:], nil
			}
		}
	}
	return "", nil
}

// npmVersion returns the version that a package.json names; empty if there is none.
func npmVersion(path string) string {
	f, info, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info.Size() > maxText {
		return ""
	}
	var p struct {
		Version string `json:"version"`
	}
	if json.NewDecoder(f).Decode(&p) != nil {
		return ""
	}
	return p.Version
}
