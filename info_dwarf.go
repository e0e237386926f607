package debugid

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Limits of what Info holds in memory.
const (
	// maxInfoRead is how many bytes of DWARF are read into memory where a file
	// cannot be mapped: standard input, and systems without address space for it.
	maxInfoRead = 256 << 20
	// maxInfoGroups is how many kinds of units, and maxInfoDWO how many names of
	// split files, are listed.
	maxInfoGroups = 1000
	maxInfoDWO    = 1000
	// maxInfoString is how many bytes of a producer or a name are kept.
	maxInfoString = 1000
)

// DWARFInfo describes the debugging information of a module.
type DWARFInfo struct {
	Usable   bool     `json:"usable"` // whether there are units to get answers from
	Reason   string   `json:"reason"` // what there is, or why it is not usable
	Size     int64    `json:"size"`   // of all .debug_ sections, headers included
	Sections []string `json:"sections"`

	Units      int         `json:"units"`       // with a header that can be read
	TypeUnits  int         `json:"type_units"`  // of these, units that hold types only
	Skeletons  int         `json:"skeletons"`   // of these, units whose entries are in a .dwo or .dwp file
	BadUnits   int         `json:"bad_units"`   // of these, units whose root entry cannot be read
	Groups     []UnitGroup `json:"groups"`      // the units, counted by kind
	SplitFiles []string    `json:"split_files"` // .dwo names of skeletons, in unit order
	MoreGroups bool        `json:"more_groups"` // the lists are cut off
	Problems   []string    `json:"problems"`
}

// UnitGroup counts units that agree in everything that is listed.
type UnitGroup struct {
	Count       int    `json:"count"`
	Version     int    `json:"version"`
	Type        string `json:"type"`         // compile, partial, skeleton, type, ...
	AddressSize int    `json:"address_size"` // bytes
	Bits        int    `json:"bits"`         // 32- or 64-bit DWARF
	Language    string `json:"language"`
	Producer    string `json:"producer"`
}

