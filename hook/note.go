package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/internal/regular"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// The schema and version of a note.
const (
	NoteSchema  = "wasm-debugid/note"
	NoteVersion = 1
)

// Note is what a hook leaves beside a module that it has split: a JSON document.
// A linker's messages are shown by some drivers, by others only if it fails; the
// note is there in any case. The same split gives the same bytes, in any folder: it
// holds no time, and paths are relative to the note's own folder, with slashes.
//
// A note holds for the module whose digest it gives.
type Note struct {
	BuildID       string       `json:"build_id"`        // hex of the bare ID
	BuildIDReason string       `json:"build_id_reason"` // where the ID came from
	Check         *NoteCheck   `json:"check"`           // null if no check was asked for
	Companion     *NoteFile    `json:"companion"`       // null if none was made
	InputSize     int64        `json:"input_size"`      // bytes of the module as it was linked; 0 if not known
	Notes         []string     `json:"notes"`           // worth knowing
	Production    NoteFile     `json:"production"`
	Schema        string       `json:"schema"` // NoteSchema
	Settings      NoteSettings `json:"settings"`
	Verdict       string       `json:"verdict"` // "pass" or "not checked"; a pair that fails is not written
	Version       int          `json:"version"` // NoteVersion
	Warnings      []string     `json:"warnings"`
}

// NoteFile is one file of a pair.
type NoteFile struct {
	BLAKE3 string `json:"blake3"`         // BLAKE3-256, hex
	Kind   string `json:"kind,omitempty"` // of a companion: full or symbols
	Path   string `json:"path"`           // relative to the note's folder
	Size   int64  `json:"size"`           // bytes
}

// NoteCheck is the outcome of the check.
type NoteCheck struct {
	Coverage *NoteCoverage `json:"coverage"` // of user code; null if it was not measured
	Findings []string      `json:"findings"` // warnings, with their codes
}

// NoteCoverage counts the places in user code that a stack trace can hold, by what
// they resolve to.
type NoteCoverage struct {
	Function int64 `json:"function"` // a function only
	Line     int64 `json:"line"`     // file and line
	Nothing  int64 `json:"nothing"`
}

// NoteSettings are the options of the split that decide on its bytes.
type NoteSettings struct {
	BuildID     string   `json:"build_id"`     // the policy
	Companion   string   `json:"companion"`    // the kind
	ExternalURL string   `json:"external_url"` // as given
	Keep        []string `json:"keep"`
	Remove      []string `json:"remove"`
	StripNames  bool     `json:"strip_names"`
}

// NotePath returns the path of the note of a module: app.debugid.json for
// app.wasm, and for other names the whole name with .debugid.json behind it.
func NotePath(module string) string { return strings.TrimSuffix(module, ".wasm") + ".debugid.json" }

// refuseNotes refuses places where no note can be written, before anything else is.
func (j *Job) refuseNotes(copies []string) error {
	for _, module := range append([]string{j.Path, j.Home}, copies...) {
		path := NotePath(module)
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return &debugid.FileError{Path: path, Err: &rewrite.RefusedError{
				Msg:  "the note about " + filepath.Base(module) + " belongs here, and what is here is no file",
				Hint: "move it out of the way and build again"}}
		}
	}
	return nil
}

// maxNote bounds the size in bytes of a note that is read.
const maxNote = 16 << 20

// ReadNote reads a note. It returns nil and no error where there is none.
func ReadNote(path string) (*Note, error) {
	f, info, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxNote {
		return nil, &debugid.FileError{Path: path, Err: fmt.Errorf("a note of %d bytes is none of ours", info.Size())}
	}
	b := make([]byte, info.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return nil, err
	}
	n := &Note{}
	if err := json.Unmarshal(b, n); err != nil {
		return nil, &debugid.FileError{Path: path, Err: fmt.Errorf("this is no note: %w", err)}
	}
	if n.Schema != NoteSchema || n.Version != NoteVersion {
		return nil, &debugid.FileError{Path: path, Err: fmt.Errorf("this is no note of version %d: its schema is %q, version %d", NoteVersion, n.Schema, n.Version)}
	}
	return n, nil
}

// note describes a pair that has been written.
func (o *Options) note(ctx context.Context, j Job, r *debugid.SplitResult) (*Note, error) {
	n := &Note{Schema: NoteSchema, Version: NoteVersion, BuildID: r.ID.String(), Verdict: "not checked", Notes: []string{}, Warnings: []string{},
		InputSize: r.InputSize, Settings: o.settings()}
	var err error
	if n.Production.BLAKE3, n.Production.Size, err = digest(ctx, r.Production, o.Hash); err != nil {
		return nil, err
	}
	if r.Companion != "" {
		n.Companion = &NoteFile{}
		if n.Companion.Kind, err = companionKind(r.Companion); err != nil {
			return nil, err
		}
		if n.Companion.BLAKE3, n.Companion.Size, err = digest(ctx, r.Companion, o.Hash); err != nil {
			return nil, err
		}
	}
	if r.Plan != nil {
		n.BuildIDReason = r.Plan.Decision.Reason
	}
	n.Warnings = append(n.Warnings, j.Warnings...)
	for _, note := range r.Notes {
		switch {
		case note.Disk:
		case note.Warning:
			n.Warnings = append(n.Warnings, note.Text)
		default:
			n.Notes = append(n.Notes, note.Text)
		}
	}
	if r.Already {
		n.remember(j)
	}
	if r.Report != nil {
		n.Verdict, n.Check = r.Report.Verdict().String(), newNoteCheck(r.Report)
	}
	return n, nil
}

