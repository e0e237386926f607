package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/hook"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
)

// cargoProgram is the name under which cargo finds the program as its subcommand
// debugid.
const cargoProgram = "cargo-debugid"

func cargoCommand() command {
	return command{
		name: "cargo", summary: "run cargo and split what it builds", synopsis: "-- build [CARGO'S ARGUMENTS]",
		about: `Runs cargo and splits every WebAssembly module that it reports to have built, where it is: the module under target/.../release/ and the one that cargo keeps in deps/ become the same production module, with the companion beside each. A note in JSON beside them (app.debugid.json) holds the build ID, digests, sizes and warnings. What cargo finds fresh is looked at as well, so that a build may be run again.

The commands of cargo are build, rustc, run, test and bench. Cargo's exit code is kept. If cargo succeeds and a module cannot be split, the exit code says why; a build that makes no module is an error as well.

The same program under the name cargo-debugid is a command of cargo: "cargo debugid build --release --target wasm32-unknown-unknown". All of its arguments are cargo's, and settings are variables.

There is a way without this command: linker = "wasm-debugid" under [target.wasm32-unknown-unknown] in .cargo/config.toml. The program recognises what rustc tells a linker, runs the real one (` + hook.VarRealLinker + `, or else rust-lld, wasm-ld or lld on PATH) and splits what it writes.`,
		examples: []example{
			{"build and split", "wasm-debugid cargo -- build --release --target wasm32-unknown-unknown"},
			{"fail unless 95 % of the places in user code resolve to a line", "wasm-debugid cargo --min-coverage 95 -- build --release --target wasm32-wasip1"},
			{"keep the companions of all builds", "wasm-debugid cargo --out symbols/{id} -- build --release --target wasm32-wasip1"},
		},
		exits:   []int{exitCheck, exitInput, exitFiles},
		options: hookOptions(),
		passes:  true,
		run:     runCargo,
	}
}

// asCargoCommand returns the command line that is meant when cargo has called the
// program as its subcommand, with cargo's words: cargo-debugid debugid build ...
func asCargoCommand(args []string) []string {
	if len(args) == 0 || strings.TrimSuffix(filepath.Base(args[0]), ".exe") != cargoProgram {
		return args
	}
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "debugid" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return []string{args[0], "cargo", "--" + flagHelp}
	}
	switch rest[0] {
	case "--help", "-h", "help":
		return []string{args[0], "cargo", "--" + flagHelp}
	case "--version", "-V":
		return []string{args[0], "--" + flagVersion}
	}
	return append([]string{args[0], "cargo", "--"}, rest...)
}

func runCargo(c *call) error {
	o, err := c.hookSettings()
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return &usageError{"cargo: say what cargo is to do", "wasm-debugid cargo -- build --release --target wasm32-unknown-unknown"}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	run := hook.Cargo{Options: o, Args: c.Args().Slice(), Getenv: os.Getenv, Self: self, Stdin: c.rawStdin, Stdout: c.stdout, Stderr: c.stderr,
		Report: func(path string, r *hook.Result, err error) {
			c.hookReport(r, err)
			if err != nil {
				c.finish(err)
				return
			}
			c.hookSummary(r)
		}}
	c.changed = true
	_, err = run.Run(c.ctx())
	return err
}

// hookSummary tells in one line what was done with a file.
func (s *streams) hookSummary(r *hook.Result) {
	if s.quiet {
		return
	}
	path := shownPath(r.Path)
	switch {
	case r.Split == nil:
		if s.verbose {
			s.message("split", fmt.Sprintf("%s: left alone: %s", path, r.Skipped))
		}
		return
	case r.Split.Already:
		path += " was split before"
	default:
		path += fmt.Sprintf(": %s → %s bytes", printable.Number(r.Split.InputSize), printable.Number(r.Split.ProductionSize))
	}
	text := path + ", build id " + r.Split.ID.String()
	if r.Split.Companion != "" {
		text += ", companion " + shownPath(r.Split.Companion)
	}
	if r.Note.Check != nil {
		text += ", check: " + r.Note.Verdict
	}
	s.message(s.paintErr().bold("split"), text)
}

// shownPath shortens a path below the working directory.
func shownPath(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
