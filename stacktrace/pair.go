package stacktrace

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// pair puts production modules and companions together. Named files come before
// those that a search has found.
func pair(found []*facts, named, modules map[*facts]bool) []*Build {
	var builds []*Build
	byID := map[string][]*Build{}
	for _, f := range found {
		var b *Build
		key := string(f.id)
		for _, have := range byID[key] {
			// Files with one ID and code of different sizes are not of one build.
			if have.accepts(f) {
				b = have
				break
			}
		}
		if b == nil {
			b = &Build{}
			builds = append(builds, b)
			if key != "" {
				byID[key] = append(byID[key], b)
			}
		}
		b.add(f, modules[f])
		b.named = b.named || named[f]
	}
	builds = joinUnmarked(builds)
	for _, b := range builds {
		if b.companion == nil && b.production.debug {
			// An unsplit module is its own companion.
			b.companion = b.production
		}
	}
	for _, same := range byID {
		markStrangers(same)
	}
	slices.SortStableFunc(builds, func(a, b *Build) int {
		switch {
		case a.named == b.named:
			return 0
		case a.named:
			return -1
		}
		return 1
	})
	return builds
}

// accepts reports whether a file of the same build ID can be of this build.
func (b *Build) accepts(f *facts) bool {
	for _, have := range []*facts{b.production, b.companion} {
		if have == nil {
			continue
		}
		a, known := have.codeSize()
		b, also := f.codeSize()
		if known && also && a != b {
			return false
		}
	}
	return true
}

// add gives a file its place in the build. A file that is neither better than the
// one in its place nor fits another is a copy and is left out.
func (b *Build) add(f *facts, module bool) {
	switch {
	case module:
		if b.production != nil && b.companion == nil && b.production.debug {
			b.companion = b.production
		}
		b.production = f
	case f.debug || f.record != nil:
		// Of an unsplit module and a companion with a record, the record knows
		// more about the module that ran.
		if b.companion == nil || b.companion.record == nil && f.record != nil {
			b.companion = f
		}
	case b.production == nil:
		b.production = f
	}
}

// joinUnmarked pairs modules and companions of which at least one has no build ID:
// by the name that a pointer gives, by the conventions for file names, and where
// there is one of each, by that. Their code must be of one size.
func joinUnmarked(builds []*Build) []*Build {
	var plain, debug []*Build
	for _, b := range builds {
		switch {
		case b.production != nil && b.companion == nil && !b.production.debug:
			plain = append(plain, b)
		case b.production == nil:
			debug = append(debug, b)
		}
	}
	fits := func(p, d *Build) bool {
		return (len(p.production.id) == 0 || len(d.companion.id) == 0) && d.accepts(p.production)
	}
	gone := map[*Build]bool{}
	join := func(p, d *Build) {
		d.production, d.named = p.production, d.named || p.named
		gone[p] = true
	}
	for _, related := range []func(p, d *facts) bool{pointsTo, sameStem} {
		for _, p := range plain {
			var match []*Build
			for _, d := range debug {
				if !gone[p] && d.production == nil && fits(p, d) && related(p.production, d.companion) {
					match = append(match, d)
				}
			}
			if len(match) == 1 {
				join(p, match[0])
			}
		}
	}
	if len(plain) == 1 && len(debug) == 1 && !gone[plain[0]] && plain[0].named && debug[0].named && fits(plain[0], debug[0]) {
		join(plain[0], debug[0])
	}
	return slices.DeleteFunc(builds, func(b *Build) bool { return gone[b] })
}

func pointsTo(p, d *facts) bool {
	if p.pointer == "" {
		return false
	}
	url, _, _ := strings.Cut(p.pointer, "?")
	return path.Base(url) == filepath.Base(d.path)
}

func sameStem(p, d *facts) bool { return stem(p.path) == stem(d.path) }
