package debugid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// SplitOptions say what Split reads and writes.
type SplitOptions struct {
	rewrite.Options // Pointer is set by Split

	Input     string // path of the module; "-" reads Stdin
	Output    string // path of the production module, may be Input's; "-" writes Stdout
	DebugOut  string // path of the companion; empty for CompanionName(Output)
	URL       string // for external_debug_info: empty for the companion's relative path, NoURL, or the URL
	Home      string // path at which the module will lie in the end, where the relative path starts; empty for Output
	Stdin     io.Reader
	Stdout    io.Writer
	DryRun    bool          // plan and verify, but write nothing
	Touch     bool          // give outputs the present time also if they held these bytes before, for build tools that go by times
	OnWriting func(n int64) // told the number of bytes written since the last call; may be nil

	// Check has the planned outputs checked as Check would check the files, and
	// refuses to write them unless they pass; nil for the pair's own promises only,
	// which every plan has to keep.
	Check *symcheck.Options

	named bool // DebugOut is another than the usual name
}

// SplitResult says what Split did.
type SplitResult struct {
	ID         buildid.ID
	Input      string         // path
	Production string         // path
	Companion  string         // path; empty when none was made
	Plan       *rewrite.Plan  // nil when Already
	Already    bool           // the input was split before and the pair belongs together
	Changed    bool           // a file was written
	Notes      []rewrite.Note // the plan's and those of writing
	Report     *report.Report // of the check; nil without one

	InputSize, ProductionSize, CompanionSize int64 // bytes
}

