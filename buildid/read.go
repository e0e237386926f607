package buildid

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// MaxPayload is the size in bytes of the largest build_id payload that is read;
// a larger section is reported as malformed.
const MaxPayload = 4096

// Section is one build_id section of a module.
type Section struct {
	Section  *wasm.Section // where it lies
	Payload  []byte        // contents behind the section's name; nil if not read
	ID       ID            // the decoded ID; nil if malformed
	Encoding Encoding      // form of the payload
	Note     string        // what is odd about the reading; may be empty
	Err      error         // why there is no ID: a *wasm.FormatError that matches ErrMalformed
}

// IDOffset returns F of the ID's first byte. It reports false for a section
// without an ID.
func (s *Section) IDOffset() (wasm.FileOffset, bool) {
	if len(s.ID) == 0 {
		return 0, false
	}
	return s.Section.End() - wasm.FileOffset(len(s.ID)), true // the ID ends the section in every form
}

// Minimal reports whether the payload is what Encode would write for the ID.
func (s *Section) Minimal() bool {
	return len(s.ID) > 0 && string(s.Payload) == string(Encode(s.ID))
}

// Status sums up the build_id sections of a module.
type Status int

// States of a module's build ID.
const (
	StatusAbsent    Status = iota // no section
	StatusOK                      // one section in the convention's form
	StatusLegacy                  // one section in the raw form or in Zig's
	StatusMalformed               // a section that cannot be read
	StatusDuplicate               // several sections with equal IDs
	StatusConflict                // several sections with different IDs
)

var statusNames = [...]string{"absent", "ok", "legacy", "malformed", "duplicate", "conflict"}

// String returns the state in one lower-case word.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("status %d", int(s))
	}
	return statusNames[s]
}

// Errors that Found.Err and Decide return for states that hold no single ID.
var (
	// ErrAbsent: the module has no build_id section.
	ErrAbsent = errors.New("no build id")
	// ErrConflict: the module has several build_id sections whose IDs differ.
	ErrConflict = errors.New("different build ids in one file")
)

// ConflictError lists the sections of a module whose IDs differ. It matches
// ErrConflict.
type ConflictError struct {
	Sections []Section // those that hold an ID, in file order
}

// Error names up to four of the IDs with their offsets.
func (e *ConflictError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v:", ErrConflict)
	for i, s := range e.Sections {
		if i == 4 {
			fmt.Fprintf(&b, " and %d more", len(e.Sections)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %v at offset %v", shortID(s.ID), s.Section.Offset)
	}
	return b.String()
}

// Is matches ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// shortID is an ID as it appears in messages: whole up to 32 bytes.
func shortID(id ID) string {
	if len(id) <= 32 {
		return id.String()
	}
	return fmt.Sprintf("%x... (%d bytes)", []byte(id[:32]), len(id))
}

// Found is what Read finds in a module.
type Found struct {
	Status   Status
	Sections []Section // every build_id section, in file order
	ID       ID        // the one ID of the file: for StatusOK, StatusLegacy and StatusDuplicate
}

// First returns the first section that holds the file's ID, or nil when the file
// has no single ID. Among duplicates one in the convention's form is preferred.
func (f *Found) First() *Section {
	if f.ID == nil {
		return nil
	}
	for i := range f.Sections {
		if f.Sections[i].Encoding == EncodingSpec {
			return &f.Sections[i]
		}
	}
	return &f.Sections[0]
}

// Err returns nil when the file has exactly one ID, and otherwise ErrAbsent, a
// *ConflictError, or the first malformed section's error.
func (f *Found) Err() error {
	switch f.Status {
	case StatusAbsent:
		return ErrAbsent
	case StatusConflict:
		c := &ConflictError{}
		for _, s := range f.Sections {
			if s.Err == nil {
				c.Sections = append(c.Sections, s)
			}
		}
		return c
	case StatusMalformed:
		for _, s := range f.Sections {
			if s.Err != nil {
				return s.Err
			}
		}
	}
	return nil
}

// Read finds the build_id sections of f. It reads their payloads and nothing
// else: the module is not validated, so that an ID is found in a module of any
// feature. What is wrong with a section is reported in the result; the error is
// for a file that cannot be read.
func Read(f *wasm.File) (Found, error) {
	var found Found
	for _, sec := range f.Customs(wasm.CustomBuildID) {
		s := Section{Section: sec}
		if sec.DataSize() > MaxPayload {
			s.Err = &wasm.FormatError{Off: sec.Data, Section: sec.Label(), Err: ErrMalformed,
				Msg: fmt.Sprintf("%d bytes, where at most %d are read", sec.DataSize(), MaxPayload)}
			found.Sections = append(found.Sections, s)
			continue
		}
		var err error
		if s.Payload, err = sec.Bytes(MaxPayload); err != nil {
			return Found{}, err
		}
		if s.ID, s.Encoding, s.Note, err = Decode(s.Payload); err != nil {
			s.Err = &wasm.FormatError{Off: sec.Data, Section: sec.Label(), Msg: fmt.Sprintf("payload of %d bytes", len(s.Payload)), Err: err}
		}
		found.Sections = append(found.Sections, s)
	}
	found.sumUp()
	return found, nil
}

// sumUp sets Status and ID. Two different IDs outweigh a malformed section,
// because replacing that one would not help.
func (f *Found) sumUp() {
	if len(f.Sections) == 0 {
		f.Status = StatusAbsent
		return
	}
	var id ID
	malformed := false
	for i := range f.Sections {
		s := &f.Sections[i]
		switch {
		case s.Err != nil:
			malformed = true
		case id == nil:
			id = s.ID
		case !id.Equal(s.ID):
			f.Status = StatusConflict
			return
		}
	}
	switch {
	case malformed:
		f.Status = StatusMalformed
		return
	case len(f.Sections) > 1:
		f.Status = StatusDuplicate
	case f.Sections[0].Encoding != EncodingSpec:
		f.Status = StatusLegacy
	default:
		f.Status = StatusOK
	}
	f.ID = id
}
