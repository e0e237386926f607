package testdwarf

// Tags (DWARF 5, 7.5.3).
const (
	TagFormalParameter   = 0x05
	TagLexicalBlock      = 0x0b
	TagCompileUnit       = 0x11
	TagStructType        = 0x13
	TagInlinedSubroutine = 0x1d
	TagCatchBlock        = 0x25
	TagSubprogram        = 0x2e
	TagTryBlock          = 0x32
	TagVariable          = 0x34
	TagNamespace         = 0x39
	TagPartialUnit       = 0x3c
	TagTypeUnit          = 0x41
	TagSkeletonUnit      = 0x4a
)

// Attributes (DWARF 5, 7.5.4).
const (
	AtSibling        = 0x01
	AtLocation       = 0x02
	AtName           = 0x03
	AtStmtList       = 0x10
	AtLowPC          = 0x11
	AtHighPC         = 0x12
	AtLanguage       = 0x13
	AtCompDir        = 0x1b
	AtConstValue     = 0x1c
	AtProducer       = 0x25
	AtAbstractOrigin = 0x31
	AtDeclFile       = 0x3a
	AtDeclLine       = 0x3b
	AtExternal       = 0x3f
	AtSpecification  = 0x47
	AtType           = 0x49
	AtRanges         = 0x55
	AtCallColumn     = 0x57
	AtCallFile       = 0x58
	AtCallLine       = 0x59
	AtLinkageName    = 0x6e
	AtStrOffsetsBase = 0x72
	AtAddrBase       = 0x73
	AtRnglistsBase   = 0x74
	AtDwoName        = 0x76
	AtLoclistsBase   = 0x8c
	AtGNUDwoName     = 0x2130
	AtGNUDwoID       = 0x2131
	AtGNURangesBase  = 0x2132
	AtGNUAddrBase    = 0x2133
)

// Forms (DWARF 5, 7.5.6).
const (
	FormAddr          = 0x01
	FormBlock2        = 0x03
	FormBlock4        = 0x04
	FormData2         = 0x05
	FormData4         = 0x06
	FormData8         = 0x07
	FormString        = 0x08
	FormBlock         = 0x09
	FormBlock1        = 0x0a
	FormData1         = 0x0b
	FormFlag          = 0x0c
	FormSdata         = 0x0d
	FormStrp          = 0x0e
	FormUdata         = 0x0f
	FormRefAddr       = 0x10
	FormRef1          = 0x11
	FormRef2          = 0x12
	FormRef4          = 0x13
	FormRef8          = 0x14
	FormRefUdata      = 0x15
	FormIndirect      = 0x16
	FormSecOffset     = 0x17
	FormExprloc       = 0x18
	FormFlagPresent   = 0x19
	FormStrx          = 0x1a
	FormAddrx         = 0x1b
	FormRefSup4       = 0x1c
	FormStrpSup       = 0x1d
	FormData16        = 0x1e
	FormLineStrp      = 0x1f
	FormRefSig8       = 0x20
	FormImplicitConst = 0x21
	FormLoclistx      = 0x22
	FormRnglistx      = 0x23
	FormRefSup8       = 0x24
	FormStrx1         = 0x25
	FormStrx2         = 0x26
	FormStrx3         = 0x27
	FormStrx4         = 0x28
	FormAddrx1        = 0x29
	FormAddrx2        = 0x2a
	FormAddrx3        = 0x2b
	FormAddrx4        = 0x2c
	FormGNUAddrIndex  = 0x1f01
	FormGNUStrIndex   = 0x1f02
	FormGNURefAlt     = 0x1f20
	FormGNUStrpAlt    = 0x1f21
)

// Unit types (DWARF 5, 7.5.1).
const (
	UnitCompile      = 1
	UnitType         = 2
	UnitPartial      = 3
	UnitSkeleton     = 4
	UnitSplitCompile = 5
	UnitSplitType    = 6
)

// Range list entries (DWARF 5, 7.25).
const (
	RLEEndOfList    = 0
	RLEBaseAddressx = 1
	RLEStartxEndx   = 2
	RLEStartxLength = 3
	RLEOffsetPair   = 4
	RLEBaseAddress  = 5
	RLEStartEnd     = 6
	RLEStartLength  = 7
)
