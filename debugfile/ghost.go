package debugfile

import "github.com/wasm-debugid/wasm-debugid/internal/mapped"

// ghostSample is how many units without ranges of their own are indexed to tell
// whether they name code.
const ghostSample = 16

// IsGhost reports whether there is DWARF and none of it names code: what a tool
// leaves that rewrites the code and not its DWARF. It reads the root entries of
// units up to the first that claims code, so that it costs next to nothing for
// DWARF that is in order; how much of the code DWARF describes is not its
// question.
func (f *File) IsGhost() bool {
	if !f.HasDWARF() {
		return false
	}
	ghost := true
	err := mapped.Guard(func() {
		for i, left := 0, ghostSample; i < len(f.units) && ghost; i++ {
			u := f.units[i]
			f.rootsUpTo(i)
			switch {
			case u.bad != nil || u.partial:
				continue
			case len(u.code) > 0:
				ghost = false
			case left == 0:
				ghost = false // too many to be sure
			case u.unranged:
				left--
				f.build(u)
				ghost = len(u.claims) == 0 && len(u.seqs) == 0
			}
		}
	})
	return err == nil && ghost
}
