package wasm

import (
	"fmt"
	"io"
)

// ExternKind is the kind of an imported or exported item.
type ExternKind byte

// Kinds of imported and exported items.
//
// https://webassembly.github.io/spec/core/binary/types.html#external-types
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
	ExternTag

	numExterns = iota
)

// externExactFunc is the kind byte of a function import of an exact type
// (custom descriptors). It counts as a function.
const externExactFunc = 0x20

// Bytes that stand in the place of a kind byte and open a group of imports from
// one module, if the item name in front of them is empty.
//
// https://github.com/WebAssembly/compact-import-section
const (
	groupByModule        = 0x7f // item names, each with a kind and a type
	groupByModuleAndType = 0x7e // one kind and type, then item names
)

var externNames = [...]string{"function", "table", "memory", "global", "tag"}

// String names the kind: "function".
func (k ExternKind) String() string {
	if int(k) < len(externNames) {
		return externNames[k]
	}
	return fmt.Sprintf("unknown kind 0x%02x", byte(k))
}

// MaxImports is the number of imports that File.Imports collects; engines refuse
// more than a million.
const MaxImports = 1 << 20

// Import is an imported item.
type Import struct {
	Module string
	Name   string
	Kind   ExternKind
	Index  uint32 // index among the items of its kind: the function index of a function
	// TypeIndex is the type of a function or a tag. Otherwise it is zero.
	TypeIndex uint32
}

// ImportReader lists the imports of a module in order. Imports in groups that
// share a module name, or that and a type, are listed one by one.
type ImportReader struct {
	s         *Stream
	skipNames bool
	started   bool
	entries   uint32 // section entries left
	counts    [numExterns]uint32
	err       error

	// the group being listed
	group   Import // what its members share
	members uint32 // members left
	typed   bool   // the members share the kind and type
}

// NewImportReader returns a reader over the imports of f. A module without an
// Import section has none.
func NewImportReader(f *File) (*ImportReader, error) {
	sec, err := f.single(SectionImport)
	if err != nil {
		return nil, err
	}
	if sec == nil {
		return &ImportReader{err: io.EOF}, nil
	}
	return &ImportReader{s: sec.Stream()}, nil
}

// Next returns the next import, or io.EOF behind the last. Any other error is
// final.
func (r *ImportReader) Next() (Import, error) {
	if r.err != nil {
		return Import{}, r.err
	}
	imp, err := r.next()
	r.err = err
	if err != nil {
		return Import{}, err
	}
	return imp, nil
}

func (r *ImportReader) next() (imp Import, err error) {
	if !r.started {
		r.started = true
		if r.entries, err = r.s.Uint32("the number of imports"); err != nil {
			return imp, err
		}
	}
	for r.members == 0 {
		if r.entries == 0 {
			if n := r.s.Remaining(); n > 0 {
				return imp, r.s.Errorf(nil, "%d bytes behind the last import", n)
			}
			return imp, io.EOF
		}
		r.entries--
		single, imp, err := r.entry()
		if err != nil || single {
			return imp, err
		}
	}
	return r.member()
}

// entry reads an entry of the section: an import, or the head of a group.
func (r *ImportReader) entry() (single bool, imp Import, err error) {
	if imp.Module, _, err = r.name("the module name of an import"); err != nil {
		return false, imp, err
	}
	var length uint32
	if imp.Name, length, err = r.name("the name of an import"); err != nil {
		return false, imp, err
	}
	head, err := r.s.Peek(1)
	if err != nil {
		return false, imp, err
	}
	if length > 0 || len(head) == 0 || head[0] != groupByModule && head[0] != groupByModuleAndType {
		return true, imp, r.extern(&imp)
	}
	r.typed = head[0] == groupByModuleAndType
	r.s.advance(1)
	r.group = Import{Module: imp.Module}
	if r.typed {
		if err := r.externType(&r.group); err != nil {
			return false, imp, err
		}
	}
	r.members, err = r.s.Uint32("the number of imports in a group")
	return false, imp, err
}

// member reads the next member of a group.
func (r *ImportReader) member() (imp Import, err error) {
	r.members--
	imp = r.group
	if imp.Name, _, err = r.name("the name of an import"); err != nil {
		return imp, err
	}
	if r.typed {
		r.number(&imp)
		return imp, nil
	}
	return imp, r.extern(&imp)
}

