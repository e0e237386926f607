package debugfile

import (
	"errors"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// Problem is a defect of the debug information. It costs what it damages; the
// rest still resolves.
type Problem struct {
	Unit    int    // number of the unit; −1: none
	Section string // the DWARF section; may be empty
	Off     uint64 // offset in the section
	Msg     string
	Count   int // how many there are of the kind; 0 means one
}

// Error formats the problem as ".debug_info+0x1f: message (3)".
func (p Problem) Error() string {
	text := p.Msg
	if p.Section != "" {
		text = fmt.Sprintf("%s+0x%x: %s", p.Section, p.Off, text)
	}
	if p.Count > 1 {
		text += fmt.Sprintf(" (%d)", p.Count)
	}
	return text
}

func problemOf(unit int, err error) Problem {
	var e *dwarf.Error
	if errors.As(err, &e) {
		return Problem{Unit: unit, Section: e.Section, Off: e.Off, Msg: e.Msg}
	}
	return Problem{Unit: unit, Msg: err.Error()}
}

// Problems returns the defects found so far: of unit headers, then unit by unit.
// Those inside of units are known once a unit is indexed; after [File.Build] the
// list is complete.
func (f *File) Problems() []Problem {
	f.roots.mu.Lock()
	all := append([]Problem(nil), f.headers...)
	for _, u := range f.units {
		all = append(all, u.early...)
		if u.built.Load() {
			all = append(all, u.problems...)
		}
	}
	f.roots.mu.Unlock()
	if f.texts.cut.Load() {
		all = append(all, Problem{Unit: -1, Section: dwarf.SecStr.String(), Msg: "names and paths are longer in all than the sections that they come from; some of them are cut"})
	}
	for _, err := range f.SplitErrors() {
		all = append(all, Problem{Unit: -1, Msg: err.Error()})
	}
	return all
}
