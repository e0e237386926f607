package symcheck

import (
	"slices"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// misfits are the rules that DWARF of other code, or of code elsewhere, breaks.
var misfits = []string{OutsideCode, DWARFEmpty, OffInstruction, OtherCode, CoverageLow, InlineOutside, Unclaimed, Overlapping,
	InlinedLost, RowsMissing, LinesUnused}

// repairable are the rules whose findings check --fix may repair, and unrepairable
// those with which it repairs nothing.
var (
	repairable   = []string{CodeStartDiffers, IDDuplicate, IDEncoding, CompanionPointer, PointerBroken, PointerRepeated}
	unrepairable = []string{CodeBytesDiffer, CompanionNoCode, ImportsDiffer}
)

// advise takes back advice that helps nothing where the two files hold different code:
// to have something repaired, or to look for a mistake in how the DWARF was made.
func (c *checker) advise() {
	found := func(rules ...string) bool {
		return slices.ContainsFunc(c.findings, func(f *report.Finding) bool { return slices.Contains(rules, f.Rule) })
	}
	if !found(unrepairable...) {
		return
	}
	other := found(CodeBytesDiffer)
	for _, f := range c.findings {
		switch {
		case slices.Contains(repairable, f.Rule), f.Remedy == giveID:
			f.Remedy = "take both files from one split: while they hold different code, nothing of this can be repaired"
		case other && slices.Contains(misfits, f.Rule):
			f.Remedy = "take both files from one build: this follows from their code not being the same (" + CodeBytesDiffer + ")"
		}
	}
}
