package symcheck

import "github.com/wasm-debugid/wasm-debugid/report"

// codeTally counts functions and their bytes of code.
type codeTally struct {
	functions int
	size      int64
}

func (t *codeTally) count(size int64) { t.add(codeTally{1, size}) }

func (t *codeTally) add(o codeTally) {
	t.functions += o.functions
	t.size += o.size
}

// undebugged reports that more code has no debug information than has some.
func (x *dwarfCheck) undebugged() {
	if !x.f.HasDWARF() || x.ghost {
		return // another rule has said so
	}
	have, library, bare := x.sum.debuggedUser, x.sum.library, x.sum.bare
	if library.size+bare.size <= have.size {
		return
	}
	severity := report.Warning
	if bare.size <= have.size {
		severity = report.Info
	}
	x.findAs(severity, CodeWithoutDebug, report.Location{Path: x.debug().Path},
		"%d functions of the program with %d bytes of code have debug information; %d with %d bytes have none, and %d with %d bytes of C and language libraries have none",
		have.functions, have.size, bare.functions, bare.size, library.functions, library.size)
}

// lost reports code without DWARF beside DWARF of as many removed functions.
func (x *dwarfCheck) lost() {
	if !x.f.HasDWARF() || x.ghost {
		return
	}
	have, without := x.sum.debugged.functions, x.sum.library.functions+x.sum.bare.functions
	if without >= 4 && without > have && x.stats.DeadFunctions >= without {
		x.find(DWARFLost, report.Location{Path: x.debug().Path, Section: ".debug_info"},
			"%d functions have no DWARF and %d have some, while the DWARF holds %d functions that are marked as removed", without, have, x.stats.DeadFunctions)
	}
}