// Split writes a production module and its companion. An input that was split
// before is only checked against its companion, which must be at hand; Already
// is true then.
func Split(ctx context.Context, o SplitOptions) (*SplitResult, error) {
	p, err := PrepareSplit(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Result, p.Write(ctx)
}

// PrepareSplit is Split without the writing: everything is planned and verified.
// Whoever splits several modules prepares all of them first, so that one that
// cannot be split stops the run before a file has changed.
func PrepareSplit(ctx context.Context, o SplitOptions) (*Prepared, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if err := o.checkTargets(); err != nil {
		return nil, err
	}
	var recovered atomicfile.Recovery
	var err error
	if o.DebugOut != "" && o.Output != Stdio && !o.DryRun {
		// A run that was killed between its two renames is put right first, so
		// that what is on disk can be judged.
		recovered, err = atomicfile.Recover(o.Output, o.DebugOut, func(p, c string) (bool, error) { return belongs(ctx, p, c) })
		if err != nil {
			return nil, err
		}
	}
	in, err := openInput(ctx, o.Input, o.Stdin)
	if err != nil {
		return nil, err
	}
	p := &Prepared{in: in}
	if err := o.prepare(ctx, p); err != nil {
		in.Close()
		return nil, err
	}
	p.Result.noteRecovery(recovered)
	return p, nil
}

// prepare plans the split of an input that is open.
func (o *SplitOptions) prepare(ctx context.Context, p *Prepared) error {
	in := p.in
	done, err := o.already(ctx, p)
	if done && err == nil && o.Check != nil {
		return o.checkExisting(ctx, p)
	}
	if done || err != nil {
		return err
	}
	if err := o.refuseLosses(); err != nil {
		return err
	}
	if o.Pointer, err = pointerTo(o.home(), o.DebugOut, o.URL); err != nil {
		return err
	}
	plan, err := rewrite.Split(ctx, in.File, o.Options)
	if err != nil {
		return fileError(in.path, err)
	}
	if err := o.refuseForgetting(in, plan.ID()); err != nil {
		return err
	}
	r := &SplitResult{ID: plan.ID(), Input: in.path, Production: o.Output, Companion: o.DebugOut, Plan: plan, Notes: plan.Notes,
		InputSize: in.size, ProductionSize: plan.Production.Size()}
	if plan.Companion != nil {
		r.CompanionSize = plan.Companion.Size()
	}
	r.Notes = append(r.Notes, o.nameNotes()...)
	r.Notes = append(r.Notes, o.debugNotes(in)...)
	p.Result = r
	if err := o.provePlan(ctx, plan); err != nil {
		return fileError(in.path, err)
	}
	if o.Check != nil {
		if r.Report, err = o.checkPlan(ctx, in, plan); err != nil {
			return fileError(in.path, err)
		}
		if r.Report.Verdict() != report.Pass {
			return fileError(in.path, &CheckError{r.Report})
		}
	}
	if !o.DryRun {
		p.write = func(ctx context.Context) error { return o.write(ctx, in, r, plan.Production, plan.Companion) }
	}
	return nil
}

// complete fills in the defaults and refuses names that cannot be meant.
func (o *SplitOptions) complete() error {
	usage := func(format string, args ...any) error { return &rewrite.UsageError{Msg: fmt.Sprintf(format, args...)} }
	switch {
	case o.Input == "" || o.Output == "":
		return usage("name the input and the output")
	case o.Companion == rewrite.CompanionNone:
		if o.DebugOut != "" {
			return usage("a path for the companion was given (%s), but no companion is to be made", o.DebugOut)
		}
		return nil
	case o.DebugOut == "" && o.Output == Stdio:
		return usage("with standard output as the output, name the companion with --debug-out")
	case o.DebugOut == Stdio:
		return usage("the companion cannot go to standard output")
	case o.DebugOut == "":
		o.DebugOut = CompanionName(o.Output)
	default:
		o.named = o.DebugOut != CompanionName(o.Output)
	}
	switch {
	case sameFile(o.DebugOut, o.Output):
		return usage("the companion and the production module would be the same file, %s", o.Output)
	case sameFile(o.DebugOut, o.Input):
		return usage("the companion would replace the input, %s; name another file with --debug-out", o.Input)
	}
	return nil
}

// home is where the module will lie in the end.
func (o *SplitOptions) home() string {
	if o.Home != "" {
		return o.Home
	}
	return o.Output
}

// nameNotes tells which clients the companion's name does not suit.
func (o *SplitOptions) nameNotes() []rewrite.Note {
	var notes []rewrite.Note
	if len(o.Pointer) > 32 {
		notes = append(notes, rewrite.Note{Text: fmt.Sprintf(
			"the pointer to the companion is %d bytes long: @sentry/wasm up to 10.70 garbles debug_file for names above 32 bytes", len(o.Pointer))})
	}
	if n := len(o.DebugOut); n > 0 && (n < 5 || o.DebugOut[n-5:] != ".wasm") {
		notes = append(notes, rewrite.Note{Text: "the companion's name does not end in .wasm: datadog-ci passes it over"})
	}
	return notes
}

// write writes the pair, companion first, and completes the result.
func (o *SplitOptions) write(ctx context.Context, in *input, r *SplitResult, production, companion *rewrite.Layout) error {
	pair := atomicfile.Pair{Belongs: func(p, c string) (bool, error) { return belongs(ctx, p, c) }}
	if companion != nil {
		pair.Companion = o.file(ctx, in, r.Companion, companion)
	}
	if o.Output != Stdio {
		pair.Production = o.file(ctx, in, o.Output, production)
	}
	if sameFile(o.Output, in.path) {
		// Windows replaces no file that is open, and nothing reads it from here on.
		pair.Release = in.Close
	}
	streamed := o.Output != Stdio
	stream := func() error {
		streamed = true
		if err := production.WriteStream(ctx, o.Stdout); err != nil {
			return err
		}
		return in.unchanged()
	}
	if !streamed {
		// The companion takes its place when the module has been taken, so that a
		// reader that goes away leaves the old one.
		pair.Release = stream
	}
	replaced := replacedCompanion(r.Companion, r.ID)
	done, err := pair.Commit(ctx)
	if err == nil && !streamed {
		err = stream()
	}
	if err != nil {
		return err
	}
	if o.Touch {
		if err := touch(r.Companion, o.Output); err != nil {
			return err
		}
	}
	r.noteRecovery(done.Recovered)
	if done.WroteCompanion && replaced != nil {
		r.Notes = append(r.Notes, rewrite.Note{Disk: true, Text: fmt.Sprintf(
			"%s was the companion of build %v; whoever still runs that build needs it, so keep each release's companion (named by its ID, for example)", r.Companion, replaced)})
	}
	r.Changed = done.WroteCompanion || done.WroteProduction
	for _, text := range done.Notes {
		r.Notes = append(r.Notes, rewrite.Note{Disk: true, Text: text})
	}
	if o.Output == Stdio {
		r.Changed = true
		return nil
	}
	for _, path := range staleSiblings(o.Output) {
		r.Notes = append(r.Notes, rewrite.Note{Warning: true, Disk: true,
			Text: fmt.Sprintf("%s is older than %s; compress it again, or servers go on sending the old module", path, o.Output)})
	}
	return nil
}

// touch gives files the present time, the companion first.
func touch(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == Stdio {
			continue
		}
		now := time.Now()
		if err := os.Chtimes(path, now, now); err != nil {
			return err
		}
	}
	return nil
}

