package debugfile

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
)

// Losses are what the DWARF refers to and does not hold. A lookup passes over each
// of them, so that its answer has no name, no file or one call less.
type Losses struct {
	References []LostReferences // by section
	Stray      []StrayRanges    // by section
	Ranges     LostEntries      // functions and inlined calls with a range list that has no entry, or cannot be read
	Names      LostEntries      // inlined calls that answer, and whose function has a name that is empty or cannot be read
}

// LostReferences say that values lead to where one section holds nothing.
type LostReferences struct {
	Section string // that they lead into
	Size    int64  // of that section, in bytes; 0 if it is missing
	Msg     string // what is wrong, as a clause about Section
	Values  int
	Units   int
	Value   uint64  // the first one: an offset in Section, or an index
	Index   bool    // Value is an index into the unit's part of Section
	At      []Place // of the first values, one for each unit, by unit
}

// StrayRanges are entries of range lists that belong to no list that anything leads
// to: lists fill their section, so that one ends before it should.
type StrayRanges struct {
	Section string
	Entries int
	Offset  uint64 // in Section of the first one
}

// LostEntries count entries that have lost something.
type LostEntries struct {
	Entries int
	// Heavy is the number of units of which at least half of the inlined calls, or a
	// function, are among them.
	Heavy  int
	Reason string  // of the first one, as far as it is known
	At     []Place // of the first ones, by unit
}

// Place is an entry of a unit, or a line program.
type Place struct {
	Unit    int    // number of the unit; −1: one without code of its own
	Section string // with the entry
	Offset  uint64 // in Section
}

// maxPlaces bounds each list of places.
const maxPlaces = 16

// Losses goes over every entry of every unit and finds what it refers to that is
// not there. It needs [File.Build] to have been called, and gives nothing before.
func (f *File) Losses(ctx context.Context, workers int) (Losses, error) {
	x := f.full.Load()
	if x == nil {
		return Losses{}, nil
	}
	answering := f.answering(x.claims)
	var all Losses
	var mu sync.Mutex
	starts := f.data.NewListStarts()
	err := f.parallel(ctx, max(workers, 1), f.data.NumUnits(), func(i int) {
		du := f.data.Unit(i)
		u, number := f.unitOf(du), -1
		if u != nil {
			number = u.number
		}
		lost := lostReferences(du, number, du.Section, du.Lost(starts)...)
		var ranges, names LostEntries
		if u != nil {
			if u.u != nil && u.u != du {
				lost = append(lost, lostReferences(u.u, number, du.Section, u.u.Lost(nil)...)...)
			}
			if u.lineOwner == u && u.files.table != nil {
				if l, ok := u.files.table.Lost(); ok {
					lost = append(lost, lostReferences(du, number, dwarf.SecLine, l)...)
				}
			}
			ranges, names = u.lostCalls(answering[u.number])
		}
		if len(lost) == 0 && ranges.Entries+names.Entries == 0 {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range lost {
			all.add(&lost[i])
		}
		all.Ranges.add(&ranges)
		all.Names.add(&names)
	})
	if err != nil {
		return Losses{}, err
	}
	err = mapped.Guard(func() {
		for _, sec := range []dwarf.SectionID{dwarf.SecRanges, dwarf.SecRnglists} {
			if n, first := starts.Stray(sec); n > 0 {
				all.Stray = append(all.Stray, StrayRanges{sec.String(), n, first})
			}
		}
	})
	if err != nil {
		f.shrunk.Store(true)
		return Losses{}, err
	}
	slices.SortFunc(all.References, func(a, b LostReferences) int { return cmp.Compare(a.Section, b.Section) })
	return all, nil
}

// add adds what one unit has lost. The order of units does not matter.
func (l *Losses) add(r *LostReferences) {
	for i := range l.References {
		to := &l.References[i]
		if to.Section != r.Section {
			continue
		}
		to.Values, to.Units = to.Values+r.Values, to.Units+1
		if before(r.At[0], to.At[0]) {
			to.Msg, to.Size, to.Value, to.Index = r.Msg, r.Size, r.Value, r.Index
		}
		to.At = firstPlaces(to.At, r.At)
		return
	}
	r.Units = 1
	l.References = append(l.References, *r)
}

func (l *LostEntries) add(o *LostEntries) {
	if o.Entries == 0 {
		return
	}
	if l.Entries == 0 || before(o.At[0], l.At[0]) {
		l.Reason = o.Reason
	}
	l.Entries, l.Heavy = l.Entries+o.Entries, l.Heavy+o.Heavy
	l.At = firstPlaces(l.At, o.At)
}

func before(a, b Place) bool { return comparePlaces(a, b) < 0 }

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Section, b.Section), cmp.Compare(a.Offset, b.Offset))
}

// firstPlaces merges two lists and keeps the first places.
func firstPlaces(a, b []Place) []Place {
	a = append(a, b...)
	slices.SortFunc(a, comparePlaces)
	return a[:min(len(a), maxPlaces)]
}

