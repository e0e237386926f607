package main

import (
	debugid "github.com/wasm-debugid/wasm-debugid"
)

func infoCommand() command {
	return command{
		name: "info", summary: "describe modules: sections, build ID, debug information", synopsis: "FILE...",
		about: `Prints what a module holds: its sections with their file offsets (F), sizes and the width of their size in bytes; where the code starts; the build ID, whether it is fresh, and how each client shows it, since clients do not agree; pointers to a companion or a source map; the units of its DWARF; and the tier, which is the best source of answers that the file has: dwarf, sourcemap, names or index.

With --ids it prints only the build ID as each client shows it. "-" reads standard input.

The file is not loaded into memory: DWARF is mapped. Where it cannot be mapped (standard input), up to 256 MiB of it are read.`,
		examples: []example{
			{"describe a module", "wasm-debugid info app.wasm"},
			{"what the vendors' pages will show", "wasm-debugid info --ids dist/app.wasm"},
			{"the bare ID in a script", "wasm-debugid info --json dist/app.wasm | jq -r '.modules[0].build_id.id'"},
		},
		exits: []int{exitInput, exitFiles},
		options: []option{
			{names: []string{"ids"}, usage: "print only the build ID, as each client shows it"},
			{names: []string{"json"}, usage: "print one JSON document"},
		},
		run: runInfo,
	}
}

// infoDocument is the JSON document of info.
type infoDocument struct {
	Schema  string                `json:"schema"`
	Version int                   `json:"version"`
	Modules []*debugid.ModuleInfo `json:"modules"` // that could be read, in the order of the line
	Errors  []errorEntry          `json:"errors"`  // files that could not
}

type errorEntry struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func runInfo(c *call) error {
	files := c.Args().Slice()
	if len(files) == 0 {
		return &usageError{"info: name a file", program + " info app.wasm"}
	}
	doc := infoDocument{Schema: "wasm-debugid/info", Version: 1, Modules: []*debugid.ModuleInfo{}, Errors: []errorEntry{}}
	var failed several
	for _, file := range files {
		if file == debugid.Stdio && c.inTTY {
			return &usageError{"a module is binary, and standard input is a terminal", "name the file"}
		}
		m, err := c.describe(file)
		if err != nil && c.ctx().Err() != nil {
			return err
		}
		if err != nil {
			// One file that is no module does not hide what the others are.
			failed = append(failed, err)
			doc.Errors = append(doc.Errors, errorEntry{file, err.Error()})
			continue
		}
		if doc.Modules = append(doc.Modules, m); c.Bool("json") {
			continue
		}
		text := ""
		if len(doc.Modules) > 1 {
			text = "\n"
		}
		if c.Bool("ids") {
			text += idsText(c.paintOut(), m, len(files) > 1)
		} else {
			text += infoText(c.paintOut(), m, c.verbose)
		}
		if err := c.print(text); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		if err := c.printJSON(doc); err != nil {
			return err
		}
	}
	return failed.err()
}

// describe reads one file.
func (c *call) describe(file string) (*debugid.ModuleInfo, error) {
	p := c.newProgress()
	defer p.stop()
	o := debugid.InfoOptions{Input: file, Stdin: c.stdin, IDOnly: c.Bool("ids")}
	o.Hash.Progress = p.read
	return debugid.Info(c.ctx(), o)
}
