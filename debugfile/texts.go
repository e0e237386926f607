package debugfile

import (
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// textBudget bounds the bytes of all names and paths that are kept: entries of a
// few bytes may share one long name, and files one long directory.
type textBudget struct {
	left atomic.Int64
	cut  atomic.Bool

	mu    sync.Mutex
	names map[*byte]string // long names by their place in the sections
}

const (
	// textFactor is how many times as long as the sections that they come from all
	// texts may be together. Names that entries share are kept once.
	textFactor = 2
	textSlack  = 1 << 20
	// shortText is the length in bytes that is kept where nothing is left.
	shortText = 64
)

// allow adds what may be kept of some sections.
func (t *textBudget) allow(s *dwarf.Sections) {
	t.left.Add(textFactor*int64(len(s.Info)+len(s.Str)+len(s.LineStr)+len(s.Line)) + textSlack)
}

// keep returns a copy of a name.
func (t *textBudget) keep(b []byte) string {
	if len(b) <= shortText {
		return string(b)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.names[&b[0]]
	if !ok {
		if t.left.Add(-int64(len(b))) < 0 {
			t.cut.Store(true)
			return string(b[:shortText])
		}
		if t.names == nil {
			t.names = map[*byte]string{}
		}
		s = string(b)
		t.names[&b[0]] = s
	}
	return s
}

// path puts a path together. Where there is no room for paths any more, it is the
// file's name alone.
func (t *textBudget) path(table *dwarf.FileTable, file uint64) string {
	if t.left.Load() >= 0 {
		s, ok := table.Path(file)
		if !ok {
			return ""
		}
		t.left.Add(-int64(len(s)))
		return s
	}
	e, ok := table.File(file)
	if !ok {
		return ""
	}
	t.cut.Store(true)
	return string(e.Name[:min(len(e.Name), shortText)])
}
