package stacktrace

import (
	"bytes"
	"iter"
)

// Span is a range of byte positions in a line: Start included, End excluded.
type Span struct {
	Start, End int
}

// Source is a source position that an engine resolved by itself.
type Source struct {
	File   []byte // as printed
	Line   uint32 // 0 when not printed
	Column uint32 // 0 when not printed
	// Inlined says that the code of this position was inlined into the next
	// one of the same frame.
	Inlined bool
}

// Frame is one WebAssembly frame as an engine printed it.
//
// The byte slices of a frame that comes from a line alias that line, or what it
// is without sequences for terminals and escapes; use [Frame.Clone] to keep them.
type Frame struct {
	Shape Shape
	Role  Role

	// Span is the frame's own text within the line, without indentation, log
	// prefix, "at" and frame number: the part that an annotation replaces.
	Span Span

	// Number is the frame number that the engine printed, if HasNumber.
	Number    uint32
	HasNumber bool

	// Index is the function index, imports counted first, if HasIndex.
	Index    uint32
	HasIndex bool

	// Offset is the position of the operator, with its unit.
	Offset Offset
	// PastOpcode says that the engine may have printed an offset behind the
	// operator's first byte: the operator that contains Offset-1 is meant.
	// True only for WAMR, whose classic interpreter does so.
	PastOpcode bool

	// Name is the function's name as printed, if HasName; it may be empty.
	// When Separator is not 0 the name may begin with the name of the module
	// and that byte; see [Frame.Names].
	Name      []byte
	HasName   bool
	Separator byte

	// Module is the name of the module where the shape sets it apart.
	Module []byte

	Location Location

	// Source is what the engine resolved itself, on lines of RoleSource.
	Source Source

	// Doubts are the reasons for less than full confidence.
	Doubts Doubts
}

// Confidence returns the grade that the frame's doubts leave.
func (f *Frame) Confidence() Confidence { return f.Doubts.Confidence() }

// Clone returns a copy of f that shares no memory with the line it came from.
func (f *Frame) Clone() Frame {
	c := *f
	c.Name = bytes.Clone(f.Name)
	c.Module = bytes.Clone(f.Module)
	c.Location.Text = bytes.Clone(f.Location.Text)
	c.Source.File = bytes.Clone(f.Source.File)
	return c
}

// Names yields the ways in which the printed name divides into a module name
// and a function name, the likeliest first. Function names hold dots and
// exclamation marks themselves, so only the name section of a candidate build
// can decide. A nil function name stands for a function that has none: V8
// prints the module's name alone for it.
func (f *Frame) Names() iter.Seq2[[]byte, []byte] {
	return func(yield func(module, function []byte) bool) {
		if !f.HasName {
			return
		}
		whole := func() bool { return yield(f.Module, f.Name) }
		// A wasmtime line without DWARF always has the module in front.
		first := f.Separator != '!'
		if first && !whole() {
			return
		}
		if f.Separator != 0 {
			for i := 0; i < len(f.Name); i++ {
				if f.Name[i] == f.Separator && !yield(f.Name[:i], f.Name[i+1:]) {
					return
				}
			}
		}
		if !first && !whole() {
			return
		}
		if f.Shape.Engine() == EngineV8 && f.Separator == '.' {
			yield(f.Name, nil)
		}
	}
}

// NameIn returns the function's name as it would stand in a module of the given
// name: the printed name without that module's prefix. It reports false when
// the frame has no function name.
func (f *Frame) NameIn(module []byte) ([]byte, bool) {
	if !f.HasName {
		return nil, false
	}
	n := len(module)
	if n > 0 && f.Separator != 0 && bytes.HasPrefix(f.Name, module) {
		if len(f.Name) > n && f.Name[n] == f.Separator {
			return f.Name[n+1:], true
		}
		if len(f.Name) == n && f.Shape.Engine() == EngineV8 {
			return nil, false
		}
	}
	return f.Name, true
}

// unmarked reports whether nothing marks where the frame begins in its line, so
// that its name can have text in front that is not part of it: the prefix of a
// log, or what Firefox puts before the name of an asynchronous caller, such as
// "promise callback*". Names hold blanks and asterisks themselves, so that only
// a build tells.
func (f *Frame) unmarked() bool {
	switch f.Shape {
	case ShapeGecko, ShapeJSCModule, ShapeJSC:
		return true
	}
	return false
}

// endsPrefix reports whether a byte can be the last of what stands in front of a
// frame that nothing marks.
func endsPrefix(c byte) bool { return isSpace(c) || c == '*' }

// DecodeName returns a name for display: binaryen and emscripten write the
// characters that the text format forbids as a backslash and two hexadecimal
// digits, such as \28 for an opening parenthesis. Names are matched as printed;
// this is for reading only. The result is name itself when it holds no escape.
func DecodeName(name []byte) []byte {
	i := bytes.IndexByte(name, '\\')
	if i < 0 {
		return name
	}
	var out []byte
	last := 0
	for ; i+2 < len(name); i++ {
		if name[i] != '\\' || !isHex(name[i+1]) || !isHex(name[i+2]) {
			continue
		}
		c := hexValue(name[i+1])<<4 | hexValue(name[i+2])
		// Control characters stay escaped: they would break the line.
		if c < ' ' || c == 0x7f {
			continue
		}
		out = append(append(out, name[last:i]...), c)
		last = i + 3
		i += 2
	}
	if out == nil {
		return name
	}
	return append(out, name[last:]...)
}
