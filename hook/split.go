package hook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Job is one file that a build tool has written.
type Job struct {
	// Path is the file, which its production module replaces.
	Path string
	// Home is where the build tool will put the module in the end, by a link or a
	// copy; empty if it stays at Path. The companion is called after it, and lies
	// beside it as well.
	Home string
	// Copies are other names at which the build tool may have the same file. Those
	// that hold what Path held become links to the production module, with the
	// companion beside them; the others are left alone.
	Copies []string
	// Companion is the path of the companion; empty for the place that the options
	// say.
	Companion string
	// KeepTime leaves the modification time of Path as it was, for build tools that
	// compare it.
	KeepTime bool
	// Warnings are what the caller knows about the module. They stand in the note.
	Warnings []string
}

// Result says what Split did with a file.
type Result struct {
	Path string
	// Skipped says why the file was left alone; empty if it was split.
	Skipped string
	Split   *debugid.SplitResult // nil if the file was left alone
	Note    *Note                // what the note says
	// NotePath is where it stands.
	NotePath string
	Changed  bool // a file was written, a note or a link included
}

// Split splits the file where it is. It leaves alone what a build writes beside
// linked modules: object files, archives, native programs. What has to be split and
// cannot be is an error: a module that awaits wasm-bindgen, a component, a damaged
// file. After an error the file is as the build tool wrote it.
//
// To split a file again that has been split before changes nothing, but what is
// missing is completed: the companion beside a copy, the note.
func Split(ctx context.Context, o Options, j Job) (*Result, error) {
	r := &Result{Path: j.Path}
	if o.Off {
		r.Skipped = "the hook is off (" + VarHook + ")"
		return r, nil
	}
	if j.Home == "" {
		j.Home = j.Path
	}
	module, why, err := look(j.Path)
	if err != nil || why != "" {
		r.Skipped = why
		return r, err
	}
	copies, err := j.copies()
	if err != nil {
		return nil, err
	}
	if err := j.refuseNotes(copies); err != nil {
		o.forget(ctx, j)
		return nil, err
	}
	if err := j.fetchCompanion(ctx, module, copies); err != nil {
		return nil, err
	}
	if o.Companion != rewrite.CompanionNone && j.Companion == "" {
		j.Companion = j.pointedTo(module)
	}
	p, undo, err := o.prepare(ctx, j)
	defer func() {
		if err != nil {
			undo()
		}
	}()
	if err != nil {
		o.forget(ctx, j)
		return nil, j.hint(err, copies)
	}
	defer p.Close()
	if err = o.write(ctx, j, p, copies, r); err != nil {
		return nil, err
	}
	return r, nil
}

// pointedTo returns the companion to which the pointer of a module leads that was
// split before; empty if there is none. It stays where it is, whatever the options
// say about new ones.
func (j *Job) pointedTo(l looked) string {
	if l.dwarf || l.pointer == "" {
		return ""
	}
	for _, from := range []string{j.Path, j.Home} {
		if path, ok := symcheck.PointerPath(from, l.pointer); ok && exists(path) {
			return path
		}
	}
	return ""
}

// looked is what is known of a file before it is split.
type looked struct {
	dwarf   bool
	pointer string // the contents of external_debug_info
}

// look opens the file and says why it is to be left alone, if it is.
func look(path string) (l looked, why string, err error) {
	file, info, err := regular.Open(path)
	var kind *regular.KindError
	if errors.As(err, &kind) {
		return l, err.Error(), nil // a driver that tries its linker out may write to a device
	}
	if err != nil {
		return l, "", err
	}
	defer file.Close()
	f, err := wasm.NewFile(file, info.Size())
	var not *wasm.NotModuleError
	if errors.As(err, &not) && not.Kind != wasm.KindComponent && not.Kind != wasm.KindVersion && not.Kind != wasm.KindTruncated && not.Kind != wasm.KindEmpty {
		return l, "it is " + not.Kind.String(), nil
	}
	if err != nil {
		return l, "", &debugid.FileError{Path: path, Err: err}
	}
	class, err := wasm.Classify(f)
	switch {
	case err != nil:
		return l, "", &debugid.FileError{Path: path, Err: err}
	case class.Object:
		return l, "it is an object file, which is yet to be linked", nil
	case class.SplitDWARF:
		return l, "it holds split DWARF and no code", nil
	case f.Custom(wasm.CustomWasmDebugID) != nil:
		return l, "", &debugid.FileError{Path: path, Err: &rewrite.RefusedError{
			Msg:  "this is a debug companion; to replace it would destroy the debug information",
			Hint: "name the production module that belongs to it"}}
	}
	l.dwarf = f.HasDebug()
	if ref, err := f.ExternalDebugInfo(); err == nil {
		l.pointer = ref.URL
	}
	return l, "", nil
}

// prepare plans the split. The function undoes what was made for it.
func (o *Options) prepare(ctx context.Context, j Job) (*debugid.Prepared, func(), error) {
	undo := func() {}
	s, dir, err := o.splitOptions(ctx, j)
	if err != nil {
		return nil, undo, err
	}
	if dir != "" {
		if undo, err = makeFolder(dir); err != nil {
			return nil, undo, err
		}
	}
	p, err := debugid.PrepareSplit(ctx, s)
	return p, undo, err
}

// makeFolder makes a folder and returns a function that removes what was made, as
// far as it is empty.
func makeFolder(dir string) (undo func(), err error) {
	var made []string
	for d := filepath.Clean(dir); !exists(d); d = filepath.Dir(d) {
		made = append(made, d)
	}
	return func() {
		for _, d := range made {
			os.Remove(d)
		}
	}, os.MkdirAll(dir, 0o777)
}

