package main

import (
	"fmt"
	"os"

	"github.com/wasm-debugid/wasm-debugid/hook"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// compilerOptions are the flags of the commands that stand in a compiler's place.
func compilerOptions() []option {
	return append(hookOptions(),
		option{names: []string{"no-split"}, usage: "split nothing, for builds with a step of their own for it, but keep clang from running wasm-opt all the same"},
		option{names: []string{"wasm-opt"}, value: "WHEN", choice: []string{"on", "off"},
			usage: "on: let clang run the wasm-opt that it finds, which destroys DWARF; off by default"})
}

const compilerAbout = ` and splits what it links, where it is: the module becomes the production module, with its companion and a note in JSON (app.debugid.json) beside it. What does not link (-c, -S, -E, --version and so on), and what is no module, passes through. The compiler's streams, exit code and signals are kept; if it succeeds and the module cannot be split, the exit code says why and the module is set aside under another name.

Make it the compiler of a build: CC="wasm-debugid `

func ccCommand() command {
	return command{
		name: "cc", summary: "run clang and split what it links", synopsis: "-- clang [CLANG'S ARGUMENTS]",
		about: "Runs clang, clang++, a wasi-sdk's clang, zig cc, or wasm-ld itself," + compilerAbout + `cc -- clang".

From -O1 on, clang runs any wasm-opt that it finds, and gives it no -g, so that the DWARF names no code any more. It is kept from that, by COMPILER_PATH, with any version of clang and without --no-wasm-opt; --wasm-opt=on lets it.`,
		examples: []example{
			{"compile, link and split", "wasm-debugid cc -- clang --target=wasm32-wasi -g -O2 app.c -o app.wasm"},
			{"companions in a folder of their own, and a proof that they resolve", "wasm-debugid cc --out symbols --check -- clang --target=wasm32-wasi -g -O2 app.c -o app.wasm"},
			{"a build by make", `make CC="wasm-debugid cc -- clang --target=wasm32-wasi"`},
		},
		exits: []int{exitCheck, exitInput, exitFiles}, options: compilerOptions(), passes: true,
		run: func(c *call) error { return c.compile(false) },
	}
}

func emccCommand() command {
	return command{
		name: "emcc", summary: "run emcc and split what it links", synopsis: "-- emcc [EMCC'S ARGUMENTS]",
		about: "Runs emcc or em++" + compilerAbout + `emcc -- emcc".

Give -g at the link as well: without it emcc drops all DWARF. With -gseparate-dwarf emcc makes a pair by itself, whose code may start at different offsets; it is put together and split again. SINGLE_FILE leaves no module to ship and is refused. The JavaScript that emcc writes holds no digest of the module, and stays as it is.`,
		examples: []example{
			{"compile, link and split: app.js, app.wasm, app.debug.wasm", "wasm-debugid emcc -- emcc -g -O2 app.c -o app.js"},
			{"C++, with the companions of all builds", "wasm-debugid emcc --out symbols/{id} -- em++ -g -O2 app.cpp -o app.html"},
		},
		exits: []int{exitCheck, exitInput, exitFiles}, options: compilerOptions(), passes: true,
		run: func(c *call) error { return c.compile(true) },
	}
}

// compile runs a compiler and splits what it links.
func (c *call) compile(emscripten bool) error {
	o, err := c.hookSettings()
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return &usageError{c.Command.Name + ": name the compiler and its arguments", program + " " + c.Command.Name + " -- " +
			map[bool]string{false: "clang --target=wasm32-wasi -g app.c -o app.wasm", true: "emcc -g app.c -o app.js"}[emscripten]}
	}
	wasmOpt := false
	switch v := c.String("wasm-opt"); v {
	case "", "off":
	case "on":
		wasmOpt = true
	default:
		return &usageError{fmt.Sprintf("--wasm-opt is on or off, not %q", v), ""}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	run := hook.Compiler{Options: o, Command: c.Args().Slice(), Emscripten: emscripten, Getenv: os.Getenv, WasmOpt: wasmOpt, NoSplit: c.Bool("no-split"), Self: self,
		Stdin: c.rawStdin, Stdout: c.stdout, Stderr: c.stderr}
	c.changed = true
	r, err := run.Run(c.ctx())
	if r == nil {
		return err
	}
	c.hookReport(r.Split, err)
	if err != nil {
		return err
	}
	if r.KeptFrom != "" {
		c.note(shownPath(r.Modules[0]), rewrite.Note{Text: "clang was kept from running " + r.KeptFrom + ", which would have left DWARF that names no code"})
	}
	if r.Replaced != "" {
		c.note(shownPath(r.Replaced), rewrite.Note{Text: "emcc's debug file was put together with the module again, and split"})
	}
	for _, text := range r.Warnings {
		c.note(shownPath(r.Modules[0]), rewrite.Note{Warning: true, Text: text})
	}
	switch {
	case r.Split != nil:
		if n := r.Split.Note; n != nil && n.Check != nil {
			c.checkWarnings(shownPath(r.Split.Path), n.Check.Findings)
		}
		c.hookSummary(r.Split)
	case c.verbose && r.Skipped != "":
		c.message(c.paintErr().bold("split"), "nothing: "+r.Skipped)
	}
	return nil
}