func lostReferences(du *dwarf.Unit, number int, from dwarf.SectionID, list ...dwarf.Lost) []LostReferences {
	var out []LostReferences
	sec := du.Data().Sections()
	holder := sectionName(du, from)
	for _, l := range list {
		name, size := sectionName(du, l.Section), len(sec.Get(l.Section))
		if skel := du.Skeleton(); skel != nil && (l.Section == dwarf.SecAddr || l.Section == dwarf.SecRanges) {
			// These are never in a .dwo.
			name, size = l.Section.String(), len(skel.Data().Sections().Get(l.Section))
		}
		out = append(out, LostReferences{Section: name, Size: int64(size), Msg: l.Msg, Values: l.Count, Value: l.Value, Index: l.Index,
			At: []Place{{number, holder, l.Entry}}})
	}
	return out
}

// sectionName returns what a section that belongs to a unit is called in its file.
func sectionName(du *dwarf.Unit, id dwarf.SectionID) string {
	if du.Data().Sections().DWO {
		return id.String() + ".dwo"
	}
	return id.String()
}

// answering tells by unit and function which functions may be an answer: those that
// are live, and those that are in no body, of which nothing is known.
func (f *File) answering(claims *placed) [][]bool {
	out := make([][]bool, len(f.units))
	for i, u := range f.units {
		if u.fns != nil {
			out[i] = make([]bool, len(u.fns.Funcs))
		}
	}
	for k, c := range claims.refs {
		if t := claims.fates[k]; t == Live || t == NoBody {
			out[c.unit][f.units[c.unit].claims[c.index].fn] = true
		}
	}
	return out
}

// lostCalls counts what of the unit's functions and inlined calls is lost. Of calls
// in functions that are never an answer not all are known.
func (u *unit) lostCalls(answering []bool) (ranges, names LostEntries) {
	if u.fns == nil {
		return ranges, names
	}
	stats := &u.fns.Stats
	calls := stats.LostInlines
	for i, fn := range u.fns.Funcs {
		if answering[i] {
			calls += fn.Inlines.Len()
		}
	}
	ranges.Entries = stats.LostFuncs + stats.LostInlines
	if stats.LostFuncs > 0 || stats.LostInlines > 0 && 2*stats.LostInlines >= calls {
		ranges.Heavy = 1
	}
	info := sectionName(u.u, dwarf.SecInfo)
	for _, off := range u.fns.Lost[:min(len(u.fns.Lost), maxPlaces)] {
		ranges.At = append(ranges.At, Place{u.number, info, off})
	}
	const asked = 0x80 // behind it the fate
	state := make([]uint8, u.fns.NumOrigins())
	for i := range u.fns.Inlines {
		in := &u.fns.Inlines[i]
		if !answering[in.Func] {
			continue
		}
		at := &state[in.Origin]
		if *at == 0 {
			fate, why := nameFate(u.fns.Decl(in.Origin))
			*at = asked | uint8(fate)
			if fate == NameLost && names.Reason == "" {
				names.Reason = why
			}
		}
		if *at == asked|uint8(NameLost) {
			if names.Entries++; len(names.At) < maxPlaces {
				names.At = append(names.At, Place{u.number, info, in.Off})
			}
		}
	}
	if names.Entries > 0 && 2*names.Entries >= calls {
		names.Heavy = 1
	}
	return ranges, names
}

// NameFate says what has become of a function's name.
type NameFate uint8

// The fates of names.
const (
	NameGood NameFate = iota // there is one, or several
	NameLost                 // the entry has one, and one that it has is empty or cannot be read
	NameNone                 // the entry says where the function is declared, and no name
	NameMade                 // the entry says neither: the compiler made the function, as it makes thunks
)

// NameFate returns what has become of the name that DWARF gives to a function. It
// reads the function's entry, and those that it refers to, each time.
func (f *File) NameFate(r FunctionRange) NameFate {
	fate := NameLost
	err := mapped.Guard(func() {
		u := f.units[r.claim.unit]
		fate, _ = nameFate(u.fns.FuncDecl(u.claims[r.claim.index].fn))
	})
	if err != nil {
		f.shrunk.Store(true)
	}
	return fate
}

// nameFate judges what was found. Of a name that is lost it says why.
func nameFate(d dwarf.Decl, err error) (NameFate, string) {
	switch {
	case d.Name != nil && len(d.Name) == 0, d.LinkageName != nil && len(d.LinkageName) == 0:
		return NameLost, "it is empty" // nobody writes that
	case len(d.Name) > 0 || len(d.LinkageName) > 0:
		return NameGood, ""
	case err != nil:
		return NameLost, err.Error()
	case d.FileUnit != nil || d.Line != 0:
		return NameNone, ""
	}
	return NameMade, ""
}
