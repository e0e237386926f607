package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// target is one input and where its outputs go.
type target struct {
	in, out, debug string // paths; debug is empty for no companion
	key            string // of in, see atomicfile.Key
}

// outputOptions are the flags that say where outputs go.
func outputOptions() []option {
	return []option{
		{names: []string{"output", "o", "out"}, value: "FILE", file: true, usage: `write the module to FILE; "-" is standard output`},
		{names: []string{"in-place"}, usage: "replace the inputs"},
		{names: []string{"out-dir"}, value: "DIR", dir: true, usage: "write the modules under their own names into DIR, which must exist"},
	}
}

// destination is what the flags of outputOptions say.
type destination struct {
	output  string
	inPlace bool
	outDir  string
}

// destination reads the flags. One that stands on the command line makes those
// that come from variables void: a variable is a default, and these flags exclude
// each other.
func (c *call) destination() (destination, error) {
	typed := c.args.has("output") || c.args.has("in-place") || c.args.has("out-dir")
	use := func(name string) bool { return !typed || c.args.has(name) }
	var d destination
	n := 0
	if v := c.String("output"); v != "" && use("output") {
		d.output = v
		n++
	}
	if c.Bool("in-place") && use("in-place") {
		d.inPlace = true
		n++
	}
	if v := c.String("out-dir"); v != "" && use("out-dir") {
		d.outDir = v
		n++
	}
	if n > 1 {
		return d, &usageError{"-o, --in-place and --out-dir exclude each other", "give one of them"}
	}
	return d, nil
}

// companionPlace reads where the companion is to go. Of flags that exclude each
// other, those on the command line make those from variables void here as well;
// --companion-kind none is one of them, so that the kind may change.
func (c *call) companionPlace(kind *rewrite.CompanionKind) (debugOut, debugDir string, err error) {
	debugOut, debugDir = c.String("debug-out"), c.String("debug-dir")
	typedOut, typedDir, typedKind := c.args.has("debug-out"), c.args.has("debug-dir"), c.args.has("companion-kind")
	if typedDir && !typedOut {
		debugOut = ""
	} else if typedOut && !typedDir {
		debugDir = ""
	}
	switch {
	case *kind != rewrite.CompanionNone || debugOut == "" && debugDir == "":
	case typedKind && !typedOut && !typedDir:
		debugOut, debugDir = "", ""
	case !typedKind && (typedOut || typedDir):
		*kind = rewrite.CompanionFull
	default:
		err = &usageError{"--companion-kind none makes no companion, but a place for one was given", "leave one of them out"}
	}
	return debugOut, debugDir, err
}

// targets pairs the inputs with their outputs. With companions, they get names as
// well: debugOut for a single input, else the default name, in debugDir if one is
// given.
func (c *call) targets(companions bool, debugOut, debugDir string) ([]target, error) {
	d, err := c.destination()
	if err != nil {
		return nil, err
	}
	inputs := c.Args().Slice()
	if err := c.checkShape(inputs, d, debugOut, debugDir, companions); err != nil {
		return nil, err
	}
	var out []target
	for _, in := range inputs {
		t := target{in: in, out: d.output}
		switch {
		case d.inPlace:
			t.out = in
		case d.outDir != "":
			t.out = filepath.Join(d.outDir, filepath.Base(in))
		}
		if companions {
			t.debug = debugOut
			if t.debug == "" && t.out != debugid.Stdio {
				t.debug = debugid.CompanionName(t.out)
				if debugDir != "" {
					t.debug = filepath.Join(debugDir, filepath.Base(t.debug))
				}
			} else if t.debug == "" && debugDir != "" {
				t.debug = filepath.Join(debugDir, filepath.Base(debugid.CompanionName(in)))
			}
		}
		out = append(out, t)
	}
	return c.checkTargets(out, d)
}

// checkShape refuses combinations of flags and numbers of inputs that cannot be
// meant.
func (c *call) checkShape(inputs []string, d destination, debugOut, debugDir string, companions bool) error {
	name := c.Command.Name
	stdin := false
	for _, in := range inputs {
		stdin = stdin || in == debugid.Stdio
	}
	if err := c.noEmptyNames(); err != nil {
		return err
	}
	switch {
	case len(inputs) == 0:
		return &usageError{name + ": name the module", fmt.Sprintf("%s %s app.wasm -o dist/app.wasm", program, name)}
	case d == destination{}:
		return c.noDestination(inputs, stdin, companions, debugOut)
	case len(inputs) > 1 && d.output != "":
		return &usageError{fmt.Sprintf("-o names one output, but there are %d inputs", len(inputs)), "use --in-place, or --out-dir DIR"}
	case len(inputs) > 1 && debugOut != "":
		return &usageError{fmt.Sprintf("--debug-out names one companion, but there are %d inputs", len(inputs)), "use --debug-dir DIR for all companions, or leave it out"}
	case len(inputs) > 1 && stdin:
		return &usageError{"standard input cannot be one of several inputs", ""}
	case stdin && d.output == "":
		return &usageError{"from standard input the output needs a name", fmt.Sprintf("%s %s - -o app.wasm", program, name)}
	case debugOut != "" && debugDir != "":
		return &usageError{"--debug-out and --debug-dir exclude each other", "give one of them"}
	case companions && stdin && debugOut == "":
		return &usageError{"from standard input the companion needs a name", "add --debug-out app.debug.wasm"}
	case companions && d.output == debugid.Stdio && debugOut == "" && debugDir == "":
		return &usageError{"to standard output only the module goes; the companion needs a name", "add --debug-out app.debug.wasm"}
	case d.output == debugid.Stdio && c.outTTY:
		return &usageError{"a module is binary, and standard output is a terminal", "send it to a file or into a pipe, or give -o a name"}
	case d.output == debugid.Stdio && c.outClosed:
		return &hinted{&fs.PathError{Op: "write", Path: "standard output", Err: errors.New("it is closed, or the null device, and the module would be lost")},
			"send it to a file or into a pipe, or give -o a name"}
	case d.output == debugid.Stdio && c.Bool("json"):
		return &usageError{"--json and -o - both need standard output", "give -o a name"}
	case stdin && c.inTTY:
		return &usageError{"a module is binary, and standard input is a terminal", "name the file"}
	}
	return nil
}

