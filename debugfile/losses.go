package debugfile

import (
	"context"
	"slices"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
)

// Losses are what the DWARF refers to and does not hold. A lookup passes over each
// of them, so that its answer has no name, no file or one call less.
type Losses struct {
	References []LostReference // by unit, then section
	Calls      []LostCalls     // by unit; units without any are not listed
}

// LostReference says that values of one unit lead to where a section holds nothing.
type LostReference struct {
	Unit    int    // number of the unit; −1: one without code of its own
	Section string // that the values lead into
	Size    int64  // of that section, in bytes; 0 if it is missing
	From    string // the section with the values
	Offset  uint64 // in From of the first entry, or line program, with such a value
	Value   uint64 // of it: an offset in Section, or an index
	Index   bool   // Value is an index into the unit's part of Section
	Count   int    // values of the kind
	Msg     string // what is wrong, as a clause about Section
}

// LostCalls counts what of one unit's functions and inlined calls is lost.
type LostCalls struct {
	Unit         int
	Functions    int      // whose ranges are gone
	Calls        int      // inlined calls with code, the lost ones included
	NoRanges     int      // of them, those whose ranges are gone
	NoName       int      // of them, those whose function's name cannot be read
	NoRangesAt   []uint64 // offsets in .debug_info of the first entries without ranges, functions included
	NoNameAt     uint64   // offset in .debug_info of the first call without a name, if there is any
	NoNameReason string   // why, as far as is known
}

// Losses goes over every entry of every unit and finds what it refers to that is
// not there. It needs [File.Build] to have been called, and gives nothing before.
func (f *File) Losses(ctx context.Context, workers int) (Losses, error) {
	var all Losses
	if f.full.Load() == nil {
		return all, nil
	}
	type found struct {
		references []LostReference
		calls      LostCalls
	}
	number := map[*dwarf.Unit]int{}
	for _, u := range f.units {
		number[u.skel] = u.number
	}
	results := make([]found, f.data.NumUnits())
	var mu sync.Mutex
	var attached []LostReference // of .dwo files, which come last
	err := f.parallel(ctx, max(workers, 1), len(results), func(i int) {
		du := f.data.Unit(i)
		n, ok := number[du]
		if !ok {
			results[i].references = f.lostReferences(du, -1)
			return
		}
		u := f.units[n]
		results[i].references = f.lostReferences(du, n)
		if u.u != nil && u.u != du {
			list := f.lostReferences(u.u, n)
			mu.Lock()
			attached = append(attached, list...)
			mu.Unlock()
		}
		if u.lineOwner == u {
			results[i].references = append(results[i].references, u.lostFiles()...)
		}
		results[i].calls = u.lostCalls()
	})
	if err != nil {
		return Losses{}, err
	}
	for i := range results {
		all.References = append(all.References, results[i].references...)
		if c := &results[i].calls; c.Functions+c.NoRanges+c.NoName > 0 {
			all.Calls = append(all.Calls, *c)
		}
	}
	slices.SortStableFunc(attached, func(a, b LostReference) int { return a.Unit - b.Unit })
	all.References = append(all.References, attached...)
	return all, nil
}

func (f *File) lostReferences(du *dwarf.Unit, number int) []LostReference {
	var out []LostReference
	for _, l := range du.Lost() {
		out = append(out, lostReference(du, number, du.Section, l))
	}
	return out
}

func lostReference(du *dwarf.Unit, number int, from dwarf.SectionID, l dwarf.Lost) LostReference {
	sec := du.Data().Sections()
	suffix := ""
	if sec.DWO {
		suffix = ".dwo"
	}
	size := len(sec.Get(l.Section))
	if skel := du.Skeleton(); skel != nil && l.Section == dwarf.SecAddr {
		suffix, size = "", len(skel.Data().Sections().Get(l.Section)) // addresses are never in a .dwo
	}
	return LostReference{Unit: number, Section: l.Section.String() + suffix, Size: int64(size), From: from.String(), Offset: l.Entry,
		Value: l.Value, Index: l.Index, Count: l.Count, Msg: l.Msg}
}

// lostFiles returns what of the names in the unit's line table is lost.
func (u *unit) lostFiles() []LostReference {
	if u.files.table == nil {
		return nil
	}
	l, ok := u.files.table.Lost()
	if !ok {
		return nil
	}
	return []LostReference{lostReference(u.skel, u.number, dwarf.SecLine, l)}
}

