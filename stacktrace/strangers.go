package stacktrace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// notAPair is the error of a build whose two files do not belong together.
type notAPair struct{ production, companion, why string }

// Error names both files.
func (e *notAPair) Error() string {
	return fmt.Sprintf("%s and %s do not belong together: %s", e.production, e.companion, e.why)
}

// markStrangers marks, of builds with one ID, production modules whose companion
// is another build's.
func markStrangers(same []*Build) {
	for _, p := range same {
		for _, d := range same {
			if p.companion == nil && d.companion != nil && p.stranger == nil {
				p.stranger = &notAPair{p.production.path, d.companion.path, CodeDiffers}
			}
		}
	}
}

// noteStrangers notes production modules that nothing resolves: the names of
// their functions are then all there is.
func (s *Store) noteStrangers(named, modules map[*facts]bool) {
	var companions []*facts
	for _, b := range s.builds {
		if b.companion != nil && named[b.companion] {
			companions = append(companions, b.companion)
		}
	}
	for _, b := range s.builds {
		p := b.production
		if b.companion != nil {
			continue
		}
		switch pair := strange(p, companions); {
		case b.stranger != nil:
			s.notes = append(s.notes, b.stranger.Error())
		case !named[p]:
		case modules[p] && pair != nil:
			s.notes = append(s.notes, pair.Error())
		case modules[p]:
			s.notes = append(s.notes, p.path+": no companion of this module was given"+p.whereabouts())
		case !p.mapped:
			s.notes = append(s.notes, p.path+": this module holds no DWARF, and so gives no lines"+p.whereabouts())
		}
	}
}

// strange says why a module does not belong to the only companion there is.
func strange(p *facts, companions []*facts) *notAPair {
	if len(companions) != 1 {
		return nil
	}
	c := companions[0]
	if len(p.id) > 0 && len(c.id) > 0 && !p.id.Equal(c.id) {
		return &notAPair{p.path, c.path, fmt.Sprintf("the build IDs differ: %v and %v", p.id, c.id)}
	}
	a, known := p.codeSize()
	b, also := c.codeSize()
	if known && also && a != b {
		return &notAPair{p.path, c.path, CodeDiffers}
	}
	return nil
}

// whereabouts says where the companion of a production module is, as far as the
// module tells.
func (f *facts) whereabouts() string {
	text := ""
	if f.pointer != "" {
		text = "; its debug information is in " + f.pointer
		url, _, _ := strings.Cut(f.pointer, "?")
		if file := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(url)); !strings.Contains(url, ":") && !strings.HasPrefix(url, "/") {
			if _, err := os.Stat(file); err == nil {
				text += ", which is there: " + file
			} else {
				text += ", which is not beside it"
			}
		}
	}
	if len(f.id) > 0 {
		text += "; its build ID is " + f.id.String()
	}
	return text
}
