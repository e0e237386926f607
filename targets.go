package debugid

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// NoDirectoryError reports an output in a directory that does not exist. It
// matches fs.ErrNotExist.
type NoDirectoryError struct{ Path, Dir string }

// Error names the output and the directory.
func (e *NoDirectoryError) Error() string {
	return fmt.Sprintf("cannot write %s: there is no directory %s", e.Path, e.Dir)
}

// Hint says how to make the directory.
func (e *NoDirectoryError) Hint() string { return "mkdir -p " + e.Dir }

// Is makes the error match fs.ErrNotExist.
func (e *NoDirectoryError) Is(target error) bool { return target == fs.ErrNotExist }

// checkTargets refuses outputs that cannot be written, before any work is done
// and in a dry run as well.
func (o *SplitOptions) checkTargets() error {
	if err := checkTarget(o.Output); err != nil || o.DebugOut == "" {
		return err
	}
	return checkTarget(o.DebugOut)
}

// refuseLosses refuses to replace what is of another kind than what would be
// written: debug information would be lost, or a module.
func (o *SplitOptions) refuseLosses() error {
	if err := refuseCompanion(o.Output, o.Input); err != nil || o.DebugOut == "" {
		return err
	}
	f, err := wasm.Open(o.DebugOut)
	if err != nil {
		return nil // whatever it is, it is no module
	}
	defer f.Close()
	if f.Custom(wasm.CustomExternalDebugInfo) != nil && !f.HasDebug() {
		return &rewrite.UsageError{Msg: fmt.Sprintf("%s is a production module, which a companion would replace; name another file with --debug-out", o.DebugOut)}
	}
	return nil
}

// refuseForgetting refuses to replace a companion with DWARF by one without, of the
// same ID: what is split then is a module whose DWARF was taken away before, and
// that was changed since.
func (o *SplitOptions) refuseForgetting(in *input, id buildid.ID) error {
	if o.DebugOut == "" || in.HasDebug() {
		return nil
	}
	f, err := wasm.Open(o.DebugOut)
	if err != nil {
		return nil // whatever it is, it is no companion
	}
	defer f.Close()
	if found, err := buildid.Read(f); err != nil || !found.ID.Equal(id) || !f.HasDebug() {
		return nil
	}
	return fileError(in.path, &rewrite.RefusedError{
		Msg:  fmt.Sprintf("this module has no DWARF and has the ID of the companion %s, whose DWARF would be lost: it was split before, and changed since", o.DebugOut),
		Hint: "split the module that the linker wrote, or name another companion with --debug-out"})
}

func checkTarget(path string) error {
	if path == Stdio {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir(), strings.HasSuffix(path, string(filepath.Separator)):
		return &rewrite.UsageError{Msg: fmt.Sprintf("%s is a directory, and the name of a file is needed, such as %s; --out-dir and --debug-dir take directories",
			path, filepath.Join(path, "app.wasm"))}
	case err == nil && !info.Mode().IsRegular():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	case err != nil:
		return checkDirectory(path)
	}
	return nil
}

// refuseCompanion refuses to replace a companion by a module: its debug
// information would be lost.
func refuseCompanion(path, input string) error {
	if path == Stdio || sameFile(path, input) {
		return nil
	}
	f, err := wasm.Open(path)
	if err != nil {
		return nil // whatever it is, it is no companion
	}
	defer f.Close()
	if r, err := rewrite.ReadRecord(f); err == nil && r != nil {
		return &rewrite.UsageError{Msg: fmt.Sprintf("%s is the debug companion of build %s, and would be replaced by a module; name another output", path, r.BuildID)}
	}
	return nil
}

// checkDirectory reports a missing directory of a file that is to be made.
func checkDirectory(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return nil // a dangling link, whose target decides
		}
		return &NoDirectoryError{path, dir}
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: fmt.Errorf("%s is no directory", dir)}
	}
	return nil
}

// replacedCompanion returns the ID of the companion at path, if there is one of
// another build than id.
func replacedCompanion(path string, id buildid.ID) buildid.ID {
	if path == "" {
		return nil
	}
	f, err := wasm.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if found, err := buildid.Read(f); err == nil && found.ID != nil && !found.ID.Equal(id) {
		return found.ID
	}
	return nil
}

// debugNotes tells what the companion will be able to answer, where that is less
// than files and lines.
func (o *SplitOptions) debugNotes(in *input) []rewrite.Note {
	warning := func(text string) []rewrite.Note { return []rewrite.Note{{Warning: true, Text: text}} }
	switch {
	case o.Companion == rewrite.CompanionNone:
		return nil
	case in.HasDebug():
		if in.path != o.Input || !isGhost(in.path) {
			return nil
		}
		return warning("the DWARF names no code at all: a tool rewrote the code after the link and left the DWARF behind " +
			"(a clang driver with -O runs any wasm-opt that it finds: link through wasm-debugid cc -- clang ..., or call the linker directly); the companion will resolve nothing")
	case in.Custom(wasm.CustomSourceMappingURL) != nil:
		return []rewrite.Note{{Text: "the module holds no DWARF but names a source map, which goes on being right: no offset moves"}}
	case in.Custom(wasm.CustomGoBuildID) != nil:
		return []rewrite.Note{{Text: "the Go toolchain writes no DWARF for WebAssembly: the companion knows the names of functions, and neither files nor lines"}}
	}
	if in.Custom(wasm.CustomBuildID) != nil {
		return warning("the module has a build ID and no DWARF: if it was split before, the companion that knows its files and lines lies elsewhere " +
			"under this ID, and the one made now knows names at best")
	}
	return warning("the module holds no DWARF, so that its companion knows no files and lines; build with debug information (-g) and split that")
}

// isGhost reports whether the file at path holds DWARF that names no code. A file
// that cannot be read is no ghost: whatever is wrong with it shows elsewhere.
func isGhost(path string) bool {
	m, err := mapped.Open(path)
	if err != nil {
		return false
	}
	defer m.Close()
	f, err := wasm.NewFile(m, m.Size())
	if err != nil {
		return false
	}
	d, err := debugfile.New(f, m, debugfile.Options{Alone: true})
	if err != nil {
		return false
	}
	defer d.Close()
	return d.IsGhost()
}
