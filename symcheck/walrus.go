package symcheck

import (
	"fmt"

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

// explainWalrus adds why no function's DWARF fits.
func (x *dwarfCheck) explainWalrus(at report.Location) {
	version, shift := x.walrusShift()
	if shift == 0 {
		return
	}
	way := fmt.Sprintf("%d too high", shift)
	if shift < 0 {
		way = fmt.Sprintf("%d too low", -shift)
	}
	x.find(OtherCode, at, "%s, which wasm-bindgen uses, wrote this DWARF: before 0.28 it takes the number of functions to need two bytes in the file, "+
		"as that of 128 to 16383 functions does; with %d functions all addresses are %s", version, x.f.NumBodies(), way)
}
