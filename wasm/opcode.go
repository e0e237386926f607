package wasm

import "fmt"

// Opcode identifies an instruction. One-byte opcodes stand for themselves; an
// opcode behind a prefix byte is the prefix in bits 16 and up and the
// sub-opcode below, so 0xfd 0x10c is 0xfd_010c.
type Opcode uint32

// Prefix bytes: the sub-opcode follows as a u32 in LEB128, which need not be
// minimal.
//
// https://webassembly.github.io/spec/core/binary/instructions.html
const (
	prefixGC     = 0xfb
	prefixMisc   = 0xfc
	prefixSIMD   = 0xfd
	prefixAtomic = 0xfe
)

// prefixed joins a prefix byte and a sub-opcode that is known to the tables.
func prefixed(prefix byte, sub uint32) Opcode { return Opcode(uint32(prefix)<<16 | sub) }

// String prints the bytes that a producer writes: "0x10", "0xfb 0x18".
func (o Opcode) String() string {
	if o > 0xff {
		return fmt.Sprintf("0x%02x 0x%02x", uint32(o)>>16, uint32(o)&0xffff)
	}
	return fmt.Sprintf("0x%02x", uint32(o))
}

// Imm is a kind of immediate: what stands behind an opcode in the code.
type Imm uint8

// Kinds of immediates, with their encoding.
const (
	ImmNone Imm = iota

	// u32 in LEB128
	ImmLabel  // label: how many blocks out
	ImmFunc   // function index
	ImmType   // type index
	ImmLocal  // local index
	ImmGlobal // global index
	ImmTable  // table index
	ImmMemory // memory index
	ImmTag    // tag index
	ImmData   // data segment index
	ImmElem   // element segment index
	ImmField  // field index of a structure
	ImmCount  // number of operands

	// numbers and bytes
	ImmI32       // s32 in LEB128
	ImmI64       // s64 in LEB128
	ImmF32       // 4 bytes
	ImmF64       // 8 bytes
	ImmV128      // 16 bytes
	ImmLanes     // 16 bytes, each a lane index
	ImmLane      // 1 byte
	ImmZero      // 1 byte, which is zero
	ImmCastFlags // 1 byte, bits 0 and 1

	// composite
	ImmMemArg    // alignment and flags, memory index if bit 6 is set, offset as u64
	ImmBlockType // 0x40, a value type, or a type index as s33
	ImmHeapType  // an abstract heap type, a type index as s33, or 0x62 and a type index
	ImmValTypes  // vector of value types
	ImmLabels    // vector of labels, and one more label
	ImmCatches   // vector of try_table's catch clauses
	ImmHandlers  // vector of resume's handler clauses
)

var immNames = [...]string{"nothing", "label", "function index", "type index", "local index", "global index",
	"table index", "memory index", "tag index", "data segment index", "element segment index", "field index",
	"operand count", "i32 value", "i64 value", "f32 value", "f64 value", "v128 value", "lane indices", "lane index",
	"zero byte", "cast flags", "memory argument", "block type", "heap type", "types", "labels", "catch clauses",
	"handler clauses"}

// String names the immediate as messages do: "table index".
func (i Imm) String() string {
	if int(i) < len(immNames) {
		return immNames[i]
	}
	return fmt.Sprintf("immediate %d", uint8(i))
}

// isIndex reports whether the immediate is a single u32 in LEB128.
func (i Imm) isIndex() bool { return i >= ImmLabel && i <= ImmCount }

// Imms lists an instruction's immediates in the order of their encoding; unused
// places at the end are ImmNone.
type Imms [4]Imm

// OpFlags says what an instruction can do.
type OpFlags uint16

// Flags of an instruction.
const (
	// OpTrap: it can trap.
	OpTrap OpFlags = 1 << iota
	// OpThrow: it can throw an exception itself; what a callee throws does not count.
	OpThrow
	// OpCall: it enters other code: calls, tail calls, and the resumption of a
	// continuation.
	OpCall
	// OpBranch: it can go on elsewhere in the function, or return from it.
	OpBranch
	// OpControl: it is part of the block structure.
	OpControl
	// OpLoop: it is the loop instruction, where engines may check for interrupts
	// and so report a place that neither traps nor calls.
	OpLoop

	opens  // a block begins, which needs an end
	closes // a block ends
)

// Reportable reports whether the place of the instruction can appear in a stack
// trace: it calls, traps or throws. Bodies' starts, where engines report stack
// overflow, and loops, see OpLoop, are not instructions of this kind.
func (f OpFlags) Reportable() bool { return f&(OpTrap|OpThrow|OpCall) != 0 }

// OpInfo describes an instruction.
type OpInfo struct {
	Name  string // name in the text format
	Imms  Imms
	Flags OpFlags
}

// table returns the sub-opcode table of a prefix byte, or nil.
func table(prefix byte) []OpInfo {
	switch prefix {
	case prefixGC:
		return gcOps[:]
	case prefixMisc:
		return miscOps[:]
	case prefixSIMD:
		return simdOps[:]
	case prefixAtomic:
		return atomicOps[:]
	}
	return nil
}

// Info returns the table's entry for the opcode, or nil for an opcode that the
// table does not hold. The entry must not be changed.
func (o Opcode) Info() *OpInfo {
	ops, i := oneByteOps[:], uint32(o)
	if o > 0xff {
		if o > 0xff<<16|0xffff {
			return nil
		}
		ops, i = table(byte(o>>16)), uint32(o)&0xffff
	}
	if i >= uint32(len(ops)) || ops[i].Name == "" {
		return nil
	}
	return &ops[i]
}

// Opcodes returns every opcode of the table in ascending order.
func Opcodes() []Opcode {
	var out []Opcode
	for i := range oneByteOps {
		if oneByteOps[i].Name != "" {
			out = append(out, Opcode(i))
		}
	}
	for p := prefixGC; p <= prefixAtomic; p++ {
		for i, op := range table(byte(p)) {
			if op.Name != "" {
				out = append(out, prefixed(byte(p), uint32(i)))
			}
		}
	}
	return out
}