// lostCalls counts what of the unit's functions and inlined calls is lost.
func (u *unit) lostCalls() LostCalls {
	l := LostCalls{Unit: u.number}
	if u.fns == nil {
		return l
	}
	l.Functions, l.NoRanges, l.NoRangesAt = u.fns.Stats.LostFuncs, u.fns.Stats.LostInlines, u.fns.Lost
	l.Calls = len(u.fns.Inlines) + l.NoRanges
	const asked = 0x80 // behind it the fate
	state := make([]uint8, u.fns.NumOrigins())
	for i := range u.fns.Inlines {
		in := &u.fns.Inlines[i]
		at := &state[in.Origin]
		if *at == 0 {
			fate, why := u.nameOf(in.Origin)
			*at = asked | uint8(fate)
			if l.NoNameReason == "" {
				l.NoNameReason = why
			}
		}
		if *at == asked|uint8(NameLost) {
			if l.NoName++; l.NoName == 1 {
				l.NoNameAt = in.Off
			}
		}
	}
	return l
}

// NameFate says what has become of a function's name.
type NameFate uint8

// The fates of names.
const (
	NameGood NameFate = iota // there is one
	NameLost                 // the entry has one, and that is empty or cannot be read
	NameNone                 // the entry says where the function is declared, and no name
	NameMade                 // the entry says neither: the compiler made the function, as it makes thunks
)

// NameFate returns what has become of the name that DWARF gives to a function. It
// reads the function's entry, and those that it refers to, each time.
func (f *File) NameFate(r FunctionRange) NameFate {
	fate := NameLost
	err := mapped.Guard(func() {
		u := f.units[r.claim.unit]
		fate, _ = u.nameOf(u.fns.Funcs[u.claims[r.claim.index].fn].Origin)
	})
	if err != nil {
		f.shrunk.Store(true)
	}
	return fate
}

// nameOf asks for the name of an origin. For one that is lost it says why.
func (u *unit) nameOf(origin uint32) (NameFate, string) {
	d, err := u.fns.Decl(origin)
	switch {
	case len(d.Name) > 0 || len(d.LinkageName) > 0:
		return NameGood, ""
	case err != nil:
		return NameLost, err.Error()
	case d.Name != nil || d.LinkageName != nil:
		return NameLost, "it is empty"
	case d.FileUnit != nil || d.Line != 0:
		return NameNone, ""
	}
	return NameMade, ""
}

// UnusedLines is a line program that no unit leads to.
type UnusedLines struct {
	Offset    uint64 // in .debug_line
	File      string // the first one that it names; may be empty
	Sequences int    // of code that was not removed
	Functions int    // bodies that it has rows for, and that nothing else answers for
	First     Extent // the first of these bodies
}

// UnusedLines returns the line programs that no unit leads to, by offset. It needs
// [File.Build] to have been called, and gives nothing before.
func (f *File) UnusedLines() (all []UnusedLines, err error) {
	if f.full.Load() == nil || f.data.NumUnits() == 0 {
		return nil, nil
	}
	shrunk := mapped.Guard(func() {
		used := map[uint64]bool{}
		for i := range f.data.NumUnits() {
			if root, err := f.data.Unit(i).Root(); err == nil && root.HasLineOff {
				used[root.LineOff] = true
			}
		}
		f.data.LinePrograms(f.data.Unit(0).AddrSize, func(p *dwarf.LineProgram) bool {
			if !used[p.Off] {
				all = append(all, f.unused(p))
			}
			return true
		})
	})
	if shrunk != nil {
		f.shrunk.Store(true)
	}
	return all, shrunk
}

// unused describes a line program that no unit leads to.
func (f *File) unused(p *dwarf.LineProgram) UnusedLines {
	l := UnusedLines{Offset: p.Off}
	if files := p.HeaderFiles(); files.NumFiles() > 0 {
		l.File, _ = files.Path(files.FirstFile())
	}
	last := -1
	for seqs := p.Sequences(); seqs.Next(); {
		s := seqs.Sequence()
		l.Sequences++
		e, ok := (&unit{}).extent(s.Start, s.End)
		if !ok {
			continue
		}
		body, _ := f.bodies.find(e.Start)
		if body < 0 || body == last || !f.resolve(body).empty() {
			continue
		}
		if last = body; l.Functions == 0 {
			l.First = f.bodies.extent(body)
		}
		l.Functions++
	}
	return l
}
