package wasm

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxNameBytes is how many bytes of one entry's name a NameMap reads; of a
// longer name it gives the beginning.
const MaxNameBytes = 1 << 20

// NameMap reads the entries of a subsection that maps indices to names, one
// after the other and in bounded memory:
//
//	m := names.Map(wasm.NameFunctions)
//	for m.Next() {
//		table.add(m.Index(), m.Name())
//	}
//	if err := m.Err(); err != nil { ... }
//
// It reads what the entries say and no more is asked of them: indices may come
// in any order and repeat, and names may be anything. [Names.Problems] is the
// strict reading.
type NameMap struct {
	s       *Stream
	what    NameID
	started bool
	left    uint32
	index   uint32
	off     FileOffset
	size    uint32
	buf     []byte
	err     error
}

func newNameMap(s *Stream, what NameID) *NameMap { return &NameMap{s: s, what: what} }

// Map returns a reader of the first subsection with the given id, which must
// not be NameModule or an indirect one. Without such a subsection the map is
// empty.
func (n *Names) Map(id NameID) *NameMap {
	sub := n.Find(id)
	if sub == nil {
		return &NameMap{started: true, s: NewStream(n.Section.r, n.Section.End(), n.Section.End(), n.Section.Label())}
	}
	m := newNameMap(n.stream(sub), id)
	if id == NameModule || id.Indirect() {
		m.err = fmt.Errorf("the subsection of %s names is not a map of indices to names", id)
	}
	return m
}

// Count returns the number of entries that are still to come, as the file
// claims it. It is no measure for an allocation.
func (m *NameMap) Count() uint32 {
	m.start()
	return m.left
}

// start reads the count.
func (m *NameMap) start() {
	if m.started || m.err != nil {
		return
	}
	m.started = true
	m.left, m.err = m.s.Uint32("the number of names")
}

// header reads an entry up to its name. It reports false at the end.
func (m *NameMap) header() bool {
	m.start()
	switch {
	case m.err != nil:
		return false
	case m.left == 0:
		if m.s.Remaining() > 0 {
			m.err = m.s.Errorf(nil, "%d bytes follow the last of the %s names inside their subsection", m.s.Remaining(), m.what)
		}
		return false
	}
	m.left--
	if m.index, m.err = m.s.Uint32("an index"); m.err != nil {
		return false
	}
	at := m.s.Offset()
	if m.size, m.err = m.s.Uint32("the length of a name"); m.err != nil {
		return false
	}
	m.off = m.s.Offset()
	if int64(m.size) > m.s.Remaining() {
		m.err = &FormatError{Off: at, Section: m.s.section, Err: ErrTruncated,
			Msg: fmt.Sprintf("the name of %s %d claims %d bytes, the subsection has %d left", m.what, m.index, m.size, m.s.Remaining())}
		return false
	}
	return true
}

// skip goes on to the next entry without reading its name.
func (m *NameMap) skip() bool {
	if !m.header() {
		return false
	}
	m.err = m.s.Skip(int64(m.size), "the name")
	return m.err == nil
}

// Next goes on to the next entry. It reports false at the end of the map and at
// an error.
func (m *NameMap) Next() bool {
	if !m.header() {
		return false
	}
	n := int(min(m.size, MaxNameBytes))
	m.buf = m.buf[:0]
	for len(m.buf) < n {
		var b []byte
		if b, m.err = m.s.Peek(n - len(m.buf)); m.err != nil {
			return false
		}
		m.buf = append(m.buf, b...)
		m.s.advance(len(b))
	}
	if rest := int64(m.size) - int64(n); rest > 0 {
		m.err = m.s.Skip(rest, "the name")
	}
	return m.err == nil
}

// Index returns the index of the entry: of a function, imports counted, or of
// whatever else the subsection names.
func (m *NameMap) Index() uint32 { return m.index }

// Name returns the name of the entry, of which it holds at most MaxNameBytes.
// The slice is valid until the next call of Next.
func (m *NameMap) Name() []byte { return m.buf }

// Extent returns where the whole name stands: F of its first byte and its
// length in bytes.
func (m *NameMap) Extent() (FileOffset, uint32) { return m.off, m.size }

// Err returns the error that ended the iteration: a *FormatError, or nil at the
// regular end. A map that does not end with its subsection is an error.
func (m *NameMap) Err() error { return m.err }

// Problems reads the section as strictly as the specification describes it and
// returns what is wrong: subsections out of order or repeated, maps that do not
// fit, indices that do not ascend, names that are not UTF-8. It returns one
// error for each subsection at most. A last error may come from the file itself.
func (n *Names) Problems() []error {
	var out []error
	for i := range n.Subsections {
		sub := &n.Subsections[i]
		if i > 0 && sub.ID <= n.Subsections[i-1].ID {
			out = append(out, n.problem(sub.Offset, "the subsection of %s names stands behind that of %s names; each may be there once, in the order of their ids", sub.ID, n.Subsections[i-1].ID))
		} else if err := n.check(sub); err != nil {
			out = append(out, err)
			if errors.Is(err, ErrRead) {
				break
			}
		}
	}
	return out
}

func (n *Names) problem(off FileOffset, format string, args ...any) error {
	return &FormatError{Off: off, Section: n.Section.Label(), Msg: fmt.Sprintf(format, args...)}
}

func (n *Names) check(sub *NameSubsection) error {
	s := n.stream(sub)
	switch {
	case int(sub.ID) >= len(nameIDs):
		return nil
	case sub.ID == NameModule:
		name, err := n.Module()
		if err == nil && !utf8.ValidString(name) {
			err = n.problem(sub.Data, "the module name is not UTF-8")
		}
		return err
	case sub.ID.Indirect():
		count, err := s.Uint32("the number of name maps")
		last := int64(-1)
		for ; err == nil && count > 0; count-- {
			at := s.Offset()
			var index uint32
			if index, err = s.Uint32("an index"); err != nil {
				break
			}
			if int64(index) <= last {
				return n.problem(at, "index %d follows index %d; indices must ascend", index, last)
			}
			last = int64(index)
			var inner uint32
			if inner, err = s.Uint32("the number of names"); err == nil {
				m := &NameMap{s: s, what: sub.ID, started: true, left: inner}
				err = n.checkMap(m, true)
			}
		}
		if err == nil && s.Remaining() > 0 {
			err = s.Errorf(nil, "%d bytes follow the last of the %s names inside their subsection", s.Remaining(), sub.ID)
		}
		return err
	}
	return n.checkMap(newNameMap(s, sub.ID), false)
}

// checkMap reads a map strictly. An inner map of an indirect one is followed by
// other things.
func (n *Names) checkMap(m *NameMap, inner bool) error {
	last := int64(-1)
	for (!inner || m.left > 0) && m.Next() {
		if int64(m.index) <= last {
			return n.problem(m.off, "the name of %s %d follows that of %d; indices must ascend", m.what, m.index, last)
		}
		last = int64(m.index)
		if m.size <= MaxNameBytes && !utf8.Valid(m.buf) {
			return n.problem(m.off, "the name of %s %d is not UTF-8", m.what, m.index)
		}
	}
	return m.Err()
}
