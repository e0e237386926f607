package wasm

import "fmt"

// Dylink is what a shared library, or a position-independent program, tells the
// dynamic linker.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/DynamicLinking.md
type Dylink struct {
	Section *Section
	Legacy  bool // the section is "dylink", which has no subsections

	MemorySize, MemoryAlign uint32 // bytes; alignment as a power of two
	TableSize, TableAlign   uint32 // entries; alignment as a power of two
	Needed                  []string
	Exports                 []DylinkExport
	Imports                 []DylinkImport
	RuntimePath             []string
	Unknown                 []byte // ids of subsections that this package does not know
}

// DylinkExport gives the symbol flags of an export.
type DylinkExport struct {
	Name  string
	Flags uint32
}

// DylinkImport gives the symbol flags of an import.
type DylinkImport struct {
	Module, Name string
	Flags        uint32
}

// Subsections of dylink.0.
const (
	dylinkMemInfo = 1 + iota
	dylinkNeeded
	dylinkExportInfo
	dylinkImportInfo
	dylinkRuntimePath
)

// Dylink decodes the module's dylink.0 or dylink section. It returns nil for a
// module without one. When the section is malformed, what stands in front of
// the error is returned with it.
func (f *File) Dylink() (*Dylink, error) {
	sec := f.Custom(CustomDylink0)
	if sec == nil {
		sec = f.Custom(CustomDylink)
	}
	if sec == nil {
		return nil, nil
	}
	d := &Dylink{Section: sec, Legacy: sec.Name == CustomDylink}
	s := sec.Stream()
	if err := checkSize(s, maxListSection); err != nil {
		return d, err
	}
	if d.Legacy {
		err := d.memInfo(s)
		if err == nil {
			d.Needed, err = readStrings(s, "a needed library")
		}
		if err != nil {
			return d, err
		}
		return d, atEnd(s, "the needed libraries")
	}
	for s.Remaining() > 0 {
		if err := d.subsection(s); err != nil {
			return d, err
		}
	}
	return d, nil
}

func (d *Dylink) subsection(s *Stream) error {
	id, err := s.Byte("a subsection id")
	if err != nil {
		return err
	}
	size, err := s.Uint32("a subsection size")
	if err != nil {
		return err
	}
	sub, err := s.Sub(int64(size), fmt.Sprintf("subsection %d", id))
	if err != nil {
		return err
	}
	switch id {
	case dylinkMemInfo:
		err = d.memInfo(sub)
	case dylinkNeeded:
		d.Needed, err = readStrings(sub, "a needed library")
	case dylinkExportInfo:
		err = d.exports(sub)
	case dylinkImportInfo:
		err = d.imports(sub)
	case dylinkRuntimePath:
		d.RuntimePath, err = readStrings(sub, "a runtime path")
	default:
		d.Unknown = append(d.Unknown, id)
		return nil
	}
	if err != nil {
		return err
	}
	return atEnd(sub, fmt.Sprintf("the contents of subsection %d", id))
}

func (d *Dylink) memInfo(s *Stream) error {
	for _, field := range []struct {
		to   *uint32
		name string
	}{
		{&d.MemorySize, "the memory size"}, {&d.MemoryAlign, "the memory alignment"},
		{&d.TableSize, "the table size"}, {&d.TableAlign, "the table alignment"},
	} {
		var err error
		if *field.to, err = s.Uint32(field.name); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dylink) exports(s *Stream) error {
	count, err := s.Uint32("the number of exports")
	for ; err == nil && count > 0; count-- {
		var e DylinkExport
		if e.Name, err = s.Name(maxListSection, "an export"); err != nil {
			break
		}
		if e.Flags, err = s.Uint32("an export's flags"); err == nil {
			d.Exports = append(d.Exports, e)
		}
	}
	return err
}

func (d *Dylink) imports(s *Stream) error {
	count, err := s.Uint32("the number of imports")
	for ; err == nil && count > 0; count-- {
		var i DylinkImport
		if i.Module, err = s.Name(maxListSection, "an import's module"); err != nil {
			break
		}
		if i.Name, err = s.Name(maxListSection, "an import"); err != nil {
			break
		}
		if i.Flags, err = s.Uint32("an import's flags"); err == nil {
			d.Imports = append(d.Imports, i)
		}
	}
	return err
}

// readStrings reads a counted list of strings.
func readStrings(s *Stream, what string) ([]string, error) {
	var out []string
	count, err := s.Uint32("the number of entries")
	for ; err == nil && count > 0; count-- {
		var v string
		if v, err = s.Name(maxListSection, what); err == nil {
			out = append(out, v)
		}
	}
	return out, err
}
