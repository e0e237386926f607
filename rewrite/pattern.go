package rewrite

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Pattern matches whole names of custom sections. A star stands for any run of
// characters, also an empty one; every other character stands for itself.
type Pattern string

// Match reports whether the whole name matches.
func (p Pattern) Match(name string) bool {
	parts := strings.Split(string(p), "*")
	if len(parts) == 1 {
		return name == string(p)
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, last)
}

func (p Pattern) literal() bool { return !strings.Contains(string(p), "*") }

// UsageError reports options that cannot be carried out.
type UsageError struct{ Msg string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Msg }

func usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// protected names the custom sections that --remove does not touch, and why.
var protected = map[string]string{
	wasm.CustomBuildID:           "it identifies the pair; choose the ID with the build-id option",
	wasm.CustomExternalDebugInfo: "it is managed by the external-url option, whose value none leaves it out",
	wasm.CustomDylink0:           "without it a dynamic linker cannot load the module",
	wasm.CustomDylink:            "without it a dynamic linker cannot load the module",
	wasm.CustomWasmDebugID:       "it never is part of a production module",
}

// needed names the custom sections that may be removed, and what then breaks.
var needed = map[string]string{
	wasm.CustomTargetFeatures: "optimisers reject or misjudge the module without it",
	wasm.CustomWasmBindgen:    "wasm-bindgen cannot process the module without it",
}

// filter decides on custom sections by the Keep and Remove patterns.
type filter struct {
	keep, remove []Pattern
	used         map[Pattern]bool
	spared       map[string]bool // protected names that a star matched
}

func newFilter(o *Options) (*filter, error) {
	f := &filter{used: map[Pattern]bool{}, spared: map[string]bool{}}
	for _, p := range o.Keep {
		if p := Pattern(p); p.literal() && strings.HasPrefix(string(p), ".debug_") {
			return nil, usagef("cannot keep %s: a production module holds no DWARF; to add a build ID and keep the DWARF in place use inject", p)
		}
		f.keep = append(f.keep, Pattern(p))
	}
	for _, p := range o.Remove {
		if why, ok := protected[p]; ok {
			return nil, usagef("cannot remove %s: %s", p, why)
		}
		f.remove = append(f.remove, Pattern(p))
	}
	return f, nil
}

// removes reports whether a custom section that is no DWARF is to be dropped by
// a Remove pattern.
func (f *filter) removes(name string) bool {
	for _, p := range f.keep {
		if p.Match(name) {
			f.used[p] = true
			return false
		}
	}
	removed := false
	for _, p := range f.remove {
		if !p.Match(name) {
			continue
		}
		f.used[p] = true
		if _, ok := protected[name]; ok {
			f.spared[name] = true
			continue
		}
		removed = true
	}
	return removed
}

// keeps reports whether a Keep pattern names the section.
func (f *filter) keeps(name string) bool {
	for _, p := range f.keep {
		if p.Match(name) {
			f.used[p] = true
			return true
		}
	}
	return false
}

// unused returns the patterns that matched nothing, in the order given.
func (f *filter) unused() []Pattern {
	var out []Pattern
	for _, list := range [][]Pattern{f.keep, f.remove} {
		for _, p := range list {
			if !f.used[p] {
				out = append(out, p)
			}
		}
	}
	return out
}
