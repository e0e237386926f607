package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Two modules of one name, as a workspace may build, would have one companion in a
// folder for companions. So a note lies beside each companion there and names its
// module. A companion is replaced when that module is gone, or is another build by
// now, as after a rebuild or "cargo clean"; and never while the module is there.

// shared reports whether companions of several modules may meet in one folder.
func (o *Options) shared(j Job, r *debugid.SplitResult) bool {
	return o.CompanionDir != "" && !strings.Contains(o.CompanionDir, IDPlaceholder) && r.Companion != "" &&
		!o.elsewhere(r) && !isSame(filepath.Dir(r.Companion), filepath.Dir(j.Home))
}

// elsewhere reports whether the companion lies in another folder than the one that
// the options ask for.
func (o *Options) elsewhere(r *debugid.SplitResult) bool {
	if o.CompanionDir == "" || r.Companion == "" {
		return false
	}
	return !samePath(strings.ReplaceAll(o.CompanionDir, IDPlaceholder, r.ID.String()), filepath.Dir(r.Companion))
}

// refuseOthersCompanion refuses to replace the companion of another module that is
// still there.
func (o *Options) refuseOthersCompanion(ctx context.Context, j Job, r *debugid.SplitResult) error {
	if r.Already || !o.shared(j, r) {
		return nil
	}
	old := companionID(r.Companion)
	if old == nil || old.Equal(r.ID) {
		return nil
	}
	n, err := ReadNote(NotePath(r.Companion))
	if err != nil || n == nil || n.BuildID != old.String() {
		if !j.had(old) {
			r.Notes = append(r.Notes, rewrite.Note{Warning: true, Disk: true, Text: fmt.Sprintf(
				"%s was the companion of build %v, and nothing tells of which module; if it was another one, its companion is lost: put %s into %s to keep them apart",
				r.Companion, old, IDPlaceholder, VarOut)})
		}
		return nil
	}
	owner := filepath.FromSlash(n.Production.Path)
	if !filepath.IsAbs(owner) {
		owner = filepath.Join(filepath.Dir(r.Companion), owner)
	}
	if j.is(owner) {
		return nil
	}
	if sum, _, err := digest(ctx, owner, o.Hash); err != nil || sum != n.Production.BLAKE3 {
		return ctx.Err() // gone, or another build: the companion is of no use to it
	}
	return &debugid.FileError{Path: r.Companion, Err: &rewrite.RefusedError{
		Msg: fmt.Sprintf("this is the companion of another module, %s (build %v), which would lose it", owner, old),
		Hint: fmt.Sprintf("put %s into %s, as in %s, so that modules of one name keep their companions apart; or remove %s if it is of no use any more",
			IDPlaceholder, VarOut, filepath.Join(o.CompanionDir, IDPlaceholder), owner)}}
}

// noteOwner leaves a note beside a companion that others could meet.
func (o *Options) noteOwner(ctx context.Context, j Job, r *Result) error {
	path := NotePath(r.Split.Companion)
	if !o.shared(j, r.Split) || r.Split.Already && exists(path) {
		return nil
	}
	n := *r.Note
	wrote, err := n.writeAt(ctx, path, j.Home, r.Split.Companion)
	r.Changed = r.Changed || wrote
	return err
}

// is reports whether a path is where the module is or will be.
func (j *Job) is(path string) bool {
	return samePath(path, j.Path) || samePath(path, j.Home)
}

// had reports whether a note of the module says that it had an ID.
func (j *Job) had(id buildid.ID) bool {
	for _, path := range append([]string{j.Path, j.Home}, j.Copies...) {
		if n, err := ReadNote(NotePath(path)); err == nil && n != nil && n.BuildID == id.String() {
			return true
		}
	}
	return false
}

// companionID returns the build ID of a companion; nil if there is none.
func companionID(path string) buildid.ID {
	f, err := wasm.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	found, err := buildid.Read(f)
	if err != nil || found.Status == buildid.StatusAbsent {
		return nil
	}
	return found.ID
}
