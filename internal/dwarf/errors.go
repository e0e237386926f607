package dwarf

import (
	"errors"
	"fmt"
)

// ErrSupplementary is returned (wrapped) when a value lives in a supplementary
// file (DW_FORM_strp_sup, DW_FORM_ref_sup4/8 and the GNU "alt" forms), which
// this package does not open. Everything else in the unit stays readable.
var ErrSupplementary = errors.New("value lives in a supplementary debug file")

// Error is a defect found in a section. It never stops more than the thing it
// describes.
type Error struct {
	Section string // name of the section, such as ".debug_info"
	Off     uint64 // byte offset in that section
	Msg     string // what is wrong, and what follows from it
	Err     error  // cause, if there is one to test for with errors.Is
}

// Error returns "SECTION+0xOFFSET: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s+0x%x: %s", e.Section, e.Off, e.Msg)
}

// Unwrap returns the cause, if any.
func (e *Error) Unwrap() error { return e.Err }

// Problems is a bounded list of defects: a damaged file can hold millions of
// them, of which the first few explain the rest.
type Problems struct {
	List  []*Error // the first [MaxProblems] defects, in file order
	Total int      // how many there were
}

func (p *Problems) add(e *Error) {
	p.Total++
	if len(p.List) < MaxProblems {
		p.List = append(p.List, e)
	}
}

// full says that further defects are only counted, so that no text has to be
// made for them.
func (p *Problems) full() bool { return len(p.List) >= MaxProblems }

// errf makes an Error located at off of a section of d. Offsets in a piece of
// a .dwp are turned back into offsets of the whole file's section.
func (d *Data) errf(sec SectionID, off uint64, format string, args ...any) *Error {
	return &Error{
		Section: d.sec.name(sec),
		Off:     d.sec.base[sec] + off,
		Msg:     fmt.Sprintf(format, args...),
	}
}

// asError avoids the trap of a nil *Error inside a non-nil error.
func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}
