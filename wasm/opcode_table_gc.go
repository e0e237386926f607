package wasm

// gcOps holds the instructions behind the prefix 0xfb: garbage-collected
// structures and arrays, casts and, from 0x20 on, custom descriptors.
//
// https://webassembly.github.io/spec/core/binary/instructions.html,
// https://github.com/WebAssembly/custom-descriptors
var gcOps = [...]OpInfo{
	// Structures. Null traps.
	0x00: {"struct.new", Imms{ImmType}, 0},
	0x01: {"struct.new_default", Imms{ImmType}, 0},
	0x02: {"struct.get", Imms{ImmType, ImmField}, OpTrap},
	0x03: {"struct.get_s", Imms{ImmType, ImmField}, OpTrap},
	0x04: {"struct.get_u", Imms{ImmType, ImmField}, OpTrap},
	0x05: {"struct.set", Imms{ImmType, ImmField}, OpTrap},

	// Arrays. Null and bounds trap. So do lengths that an engine finds too large, which
	// the specification leaves to it; array.new_fixed has a length that was checked before.
	0x06: {"array.new", Imms{ImmType}, OpTrap},
	0x07: {"array.new_default", Imms{ImmType}, OpTrap},
	0x08: {"array.new_fixed", Imms{ImmType, ImmCount}, 0},
	0x09: {"array.new_data", Imms{ImmType, ImmData}, OpTrap},
	0x0a: {"array.new_elem", Imms{ImmType, ImmElem}, OpTrap},
	0x0b: {"array.get", Imms{ImmType}, OpTrap},
	0x0c: {"array.get_s", Imms{ImmType}, OpTrap},
	0x0d: {"array.get_u", Imms{ImmType}, OpTrap},
	0x0e: {"array.set", Imms{ImmType}, OpTrap},
	0x0f: {"array.len", Imms{}, OpTrap},
	0x10: {"array.fill", Imms{ImmType}, OpTrap},
	0x11: {"array.copy", Imms{ImmType, ImmType}, OpTrap},
	0x12: {"array.init_data", Imms{ImmType, ImmData}, OpTrap},
	0x13: {"array.init_elem", Imms{ImmType, ImmElem}, OpTrap},

	// Casts, each in a form for types without null and one for types with null.
	0x14: {"ref.test", Imms{ImmHeapType}, 0},
	0x15: {"ref.test", Imms{ImmHeapType}, 0}, // with null
	0x16: {"ref.cast", Imms{ImmHeapType}, OpTrap},
	0x17: {"ref.cast", Imms{ImmHeapType}, OpTrap}, // with null
	0x18: {"br_on_cast", Imms{ImmCastFlags, ImmLabel, ImmHeapType, ImmHeapType}, OpBranch},
	0x19: {"br_on_cast_fail", Imms{ImmCastFlags, ImmLabel, ImmHeapType, ImmHeapType}, OpBranch},
	0x1a: {Name: "any.convert_extern"},
	0x1b: {Name: "extern.convert_any"},

	// i31.
	0x1c: {Name: "ref.i31"},
	0x1d: {"i31.get_s", Imms{}, OpTrap},
	0x1e: {"i31.get_u", Imms{}, OpTrap},

	// Custom descriptors. A null descriptor traps, in the branches too.
	0x20: {"struct.new_desc", Imms{ImmType}, OpTrap},
	0x21: {"struct.new_default_desc", Imms{ImmType}, OpTrap},
	0x22: {"ref.get_desc", Imms{ImmType}, OpTrap},
	0x23: {"ref.cast_desc_eq", Imms{ImmHeapType}, OpTrap},
	0x24: {"ref.cast_desc_eq", Imms{ImmHeapType}, OpTrap}, // with null
	0x25: {"br_on_cast_desc_eq", Imms{ImmCastFlags, ImmLabel, ImmHeapType, ImmHeapType}, OpBranch | OpTrap},
	0x26: {"br_on_cast_desc_eq_fail", Imms{ImmCastFlags, ImmLabel, ImmHeapType, ImmHeapType}, OpBranch | OpTrap},
}
