package symcheck

import (
	"fmt"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// walrusShift returns which walrus wrote the module, by its producers, and by how
// many bytes its DWARF is off. walrus, the library of wasm-bindgen, took the number
// of functions, with which the code begins, to need two bytes, until 0.28; DWARF of
// modules where it needs another number is shifted as a whole.
func (x *dwarfCheck) walrusShift() (version string, shift int) {
	section := x.debug().File.Custom(wasm.CustomProducers)
	if section == nil {
		return "", 0
	}
	producers, _ := wasm.ReadProducers(section) // the part that can be read
	for _, v := range producers.Field("processed-by") {
		var major, minor int
		if n, _ := fmt.Sscanf(v.Version, "%d.%d", &major, &minor); v.Name == "walrus" && n == 2 && major == 0 && minor < 28 {
			width := 1
			for n := x.f.NumBodies(); n >= 0x80; n >>= 7 {
				width++
			}
			return v.String(), 2 - width
		}
	}
	return "", 0
}

// walrusRemedy is what to do about DWARF that walrus shifted.
const walrusRemedy = "use a wasm-bindgen with walrus 0.28 or later; what older ones write for modules with fewer than 128 or more than 16383 functions has no DWARF that fits"

// shiftedByWalrus says why no function's DWARF fits, if walrus is the reason; more is
// how many of the ranges and line sequences that do not fit are in no other finding.
func (x *dwarfCheck) shiftedByWalrus(at report.Location, more int) bool {
	version, shift := x.walrusShift()
	if shift == 0 {
		return false
	}
	way := fmt.Sprintf("%d too high", shift)
	if shift < 0 {
		way = fmt.Sprintf("%d too low", -shift)
	}
	f := x.find(OtherCode, at, "%s, which wasm-bindgen uses, wrote this DWARF: before 0.28 it takes the number of functions to need two bytes in the file, "+
		"as that of 128 to 16383 functions does; with %d functions all addresses are %s", version, x.f.NumBodies(), way)
	if f != nil {
		f.Count = max(more, 1)
	}
	x.walrus = true
	return true
}

// adviseWalrus gives the findings from number first on that come of the shift the
// remedy for it: nothing else helps.
func (x *dwarfCheck) adviseWalrus(first int) {
	if !x.walrus {
		return
	}
	for _, f := range x.findings[first:] {
		if slices.Contains(misfits, f.Rule) {
			f.Remedy = walrusRemedy
		}
	}
}
