package wasm

// miscOps holds the instructions behind the prefix 0xfc.
//
// https://webassembly.github.io/spec/core/binary/instructions.html,
// https://github.com/WebAssembly/wide-arithmetic
var miscOps = [...]OpInfo{
	// Saturating conversions never trap.
	0x00: {Name: "i32.trunc_sat_f32_s"},
	0x01: {Name: "i32.trunc_sat_f32_u"},
	0x02: {Name: "i32.trunc_sat_f64_s"},
	0x03: {Name: "i32.trunc_sat_f64_u"},
	0x04: {Name: "i64.trunc_sat_f32_s"},
	0x05: {Name: "i64.trunc_sat_f32_u"},
	0x06: {Name: "i64.trunc_sat_f64_s"},
	0x07: {Name: "i64.trunc_sat_f64_u"},

	// Bulk memory and tables. table.grow answers -1 instead of trapping.
	0x08: {"memory.init", Imms{ImmData, ImmMemory}, OpTrap},
	0x09: {"data.drop", Imms{ImmData}, 0},
	0x0a: {"memory.copy", Imms{ImmMemory, ImmMemory}, OpTrap},
	0x0b: {"memory.fill", Imms{ImmMemory}, OpTrap},
	0x0c: {"table.init", Imms{ImmElem, ImmTable}, OpTrap},
	0x0d: {"elem.drop", Imms{ImmElem}, 0},
	0x0e: {"table.copy", Imms{ImmTable, ImmTable}, OpTrap},
	0x0f: {"table.grow", Imms{ImmTable}, 0},
	0x10: {"table.size", Imms{ImmTable}, 0},
	0x11: {"table.fill", Imms{ImmTable}, OpTrap},
	0x12: {"memory.discard", Imms{ImmMemory}, OpTrap}, // memory-control proposal

	// Wide arithmetic.
	0x13: {Name: "i64.add128"},
	0x14: {Name: "i64.sub128"},
	0x15: {Name: "i64.mul_wide_s"},
	0x16: {Name: "i64.mul_wide_u"},
}