// splitOptions returns the options of the split, and the folder that it needs;
// empty if that is there.
func (o *Options) splitOptions(ctx context.Context, j Job) (debugid.SplitOptions, string, error) {
	s := debugid.SplitOptions{Options: o.Options, Input: j.Path, Output: j.Path, URL: o.URL, Check: o.Check}
	if o.Companion == rewrite.CompanionNone {
		return s, "", nil
	}
	if j.Companion != "" {
		s.DebugOut = j.Companion
		return s, "", nil
	}
	name := filepath.Base(debugid.CompanionName(j.Home))
	dir := o.CompanionDir
	if dir == "" {
		// Named only if it is not the default, because a name rules out others.
		if name = filepath.Join(filepath.Dir(j.Path), name); name != debugid.CompanionName(j.Path) {
			s.DebugOut = name
		}
		return s, "", nil
	}
	s.Home = j.Home // beside the module, the name alone leads there from both
	if strings.Contains(dir, IDPlaceholder) {
		id, err := o.id(ctx, s)
		if err != nil {
			return s, "", err
		}
		if s.BuildID.Mode == buildid.ModeRandom {
			s.BuildID = buildid.Policy{Mode: buildid.ModeGiven, ID: id}
		}
		dir = strings.ReplaceAll(dir, IDPlaceholder, id.String())
	}
	s.DebugOut = filepath.Join(dir, name)
	return s, dir, nil
}

// id finds out which ID the module will have.
func (o *Options) id(ctx context.Context, s debugid.SplitOptions) (buildid.ID, error) {
	s.DryRun, s.Check, s.Companion = true, nil, rewrite.CompanionNone
	s.URL = debugid.NoURL
	p, err := debugid.PrepareSplit(ctx, s)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Result.ID, nil
}

// write writes the pair, the note and the copies.
func (o *Options) write(ctx context.Context, j Job, p *debugid.Prepared, copies []string, r *Result) error {
	r.Split, r.NotePath = p.Result, NotePath(j.Path)
	before, err := os.Stat(j.Path)
	if err != nil {
		return err
	}
	if err := o.refuseOtherID(p.Result); err != nil {
		return err
	}
	if err := o.refuseOthersCompanion(ctx, j, p.Result); err != nil {
		return err
	}
	if err := p.Write(ctx); err != nil {
		return err
	}
	// The pair is there, and an interrupt must not part it from what belongs to it:
	// little is left to do.
	ctx = context.WithoutCancel(ctx)
	r.Changed = p.Result.Changed
	if err := p.Close(); err != nil {
		return err
	}
	if j.KeepTime && p.Result.Changed {
		if err := os.Chtimes(j.Path, before.ModTime(), before.ModTime()); err != nil {
			return err
		}
	}
	r.Note, err = o.note(ctx, j, p.Result)
	if err != nil {
		return err
	}
	if p.Result.Already && (!reflect.DeepEqual(r.Note.Settings, o.settings()) || o.elsewhere(p.Result)) {
		p.Result.Notes = append(p.Result.Notes, rewrite.Note{Warning: true, Disk: true,
			Text: "the settings have changed since it was split, and have no effect on it; " + j.again(copies)})
	}
	if err := o.spread(ctx, j, copies, r); err != nil {
		return err
	}
	return o.noteOwner(ctx, j, r)
}

// refuseOtherID refuses a module that was split before with another ID than the
// one that is asked for: it would be shipped under the old one.
func (o *Options) refuseOtherID(r *debugid.SplitResult) error {
	if !r.Already || o.BuildID.Mode != buildid.ModeGiven || o.BuildID.ID.Equal(r.ID) {
		return nil
	}
	return &debugid.FileError{Path: r.Input, Err: &rewrite.RefusedError{
		Msg:  "the module was split before and has the build ID " + r.ID.String() + ", not " + o.BuildID.ID.String(),
		Hint: (&Job{Path: r.Input}).again(nil)}}
}

// forget removes the notes of a module that could not be split, unless they
// describe this very module, which may have been split before.
func (o *Options) forget(ctx context.Context, j Job) {
	for _, path := range []string{NotePath(j.Path), NotePath(j.Home)} {
		n, err := ReadNote(path)
		if err != nil || n == nil {
			continue
		}
		if sum, _, err := digest(ctx, j.Path, o.Hash); err == nil && sum != n.Production.BLAKE3 {
			os.Remove(path)
		}
	}
}

// hint replaces hints that are about the command split by hints about builds.
func (j *Job) hint(err error, copies []string) error {
	var refused *rewrite.RefusedError
	var mismatch *debugid.MismatchError
	switch {
	case errors.As(err, &mismatch), errors.As(err, &refused) && strings.Contains(refused.Msg, "was split before"):
		hint := j.again(copies)
		if refused != nil && strings.Contains(refused.Msg, "changed since") {
			hint += "; if that is how it was linked, without debug information and under the ID of an earlier build, remove that build's companion as well"
		}
		return &hinted{err, hint}
	case refused != nil && strings.Contains(refused.Msg, "wasm-bindgen"):
		return &hinted{err, "build with " + VarHook + "=off, run wasm-bindgen --keep-debug, and then wasm-debugid split --in-place on the file " +
			"ending in _bg.wasm that it writes"}
	}
	return err
}

// again says how a module is linked anew.
func (j *Job) again(copies []string) string {
	return "to have it linked anew, remove " + strings.Join(append([]string{j.Path}, copies...), " and ") + " and build again"
}

// hinted gives an error another hint.
type hinted struct {
	error
	hint string
}

// Unwrap returns the error.
func (h *hinted) Unwrap() error { return h.error }

// Hint says what to do.
func (h *hinted) Hint() string { return h.hint }

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
