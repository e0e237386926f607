package dwarf

// quick is what a walk over functions does with the entries of an abbreviation, in
// one word: nearly all entries are of no interest and have to be stepped over.
type quick uint64

const (
	quickTail     = 0  // 16 bits: bytes behind the value of varying size
	quickFixed    = 16 // 16 bits: bytes before it
	quickActBits  = 32 // 8 bits: a quickAct
	quickChildren = 40 // 1: has children
)

func (q quick) tail() int       { return int(uint16(q >> quickTail)) }
func (q quick) fixed() int      { return int(uint16(q >> quickFixed)) }
func (q quick) act() quickAct   { return quickAct(q >> quickActBits) }
func (q quick) children() int32 { return int32(q >> quickChildren) }

func newQuick(act quickAct, fixed, tail uint32, children bool) quick {
	q := quick(act)<<quickActBits | quick(fixed)<<quickFixed | quick(tail)<<quickTail
	if children {
		q |= 1 << quickChildren
	}
	return q
}

type quickAct uint8

const (
	quickNot   quickAct = iota // to be looked at closely
	quickPlain                 // tail is everything
	quickEnd                   // the end of a list of children
	quickBlock                 // one value, and it is a block with a LEB128 length
	quickLEB                   // one value, and it is a LEB128 number
	quickSkip                  // several values of varying size
	quickDecl                  // a scope without code: declarations of functions
)

const (
	// quickCodes bounds the abbreviation codes with a quick way: those that have
	// one byte or two.
	quickCodes = 1 << 14
	// quickBytes bounds the bytes of fixed size that a quick way steps over.
	quickBytes = 1<<16 - 1
)

// prepare works out the quick ways, without and with a check of scopes, and the
// layouts. It comes after the last abbreviation.
func (t *abbrevTable) prepare(d *Data) {
	list := t.dense[:min(len(t.dense), quickCodes-1)]
	for check := range t.quick {
		ways := make([]quick, len(list)+1)
		ways[0] = newQuick(quickEnd, 0, 0, false)
		for i := range list {
			if ab := &list[i]; ab.there && ab.usable() {
				ways[i+1] = t.quickOf(ab, check == 1)
			}
		}
		t.quick[check] = ways
	}
	for i := range t.dense {
		if ab := &t.dense[i]; ab.kind > kindNoCode && ab.usable() {
			if d.layouts.Add(1) > int64(len(d.sec.Abbrev))/layoutBytes+layoutSlack {
				break
			}
			t.prepareLayout(ab)
		}
	}
}

func (t *abbrevTable) quickOf(ab *abbrev, check bool) quick {
	if ab.kind > kindNoCode && (ab.kind != kindBlock || check) || ab.tail > quickBytes {
		return 0
	}
	act, fixed := quickSkip, uint32(0)
	switch ops := t.skips[ab.skip:ab.skipEnd]; {
	case ab.kind == kindNoCode && ab.children:
		if act = quickDecl; len(ops) > 0 {
			fixed = 1 // tail is not everything
		}
	case len(ops) == 0:
		act = quickPlain
	case len(ops) > 1 || ops[0].fixed > quickBytes:
	case ops[0].size == sizeBlock:
		act, fixed = quickBlock, ops[0].fixed
	case ops[0].size == sizeLEB:
		act, fixed = quickLEB, ops[0].fixed
	}
	return newQuick(act, fixed, ab.tail, ab.children)
}

// run steps over entries of no interest from off on, at a depth of 1 or more. It
// stops at the beginning of an entry that needs a closer look, which one that is
// cut off does too, and at the end of the innermost scope.
func (w *walker) run(off int, depth int32) (int, int32) {
	data, ways := w.r.data, w.ways
	floor := max(w.cur.depth, 1)
	entries, deepest := w.entries, w.deepest
	// In a declaration there are parameters nearly always and nothing with code, so
	// that its scope need not be opened. Where that is wrong, run goes back to the
	// outermost declaration that is open.
	var decl struct {
		inside       int32 // depth of what is in it; 0: there is none
		off, entries int   // where it begins, and the entries before
	}
loop:
	for off < len(data) {
		code, next := uint(data[off]), off+1
		if code >= 0x80 {
			if next == len(data) {
				break
			}
			// Of a code with more than two bytes this makes one that is too high.
			code = code&0x7f | uint(data[next])<<7
			next++
		}
		if code >= uint(len(ways)) {
			break
		}
		q := ways[code]
		switch q.act() {
		case quickPlain:
			next += q.tail()
		case quickBlock:
			if next += q.fixed(); next < len(data) && data[next] < 0x80 {
				next += 1 + int(data[next]) + q.tail()
				break
			}
			size, from := ulebAt(data, next)
			if size > uint64(len(data)) {
				break loop
			}
			next = from + int(size) + q.tail()
		case quickLEB:
			next += q.fixed()
			for next < len(data) && data[next] >= 0x80 {
				next++
			}
			next += 1 + q.tail()
		case quickSkip:
			next = w.skipEntry(next, &w.table.dense[code-1])
		case quickEnd:
			if depth <= floor {
				break loop
			}
			if depth--; depth < decl.inside {
				decl.inside = 0
			}
			off = next
			continue
		case quickDecl:
			if q.fixed() == 0 {
				next += q.tail()
			} else {
				next = w.skipEntry(next, &w.table.dense[code-1])
			}
			if decl.inside == 0 {
				decl.inside, decl.off, decl.entries = depth+1, off, entries
			}
		default:
			break loop
		}
		if next > len(data) {
			break
		}
		off = next
		entries++
		depth += q.children()
		deepest = max(deepest, depth)
	}
	if decl.inside != 0 {
		off, depth, entries = decl.off, decl.inside-1, decl.entries
	}
	w.entries, w.deepest = entries, deepest
	w.r.bad = false // the closer look says so again, and where
	return off, depth
}
