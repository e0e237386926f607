package dwarf

import (
	"slices"
	"unsafe"
)

// FuncOptions says what [Unit.Functions] collects.
type FuncOptions struct {
	// CheckScopes also reads the ranges of lexical, try and catch blocks and
	// reports those that are broken or leave their function. Lookups do not
	// need it.
	CheckScopes bool

	// Shadowed, if set, says that a function whose only range is r is never an
	// answer. Calls inlined into it are counted and checked like all others, and
	// not kept. Its Origin is NoOrigin, and its range is not kept either.
	Shadowed func(r Range) bool

	careful bool // tests: look closely at every entry
}

// Span is a run of elements [Lo, Hi) of one of the slices of [Functions].
type Span struct{ Lo, Hi uint32 }

// Len returns the number of elements.
func (s Span) Len() int { return int(s.Hi - s.Lo) }

// Func is a function with code: a concrete DW_TAG_subprogram.
type Func struct {
	Off     uint64 // of its entry
	Origin  uint32 // index for [Functions.Decl], or NoOrigin
	Ranges  Span   // its live ranges in Functions.Ranges, by start
	Inlines Span   // everything inlined into it, in Functions.Inlines
}

// NoOrigin is the Origin of a function that is shadowed: nobody asks for its name,
// except reports, through [Functions.FuncDecl].
const NoOrigin = ^uint32(0)

// Inline is a call that was inlined: a DW_TAG_inlined_subroutine.
type Inline struct {
	Off        uint64 // of its entry
	Origin     uint32 // index for [Functions.Decl]
	Ranges     Span   // its live ranges in Functions.Ranges, by start
	Parent     int32  // index of the inlined call around it; -1: the function itself
	End        uint32 // index after the last call inlined into this one
	Func       uint32 // index of the function
	CallFile   uint32 // index for the unit's [FileTable]
	CallLine   uint32 // 0: unknown
	CallColumn uint32 // 0: unknown
	Flags      InlineFlags
}

// InlineFlags say what is unusual about an inlined call.
type InlineFlags uint8

// InlineOutside: a range leaves the function or call that it was inlined into.
// Code outside of the parent is not to be answered with this call.
const InlineOutside InlineFlags = 1

// OutsideCall is an inlined call with code outside of what it was inlined into.
type OutsideCall struct {
	Off  uint64 // of its entry
	Func uint32 // index of the function
	Code Range  // from its first to its last byte
}

// FuncStats counts what a walk has seen.
type FuncStats struct {
	Entries      int // debugging entries
	DeadFuncs    int // functions with tombstones only
	DeadRanges   int // tombstone ranges, of functions and inlined calls
	Inlined      int // inlined calls with code
	DeadInlines  int // inlined calls without live ranges, or inside removed code
	BadRanges    int // reversed and wrapping ranges, each a problem
	Outside      int // inlined calls that leave their parent, each a problem
	EmptyFuncs   int // functions whose ranges cover nothing
	LostFuncs    int // of them, those whose ranges are gone: a list without entries, or what cannot be read
	LostInlines  int // inlined calls whose ranges are gone, in functions with code
	NestedFuncs  int // functions declared inside others
	DeepestScope int // depth of the entry tree
}

// Functions is what a unit says about its functions, in flat arrays. Calls
// inlined into one function are next to each other, parents before children.
// It is never changed once built.
type Functions struct {
	Unit    *Unit
	Funcs   []Func   // in the order of the entries
	Inlines []Inline // in the order of their functions
	Ranges  []Range
	Outside []OutsideCall // in the order of their functions

	origins []origin // where the names are
	foreign []*Unit  // units other than Unit that origins are in

	Stats    FuncStats
	Problems Problems

	// Lost are offsets of the first entries that FuncStats.LostFuncs and LostInlines
	// count, at most [MaxProblems].
	Lost []uint64

	// Incomplete says that the walk ended early; Problems says why.
	Incomplete bool
}

// Size returns how many bytes of memory f holds.
func (f *Functions) Size() int {
	return int(unsafe.Sizeof(*f)) + len(f.Funcs)*int(unsafe.Sizeof(Func{})) + len(f.Inlines)*int(unsafe.Sizeof(Inline{})) +
		len(f.Ranges)*int(unsafe.Sizeof(Range{})) + len(f.Outside)*int(unsafe.Sizeof(OutsideCall{})) + len(f.origins)*int(unsafe.Sizeof(origin{})) + len(f.foreign)*int(unsafe.Sizeof(f.Unit))
}

// Functions walks over all entries of the unit and collects the functions that
// have code. An error means that there is nothing to walk over; defects below
// the root entry are in Functions.Problems and cost only what they damage.
func (u *Unit) Functions(opt FuncOptions) (*Functions, error) {
	st, err := u.load()
	if err != nil {
		return nil, err
	}
	f := &Functions{Unit: u}
	w := u.d.walker()
	w.start(u, st, f, opt)
	w.walk()
	w.finish()
	u.d.putWalker(w)
	return f, nil
}

// spareWalker bounds the bytes that are kept with a walker for the next walk. A
// sync.Pool would lose them at each garbage collection, of which there are many
// while everything is indexed.
const spareWalker = 16 << 20

// How many bytes of a unit there are for each function and inlined call that is
// kept, where there are many.
const (
	bytesPerFunc   = 250
	bytesPerInline = 80
	mostRoom       = 1 << 16
)

// roomFor empties a list, and makes one with room for what a unit like u often has
// if it has none yet: growing one costs more memory than it takes in the end.
func roomFor[T any](list []T, u *Unit, bytesPer uint64) []T {
	if list == nil {
		return make([]T, 0, min((u.End-u.Off)/bytesPer, mostRoom))
	}
	return list[:0]
}

func (d *Data) walker() *walker {
	d.walkerMu.Lock()
	defer d.walkerMu.Unlock()
	n := len(d.walkers)
	if n == 0 {
		return new(walker)
	}
	w := d.walkers[n-1]
	d.walkers = d.walkers[:n-1]
	return w
}

func (d *Data) putWalker(w *walker) {
	if w.size() > spareWalker {
		return
	}
	d.walkerMu.Lock()
	defer d.walkerMu.Unlock()
	d.walkers = append(d.walkers, w)
}

// size returns the bytes of the memory that the walker keeps for its lists.
func (w *walker) size() int {
	return cap(w.funcs)*int(unsafe.Sizeof(Func{})) + cap(w.inlines)*int(unsafe.Sizeof(Inline{})) + cap(w.kept)*int(unsafe.Sizeof(Range{})) +
		cap(w.origins.refs)*int(unsafe.Sizeof(origin{})) + cap(w.origins.slots)*4
}

// room returns a list with room for one more element. Where the list has become
// long, that is room for what the rest of the unit will need if it goes on like
// this: to double it each time would take several times the memory.
func room[T any](w *walker, off int, list []T) []T {
	const long = 1 << 14
	n := len(list)
	if n < cap(list) || n < long {
		return list
	}
	done, left := max(off-int(w.u.DIE), 1), max(len(w.r.data)-off, 0)
	return slices.Grow(list, int(float64(n)*float64(left)/float64(done))+n/64+16)
}
