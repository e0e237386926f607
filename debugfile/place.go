package debugfile

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// NotCode says what stands at a file offset of a module that is not in the payload
// of the Code section: "this lies before the code, in the import section". For an
// offset in the payload it returns an empty string.
func NotCode(m *wasm.File, off wasm.FileOffset) string {
	span, ok := m.CodeSpan()
	where := "before"
	switch {
	case off < 0 || off >= wasm.FileOffset(m.Size()):
		return fmt.Sprintf("this lies behind the end of the file, which has 0x%x bytes", m.Size())
	case !ok:
		where = ""
	case span.Contains(off):
		return ""
	case off >= span.End():
		where = "behind"
	}
	text := "the module has no code; this lies"
	if where != "" {
		text = "this lies " + where + " the code,"
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		switch {
		case off < s.Offset || off >= s.End():
		case s.ID == wasm.SectionCode:
			return "this lies before the code, in the size of the code section"
		default:
			return text + " in the " + s.Label()
		}
	}
	return text + " in the file's preamble"
}