// noteRecovery tells that an earlier run was killed between its two renames, and
// what became of that.
func (r *SplitResult) noteRecovery(what atomicfile.Recovery) {
	switch what {
	case atomicfile.RecoveredFinished:
		r.Notes = append(r.Notes, rewrite.Note{Disk: true, Text: "an earlier run was killed at its end; what it left was finished"})
	case atomicfile.RecoveredRolledBack:
		r.Notes = append(r.Notes, rewrite.Note{Disk: true, Text: "an earlier run was killed half-way; the companion that it had replaced was put back first"})
	}
}

// file makes a planned output ready for the atomic write.
func (o *SplitOptions) file(ctx context.Context, in *input, path string, l *rewrite.Layout) *atomicfile.File {
	return &atomicfile.File{
		Path: path, Mode: in.mode, Size: l.Size(),
		Write: func(ctx context.Context, w *os.File) error {
			if err := l.WriteFile(ctx, w, o.OnWriting); err != nil {
				return err
			}
			return in.unchanged()
		},
		Unchanged: func(existing string) (bool, error) { return l.EqualFile(ctx, existing) },
	}
}

// already checks a module that was split before against its companion. It
// reports false and no error for any other module.
func (o *SplitOptions) already(ctx context.Context, p *Prepared) (bool, error) {
	in := p.in
	if in.HasDebug() || in.Custom(wasm.CustomWasmDebugID) != nil {
		return false, nil
	}
	ref, err := in.ExternalDebugInfo()
	if err != nil {
		return false, fileError(in.path, err)
	}
	pointer, pointed := ref.URL, ref.Section != nil
	found, err := buildid.Read(in.File)
	if err != nil {
		return false, fileError(in.path, err)
	}
	if pointed && found.Status == buildid.StatusAbsent {
		return false, fileError(in.path, &rewrite.RefusedError{
			Msg:  fmt.Sprintf("another tool split this module before: it has no DWARF, points to %q, and has no build ID", pointer),
			Hint: "split the module that the linker wrote (for emcc: leave out -gseparate-dwarf)"})
	}
	if o.Companion == rewrite.CompanionNone {
		if pointed {
			p.Result = &SplitResult{ID: found.ID, Input: in.path, Production: o.Output, Already: true, InputSize: in.size, ProductionSize: in.size}
			if !sameFile(o.Input, o.Output) && !o.DryRun {
				p.write = func(ctx context.Context) error { return o.write(ctx, in, p.Result, rewrite.Copy(in.File), nil) }
			}
		}
		return pointed, nil
	}
	if o.Input == Stdio {
		if !pointed {
			return false, nil
		}
		return false, fileError(in.path, &rewrite.RefusedError{
			Msg:  fmt.Sprintf("this module was split before: it has no DWARF and points to %q", pointer),
			Hint: "pass it on as it is, or name the file so that it can be checked against its companion"})
	}
	companion, err := o.findCompanion(ctx, in, pointer, pointed)
	if companion == "" || err != nil {
		return false, err
	}
	p.Result = &SplitResult{ID: found.ID, Input: in.path, Production: o.Output, Companion: companion, Already: true,
		InputSize: in.size, ProductionSize: in.size}
	if info, err := os.Stat(companion); err == nil {
		p.Result.CompanionSize = info.Size()
	}
	if sameFile(o.Input, o.Output) || o.DryRun {
		return true, nil
	}
	if pointed {
		if path, ok := pointerPath(o.Output, pointer); ok && !sameFile(path, o.DebugOut) {
			return false, fileError(in.path, &rewrite.UsageError{Msg: fmt.Sprintf(
				"this module was split before and points to %q, which from %s would be %s; add --debug-out %s, or split the module that the linker wrote",
				pointer, o.Output, path, path)})
		}
	}
	p.write = func(ctx context.Context) error { return o.copyPair(ctx, in, p.Result) }
	return true, nil
}

