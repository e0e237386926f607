package stacktrace

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Unit says what an offset in a trace counts from.
type Unit uint8

// The units that engines count in.
const (
	UnitNone     Unit = iota // no offset was printed
	UnitFile                 // F: from the start of the module's file
	UnitCode                 // C: from the code start
	UnitFunction             // from the start of the function's body
)

// String returns the unit's name as the command line spells it.
func (u Unit) String() string {
	switch u {
	case UnitFile:
		return "file"
	case UnitCode:
		return "code"
	case UnitFunction:
		return "function"
	}
	return "none"
}

// FunctionOffset is a byte offset from the start of one function's body. It
// means nothing without the function's index.
type FunctionOffset uint32

// String formats the offset as 0x-prefixed hexadecimal.
func (o FunctionOffset) String() string { return fmt.Sprintf("+0x%x", uint32(o)) }

// Offset is a position in a module together with its unit. The zero value is
// "no offset". It can be read only through the method of the unit it has.
type Offset struct {
	unit  Unit
	value int64
}

// InFile returns an offset in file offsets, F.
func InFile(f wasm.FileOffset) Offset { return Offset{UnitFile, int64(f)} }

// InCode returns an offset in code offsets, C.
func InCode(c wasm.CodeOffset) Offset { return Offset{UnitCode, int64(c)} }

// InFunction returns an offset inside one function.
func InFunction(o FunctionOffset) Offset { return Offset{UnitFunction, int64(o)} }

// Unit returns the unit, UnitNone for the zero value.
func (o Offset) Unit() Unit { return o.unit }

// File returns F. It reports false when the offset has another unit.
func (o Offset) File() (wasm.FileOffset, bool) {
	if o.unit != UnitFile {
		return 0, false
	}
	return wasm.FileOffset(o.value), true
}

// Code returns C. It reports false when the offset has another unit.
func (o Offset) Code() (wasm.CodeOffset, bool) {
	if o.unit != UnitCode {
		return 0, false
	}
	return wasm.CodeOffset(o.value), true
}

// Function returns the offset inside the function. It reports false when the
// offset has another unit.
func (o Offset) Function() (FunctionOffset, bool) {
	if o.unit != UnitFunction {
		return 0, false
	}
	return FunctionOffset(o.value), true
}

// String formats the offset with its unit, such as "file 0x2f10".
func (o Offset) String() string {
	if o.unit == UnitNone {
		return "none"
	}
	return fmt.Sprintf("%s 0x%x", o.unit, o.value)
}