// remember takes over what only the run that split the module could know from the
// note of that run.
func (n *Note) remember(j Job) {
	n.InputSize, n.BuildIDReason = 0, "the module was split before"
	for _, path := range append([]string{j.Path, j.Home}, j.Copies...) {
		old, err := ReadNote(NotePath(path))
		if err != nil || old == nil || old.Production.BLAKE3 != n.Production.BLAKE3 || (old.Companion == nil) != (n.Companion == nil) {
			continue
		}
		n.InputSize, n.BuildIDReason, n.Settings = old.InputSize, old.BuildIDReason, old.Settings
		n.Notes, n.Warnings, n.Verdict, n.Check = old.Notes, old.Warnings, old.Verdict, old.Check
		return
	}
}

// companionKind returns the kind that a companion of ours records.
func companionKind(path string) (string, error) {
	f, err := wasm.Open(path)
	if err != nil {
		return "", &debugid.FileError{Path: path, Err: err}
	}
	defer f.Close()
	record, err := rewrite.ReadRecord(f)
	if err != nil || record == nil {
		return "", err
	}
	return record.Kind, nil
}

func (o *Options) settings() NoteSettings {
	s := NoteSettings{BuildID: o.BuildID.String(), Companion: o.Companion.String(), ExternalURL: o.URL, Keep: o.Keep, Remove: o.Remove, StripNames: o.StripNames}
	if s.Keep == nil {
		s.Keep = []string{}
	}
	if s.Remove == nil {
		s.Remove = []string{}
	}
	return s
}

// CheckWarnings returns what a report warns of, each with the code of its rule in
// front.
func CheckWarnings(r *report.Report) []string {
	out := []string{}
	for i := range r.Subjects {
		for k := range r.Subjects[i].Findings {
			if f := &r.Subjects[i].Findings[k]; f.Severity == report.Warning {
				out = append(out, f.Rule+": "+f.Message)
			}
		}
	}
	return out
}

func newNoteCheck(r *report.Report) *NoteCheck {
	c := &NoteCheck{Findings: CheckWarnings(r)}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if s.Coverage == nil {
			continue
		}
		if c.Coverage == nil {
			c.Coverage = &NoteCoverage{}
		}
		counts := s.Coverage.Total
		for _, class := range s.Coverage.Classes {
			if class.Name == "user" {
				counts = class.Counts
			}
		}
		c.Coverage.Line += counts.Line
		c.Coverage.Function += counts.Function
		c.Coverage.Nothing += counts.Nothing
	}
	return c
}

// write writes the note of the module at a path whose companion is at another,
// and reports whether that changed anything.
func (n *Note) write(ctx context.Context, module, companion string) (bool, error) {
	return n.writeAt(ctx, NotePath(module), module, companion)
}

// writeAt is write for a note at a path of its own.
func (n *Note) writeAt(ctx context.Context, path, module, companion string) (bool, error) {
	dir := filepath.Dir(path)
	n.Production.Path = relative(dir, module)
	if n.Companion != nil {
		c := *n.Companion
		c.Path = relative(dir, companion)
		n.Companion = &c
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(n); err != nil {
		return false, err
	}
	pair := atomicfile.Pair{Production: &atomicfile.File{Path: path, Size: int64(b.Len()),
		Write: func(_ context.Context, w *os.File) error {
			_, err := w.Write(b.Bytes())
			return err
		},
		Unchanged: func(existing string) (bool, error) {
			old, err := os.ReadFile(existing)
			return bytes.Equal(old, b.Bytes()), err
		}}}
	done, err := pair.Commit(ctx)
	return done.WroteProduction, err
}

// relative returns a path as seen from a folder, with slashes; the absolute path
// where none leads there.
func relative(dir, path string) string {
	from, errFrom := filepath.Abs(dir)
	to, errTo := filepath.Abs(path)
	if errFrom != nil || errTo != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(rel)
}

// digest returns the BLAKE3 digest and the size of a file.
func digest(ctx context.Context, path string, o buildid.Options) (string, int64, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	o.Progress = nil
	sum, err := buildid.Sum(ctx, f, 0, info.Size(), o)
	if err != nil {
		return "", 0, &debugid.FileError{Path: path, Err: err}
	}
	return sum.String(), info.Size(), nil
}
