package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// Variables of linker mode.
const (
	VarRealLinker = "WASM_DEBUGID_REAL_LINKER" // the linker to run: a path, or a name on PATH

	// varInLinker is set for the real linker, so that one that leads back here is
	// noticed.
	varInLinker = "WASM_DEBUGID_IN_LINKER"
)

// linkers are the names under which a linker is looked for; the last resort are
// those of wasm-ld with a version. rustc puts the folder of its own rust-lld in
// front of PATH.
var linkers = []string{"rust-lld", "wasm-ld", "lld"}

// Linker is one run of linker mode: the program was called in place of a linker.
type Linker struct {
	Options
	Args   []string                 // of the linker, without the program's name
	Getenv func(name string) string // reads a variable
	Self   string                   // path of this program, which must not be run as the linker
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    []string // of the real linker; nil for that of this process
}

// Run runs the real linker with the same arguments and splits what it writes. The
// result is nil if it was to write nothing, or to no regular file. The error is an
// *ExitError if the linker failed.
//
// If the output cannot be split it is set aside under another name, see SetAside: a
// build tool that goes by files alone must not take it for the result of the build.
func (l *Linker) Run(ctx context.Context) (*Result, error) {
	args := parseLinkerArgs(l.Args)
	linker, err := l.find(args)
	if err != nil {
		return nil, err
	}
	if args.output == debugid.Stdio && !args.nothing && !l.Off {
		return nil, &rewrite.UsageError{Msg: "the linker was to write to standard output, and a module is split on disk only; name a file with -o, or set " + VarHook + "=off"}
	}
	before, _ := os.Stat(args.output)
	env := l.Env
	if env == nil {
		env = os.Environ()
	}
	c := Command{Path: linker, Args: l.Args, Env: append(env[:len(env):len(env)], varInLinker+"=1"), Stdin: l.Stdin, Stdout: l.Stdout, Stderr: l.Stderr}
	if err := c.Run(ctx); err != nil {
		if after, _ := os.Stat(args.output); ctx.Err() != nil && !args.nothing && !l.Off && written(before, after) {
			err = interrupted(args.output, err)
		}
		return nil, err
	}
	if args.nothing || l.Off {
		return nil, nil
	}
	after, _ := os.Stat(args.output)
	if after != nil && !after.Mode().IsRegular() {
		return nil, nil // /dev/null, or a pipe: there is no file to split
	}
	if !written(before, after) {
		return nil, &debugid.FileError{Path: args.output, Err: &rewrite.RefusedError{
			Msg:  fmt.Sprintf("%s ended well and did not write this file, so that nothing was split", linker),
			Hint: "if that is as it should be, set " + VarHook + "=off"}}
	}
	j := Job{Path: args.output, Home: cargoHome(args.output, args, l.Getenv)}
	if args.strip != "" {
		j.Warnings = []string{fmt.Sprintf("the linker was given %s, so that there is no DWARF to keep: "+
			"with cargo, set debug = true and strip = false in the profile", args.strip)}
	} else if text := undebugged(args.inputs); text != "" {
		j.Warnings = []string{text + "; with cargo, set debug = true in the profile"}
	}
	r, err := Split(ctx, l.Options, j)
	if err == nil {
		return r, nil
	}
	if ctx.Err() != nil {
		return nil, interrupted(args.output, err)
	}
	return nil, setAside(args.output, err)
}

// find returns the path of the real linker.
func (l *Linker) find(args linkerArgs) (string, error) {
	if l.Getenv(varInLinker) != "" {
		return "", &rewrite.UsageError{Msg: "the real linker has called wasm-debugid in linker mode again; " +
			"name the linker itself in " + VarRealLinker + ", and no script that leads back here"}
	}
	if name := l.Getenv(VarRealLinker); name != "" {
		path, err := findProgram(name, l.Self)
		switch {
		case errors.Is(err, errSelf):
			return "", &rewrite.UsageError{Msg: fmt.Sprintf("%s is %q, which is wasm-debugid itself; name the linker that it stands in for", VarRealLinker, name)}
		case err != nil:
			return "", nameVersions(fmt.Errorf("%s is %q, which cannot be run: %w", VarRealLinker, name, err), name)
		}
		return path, nil
	}
	names, relative := linkers, error(nil)
	if args.component {
		names = []string{"wasm-component-ld"} // another would make something else of it
	}
	looked := strings.Join(names, ", ")
	if !args.component {
		names = append(slices.Clone(names), findVersions("wasm-ld")...)
		looked += ", wasm-ld-VERSION"
	}
	for _, name := range names {
		path, err := findProgram(name, l.Self)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, exec.ErrDot) {
			relative = cmp.Or(relative, err)
		}
	}
	if relative != nil {
		return "", fmt.Errorf("there is no linker for WebAssembly that can be run: %w", relative)
	}
	return "", &hinted{fmt.Errorf("there is no linker for WebAssembly on PATH (looked for %s): %w", looked, exec.ErrNotFound),
		"set " + VarRealLinker + " to one, for example to the path of wasm-ld"}
}

// written reports whether a file has been written between two looks at it, of
// which each is nil where it was not there.
func written(before, after os.FileInfo) bool {
	return after != nil && (before == nil || !os.SameFile(before, after) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()))
}
