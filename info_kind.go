package debugid

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Tiers: the best source of answers about an address that a file holds.
const (
	TierDWARF     = "dwarf"     // function, file and line, inlined calls
	TierSourceMap = "sourcemap" // file and line of the innermost frame
	TierNames     = "names"     // the function's name
	TierIndex     = "index"     // the function's index
)

// classify says what the file is in a build, and what follows from that.
func (m *ModuleInfo) classify(f *wasm.File) {
	class, err := wasm.Classify(f)
	m.problem("what the module is", err)
	trait := func(format string, args ...any) { m.Traits = append(m.Traits, fmt.Sprintf(format, args...)) }
	m.Kind = "module"
	switch {
	case m.Record != nil:
		m.Kind = "companion"
		trait("it was made with a production module of %s bytes, whose build ID was %s", printable.Number(m.Record.Production.Size), m.Record.BuildID)
		if m.Record.Kind == "symbols" {
			trait("it holds neither code nor data: the bodies are blanked in place")
		}
	case class.SplitDWARF:
		m.Kind = "split DWARF"
		trait("it is the DWARF of a module that was built with split DWARF (.dwo or .dwp), not a program")
	case class.Object:
		m.Kind = "object"
		trait("it is a relocatable object file: its offsets are not final; link it first")
	case class.Dynamic:
		m.Kind = "shared library"
		trait("it is position-independent and loaded by a dynamic linker (dylink)")
	case m.ExternalDebugInfo != nil && !f.HasDebug():
		m.Kind = "production module"
		trait("its debug information is in another file: %s", m.ExternalDebugInfo.URL)
	}
	if class.KeptRelocations {
		trait("it keeps its relocations, which name sections by index; a split drops them")
	}
	if class.AwaitsBindgen {
		trait("it awaits wasm-bindgen, which rewrites the code; split what wasm-bindgen writes")
	}
	if class.AwaitsComponent {
		trait("a component may still be made of it (component-type)")
	}
	if f.Custom(wasm.CustomGoBuildID) != nil {
		trait("the Go toolchain built it; its own go:buildid is no build ID")
	}
	if f.Custom(wasm.CustomSignature) != nil {
		trait("it is signed; any change breaks the signature")
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; !s.ID.Known() {
			trait("%s at %v is not known to this release", s.ID, s.Offset)
		}
	}
}

// tier settles what the file can answer, and says what it lacks.
func (m *ModuleInfo) tier(f *wasm.File) {
	var why []string
	if m.DWARF != nil {
		if m.DWARF.Usable {
			m.Tier, m.TierReason = TierDWARF, m.DWARF.Reason
			return
		}
		why = append(why, "its DWARF is not usable: "+m.DWARF.Reason)
	}
	switch {
	case m.SourceMappingURL != nil:
		m.Tier = TierSourceMap
		if m.DWARF == nil {
			why = append(why, "source map, no DWARF")
		} else {
			why = append(why, "source map")
		}
	case m.Names != nil && m.Names.Functions > 0:
		m.Tier = TierNames
		why = append(why, "names of "+printable.Count(int64(m.Names.Functions), "function")+", no DWARF, no source map")
		if m.DWARF != nil {
			why[len(why)-1] = "names of " + printable.Count(int64(m.Names.Functions), "function") + ", no source map"
		}
	default:
		m.Tier = TierIndex
		why = append(why, "no DWARF, no source map, no names of functions")
		if m.DWARF != nil {
			why[len(why)-1] = "no source map, no names of functions"
		}
	}
	if m.ExternalDebugInfo != nil {
		why = append(why, "the companion may hold more")
	}
	m.TierReason = strings.Join(why, "; ")
}
