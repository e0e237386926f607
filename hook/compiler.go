package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// varInCompiler counts how many compilers run within each other through a hook. A
// compiler that calls others, as emcc does for its libraries, has its own output
// split, and not theirs; one that leads back here for ever is noticed.
const varInCompiler = "WASM_DEBUGID_IN_COMPILER"

// Compiler is one run of a compiler driver through a hook.
type Compiler struct {
	Options
	Command []string // the driver and its arguments
	// Emscripten says that the driver is emcc, whatever it is called.
	Emscripten bool
	Getenv     func(name string) string // reads a variable
	// WasmOpt lets clang run the wasm-opt that it finds. It is off by default: clang
	// passes it no -g, so that it destroys the DWARF.
	WasmOpt bool
	// NoSplit does everything but the split, which a later step of the build does.
	NoSplit bool
	// Self is the path of this program. It must not be run as the compiler, and it is
	// what clang finds in place of wasm-opt, see IsWasmOpt. Without it clang is left
	// alone.
	Self           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            []string // of the driver; nil for that of this process
}

// Compiled says what a run of a compiler driver came to.
type Compiled struct {
	Invocation
	Split   *Result // of the module that was linked; nil if nothing was
	Skipped string  // the same as Split.Skipped, or why there is no Split
	// KeptFrom is the command line of the wasm-opt that clang would have run; empty
	// if it would not have.
	KeptFrom string
	Replaced string // the debug file of emcc's -gseparate-dwarf, which the companion replaces
	// Warnings say what is wrong with a module that a later step splits. Those about
	// one that was split stand in its note.
	Warnings []string
}

