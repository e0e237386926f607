package symcheck

import (
	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/report"
)

// rowTally counts functions of one unit: with rows, and without.
type rowTally struct{ with, without int }

func (t *rowTally) add(defects uint16) {
	if defects&rowless != 0 {
		t.without++
	} else {
		t.with++
	}
}

// function checks that the function that answers for body i has a name, and rows in
// the line table of its unit.
func (x *dwarfCheck) function(r *bodyResult, i int) {
	if x.ghost {
		return
	}
	c, ok := x.answering(i)
	if !ok {
		x.entryless(r, i)
		return
	}
	switch x.f.NameFate(c) {
	case debugfile.NameLost:
		r.defects |= nameless | nameLost
	case debugfile.NameNone:
		r.defects |= nameless
	}
	if index, _ := x.f.Body(i); r.defects&nameless != 0 {
		if _, listed := x.f.FunctionName(index); !listed {
			r.defects |= unnamed
		}
	}
	// A function with no instruction that can be in a stack trace may have none that
	// needs a line. Rows that the linker moved here are another matter, too.
	if r.counts.Total() < 2 || !x.f.UnitHasLines(c.Unit) {
		return
	}
	first, end := x.seqsOf(i)
	for k := first; k < end; k++ {
		if x.f.Sequence(k).Fate == debugfile.Live {
			r.defects |= rowful
			return
		}
	}
	if first == end {
		r.defects |= rowless
	}
}

// entryless notes a body that has rows, and no entry of a function in a unit that has
// one for each of its functions.
func (x *dwarfCheck) entryless(r *bodyResult, i int) {
	if x.claimed(i) {
		return // its entry is of another definition
	}
	for k, end := x.seqsOf(i); k < end; k++ {
		if s := x.f.Sequence(k); s.Fate == debugfile.Live {
			if x.namesAll[s.Unit] {
				r.defects |= noEntry
			}
			return
		}
	}
}

// answering returns the first function that answers for body i.
func (x *dwarfCheck) answering(i int) (debugfile.FunctionRange, bool) {
	for k, end := x.claimsOf(i); k < end; k++ {
		if c := x.f.FunctionRange(k); c.Fate == debugfile.Live {
			return c, true
		}
	}
	return debugfile.FunctionRange{}, false
}

// incomplete reports functions without a name, and functions without rows.
func (x *dwarfCheck) incomplete() {
	if all := x.sum.of(nameless); all.n > 0 {
		gone, nobody := x.sum.of(nameLost).n, x.sum.of(unnamed).n
		severity := report.Error
		if gone+nobody == 0 {
			severity = report.Warning
		}
		many(x.findAs(severity, FunctionUnnamed, x.at(all.first[0]), "%d functions have neither a name nor a linkage name in the DWARF; of %d of them it is empty or cannot be read, and %d have none in the name section either",
			all.n, gone, nobody), all.n, all.samples(x))
	}
	if all := x.sum.of(noEntry); all.n > 0 {
		many(x.find(FunctionUnnamed, x.at(all.first[0]), "%d functions have rows and no entry, in units that have entries for their functions: names and inlined calls are lost", all.n), all.n, all.samples(x))
	}
	if all := x.sum.of(rowless); all.n > 0 {
		severity, units := report.Warning, 0
		for _, n := range x.sum.rows {
			if n.without > 0 && n.with == 0 {
				severity = report.Error
				units++
			}
		}
		many(x.findAs(severity, RowsMissing, x.at(all.first[0]), "%d functions have no row in the line table of their unit; %d units have rows for none of their functions", all.n, units), all.n, all.samples(x))
	}
	x.checked("every function with DWARF is looked up for its name and for rows in the line table of its unit")
}
