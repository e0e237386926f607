// Package testwasm builds WebAssembly modules for tests: well-formed ones,
// oddly encoded ones, and ones that lie.
//
// A module is a list of sections in whatever order the test wants, and [Build]
// writes it:
//
//	b := testwasm.Build(
//		testwasm.Types(testwasm.FuncType{}),
//		testwasm.Functions(0, 0),
//		testwasm.Code(testwasm.Fn(testwasm.OpNop), testwasm.Fn()).Pad(5),
//		testwasm.Custom(".debug_info", dwarf),
//		testwasm.Names{Functions: testwasm.List("first", "second")}.Section(),
//	)
//
// Every section can be padded ([Section.Pad]) or made to lie about its length
// ([Section.Claim]). [Sample] is a small valid module that holds a section of
// every kind, to which tests add and from which they remove. [BigModule] is a
// valid module of any size that needs no memory.
//
// The package panics on values that cannot be encoded: in a test that is a
// mistake of the test.
package testwasm

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Section is one section of a module that is being built.
type Section struct {
	ID      wasm.SectionID
	Name    string // custom sections: the name
	Payload []byte // the contents; for a custom section what follows the name
	Width   int    // bytes of the size LEB; 0 means as few as possible
	Claimed *uint32
	raw     []byte // the section as it stands, when set
}

// Raw returns a section written byte for byte as given, its header included.
// It may as well be half a section or no section at all.
func Raw(b ...byte) Section { return Section{raw: b} }

// Unknown returns a section with an id of the test's choice.
func Unknown(id byte, payload []byte) Section {
	return Section{ID: wasm.SectionID(id), Payload: payload}
}

// Pad returns the section with its size encoded in width bytes (1 to 5).
func (s Section) Pad(width int) Section {
	s.Width = width
	return s
}

// Claim returns the section with a size LEB that says size, whatever the
// payload's length is.
func (s Section) Claim(size uint32) Section {
	s.Claimed = &size
	return s
}

// Append appends the section to b.
func (s Section) Append(b []byte) []byte {
	if s.raw != nil {
		return append(b, s.raw...)
	}
	payload := s.Payload
	if s.ID == wasm.SectionCustom {
		payload = append(wasm.AppendName(nil, s.Name), s.Payload...)
	}
	size := uint32(len(payload))
	if s.Claimed != nil {
		size = *s.Claimed
	}
	b, ok := wasm.AppendSectionHeader(b, s.ID, size, s.Width)
	if !ok {
		panic(fmt.Sprintf("testwasm: the size %d does not fit %d bytes", size, s.Width))
	}
	return append(b, payload...)
}

// Build writes a module of the given sections in the given order.
func Build(sections ...Section) []byte {
	b := wasm.AppendPreamble(nil)
	for _, s := range sections {
		b = s.Append(b)
	}
	return b
}

// Component returns a component of the present binary version that contains
// the given core module.
func Component(module []byte) []byte {
	b := []byte("\x00asm\x0d\x00\x01\x00")
	return wasm.AppendSection(b, 1, module)
}

// match reports whether the section has the name (custom sections) or the id
// that key names: "type", "code", "data count", or a custom section's name.
func (s Section) match(key string) bool {
	if s.raw != nil {
		return false
	}
	if s.ID == wasm.SectionCustom {
		return s.Name == key
	}
	return s.ID.String() == key
}

// Find returns the position of the first section that key names, or -1. The key
// is a custom section's name, or the name of the section's id: "type", "code".
func Find(sections []Section, key string) int {
	for i, s := range sections {
		if s.match(key) {
			return i
		}
	}
	return -1
}

func mustFind(sections []Section, key string) int {
	i := Find(sections, key)
	if i < 0 {
		panic(fmt.Sprintf("testwasm: there is no section %q", key))
	}
	return i
}

func splice(sections []Section, at, drop int, add []Section) []Section {
	out := append([]Section{}, sections[:at]...)
	out = append(out, add...)
	return append(out, sections[at+drop:]...)
}

// Before returns the sections with add put in front of the one that key names;
// see Find.
func Before(sections []Section, key string, add ...Section) []Section {
	return splice(sections, mustFind(sections, key), 0, add)
}

// After returns the sections with add put behind the one that key names; see
// Find.
func After(sections []Section, key string, add ...Section) []Section {
	return splice(sections, mustFind(sections, key)+1, 0, add)
}

// Replace returns the sections with the one that key names replaced by with;
// see Find.
func Replace(sections []Section, key string, with ...Section) []Section {
	return splice(sections, mustFind(sections, key), 1, with)
}

// Without returns the sections without those that the keys name; see Find.
func Without(sections []Section, keys ...string) []Section {
	var out []Section
next:
	for _, s := range sections {
		for _, k := range keys {
			if s.match(k) {
				continue next
			}
		}
		out = append(out, s)
	}
	return out
}
