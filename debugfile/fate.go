package debugfile

import "fmt"

// Fate says what has become of a function's range or a sequence of rows.
type Fate uint8

// The fates. Everything but Live is never an answer.
const (
	Live        Fate = iota
	Lost             // another one that starts at the same body ends where the body does, or comes earlier
	LeavesBody       // it ends behind its body
	OffBoundary      // it begins or ends inside an instruction
	Overlapped       // it lies inside its body, where another one is live already
	NoBody           // it starts where no body is
	Unclaimed        // its unit's root entry does not claim this code

	// NumFates is the number of fates.
	NumFates int = iota
)

var fateNames = [NumFates]string{"live", "lost", "leaves body", "off boundary", "overlapped", "no body", "unclaimed"}

// String returns the fate in a word or two.
func (t Fate) String() string {
	if int(t) < len(fateNames) {
		return fateNames[t]
	}
	return fmt.Sprintf("Fate(%d)", int(t))
}

// Shadowed reports whether this is the fate of DWARF that the linker has moved
// onto the code of another definition: what happens in sound builds, and is no
// answer. NoBody and Unclaimed are not; they are damage.
func (t Fate) Shadowed() bool {
	switch t {
	case Lost, LeavesBody, OffBoundary, Overlapped:
		return true
	}
	return false
}
