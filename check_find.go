package debugid

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// debugFiles are companions to choose from.
type debugFiles struct {
	byID  map[string][]string // paths by the hexadecimal build ID
	files []string            // those that were named themselves
}

// newDebugFiles reads the build IDs of all modules with DWARF among the paths and
// below the directories.
func newDebugFiles(ctx context.Context, paths []string) (*debugFiles, error) {
	d := &debugFiles{byID: map[string][]string{}}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := d.add(path); err != nil {
				return nil, err
			}
			d.files = append(d.files, path)
			continue
		}
		err = eachModule(ctx, path, func(e entry) error {
			if e.info == nil || !e.info.Mode().IsRegular() {
				return nil // no companion, and nobody asked whether it is one
			}
			if err := d.add(e.path); err != nil && !errors.Is(err, wasm.ErrNotModule) && !isFormat(err) {
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

func isFormat(err error) bool {
	var f *wasm.FormatError
	return errors.As(err, &f)
}

// add reads the ID of one file. A module without DWARF is no companion.
func (d *debugFiles) add(path string) error {
	m, err := wasm.Open(path)
	if err != nil {
		return fileError(path, err)
	}
	defer m.Close()
	if id := buildIDOf(m); len(id) > 0 && m.HasDebug() {
		d.byID[id.String()] = append(d.byID[id.String()], path)
	}
	return nil
}

// find looks for the companion of a module without DWARF, which may have other names
// as well. An empty path means that there is none. Of several companions with the
// module's build ID the one that the pointer leads to is taken, then one whose record
// is of this very module, then one beside a name of the module.
func (o *CheckOptions) find(ctx context.Context, p *symcheck.Module, others []string, debug *debugFiles) (string, error) {
	id := buildIDOf(p.File)
	known := debug.byID[id.String()]
	if len(id) == 0 {
		known = nil
	}
	for _, path := range debug.files {
		if slices.Contains(known, path) && !sameFile(path, p.Path) {
			return path, nil
		}
	}
	if len(debug.files) == 1 && len(o.SearchDebug) == 1 {
		return debug.files[0], nil // there is no choice: the check will say what does not fit
	}
	names := append([]string{p.Path}, others...)
	var pointed, beside []string
	ref, err := p.File.ExternalDebugInfo()
	for _, name := range names {
		if err == nil && ref.Section != nil {
			if path, ok := symcheck.PointerPath(name, ref.URL); ok {
				pointed = append(pointed, path)
			}
		}
		beside = append(beside, symcheck.CompanionCandidates(name)...)
	}
	var first string
	var fit []string
	for i, path := range append(pointed, beside...) {
		if !isFile(path) || sameFile(path, p.Path) {
			continue
		}
		m, err := wasm.Open(path)
		if err != nil {
			if errors.Is(err, wasm.ErrNotModule) || isFormat(err) {
				continue
			}
			return "", fileError(path, err)
		}
		other := buildIDOf(m)
		m.Close()
		if len(id) > 0 && id.Equal(other) {
			if i < len(pointed) {
				return path, nil
			}
			fit = append(fit, path)
		}
		if first == "" {
			first = path
		}
	}
	for _, path := range known {
		if !sameFile(path, p.Path) && !slices.Contains(fit, path) {
			fit = append(fit, path)
		}
	}
	if len(fit) == 0 {
		return first, nil
	}
	return recording(ctx, p, fit, o.Workers)
}

// recording returns the first companion whose record is of the module as it is, or
// else the first of all.
func recording(ctx context.Context, p *symcheck.Module, companions []string, workers int) (string, error) {
	if len(companions) == 1 {
		return companions[0], nil
	}
	sum, err := buildid.Sum(ctx, p.File, 0, p.File.Size(), buildid.Options{Workers: workers})
	if err != nil {
		return "", fileError(p.Path, err)
	}
	for _, path := range companions {
		m, err := wasm.Open(path)
		if err != nil {
			return "", fileError(path, err)
		}
		r, err := rewrite.ReadRecord(m)
		m.Close()
		if err == nil && r != nil && r.Production.Size == p.File.Size() && r.Production.BLAKE3 == sum.String() {
			return path, nil
		}
	}
	return companions[0], nil
}

// unusable says why what lies at a path is no companion: a file that is cut off, damaged
// or no module, or that cannot be opened. It returns nil where nothing lies there, or a
// module, which is judged elsewhere.
func unusable(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	m, err := wasm.Open(path)
	if err != nil {
		return fileError(path, err)
	}
	m.Close()
	return nil
}

// notAtHand says in a clause that a split module has no companion, and why.
func notAtHand(module, pointer string) string {
	if path, ok := pointerPath(module, pointer); ok && !sameFile(path, module) {
		if err := unusable(path); err != nil {
			return "its companion is not at hand: what lies there cannot be used, " + err.Error()
		}
	}
	return "its companion is not at hand"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