// noDestination is the error for a line that does not say where the output goes.
// A tool that picks a file by itself overwrites one some day.
func (c *call) noDestination(inputs []string, stdin, companions bool, debugOut string) error {
	msg := c.Command.Name + ": say where the module goes: -o FILE, --in-place or --out-dir DIR"
	switch {
	case stdin && companions && debugOut == "":
		return &usageError{msg, c.line("-o", "app.wasm", "--debug-out", "app.debug.wasm")}
	case stdin:
		return &usageError{msg, c.line("-o", "app.wasm")}
	case len(inputs) > 1:
		return &choiceError{usageError{msg: msg}, []string{"to replace the inputs:  " + c.line("--in-place"), "to write into a folder:  " + c.line("--out-dir", "dist")}}
	}
	other := filepath.Join("dist", filepath.Base(inputs[0]))
	return &choiceError{usageError{msg: msg}, []string{"to replace " + inputs[0] + ":  " + c.line("--in-place"), "to write another file:  " + c.line("-o", quote(other))}}
}

// choiceError is a usageError with several ways out, one a line.
type choiceError struct {
	usageError
	hints []string
}

func (e *choiceError) Unwrap() error { return &e.usageError }

// checkTargets refuses outputs that would overwrite each other or another input,
// and folders that do not exist. An input that is the companion of another one is
// left out: "dist/*.wasm" matches it on the second run.
func (c *call) checkTargets(all []target, d destination) ([]target, error) {
	if d.outDir != "" {
		if err := isFolder(d.outDir); err != nil {
			return nil, err
		}
	}
	companions := map[string]string{} // key → the input that the companion there belongs to
	for _, t := range all {
		if t.debug != "" && t.debug != debugid.Stdio {
			companions[atomicfile.Key(t.debug)] = t.in
		}
	}
	var kept []target
	for _, t := range all {
		if t.in != debugid.Stdio {
			t.key = atomicfile.Key(t.in)
		}
		if owner, ok := companions[t.key]; ok && owner != t.in && isCompanion(t.in) {
			c.note(t.in, rewrite.Note{Text: fmt.Sprintf("it is the companion of %s and is not split itself", owner)})
			continue
		}
		if d.inPlace && isCompanion(t.in) {
			return nil, &debugid.FileError{Path: t.in, Err: &rewrite.RefusedError{
				Msg:  "this is a debug companion; to replace it in place would destroy the debug information",
				Hint: "leave it out, or name the production module that belongs to it"}}
		}
		kept = append(kept, t)
	}
	taken := map[string]string{} // key → what it is
	claim := func(path, what string) error {
		if path == "" || path == debugid.Stdio {
			return nil
		}
		key := atomicfile.Key(path)
		if have, ok := taken[key]; ok {
			return &usageError{fmt.Sprintf("%s and %s would be one file, %s", have, what, path), "split them in separate runs, under different names"}
		}
		taken[key] = what
		return nil
	}
	for _, t := range kept {
		if err := claim(t.out, "the module made of "+t.in); err != nil {
			return nil, err
		}
		if err := claim(t.debug, "the companion of "+t.in); err != nil {
			return nil, err
		}
	}
	for _, t := range kept {
		if what, ok := taken[t.key]; ok && what != "the module made of "+t.in && len(kept) > 1 {
			return nil, &usageError{fmt.Sprintf("%s would replace the input %s", what, t.in), "split them in separate runs"}
		}
	}
	return kept, nil
}

// isFolder returns an error unless the path is a directory.
func isFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &hinted{err, "create the folder first: mkdir -p " + quote(path)}
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("this is not a folder")}
	}
	return nil
}

// hinted adds a hint to an error.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// Hint says what to do.
func (h *hinted) Hint() string { return h.hint }

// isCompanion reports whether the file carries this tool's record of a split.
func isCompanion(path string) bool {
	f, err := wasm.Open(path)
	if err != nil {
		return false // whatever is wrong with it is reported when it is split
	}
	defer f.Close()
	return f.Custom(wasm.CustomWasmDebugID) != nil
}
