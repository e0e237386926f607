package wasm

import "fmt"

// Instructions walks the instructions of one body from the first to the final
// end. It is used like a bufio.Scanner:
//
//	it := body.Instructions(code)
//	for it.Next() {
//		use(it.At(), it.Instr())
//	}
//	if err := it.Err(); err != nil { … }
//
// It keeps count of open blocks, so the body's final end is told from the ends
// of blocks: that it stands on the last byte is checked. It does not allocate
// unless it fails, and it does not validate: types, and which block an else or a
// catch belongs to, are not looked at.
type Instructions struct {
	body  Body
	code  []byte // the body's bytes
	pos   int    // of the next instruction
	start int    // of the current one
	depth int    // open blocks, the body itself included
	done  bool   // nothing follows
	in    Instr
	err   error
}

// Instructions returns a walk over the body, whose bytes are code. An error in
// the local declarations is the walk's error.
func (b Body) Instructions(code []byte) Instructions {
	it := Instructions{body: b, code: code, depth: 1}
	locals, e := b.locals(code)
	if e != nil {
		it.fail(e)
		return it
	}
	it.pos = int(locals.End - b.Start)
	return it
}

// Next decodes the next instruction. It reports false behind the final end, and
// when it fails.
func (it *Instructions) Next() bool {
	if it.done {
		return false
	}
	pos := it.pos
	if pos+1 < len(it.code) {
		// More than half of all instructions are one byte, or two with a small index.
		op := it.code[pos]
		t := oneByteShapes[op]
		switch {
		case t.shape == shapeNone && t.flags&OpControl == 0:
			it.in = Instr{Op: Opcode(op), Flags: t.flags, Len: 1}
			it.start, it.pos = pos, pos+1
			return true
		case t.shape == shapeIndex && t.flags&OpControl == 0 && it.code[pos+1] < 0x80:
			it.in = Instr{Op: Opcode(op), Flags: t.flags, Len: 2, Arg: uint32(it.code[pos+1])}
			it.start, it.pos = pos, pos+2
			return true
		}
	}
	return it.general()
}

// general is Next for any instruction.
func (it *Instructions) general() bool {
	if it.pos >= len(it.code) {
		return it.fail(&opError{it.pos, fmt.Sprintf("the body lacks %d end instructions", it.depth), ErrTruncated})
	}
	in, e := decodeInstr(it.code, it.pos)
	if e != nil {
		return it.fail(e)
	}
	it.in, it.start = in, it.pos
	it.pos += int(in.Len)
	if in.Flags&OpControl != 0 {
		return it.control()
	}
	return true
}

// control keeps the count of open blocks.
func (it *Instructions) control() bool {
	switch {
	case it.in.Flags&opens != 0:
		it.depth++
	case it.in.Op == opEnd:
		it.depth--
		it.done = it.depth == 0
		if it.done && it.pos != len(it.code) {
			return it.fail(&opError{it.pos, fmt.Sprintf("%d bytes behind the final end of the body", len(it.code)-it.pos), nil})
		}
	case it.depth == 1: // else, catch, catch_all, delegate
		return it.fail(&opError{it.start, it.in.Name() + " outside of a block", nil})
	case it.in.Flags&closes != 0:
		it.depth--
	}
	return true
}

// opEnd is the opcode of end.
const opEnd Opcode = 0x0b

func (it *Instructions) fail(e *opError) bool {
	it.err, it.done = it.body.wrap(e), true
	return false
}

// Instr returns the instruction that Next decoded.
func (it *Instructions) Instr() Instr { return it.in }

// At returns C of the instruction that Next decoded.
func (it *Instructions) At() CodeOffset { return it.body.Start + CodeOffset(it.start) }

// Depth returns the number of blocks that are open behind the instruction that
// Next decoded, the body itself included. It is zero behind the final end.
func (it *Instructions) Depth() int { return it.depth }

// Err returns the *FormatError that ended the walk, or nil.
func (it *Instructions) Err() error { return it.err }
