package dwarf

// slot is what a walk over functions wants an attribute for. Slots are given
// out when abbreviations are read, so that the walk needs no search.
type slot uint8

const (
	slotNone   slot = iota
	slotName        // any part of the declaration; up to here values are not read
	slotOrigin      // abstract origin or specification
	slotLowPC
	slotHighPC
	slotRanges
	slotCallFile
	slotCallLine
	slotCallColumn
)

func slotOf(a Attr) slot {
	switch a {
	case AttrLowPC:
		return slotLowPC
	case AttrHighPC:
		return slotHighPC
	case AttrRanges:
		return slotRanges
	case AttrAbstractOrigin, AttrSpecification:
		return slotOrigin
	case AttrName, AttrLinkageName, AttrMIPSLinkageName, AttrDeclFile, AttrDeclLine:
		return slotName
	case AttrCallFile:
		return slotCallFile
	case AttrCallLine:
		return slotCallLine
	case AttrCallColumn:
		return slotCallColumn
	}
	return slotNone
}

// dieKind is what a walk over functions does with an entry.
type dieKind uint8

const (
	kindOther    dieKind = iota
	kindNoCode           // subprogram or inlined call without code of its own
	kindFunction         // subprogram with code
	kindInlined          // inlined call with code
	kindBlock            // scope with code inside a function
)

func kindOf(tag Tag, hasPC bool) dieKind {
	switch tag {
	case TagSubprogram, TagInlinedSubroutine:
		switch {
		case !hasPC:
			return kindNoCode
		case tag == TagSubprogram:
			return kindFunction
		}
		return kindInlined
	case TagLexicalBlock, TagTryBlock, TagCatchBlock, TagWithStmt:
		if hasPC {
			return kindBlock
		}
	}
	return kindOther
}
