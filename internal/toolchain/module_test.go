//go:build linux

package toolchain

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// section is one section of a module. This reader shares nothing with package
// wasm, whose work it judges.
type section struct {
	id      byte
	name    string // of a custom section
	raw     []byte // from the id on
	payload []byte // behind the size, and behind the name of a custom section
	at      int    // file offset of the byte behind the size
}

func (s section) debug() bool { return s.id == 0 && strings.HasPrefix(s.name, ".debug_") }

func (s section) custom(name string) bool { return s.id == 0 && s.name == name }

// sections reads all sections of a module.
func sections(b []byte) ([]section, error) {
	if len(b) < 8 || string(b[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, fmt.Errorf("not a module")
	}
	var all []section
	for at := 8; at < len(b); {
		size, n := binary.Uvarint(b[at+1:])
		end := at + 1 + n + int(size)
		if n <= 0 || n > 5 || size > 1<<32-1 || end > len(b) {
			return nil, fmt.Errorf("section at 0x%x: bad size", at)
		}
		s := section{id: b[at], raw: b[at:end], payload: b[at+1+n : end], at: at + 1 + n}
		if s.id == 0 {
			length, n := binary.Uvarint(s.payload)
			if n <= 0 || int(length) > len(s.payload)-n {
				return nil, fmt.Errorf("custom section at 0x%x: bad name", at)
			}
			s.name, s.payload = string(s.payload[n:n+int(length)]), s.payload[n+int(length):]
		}
		all = append(all, s)
		at = end
	}
	return all, nil
}

func mustSections(t *testing.T, what string, b []byte) []section {
	t.Helper()
	s, err := sections(b)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return s
}

// where returns the sections that hold.
func where(all []section, holds func(section) bool) []section {
	var some []section
	for _, s := range all {
		if holds(s) {
			some = append(some, s)
		}
	}
	return some
}

func named(all []section, name string) []section {
	return where(all, func(s section) bool { return s.custom(name) })
}

// code returns the code section; ok is false when there is none.
func code(all []section) (s section, ok bool) {
	for _, s := range all {
		if s.id == 10 {
			return s, true
		}
	}
	return section{}, false
}

// bodies returns start and end of every body, counted from the code start.
func bodies(t *testing.T, payload []byte) [][2]int {
	t.Helper()
	count, at := binary.Uvarint(payload)
	var all [][2]int
	for i := uint64(0); i < count; i++ {
		size, n := binary.Uvarint(payload[at:])
		if n <= 0 || at+n+int(size) > len(payload) {
			t.Fatalf("body %d at code offset 0x%x: bad size", i, at)
		}
		all = append(all, [2]int{at + n, at + n + int(size)})
		at += n + int(size)
	}
	if at != len(payload) {
		t.Fatalf("%d bytes behind the last body", len(payload)-at)
	}
	return all
}
