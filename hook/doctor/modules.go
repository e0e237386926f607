package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// module is a module of the project.
type module struct {
	path      string
	when      time.Time // last change
	dwarf     bool
	companion bool
	object    bool
	bindgen   bool   // awaits wasm-bindgen
	shipped   bool   // lies in a folder that will be shipped
	id        string // build ID in hexadecimal
	code      string // digest of the code; empty without
}

// module reads a module.
func (e *examiner) module(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // gone since the folder was listed
	}
	f, err := wasm.Open(path)
	if err != nil {
		// A component is a module of another kind, and no business of this.
		var kind *wasm.NotModuleError
		if !errors.As(err, &kind) || kind.Kind == wasm.KindTruncated || kind.Kind == wasm.KindEmpty {
			e.add(Unreadable, report.Location{Path: path}, "%v", err)
		}
		return nil
	}
	defer f.Close()
	m := &module{path: path, when: info.ModTime(), dwarf: f.HasDebug(), shipped: e.willShip(path)}
	name := strings.ToLower(filepath.Base(path))
	m.companion = f.Custom(wasm.CustomWasmDebugID) != nil || m.dwarf && (strings.HasSuffix(name, ".debug.wasm") || strings.HasSuffix(name, ".dwo.wasm"))
	if class, err := wasm.Classify(f); err == nil {
		m.object, m.bindgen = class.Object || class.SplitDWARF, class.AwaitsBindgen
	}
	if found, err := buildid.Read(f); err == nil {
		m.id = found.ID.String()
	}
	if span, ok := f.CodeSpan(); ok {
		sum, err := buildid.Sum(e.ctx, f, int64(span.Start), int64(span.Size), buildid.Options{})
		if err != nil {
			if e.ctx.Err() != nil {
				return e.ctx.Err()
			}
			e.add(Unreadable, report.Location{Path: path}, "%v", err)
			return nil
		}
		m.code = sum.String()
	}
	e.modules = append(e.modules, m)
	return nil
}

// shipping are names of folders whose contents go to users.
var shipping = []string{"dist", "public", "www", "_site", "deploy"}

// willShip reports whether a file lies in a folder that will be shipped.
func (e *examiner) willShip(path string) bool {
	for _, dir := range e.o.Dist {
		if below(path, filepath.Clean(dir)) {
			return true
		}
	}
	if e.o.Dir == "" {
		return false
	}
	rel, err := filepath.Rel(e.o.Dir, filepath.Dir(path))
	if err != nil {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	if abs, err := filepath.Abs(e.o.Dir); err == nil {
		parts = append(parts, filepath.Base(abs))
	}
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(shipping, p) })
}

// shipped looks at the modules that users will get.
func (e *examiner) shipped() error {
	for _, m := range e.modules {
		if !m.shipped {
			continue
		}
		at := report.Location{Path: m.path}
		switch {
		case m.companion:
			e.add(ShipsCompanion, at, "this is a debug companion")
			continue
		case m.bindgen:
			e.add(ShipsBindgen, at, "it has the section %s", wasm.CustomWasmBindgen)
		case m.dwarf:
			e.add(ShipsDWARF, at, "it has .debug_ sections")
		}
		if err := e.packed(m); err != nil {
			return err
		}
		e.other(m)
	}
	return nil
}

// packed looks at the compressed copies of a module.
func (e *examiner) packed(m *module) error {
	for _, ext := range []string{".br", ".gz", ".zst"} {
		path := m.path + ext
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.ModTime().Before(m.when) {
			e.add(ShipsOldPacked, report.Location{Path: path}, "%s was changed %s after it was compressed", filepath.Base(m.path), m.when.Sub(info.ModTime()).Round(time.Second))
		}
	}
	return nil
}

// hashed is what bundlers put behind a name: a hash of the contents.
var hashed = regexp.MustCompile(`[.-][0-9A-Za-z_-]{8,32}$`)

// stem returns the name of a module without what bundlers and wasm-bindgen add.
func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	for {
		short := strings.TrimSuffix(strings.TrimSuffix(name, ".module"), "_bg")
		if m := hashed.FindStringIndex(short); m != nil && strings.ContainsAny(short[m[0]:], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			short = short[:m[0]]
		}
		if short == name || short == "" {
			return name
		}
		name = short
	}
}