// infoSections are the sections that headers and root entries of units need.
var infoSections = []string{".debug_info", ".debug_types", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets", ".debug_addr"}

// dwarf describes the .debug_ sections. The error is for a file that cannot be
// read; what is wrong with the DWARF is in the result.
func (m *ModuleInfo) dwarf(ctx context.Context, in *input) error {
	d := &DWARFInfo{Sections: []string{}, Groups: []UnitGroup{}, SplitFiles: []string{}, Problems: []string{}}
	for i := range in.Sections {
		if s := &in.Sections[i]; s.IsDebug() {
			d.Size += s.Len()
			d.Sections = append(d.Sections, s.Name)
		}
	}
	if len(d.Sections) == 0 {
		return nil
	}
	m.DWARF = d
	dwo := in.Custom(".debug_info") == nil && in.Custom(".debug_info.dwo") != nil
	info := ".debug_info"
	if dwo {
		info += ".dwo"
	}
	switch s := in.Custom(info); {
	case s == nil:
		d.Reason = "there is no .debug_info, without which the other sections say nothing"
		return nil
	case s.DataSize() == 0:
		d.Reason = ".debug_info is empty"
		return nil
	}
	load, closer, err := in.loader()
	if err != nil {
		return err
	}
	defer closer()
	sec := dwarf.Sections{DWO: dwo}
	for _, name := range infoSections {
		if dwo {
			name += ".dwo"
		}
		s := in.Custom(name)
		if s == nil {
			continue
		}
		b, err := load(s)
		if err != nil {
			d.Reason = err.Error()
			return nil
		}
		sec.Set(name, b)
	}
	var stopped error
	if err := mapped.Guard(func() { stopped = d.units(ctx, sec, in.File) }); err != nil {
		return fmt.Errorf("reading DWARF: %w", err)
	}
	return stopped
}

// loader returns a function that gives a section as memory, and one that
// releases that.
func (in *input) loader() (load func(*wasm.Section) ([]byte, error), release func(), err error) {
	left := int64(maxInfoRead)
	read := func(s *wasm.Section) ([]byte, error) {
		if s.DataSize() > left {
			return nil, fmt.Errorf("not described: the file cannot be mapped, and its DWARF is larger than the %d bytes that are read instead", int64(maxInfoRead))
		}
		left -= s.DataSize()
		return s.Bytes(s.DataSize())
	}
	m, err := in.memory()
	if err != nil {
		return nil, nil, err
	}
	release = func() { m.Close() }
	if !m.Mapped() {
		return read, release, nil
	}
	return func(s *wasm.Section) ([]byte, error) { return m.Bytes(int64(s.Data), s.DataSize()) }, release, nil
}

// units counts the units. Strings are copied, because the sections may be mapped.
func (d *DWARFInfo) units(ctx context.Context, sec dwarf.Sections, f *wasm.File) error {
	// Root entries of a package (.dwp) cannot be read one by one: what they refer
	// to is found through its index, by the skeletons of the module.
	packed := f.Custom(".debug_cu_index") != nil
	data := dwarf.New(sec, dwarf.Options{ZeroIsDead: true})
	groups := map[UnitGroup]int{}
	d.problems(data.Problems())
	d.Units = data.NumUnits()
	for i := range d.Units {
		if i%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		u := data.Unit(i)
		g := UnitGroup{Version: int(u.Version), Type: u.Type.String(), AddressSize: int(u.AddrSize), Bits: 32}
		if u.DWARF64 {
			g.Bits = 64
		}
		if u.Type == dwarf.UnitTypes || u.Type == dwarf.UnitSplitType {
			d.TypeUnits++
		}
		if root, err := u.Root(); packed {
			// Nothing to add.
		} else if err != nil {
			d.BadUnits++
			d.problem(err.Error())
		} else {
			d.problems(u.Problems())
			g.Language, g.Producer = debugfile.Language(root.Language).String(), text(root.Producer)
			if u.IsSkeleton() {
				d.Skeletons++
				g.Type = dwarf.UnitSkeleton.String()
				if len(d.SplitFiles) < maxInfoDWO {
					d.SplitFiles = append(d.SplitFiles, text(root.DWOName))
				} else {
					d.MoreGroups = true
				}
			}
		}
		if _, ok := groups[g]; !ok && len(groups) == maxInfoGroups {
			d.MoreGroups = true
			continue
		}
		groups[g]++
	}
	for g, n := range groups {
		g.Count = n
		d.Groups = append(d.Groups, g)
	}
	sort.Slice(d.Groups, func(i, j int) bool { return d.Groups[i].before(&d.Groups[j]) })
	d.judge(hasLines(f), packed)
	return nil
}

// before orders groups: the largest first, then by their contents, so that equal
// files give equal lists.
func (g *UnitGroup) before(h *UnitGroup) bool {
	if g.Count != h.Count {
		return g.Count > h.Count
	}
	key := func(g *UnitGroup) string {
		return fmt.Sprint(g.Version, g.Type, g.AddressSize, g.Bits, g.Language, g.Producer)
	}
	return key(g) < key(h)
}

// hasLines reports whether there are line programs.
func hasLines(f *wasm.File) bool {
	for _, name := range []string{".debug_line", ".debug_line.dwo"} {
		if s := f.Custom(name); s != nil && s.DataSize() > 0 {
			return true
		}
	}
	return false
}

// judge says whether there is something to get answers from.
func (d *DWARFInfo) judge(lines, packed bool) {
	code := d.Units - d.TypeUnits
	switch {
	case code == 0 && len(d.Problems) > 0:
		d.Reason = "no unit can be read: " + d.Problems[0]
	case code == 0:
		d.Reason = "there are no units of code"
	case d.BadUnits == d.Units:
		d.Reason = "no root entry of a unit can be read: " + d.Problems[0]
	case d.Skeletons == code:
		d.Reason = fmt.Sprintf("%s, nothing but skeletons; functions and inlined calls are in .dwo files, or in the .dwp made of them", printable.Count(int64(code), "unit"))
		d.Usable = lines // skeletons still lead to lines
	case packed:
		d.Usable = true
		d.Reason = printable.Count(int64(code), "unit") + " of split DWARF in a package, for the skeletons of a module"
	default:
		d.Usable = true
		d.Reason = printable.Count(int64(code), "unit")
		if d.Skeletons > 0 {
			d.Reason += fmt.Sprintf(", of which %s are skeletons", printable.Number(int64(d.Skeletons)))
		}
		if !lines {
			d.Reason += "; there are no line programs, so that it gives functions but no lines"
		}
	}
}

func (d *DWARFInfo) problem(text string) {
	if len(d.Problems) < dwarf.MaxProblems {
		d.Problems = append(d.Problems, text)
	}
}

func (d *DWARFInfo) problems(p dwarf.Problems) {
	for _, e := range p.List {
		d.problem(e.Error())
	}
}

// text copies a string of the file.
func text(b []byte) string {
	return string(bytes.ToValidUTF8(b[:min(len(b), maxInfoString)], []byte("\ufffd")))
}
