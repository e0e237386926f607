package wasm

import (
	"fmt"
	"io"
)

// ImportCounts holds the number of imports of each kind. Imported items come
// first in their index space, so each is the index of the first item that the
// module defines itself.
type ImportCounts struct {
	Functions, Tables, Memories, Globals, Tags uint32
}

// ImportCounts counts the imports of f. It needs no memory for them.
func (f *File) ImportCounts() (ImportCounts, error) {
	r, err := NewImportReader(f)
	if err != nil {
		return ImportCounts{}, err
	}
	r.skipNames = true
	for {
		if _, err := r.Next(); err == io.EOF {
			break
		} else if err != nil {
			return ImportCounts{}, err
		}
	}
	return ImportCounts{
		Functions: r.counts[ExternFunc],
		Tables:    r.counts[ExternTable],
		Memories:  r.counts[ExternMemory],
		Globals:   r.counts[ExternGlobal],
		Tags:      r.counts[ExternTag],
	}, nil
}

// ImportedFunctions returns the number of imported functions, which is the
// function index of the first body.
func (f *File) ImportedFunctions() (uint32, error) {
	c, err := f.ImportCounts()
	return c.Functions, err
}

// FunctionCount returns the number of functions that the Function section
// declares: those with a body in this module. Imported functions come on top.
//
// https://webassembly.github.io/spec/core/binary/modules.html#function-section
func (f *File) FunctionCount() (uint32, error) {
	sec, err := f.single(SectionFunction)
	if err != nil || sec == nil {
		return 0, err
	}
	s := sec.Stream()
	n, err := s.Uint32("the number of functions")
	if err != nil {
		return 0, err
	}
	if int64(n) > s.Remaining() {
		return 0, &FormatError{Off: sec.Data, Section: sec.Label(), Err: ErrTruncated,
			Msg: fmt.Sprintf("%d functions claimed in %d bytes", n, s.Remaining())}
	}
	return n, nil
}

// single returns the only section with the given id, or nil if there is none.
// Indices would be ambiguous with more.
func (f *File) single(id SectionID) (*Section, error) {
	var found *Section
	for i := range f.Sections {
		sec := &f.Sections[i]
		if sec.ID != id {
			continue
		}
		if found != nil {
			return nil, &FormatError{Off: sec.Offset, Section: sec.Label(), Msg: fmt.Sprintf("a second %s; the first is at %v", sec.Label(), found.Offset)}
		}
		found = sec
	}
	return found, nil
}
