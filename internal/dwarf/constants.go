package dwarf

// Tag is the kind of a debugging information entry (DWARF 5, 7.5.3).
type Tag uint16

// The tags that matter to code addresses, and those that symbol checks name.
const (
	TagArrayType         Tag = 0x01
	TagClassType         Tag = 0x02
	TagEntryPoint        Tag = 0x03
	TagEnumerationType   Tag = 0x04
	TagFormalParameter   Tag = 0x05
	TagLabel             Tag = 0x0a
	TagLexicalBlock      Tag = 0x0b
	TagMember            Tag = 0x0d
	TagCompileUnit       Tag = 0x11
	TagStructType        Tag = 0x13
	TagUnionType         Tag = 0x17
	TagVariant           Tag = 0x19
	TagCommonBlock       Tag = 0x1a
	TagInlinedSubroutine Tag = 0x1d
	TagModule            Tag = 0x1e
	TagWithStmt          Tag = 0x22
	TagBaseType          Tag = 0x24
	TagCatchBlock        Tag = 0x25
	TagSubprogram        Tag = 0x2e
	TagTryBlock          Tag = 0x32
	TagVariable          Tag = 0x34
	TagNamespace         Tag = 0x39
	TagImportedUnit      Tag = 0x3d
	TagPartialUnit       Tag = 0x3c
	TagTypeUnit          Tag = 0x41
	TagCallSite          Tag = 0x48
	TagSkeletonUnit      Tag = 0x4a
	TagGNUCallSite       Tag = 0x4109
)

// Attr is the name of an attribute (DWARF 5, 7.5.4). Codes above 0xffff are
// read as 0, which no reader asks for.
type Attr uint16

// The attributes that this package and its users ask for.
const (
	AttrSibling        Attr = 0x01
	AttrLocation       Attr = 0x02
	AttrName           Attr = 0x03
	AttrByteSize       Attr = 0x0b
	AttrStmtList       Attr = 0x10
	AttrLowPC          Attr = 0x11
	AttrHighPC         Attr = 0x12
	AttrLanguage       Attr = 0x13
	AttrCompDir        Attr = 0x1b
	AttrConstValue     Attr = 0x1c
	AttrInline         Attr = 0x20
	AttrProducer       Attr = 0x25
	AttrAbstractOrigin Attr = 0x31
	AttrArtificial     Attr = 0x34
	AttrDeclColumn     Attr = 0x39
	AttrDeclFile       Attr = 0x3a
	AttrDeclLine       Attr = 0x3b
	AttrDeclaration    Attr = 0x3c
	AttrExternal       Attr = 0x3f
	AttrFrameBase      Attr = 0x40
	AttrSpecification  Attr = 0x47
	AttrType           Attr = 0x49
	AttrEntryPC        Attr = 0x52
	AttrRanges         Attr = 0x55
	AttrCallColumn     Attr = 0x57
	AttrCallFile       Attr = 0x58
	AttrCallLine       Attr = 0x59
	AttrSignature      Attr = 0x69
	AttrLinkageName    Attr = 0x6e
	AttrStrOffsetsBase Attr = 0x72
	AttrAddrBase       Attr = 0x73
	AttrRnglistsBase   Attr = 0x74
	AttrDwoName        Attr = 0x76
	AttrCallReturnPC   Attr = 0x7d
	AttrCallPC         Attr = 0x81
	AttrLoclistsBase   Attr = 0x8c

	AttrMIPSLinkageName Attr = 0x2007
	AttrGNUDwoName      Attr = 0x2130
	AttrGNUDwoID        Attr = 0x2131
	AttrGNURangesBase   Attr = 0x2132
	AttrGNUAddrBase     Attr = 0x2133
)

// UnitType is the kind of a unit (DWARF 5, 7.5.1). Older units get the type
// that their place and root entry imply.
type UnitType uint8

// The unit types.
const (
	UnitCompile      UnitType = 0x01
	UnitTypes        UnitType = 0x02
	UnitPartial      UnitType = 0x03
	UnitSkeleton     UnitType = 0x04
	UnitSplitCompile UnitType = 0x05
	UnitSplitType    UnitType = 0x06
)

// String returns the standard's word for the unit type.
func (t UnitType) String() string {
	switch t {
	case UnitCompile:
		return "compile"
	case UnitTypes:
		return "type"
	case UnitPartial:
		return "partial"
	case UnitSkeleton:
		return "skeleton"
	case UnitSplitCompile:
		return "split compile"
	case UnitSplitType:
		return "split type"
	}
	return "unknown"
}

// Standard opcodes of line programs (DWARF 5, 6.2.5.2).
const (
	lnsCopy             = 1
	lnsAdvancePC        = 2
	lnsAdvanceLine      = 3
	lnsSetFile          = 4
	lnsSetColumn        = 5
	lnsNegateStmt       = 6
	lnsSetBasicBlock    = 7
	lnsConstAddPC       = 8
	lnsFixedAdvancePC   = 9
	lnsSetPrologueEnd   = 10
	lnsSetEpilogueBegin = 11
	lnsSetISA           = 12
	lnsLast             = 12
)

// Extended opcodes of line programs (DWARF 5, 6.2.5.3).
const (
	lneEndSequence      = 1
	lneSetAddress       = 2
	lneDefineFile       = 3
	lneSetDiscriminator = 4
)

// Columns of the directory and file tables (DWARF 5, 6.2.4.1).
const (
	lnctPath           = 1
	lnctDirectoryIndex = 2
)

// Range list entries (DWARF 5, 7.25).
const (
	rleEndOfList    = 0
	rleBaseAddressx = 1
	rleStartxEndx   = 2
	rleStartxLength = 3
	rleOffsetPair   = 4
	rleBaseAddress  = 5
	rleStartEnd     = 6
	rleStartLength  = 7
)

// Location list entries (DWARF 5, 7.7.3), and the pre-standard ones of GNU
// split DWARF (https://gcc.gnu.org/wiki/DebugFission).
const (
	lleEndOfList       = 0
	lleBaseAddressx    = 1
	lleStartxEndx      = 2
	lleStartxLength    = 3
	lleOffsetPair      = 4
	lleDefaultLocation = 5
	lleBaseAddress     = 6
	lleStartEnd        = 7
	lleStartLength     = 8

	gnuLLEEndOfList   = 0
	gnuLLEBaseAddress = 1
	gnuLLEStartEnd    = 2
	gnuLLEStartLength = 3
)
