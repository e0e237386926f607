package wasm

import "fmt"

// Instr is a decoded instruction. Its place is known to whoever decoded it.
type Instr struct {
	Op    Opcode
	Flags OpFlags
	Len   uint32 // length in bytes, immediates included
	// Arg is the first immediate where that is an index, a label or a count: the
	// function of call, the label of br. Otherwise it is zero.
	Arg uint32
}

// Name returns the instruction's name in the text format.
func (in Instr) Name() string {
	if info := in.Op.Info(); info != nil {
		return info.Name
	}
	return in.Op.String()
}

// Reportable reports whether the instruction's place can appear in a stack
// trace; see OpFlags.Reportable.
func (in Instr) Reportable() bool { return in.Flags.Reportable() }

// DecodeInstr decodes the instruction at code[pos]. Instructions need not be
// valid, only well formed; non-minimal LEB128 numbers are accepted where the
// specification accepts them.
//
// The error is a *FormatError: ErrUnknownOpcode and ErrUnknownType for what this
// package does not know, ErrTruncated if code ends before the instruction does,
// ErrOverflow for a bad number. Its offset counts from base, which is F of
// code[0].
func DecodeInstr(code []byte, pos int, base FileOffset) (Instr, error) {
	in, e := decodeInstr(code, pos)
	if e != nil {
		return Instr{}, e.at(base)
	}
	return in, nil
}

// A shape is how the immediates of a one-byte opcode are decoded: the frequent
// combinations have one of their own.
type shape uint8

const (
	shapeUnknown shape = iota // not an opcode
	shapePrefix               // a prefix byte
	shapeNone                 // no immediates
	shapeIndex                // one u32
	shapeI32
	shapeI64
	shapeMemArg
	shapeBlock
	shapeGeneral // anything else: immediate by immediate
)

// oneByteShapes is derived from oneByteOps; it fits the first-level cache.
var oneByteShapes = func() (t [256]struct {
	shape shape
	flags OpFlags
}) {
	for i := range oneByteOps {
		op := &oneByteOps[i]
		t[i].flags = op.Flags
		switch {
		case table(byte(i)) != nil:
			t[i].shape = shapePrefix
		case op.Name == "":
			t[i].shape = shapeUnknown
		case op.Imms == Imms{}:
			t[i].shape = shapeNone
		case op.Imms[0].isIndex() && op.Imms[1] == ImmNone:
			t[i].shape = shapeIndex
		case op.Imms == Imms{ImmI32}:
			t[i].shape = shapeI32
		case op.Imms == Imms{ImmI64}:
			t[i].shape = shapeI64
		case op.Imms == Imms{ImmMemArg}:
			t[i].shape = shapeMemArg
		case op.Imms == Imms{ImmBlockType}:
			t[i].shape = shapeBlock
		default:
			t[i].shape = shapeGeneral
		}
	}
	return t
}()

// decodeInstr is DecodeInstr with errors that carry positions in code. It
// allocates only when it fails.
func decodeInstr(code []byte, pos int) (Instr, *opError) {
	if uint(pos) >= uint(len(code)) {
		return Instr{}, &opError{pos, "reading an opcode", ErrTruncated}
	}
	first := code[pos]
	t := oneByteShapes[first]
	in := Instr{Op: Opcode(first), Flags: t.flags}
	end := pos + 1
	switch t.shape {
	case shapeNone:
	case shapeIndex:
		if end < len(code) && code[end] < 0x80 {
			in.Arg = uint32(code[end])
			end++
			break
		}
		v, n, err := Uint32(code[end:])
		if err != nil {
			return Instr{}, immError(in.Op, 0, end, err)
		}
		in.Arg = v
		end += n
	case shapeI32:
		if end < len(code) && code[end] < 0x80 {
			end++
			break
		}
		_, n, err := Int32(code[end:])
		if err != nil {
			return Instr{}, immError(in.Op, 0, end, err)
		}
		end += n
	case shapeI64:
		_, n, err := Int64(code[end:])
		if err != nil {
			return Instr{}, immError(in.Op, 0, end, err)
		}
		end += n
	case shapeMemArg:
		if end+1 < len(code) && code[end] < 1<<memArgAlignBits && code[end+1] < 0x80 {
			end += 2
			break
		}
		var e *opError
		if end, e = memArgEnd(code, end, in.Op); e != nil {
			return Instr{}, e
		}
	case shapeBlock:
		if end < len(code) && code[end] == typeEmpty {
			end++
			break
		}
		var e *opError
		if end, e = blockTypeEnd(code, end); e != nil {
			return Instr{}, e
		}
	case shapePrefix:
		return decodePrefixed(code, pos)
	case shapeGeneral:
		return decodeImms(code, pos, end, in, &oneByteOps[first])
	default:
		return Instr{}, &opError{pos, fmt.Sprintf("opcode 0x%02x", first), ErrUnknownOpcode}
	}
	in.Len = uint32(end - pos)
	return in, nil
}

func decodePrefixed(code []byte, pos int) (Instr, *opError) {
	prefix := code[pos]
	sub, n, err := Uint32(code[pos+1:])
	if err != nil {
		return Instr{}, &opError{pos + 1, fmt.Sprintf("reading the opcode behind the prefix 0x%02x", prefix), err}
	}
	ops := table(prefix)
	if sub >= uint32(len(ops)) || ops[sub].Name == "" {
		return Instr{}, &opError{pos, fmt.Sprintf("opcode 0x%02x 0x%02x", prefix, sub), ErrUnknownOpcode}
	}
	op := &ops[sub]
	return decodeImms(code, pos, pos+1+n, Instr{Op: prefixed(prefix, sub), Flags: op.Flags}, op)
}

// decodeImms decodes the immediates of op, which begin at end, one by one.
func decodeImms(code []byte, pos, end int, in Instr, op *OpInfo) (Instr, *opError) {
	for i, imm := range op.Imms {
		if imm == ImmNone {
			break
		}
		if imm.isIndex() {
			v, n, err := Uint32(code[end:])
			if err != nil {
				return Instr{}, immError(in.Op, i, end, err)
			}
			if i == 0 {
				in.Arg = v
			}
			end += n
			continue
		}
		var e *opError
		if end, e = immEnd(code, end, in.Op, i, imm); e != nil {
			return Instr{}, e
		}
	}
	in.Len = uint32(end - pos)
	return in, nil
}

func immError(op Opcode, i, pos int, err error) *opError {
	info := op.Info()
	return &opError{pos, fmt.Sprintf("reading the %v of %s", info.Imms[i], info.Name), err}
}
