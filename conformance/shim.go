package conformance

import (
	"encoding/binary"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// shimFile is the source file of the synthetic unit. It is what the engine prints
// behind each offset.
const shimFile = "@shim"

// appendShim appends the synthetic compile unit: three custom sections of DWARF 4
// that claim all of a Code payload of the given size for one source line. The
// engine keeps offsets of instructions only where DWARF can be read, and prints
// them only where a row covers them.
//
// The unit begins at address 1, because the engine takes 0 for removed code; no
// code is at 0, where the function count stands.
//
// https://dwarfstd.org/doc/DWARF4.pdf, sections 6.2 and 7.5
func appendShim(b []byte, size uint32) []byte {
	le := binary.LittleEndian
	abbrev := []byte{
		1, 0x11, 0, // code 1: compile_unit, no children
		0x11, 0x01, // low_pc: addr
		0x12, 0x06, // high_pc: data4
		0x10, 0x17, // stmt_list: sec_offset
		0, 0,
		0,
	}
	unit := []byte{4, 0, 0, 0, 0, 0, 4, 1} // version, abbreviations at 0, address size, code 1
	unit = le.AppendUint32(unit, 1)
	unit = le.AppendUint32(unit, size)
	unit = le.AppendUint32(unit, 0)

	header := []byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1} // lengths of standard opcodes included
	header = append(header, 0)                                                  // no directories
	header = append(header, shimFile+"\x00\x00\x00\x00"...)
	header = append(header, 0)
	program := []byte{0, 5, 2} // set_address
	program = le.AppendUint32(program, 1)
	program = append(program, 1, 2) // copy; advance_pc
	program = wasm.AppendUint32(program, size)
	program = append(program, 0, 1, 1) // end_sequence
	line := le.AppendUint32([]byte{4, 0}, uint32(len(header)))
	line = append(append(line, header...), program...)

	b = wasm.AppendCustom(b, ".debug_abbrev", abbrev)
	b = wasm.AppendCustom(b, ".debug_info", append(le.AppendUint32(nil, uint32(len(unit))), unit...))
	return wasm.AppendCustom(b, ".debug_line", append(le.AppendUint32(nil, uint32(len(line))), line...))
}