// other looks for the build that a module in a folder to be shipped was made of.
func (e *examiner) other(m *module) {
	var newest *module
	for _, c := range e.modules {
		if c.shipped || c.companion || c.object || c.bindgen || stem(c.path) != stem(m.path) {
			continue
		}
		if c.code == m.code {
			return
		}
		if newest == nil || c.when.After(newest.when) {
			newest = c
		}
	}
	if newest == nil {
		return
	}
	at := report.Location{Path: m.path}
	if newest.when.After(m.when) {
		e.add(ShipsOther, at, "%s has other code, and is newer by %s", newest.path, newest.when.Sub(m.when).Round(time.Second))
		return
	}
	e.addAs(ShipsOther, report.Warning, at, "it has other code than %s, and is newer: a later step has changed the code, or the two are of different builds", newest.path)
}

// pairs compares the build IDs of modules and of the companions beside them.
func (e *examiner) pairs() {
	by := map[string]*module{}
	for _, m := range e.modules {
		by[m.path] = m
	}
	for _, c := range e.modules {
		base, ok := strings.CutSuffix(c.path, ".debug.wasm")
		m := by[base+".wasm"]
		if ok && c.companion && m != nil && m.id != "" && c.id != "" && m.id != c.id {
			e.add(PairDiffers, report.Location{Path: c.path}, "its build ID is %s, that of %s is %s", c.id, m.path, m.id)
		}
	}
}

// identities looks for build IDs that several modules share, and for pairs that
// share none.
func (e *examiner) identities() error {
	e.pairs()
	by := map[string][]*module{}
	for _, m := range e.modules {
		if m.id != "" && m.code != "" && !m.companion && !m.object {
			by[m.id] = append(by[m.id], m)
		}
	}
	for _, id := range sortedKeys(by) {
		list := by[id]
		for _, m := range list[1:] {
			if m.code != list[0].code {
				e.add(SharedID, report.Location{Path: m.path}, "%s has the same build ID, %s, and other code", list[0].path, id)
			}
		}
	}
	return nil
}

var integrityTag = regexp.MustCompile(`(?is)<(?:link|script)\b[^>]*\bintegrity\s*=[^>]*>`)

// pages compares the digests that pages name with the modules.
func (e *examiner) pages() error {
	for _, f := range e.texts {
		if !f.isPage() {
			continue
		}
		for _, m := range integrityTag.FindAllStringIndex(f.text, -1) {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			tag := f.text[m[0]:m[1]]
			href, _ := attributeOf(tag, "href")
			if href == "" {
				href, _ = attributeOf(tag, "src")
			}
			href, _, _ = strings.Cut(href, "?")
			if !strings.HasSuffix(href, ".wasm") || strings.Contains(href, "://") {
				continue
			}
			want, _ := attributeOf(tag, "integrity")
			for _, mod := range e.modules {
				if mod.path != filepath.Join(filepath.Dir(f.path), filepath.FromSlash(strings.TrimLeft(href, "/."))) {
					continue
				}
				ok, err := e.matches(mod.path, want)
				if err != nil {
					return err
				}
				if !ok {
					e.add(PageIntegrity, f.at(m[0]), "%s is not what integrity=%q says", mod.path, want)
				}
			}
		}
	}
	return nil
}

// matches reports whether a file has one of the digests of an integrity attribute
// (https://www.w3.org/TR/SRI/). An attribute without any digest that is known
// holds for every file.
func (e *examiner) matches(path, integrity string) (bool, error) {
	known := false
	for _, word := range strings.Fields(integrity) {
		algorithm, digest, _ := strings.Cut(word, "-")
		sum, ok, err := sriDigest(e.ctx, path, algorithm)
		if err != nil {
			return false, fmt.Errorf("reading %s: %w", path, err)
		}
		if !ok {
			continue
		}
		known = true
		digest, _, _ = strings.Cut(digest, "?")
		if sum == digest {
			return true, nil
		}
	}
	return !known, nil
}