// findCompanion looks for the companion of a split input among the file that the
// options name, the one that its pointer leads to, and those of the usual names.
// A module with a pointer must have one; for any other an empty path means that
// it has not been split.
func (o *SplitOptions) findCompanion(ctx context.Context, in *input, pointer string, pointed bool) (string, error) {
	candidates := []string{o.DebugOut}
	var meant []string // by the user or the pointer; at a usual name there may be anything
	if o.named {
		meant = append(meant, o.DebugOut)
	}
	if !o.named || !sameFile(o.Input, o.Output) {
		// A companion that was named for a module that stays where it is, is the
		// one that is meant, and no other.
		if pointed {
			if p, ok := pointerPath(o.Input, pointer); ok {
				candidates, meant = append(candidates, p), append(meant, p)
			}
		}
		candidates = append(candidates, companionCandidates(o.Input)...)
	}
	var tried []string
	var failed error
	var mismatch *MismatchError
	for _, c := range candidates {
		if slices.Contains(tried, c) || sameFile(c, o.Input) {
			continue
		}
		tried = append(tried, c)
		if !exists(c) {
			continue
		}
		err := matches(ctx, o.Input, c)
		if err == nil {
			return c, nil
		}
		if errors.As(err, &mismatch) && (failed == nil || !pointed && mismatch.sameID) {
			failed = err
		}
	}
	meantFor := errors.As(failed, &mismatch) && mismatch.sameID
	switch {
	case !pointed && !meantFor:
		return "", nil // what lies there, if anything, belongs to another module
	case !pointed && mismatch.recorded:
		return "", fileError(in.path, &rewrite.RefusedError{
			Msg: fmt.Sprintf("this module was split before, and changed since: it has no DWARF and has the ID of the companion %s, to which it does not belong: %s",
				mismatch.Companion, mismatch.Msg),
			Hint: "split the module that the linker wrote; if it is this one, built without debug information under the ID of an earlier build, remove that companion first"})
	case failed != nil:
		return "", failed
	}
	for _, path := range meant {
		err := unusable(path)
		if err == nil {
			continue
		}
		split := fmt.Sprintf("this module was split before: it has no DWARF and points to %q; its companion is not at hand: what lies there cannot be used", pointer)
		if !isFormat(err) && !errors.Is(err, wasm.ErrNotModule) {
			return "", fmt.Errorf("%s: %s, %w", in.path, split, err)
		}
		return "", fileError(in.path, &rewrite.RefusedError{Msg: split + ", " + err.Error(),
			Hint: "name the companion with --debug-out, or split the module that the linker wrote"})
	}
	return "", fileError(in.path, &rewrite.RefusedError{
		Msg: fmt.Sprintf("this module was split before: it has no DWARF and points to %q; its companion is not at hand (looked for %s)",
			pointer, strings.Join(tried, ", ")),
		Hint: "name the companion with --debug-out, or split the module that the linker wrote"})
}

// copyPair copies a pair as it is to the paths of the outputs.
func (o *SplitOptions) copyPair(ctx context.Context, in *input, r *SplitResult) error {
	c, err := wasm.Open(r.Companion)
	if err != nil {
		return fileError(r.Companion, err)
	}
	defer c.Close()
	companion := rewrite.Copy(c)
	r.Companion, r.CompanionSize = o.DebugOut, c.Size()
	return o.write(ctx, in, r, rewrite.Copy(in.File), companion)
}