// name reads a name and its length in bytes.
func (r *ImportReader) name(what string) (string, uint32, error) {
	n, err := r.s.Uint32(what) // its length
	if err != nil {
		return "", 0, err
	}
	if r.skipNames {
		return "", n, r.s.Skip(int64(n), what)
	}
	b, err := r.s.Bytes(int64(n), MaxCustomName, what)
	return string(b), n, err
}

// extern reads the kind and type of an import, and numbers it.
func (r *ImportReader) extern(imp *Import) error {
	if err := r.externType(imp); err != nil {
		return err
	}
	r.number(imp)
	return nil
}

// number gives an import its index. The counts do not overflow: a section has
// less than 2^32 bytes, and an import takes one at least.
func (r *ImportReader) number(imp *Import) {
	imp.Index = r.counts[imp.Kind]
	r.counts[imp.Kind]++
}

// externType reads the kind and type of an import.
func (r *ImportReader) externType(imp *Import) (err error) {
	head, err := r.s.Peek(1)
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return r.s.Errorf(ErrTruncated, "reading the kind of an import")
	}
	kind := ExternKind(head[0])
	if kind == externExactFunc {
		kind = ExternFunc
	}
	if kind >= numExterns {
		return r.s.Errorf(ErrUnknownType, "import kind 0x%02x", head[0])
	}
	r.s.advance(1)
	imp.Kind = kind
	switch kind {
	case ExternFunc:
		imp.TypeIndex, err = r.s.Uint32("the type index of an imported function")
	case ExternTable:
		if err = r.valType(); err == nil {
			err = r.limits("an imported table", limitMax|limitShared|limit64)
		}
	case ExternMemory:
		err = r.limits("an imported memory", limitMax|limitShared|limit64|limitPageSize)
	case ExternGlobal:
		if err = r.valType(); err == nil {
			_, err = r.s.Byte("the mutability of an imported global")
		}
	case ExternTag:
		if _, err = r.s.Byte("the attribute of an imported tag"); err == nil {
			imp.TypeIndex, err = r.s.Uint32("the type index of an imported tag")
		}
	}
	return err
}

// valTypeMax is the longest value type: a reference to an exact type.
const valTypeMax = 2 + maxLen32

func (r *ImportReader) valType() error {
	b, err := r.s.Peek(valTypeMax)
	if err != nil {
		return err
	}
	n, e := valTypeEnd(b, 0)
	if e != nil {
		return &FormatError{Off: r.s.Offset() + FileOffset(e.pos), Section: r.s.section, Msg: e.msg, Err: e.err}
	}
	r.s.advance(n)
	return nil
}

// Bits of the byte that opens the limits of a table or memory.
//
// https://webassembly.github.io/spec/core/binary/types.html#limits
const (
	limitMax      = 1 << iota // a maximum follows the minimum
	limitShared               // threads
	limit64                   // 64-bit addresses
	limitPageSize             // the exponent of the page size follows (custom page sizes)
)

func (r *ImportReader) limits(what string, known byte) error {
	at := r.s.Offset()
	flags, err := r.s.Byte("the limits of " + what)
	if err != nil {
		return err
	}
	if flags&^known != 0 {
		return &FormatError{Off: at, Section: r.s.section, Msg: fmt.Sprintf("limits 0x%02x of %s", flags, what), Err: ErrUnknownType}
	}
	if _, err = r.s.Uint64("the minimum of " + what); err == nil && flags&limitMax != 0 {
		_, err = r.s.Uint64("the maximum of " + what)
	}
	if err == nil && flags&limitPageSize != 0 {
		_, err = r.s.Uint32("the page size of " + what)
	}
	return err
}

// Imports reads the imports of f into memory. It refuses more than MaxImports.
func (f *File) Imports() ([]Import, error) {
	r, err := NewImportReader(f)
	if err != nil {
		return nil, err
	}
	var out []Import
	for {
		imp, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) == MaxImports {
			return nil, r.s.Errorf(ErrLimit, "more than %d imports", MaxImports)
		}
		out = append(out, imp)
	}
}
