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

// Error formats the problem as ".debug_info+0x1f: message".
func (p Problem) Error() string {
	switch {
	case p.Section != "":
		return fmt.Sprintf("%s+0x%x: %s", p.Section, p.Off, p.Msg)
	case p.Count > 1:
		return fmt.Sprintf("%s (%d)", p.Msg, p.Count)
	}
	return p.Msg
}

func problemOf(unit int, err error) Problem {
	var e *dwarf.Error
	if errors.As(err, &e) {
		return Problem{Unit: unit, Section: e.Section, Off: e.Off, Msg: e.Msg}
	}
	return Problem{Unit: unit, Msg: err.Error()}
}
