package dwarf

// slot is what a walk over functions wants an attribute for. Slots are given
// out when abbreviations are read, so that the walk needs no search.
type slot uint8

const (
	slotNone slot = iota
	slotLowPC
	slotHighPC
	slotRanges
	slotOrigin // abstract origin or specification
	slotName   // any part of the declaration: name, linkage name, file, line
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
	kindFunction         // subprogram with code
	kindInlined          // inlined call with code
	kindBlock            // scope with code inside a function
	kindNoCode           // subprogram or inlined call without code of its own
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
