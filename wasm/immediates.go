package wasm

import "fmt"

// immEnd returns the position behind the i-th immediate of op, which begins at
// pos and is not an index.
func immEnd(code []byte, pos int, op Opcode, i int, imm Imm) (int, *opError) {
	var n int
	var err error
	switch imm {
	case ImmI32:
		_, n, err = Int32(code[pos:])
	case ImmI64:
		_, n, err = Int64(code[pos:])
	case ImmF32:
		n = 4
	case ImmF64:
		n = 8
	case ImmV128, ImmLanes:
		n = 16
	case ImmLane:
		n = 1
	case ImmZero, ImmCastFlags:
		// Bits that are not assigned may one day announce more immediates.
		n = 1
		limit := byte(0)
		if imm == ImmCastFlags {
			limit = 3
		}
		if pos < len(code) && code[pos] > limit {
			return pos, &opError{pos, fmt.Sprintf("the %v of %s is 0x%02x", imm, op.Info().Name, code[pos]), ErrUnknownOpcode}
		}
	case ImmMemArg:
		return memArgEnd(code, pos, op)
	case ImmBlockType:
		return blockTypeEnd(code, pos)
	case ImmHeapType:
		return heapTypeEnd(code, pos)
	case ImmValTypes:
		return vectorEnd(code, pos, op, i, 0, valTypeEnd)
	case ImmLabels:
		return vectorEnd(code, pos, op, i, 1, indexEnd)
	case ImmCatches:
		return vectorEnd(code, pos, op, i, 0, catchEnd)
	case ImmHandlers:
		return vectorEnd(code, pos, op, i, 0, handlerEnd)
	}
	if err == nil && n > len(code)-pos {
		err = ErrTruncated
	}
	if err != nil {
		return pos, immError(op, i, pos, err)
	}
	return pos + n, nil
}

// memArgAlignBits is how many of a memory argument's first bits hold the
// alignment. No value above 4 is valid, and in proposals the bits behind announce
// an ordering and a type index. Bit 6 announces a memory index.
const memArgAlignBits = 4

// memArgEnd returns the position behind a memory argument: a u32 of the
// alignment's exponent and flags, perhaps a memory index, and the offset.
// Offsets are up to 64 bits wide; that of a 32-bit memory is smaller but not
// encoded differently.
//
// https://webassembly.github.io/spec/core/binary/instructions.html#binary-memarg
func memArgEnd(code []byte, pos int, op Opcode) (int, *opError) {
	flags, n, err := Uint32(code[pos:])
	if err != nil {
		return pos, &opError{pos, "reading the alignment of " + op.Info().Name, err}
	}
	const memoryIndex = 1 << 6
	if flags&^memoryIndex >= 1<<memArgAlignBits {
		return pos, &opError{pos, fmt.Sprintf("the alignment and flags of %s are 0x%02x", op.Info().Name, flags), ErrUnknownOpcode}
	}
	pos += n
	if flags&memoryIndex != 0 {
		if _, n, err = Uint32(code[pos:]); err != nil {
			return pos, &opError{pos, "reading the memory index of " + op.Info().Name, err}
		}
		pos += n
	}
	if _, n, err = Uint64(code[pos:]); err != nil {
		return pos, &opError{pos, "reading the offset of " + op.Info().Name, err}
	}
	return pos + n, nil
}

// vectorEnd returns the position behind a vector whose elements end where
// element says. Its count is that of the file plus more. A count that the rest
// of the code cannot hold, at one byte an element, is refused before the walk.
func vectorEnd(code []byte, pos int, op Opcode, i int, more uint64, element func([]byte, int) (int, *opError)) (int, *opError) {
	count, n, err := Uint32(code[pos:])
	if err != nil {
		return pos, immError(op, i, pos, err)
	}
	left := uint64(count) + more
	if rest := len(code) - pos - n; left > uint64(rest) {
		info := op.Info()
		return pos, &opError{pos, fmt.Sprintf("the %v of %s are %d, the code has %d bytes left", info.Imms[i], info.Name, left, rest), ErrTruncated}
	}
	pos += n
	for ; left > 0; left-- {
		var e *opError
		if pos, e = element(code, pos); e != nil {
			return pos, e
		}
	}
	return pos, nil
}

// indexEnd returns the position behind a u32.
func indexEnd(code []byte, pos int) (int, *opError) {
	if pos < len(code) && code[pos] < 0x80 {
		return pos + 1, nil
	}
	_, n, err := Uint32(code[pos:])
	if err != nil {
		return pos, &opError{pos, "reading an index", err}
	}
	return pos + n, nil
}

// catchEnd returns the position behind a catch clause of try_table: catch and
// catch_ref have a tag and a label, catch_all and catch_all_ref a label.
//
// https://webassembly.github.io/spec/core/binary/instructions.html#binary-catch
func catchEnd(code []byte, pos int) (int, *opError) {
	return clauseEnd(code, pos, "catch clause", []int{2, 2, 1, 1})
}

// handlerEnd returns the position behind a handler clause of resume: a tag and a
// label, or a tag that switch may use.
//
// https://github.com/WebAssembly/stack-switching/blob/main/proposals/stack-switching/Explainer.md
func handlerEnd(code []byte, pos int) (int, *opError) {
	return clauseEnd(code, pos, "handler clause", []int{2, 1})
}

// clauseEnd returns the position behind a clause whose first byte is its kind;
// indices says how many indices each kind has.
func clauseEnd(code []byte, pos int, what string, indices []int) (int, *opError) {
	if pos >= len(code) {
		return pos, &opError{pos, "reading a " + what, ErrTruncated}
	}
	kind := code[pos]
	if int(kind) >= len(indices) {
		return pos, &opError{pos, fmt.Sprintf("%s of kind 0x%02x", what, kind), ErrUnknownOpcode}
	}
	pos++
	for n := indices[kind]; n > 0; n-- {
		var e *opError
		if pos, e = indexEnd(code, pos); e != nil {
			return pos, e
		}
	}
	return pos, nil
}
