package rewrite

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
)

// CompanionKind says what a companion holds.
type CompanionKind int

const (
	// CompanionFull: everything that the input holds.
	CompanionFull CompanionKind = iota
	// CompanionSymbols: DWARF and function names, with blanked code and no data.
	CompanionSymbols
	// CompanionNone: no companion is made; the DWARF is discarded.
	CompanionNone
)

// String returns "full", "symbols" or "none".
func (k CompanionKind) String() string {
	switch k {
	case CompanionFull:
		return "full"
	case CompanionSymbols:
		return "symbols"
	case CompanionNone:
		return "none"
	}
	return fmt.Sprintf("CompanionKind(%d)", int(k))
}

// ParseCompanionKind is the inverse of String.
func ParseCompanionKind(s string) (CompanionKind, error) {
	for _, k := range []CompanionKind{CompanionFull, CompanionSymbols, CompanionNone} {
		if s == k.String() {
			return k, nil
		}
	}
	return 0, fmt.Errorf("unknown kind of companion %q: it is full, symbols or none", s)
}

// Options steer a plan. The zero value is the default of every field.
type Options struct {
	// BuildID says where the ID comes from; the zero value is "auto".
	BuildID buildid.Policy
	// NormalizeBuildID rewrites a kept ID that is not in the convention's
	// encoding.
	NormalizeBuildID bool
	// StripNames drops the name section from the production module.
	StripNames bool
	// Keep and Remove are patterns for custom sections of the production
	// module; see Pattern. Keep wins over Remove, and Remove over the default.
	Keep, Remove []string
	// Companion is the kind of companion.
	Companion CompanionKind
	// Pointer is the URL for external_debug_info; empty for no such section.
	Pointer string
	// AllowBindgenInput accepts a module that wasm-bindgen has yet to process.
	AllowBindgenInput bool
	// Hash configures the passes that hash the input.
	Hash buildid.Options
}
