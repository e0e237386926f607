package debugfile

import (
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Source gives the bytes of a file as memory. Open makes one of a mapping; a
// planned file can give views of the file that it is made from. A Source whose
// views cost nothing says so with a method Mapped() bool.
type Source interface {
	io.ReaderAt
	// Bytes returns n bytes from offset off. They are not changed.
	Bytes(off, n int64) ([]byte, error)
}

// maxUnmapped bounds the size in bytes of a section that is read into memory
// because its source has no views to give.
const maxUnmapped = 4 << 30

// readerSource is a Source that reads.
type readerSource struct {
	io.ReaderAt
	size int64
}

func (r readerSource) Bytes(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > r.size || n > r.size-off {
		return nil, io.ErrUnexpectedEOF
	}
	if n > maxUnmapped {
		return nil, fmt.Errorf("a section of %d bytes is too large to be read into memory", n)
	}
	b := make([]byte, n)
	if got, err := r.ReadAt(b, off); int64(got) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// debugSections collects the DWARF sections of a module: those of the program,
// and those of split DWARF, which a module may hold as well. Of several sections
// of one name the last one counts.
func debugSections(m *wasm.File, src Source) (main, split dwarf.Sections, err error) {
	split.DWO = true
	for i := range m.Sections {
		s := &m.Sections[i]
		if !s.IsDebug() {
			continue
		}
		id, dwo, ok := dwarf.ParseSectionName(s.Name)
		if !ok {
			continue
		}
		// The indexes of a .dwp belong to split DWARF and do not say so in their names.
		dwo = dwo || id == dwarf.SecCUIndex || id == dwarf.SecTUIndex
		b, err := src.Bytes(int64(s.Data), s.DataSize())
		if err != nil {
			return main, split, &wasm.FormatError{Off: s.Data, Section: s.Label(), Msg: "reading the section", Err: err}
		}
		if dwo {
			split.Set(s.Name, b)
		} else {
			main.Set(s.Name, b)
		}
	}
	return main, split, nil
}
