package stacktrace

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Inspector checks offsets against the code of a module. It decodes the bodies
// that it is asked about, and is safe for concurrent use.
type Inspector struct{ open openBuild }

// NewInspector returns an Inspector for a companion and its production module,
// which may be nil. Where both hold code, the production module's is used. It uses
// the files as long as it is in use.
func NewInspector(debug *debugfile.File, production *wasm.File) *Inspector {
	x := &Inspector{openBuild{debug: debug, production: production}}
	x.open.calls.build = &x.open
	return x
}

// Contradiction says why no engine reports C in the function of the index: no
// instruction starts there. It returns an empty string for an offset that can be
// right, and where the code is not at hand.
func (x *Inspector) Contradiction(index uint32, c wasm.CodeOffset) string {
	number, e, ok := x.open.body(index)
	if !ok || c == e.Start || !e.Contains(c) {
		return ""
	}
	code := x.open.calls.of(number)
	if code == nil {
		return ""
	}
	return code.contradiction(c)
}

// contradiction says where c lies if no instruction starts there.
func (s *sites) contradiction(c wasm.CodeOffset) string {
	i, starts := s.starting(c)
	switch {
	case starts, s.partial && i == len(s.list)-1:
		return ""
	case i < 0:
		return fmt.Sprintf("code offset %v is inside the local declarations", c)
	}
	return fmt.Sprintf("code offset %v is inside an instruction", c)
}
