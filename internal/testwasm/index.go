package testwasm

import "github.com/wasm-debugid/wasm-debugid/wasm"

// Value types.
const (
	I32       byte = 0x7f
	I64       byte = 0x7e
	F32       byte = 0x7d
	F64       byte = 0x7c
	V128      byte = 0x7b
	FuncRef   byte = 0x70
	ExternRef byte = 0x6f
)

// Kinds of imports and exports.
const (
	KindFunc byte = iota
	KindTable
	KindMemory
	KindGlobal
	KindTag
)

// FuncType is a function type.
type FuncType struct {
	Params, Results []byte // value types
}

// Limits are the limits of a memory or a table.
type Limits struct {
	Min    uint64
	Max    uint64
	HasMax bool
	Shared bool // memories: shared between threads
	Is64   bool // 64-bit addresses
}

func (l Limits) append(b []byte) []byte {
	var flags byte
	if l.HasMax {
		flags |= 1
	}
	if l.Shared {
		flags |= 2
	}
	if l.Is64 {
		flags |= 4
	}
	b = wasm.AppendUint64(append(b, flags), l.Min)
	if l.HasMax {
		b = wasm.AppendUint64(b, l.Max)
	}
	return b
}

// Import is one import of any kind. Of the fields behind Kind, only those of
// the kind are written.
type Import struct {
	Module, Name string
	Kind         byte
	Type         uint32 // functions and tags: the type index
	Ref          byte   // tables: the reference type; 0 means funcref
	Limits       Limits // tables and memories
	Val          byte   // globals: the value type
	Mutable      bool   // globals
}

// Table is a table's type.
type Table struct {
	Ref    byte // 0 means funcref
	Limits Limits
}

// Global is a global with its initial value as instructions, the final end not
// included.
type Global struct {
	Val     byte
	Mutable bool
	Init    []byte
}

// Export is one export.
type Export struct {
	Name  string
	Kind  byte
	Index uint32
}

// Elem is an active element segment of table 0 with a constant offset.
type Elem struct {
	Offset int32
	Funcs  []uint32
}

// Segment is a data segment: active in memory 0 at a constant offset, or
// passive.
type Segment struct {
	Passive bool
	Offset  int32
	Bytes   []byte
}

func vec[T any](items []T, one func([]byte, T) []byte) []byte {
	b := wasm.AppendUint32(nil, uint32(len(items)))
	for _, it := range items {
		b = one(b, it)
	}
	return b
}

func bytesVec(b, v []byte) []byte { return append(wasm.AppendUint32(b, uint32(len(v))), v...) }

func orFuncRef(ref byte) byte {
	if ref == 0 {
		return FuncRef
	}
	return ref
}

// Types returns a type section of function types.
func Types(types ...FuncType) Section {
	return Section{ID: wasm.SectionType, Payload: vec(types, func(b []byte, t FuncType) []byte {
		return bytesVec(bytesVec(append(b, 0x60), t.Params), t.Results)
	})}
}

// Imports returns an import section.
func Imports(imports ...Import) Section {
	return Section{ID: wasm.SectionImport, Payload: vec(imports, func(b []byte, im Import) []byte {
		b = append(wasm.AppendName(wasm.AppendName(b, im.Module), im.Name), im.Kind)
		switch im.Kind {
		case KindFunc:
			b = wasm.AppendUint32(b, im.Type)
		case KindTable:
			b = im.Limits.append(append(b, orFuncRef(im.Ref)))
		case KindMemory:
			b = im.Limits.append(b)
		case KindGlobal:
			b = append(b, im.Val, boolByte(im.Mutable))
		case KindTag:
			b = wasm.AppendUint32(append(b, 0), im.Type)
		}
		return b
	})}
}

// Functions returns a function section: one type index for each body.
func Functions(types ...uint32) Section {
	return Section{ID: wasm.SectionFunction, Payload: vec(types, wasm.AppendUint32)}
}

// Tables returns a table section.
func Tables(tables ...Table) Section {
	return Section{ID: wasm.SectionTable, Payload: vec(tables, func(b []byte, t Table) []byte {
		return t.Limits.append(append(b, orFuncRef(t.Ref)))
	})}
}

// Memories returns a memory section.
func Memories(mems ...Limits) Section {
	return Section{ID: wasm.SectionMemory, Payload: vec(mems, func(b []byte, l Limits) []byte { return l.append(b) })}
}

// Tags returns a tag section: one type index for each exception tag.
func Tags(types ...uint32) Section {
	return Section{ID: wasm.SectionTag, Payload: vec(types, func(b []byte, t uint32) []byte {
		return wasm.AppendUint32(append(b, 0), t)
	})}
}

// Globals returns a global section.
func Globals(globals ...Global) Section {
	return Section{ID: wasm.SectionGlobal, Payload: vec(globals, func(b []byte, g Global) []byte {
		b = append(append(b, g.Val, boolByte(g.Mutable)), g.Init...)
		return append(b, OpEnd)
	})}
}

// Exports returns an export section.
func Exports(exports ...Export) Section {
	return Section{ID: wasm.SectionExport, Payload: vec(exports, func(b []byte, e Export) []byte {
		return wasm.AppendUint32(append(wasm.AppendName(b, e.Name), e.Kind), e.Index)
	})}
}

// Start returns a start section.
func Start(fn uint32) Section {
	return Section{ID: wasm.SectionStart, Payload: wasm.AppendUint32(nil, fn)}
}

// Elements returns an element section.
func Elements(elems ...Elem) Section {
	return Section{ID: wasm.SectionElement, Payload: vec(elems, func(b []byte, e Elem) []byte {
		b = append(wasm.AppendInt64(append(b, 0, OpI32Const), int64(e.Offset)), OpEnd)
		b = wasm.AppendUint32(b, uint32(len(e.Funcs)))
		for _, f := range e.Funcs {
			b = wasm.AppendUint32(b, f)
		}
		return b
	})}
}

// DataCount returns a data count section.
func DataCount(n uint32) Section {
	return Section{ID: wasm.SectionDataCount, Payload: wasm.AppendUint32(nil, n)}
}

// Data returns a data section.
func Data(segments ...Segment) Section {
	return Section{ID: wasm.SectionData, Payload: vec(segments, func(b []byte, s Segment) []byte {
		if s.Passive {
			return bytesVec(append(b, 1), s.Bytes)
		}
		b = append(wasm.AppendInt64(append(b, 0, OpI32Const), int64(s.Offset)), OpEnd)
		return bytesVec(b, s.Bytes)
	})}
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}