// Run runs the driver with its arguments and splits what it links. The error is an
// *ExitError if the driver failed.
//
// What cannot end well is refused before the driver runs: a module inside of
// JavaScript. If the output cannot be split it is set aside under another name, see
// SetAside.
func (c *Compiler) Run(ctx context.Context) (*Compiled, error) {
	path, err := c.find()
	if err != nil {
		return nil, err
	}
	depth, _ := strconv.Atoi(c.Getenv(varInCompiler))
	if depth >= maxCompilers {
		return nil, &rewrite.UsageError{Msg: "the compiler calls wasm-debugid in its own place again and again; name the compiler itself, and no script that leads back here"}
	}
	r := &Compiled{Invocation: c.invocation()}
	r.Skipped = r.Why
	hooked := r.Links && !c.Off && depth == 0
	if hooked {
		if err := r.refuse(); err != nil {
			return r, err
		}
	} else if r.Links {
		r.Skipped = "the hook is off (" + VarHook + ")"
		if !c.Off {
			r.Skipped = "another compiler that is run through wasm-debugid has called this one"
		}
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	run := Command{Path: path, Args: c.Command[1:], Env: append(env[:len(env):len(env)], varInCompiler+"="+strconv.Itoa(depth+1)), Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr}
	var stand *standIn
	if hooked && !c.WasmOpt && r.Driver == DriverClang && c.Self != "" {
		if stand, err = newStandIn(c.Self); err != nil {
			return r, err
		}
		defer stand.remove()
		run.Env = stand.environment(run.Env)
	}
	before := r.stat()
	target, _ := os.Stat(r.Target)
	if err := run.Run(ctx); err != nil {
		if ctx.Err() != nil && hooked && !c.NoSplit {
			err = r.discard(before, target, err)
		}
		return r, err
	}
	if stand != nil {
		r.KeptFrom = stand.called()
	}
	if hooked && c.NoSplit {
		r.Skipped = "it is to be split later"
		if path, _ := r.module(before); path != "" && isModule(path) {
			r.Warnings = r.objectWarnings()
		}
	}
	if !hooked || c.NoSplit {
		return r, nil
	}
	return r, c.split(ctx, r, before)
}

// maxCompilers bounds how many compilers run within each other.
const maxCompilers = 8

// invocation reads the command line.
func (c *Compiler) invocation() Invocation {
	if c.Emscripten {
		return parseInvocation(DriverEmscripten, c.Command, c.Getenv)
	}
	return ParseInvocation(c.Command, c.Getenv)
}

// find returns the path of the driver.
func (c *Compiler) find() (string, error) {
	if len(c.Command) == 0 {
		return "", &rewrite.UsageError{Msg: "name the compiler and its arguments"}
	}
	path, err := findProgram(c.Command[0], c.Self)
	switch {
	case errors.Is(err, errSelf):
		return "", &rewrite.UsageError{Msg: fmt.Sprintf("%s is wasm-debugid itself; name the compiler", c.Command[0])}
	case err != nil:
		return "", nameVersions(fmt.Errorf("cannot run %s: %w", c.Command[0], err), c.Command[0])
	}
	return path, nil
}

// refuse refuses command lines of which no split can come.
func (r *Compiled) refuse() error {
	if r.On("SINGLE_FILE") {
		return &debugid.FileError{Path: r.Target, Err: &rewrite.RefusedError{
			Msg: "SINGLE_FILE puts the module into the JavaScript as text, so that there is no module to ship, to split, or to report offsets of",
			Hint: "leave out -sSINGLE_FILE; if the page must be one file, split the module first and embed the production module, " +
				"or set " + VarHook + "=off"}}
	}
	return nil
}

// stat looks at the files at which the module may be.
func (r *Compiled) stat() []os.FileInfo {
	out := make([]os.FileInfo, len(r.Modules))
	for i, path := range r.Modules {
		out[i], _ = os.Stat(path)
	}
	return out
}

// discard removes what a driver that was interrupted has written already: nobody
// will split it. before and target are what was there.
func (r *Compiled) discard(before []os.FileInfo, target os.FileInfo, err error) error {
	for i, after := range r.stat() {
		if written(before[i], after) {
			err = interrupted(r.Modules[i], err)
		}
	}
	if after, _ := os.Stat(r.Target); written(target, after) {
		discard(r.Target)
	}
	return err
}

// split splits the module that the driver has written.
func (c *Compiler) split(ctx context.Context, r *Compiled, before []os.FileInfo) error {
	path, why := r.module(before)
	if why != "" {
		r.Skipped = why
		return nil
	}
	if path == "" {
		return r.nothingWritten()
	}
	o, j := c.Options, Job{Path: path, Warnings: r.warnings()}
	if r.Separate {
		if err := r.undoSeparate(ctx, &o, &j); err != nil {
			return r.aside(ctx, path, err)
		}
	}
	split, err := Split(ctx, o, j)
	if err != nil {
		return r.aside(ctx, path, err)
	}
	r.Split, r.Skipped = split, split.Skipped
	return nil
}

// module returns the path of the module that was written; or why there is none to
// split.
func (r *Compiled) module(before []os.FileInfo) (path, why string) {
	after := r.stat()
	if r.Driver == DriverEmscripten && (r.Settings["WASM"] == "0" || r.On("WASM2JS")) {
		return "", "it makes JavaScript and no module"
	}
	for i, path := range r.Modules {
		switch {
		case after[i] != nil && !after[i].Mode().IsRegular():
			return "", "it writes to no file"
		case written(before[i], after[i]) && isModule(path):
			return path, ""
		}
	}
	for i, path := range r.Modules {
		if written(before[i], after[i]) && path == r.Target {
			return path, "" // whatever it is, Split tells
		}
	}
	return "", ""
}

// isModule reports whether a file begins as modules do.
func isModule(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "\x00asm"
}

// nothingWritten is the error for a driver that ended well and wrote no file.
func (r *Compiled) nothingWritten() error {
	refused := &rewrite.RefusedError{
		Msg:  fmt.Sprintf("the compiler ended well and did not write this file (looked for %s)", strings.Join(r.Modules, ", ")),
		Hint: "if that is as it should be, set " + VarHook + "=off"}
	if r.NoWasmOpt {
		refused.Hint = "clang 19 takes --no-wasm-opt and then writes nothing: leave the flag out, wasm-debugid keeps clang from running wasm-opt"
	}
	return &debugid.FileError{Path: r.Modules[0], Err: refused}
}

// warnings says what is wrong with the command line.
func (r *Compiled) warnings() []string {
	var out []string
	if r.Strip != "" {
		out = append(out, fmt.Sprintf("the linker was given %s, so that there is no DWARF to keep; leave it out, the split strips", r.Strip))
	}
	if r.Driver == DriverEmscripten && !r.Debug {
		out = append(out, "emcc was given no -g at the link, where it drops all DWARF that the object files have; add -g to the flags of the link as well")
	}
	if r.Driver == DriverClang && r.Compiles && !r.Debug {
		out = append(out, "the compiler was given no -g, so that what it compiled here has no debug information, whatever the libraries have; add -g")
	}
	return append(out, r.objectWarnings()...)
}

// objectWarnings says what is wrong with the object files of a link of nothing else.
func (r *Compiled) objectWarnings() []string {
	if r.Compiles || r.Strip != "" {
		return nil
	}
	if text := undebugged(r.Inputs); text != "" {
		return []string{text + "; compile with -g"}
	}
	return nil
}

// aside sets a module that could not be split aside, and what loads it as well: a
// build tool that goes by files alone must not take them for the result.
func (r *Compiled) aside(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		if r.Target != path {
			discard(r.Target)
		}
		return interrupted(path, err)
	}
	err = setAside(path, err)
	if r.Target != path {
		ext := filepath.Ext(r.Target)
		if failed := os.Rename(r.Target, strings.TrimSuffix(r.Target, ext)+".unsplit"+ext); failed != nil {
			os.Remove(r.Target)
		}
	}
	return err
}
