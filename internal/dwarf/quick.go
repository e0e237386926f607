package dwarf

// quick is what a walk over functions does with the entries of an abbreviation, in
// as few bytes as possible: nearly all entries are of no interest and have to be
// stepped over.
type quick struct {
	act      quickAct
	children uint8  // 1: has children
	fixed    uint16 // bytes before the value of varying size
	tail     uint16 // bytes behind it
}

type quickAct uint8

const (
	quickNot   quickAct = iota // to be looked at closely
	quickFixed                 // tail is everything
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
		ways[0].act = quickEnd
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
		return quick{}
	}
	q := quick{act: quickSkip, tail: uint16(ab.tail)}
	if ab.children {
		q.children = 1
	}
	switch ops := t.skips[ab.skip:ab.skipEnd]; {
	case ab.kind == kindNoCode && ab.children:
		q.act = quickDecl
	case len(ops) == 0:
		q.act = quickFixed
	case len(ops) > 1 || ops[0].fixed > quickBytes:
	case ops[0].size == sizeBlock:
		q.act, q.fixed = quickBlock, uint16(ops[0].fixed)
	case ops[0].size == sizeLEB:
		q.act, q.fixed = quickLEB, uint16(ops[0].fixed)
	}
	return q
}

// run steps over entries of no interest from off on, at a depth of 1 or more. It
// stops at the beginning of an entry that needs a closer look, which one that is
// cut off does too, and at the end of the innermost scope.
func (w *walker) run(off int, depth int32) (int, int32) {
	data, ways := w.r.data, w.ways
	floor := max(w.cur.depth, 1)
	entries, deepest := w.entries, w.deepest
	// In a declaration there are parameters nearly always and nothing else, so that
	// its scope need not be opened. Where that is wrong, run goes back to it.
	decl, before := 0, 0 // where it begins and the entries before it; 0: not in one
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
		switch q.act {
		case quickFixed:
			next += int(q.tail)
		case quickBlock:
			if next += int(q.fixed); next < len(data) && data[next] < 0x80 {
				next += 1 + int(data[next]) + int(q.tail)
				break
			}
			size, from := ulebAt(data, next)
			if size > uint64(len(data)) {
				break loop
			}
			next = from + int(size) + int(q.tail)
		case quickLEB:
			next += int(q.fixed)
			for next < len(data) && data[next] >= 0x80 {
				next++
			}
			next += 1 + int(q.tail)
		case quickSkip:
			next = w.skipEntry(next, &w.table.dense[code-1])
		case quickEnd:
			if depth <= floor {
				break loop
			}
			depth--
			decl, off = 0, next
			continue
		case quickDecl:
			if decl != 0 {
				break loop
			}
			if next = w.skipEntry(next, &w.table.dense[code-1]); next > len(data) {
				break loop
			}
			decl, before = off, entries
			off = next
			entries++
			depth++
			deepest = max(deepest, depth)
			continue
		default:
			break loop
		}
		if next > len(data) || q.children != 0 && decl != 0 {
			break
		}
		off = next
		entries++
		depth += int32(q.children)
		deepest = max(deepest, depth)
	}
	if decl != 0 {
		off, entries = decl, before
		depth--
	}
	w.entries, w.deepest = entries, deepest
	w.r.bad = false // the closer look says so again, and where
	return off, depth
}
