package dwarf

// Limits that keep damaged or hostile input cheap. None of them is near
// anything that a compiler writes.
const (
	// MaxProblems bounds each list of defects; further ones are counted only.
	MaxProblems = 64

	// maxHops bounds a chain of DW_AT_abstract_origin, DW_AT_specification and
	// DW_FORM_ref_sig8; real chains have at most three links.
	maxHops = 16

	// maxIndirect bounds DW_FORM_indirect naming itself.
	maxIndirect = 4

	// abbrevOverlap bounds the work on abbreviation tables: tables that do not
	// overlap can never need more than the section's size once for each
	// combination of address and offset size, of which a file has one, or two.
	abbrevOverlap = 2
	abbrevSlack   = 1 << 12

	// refOverlap bounds the work on the string offsets that units use, likewise.
	refOverlap = 2
	refSlack   = 1 << 12

	// Abbreviations of functions and calls have a layout, which is far larger than
	// they are. No more are made than real tables need, one for so many bytes of
	// them; the others do without.
	layoutBytes = 64
	layoutSlack = 1 << 10

	// A unit takes a kilobyte of memory, and could have twelve bytes. Units may
	// have fewer bytes than this on average only up to a number that no program
	// reaches. Type units take less.
	unitBytes     = 256
	typeUnitBytes = 64
	unitSlack     = 1 << 14

	// maxSpecs bounds the attributes of an abbreviation, and maxColumns those of an
	// entry of a file table: they may have no bytes, and each entry is read with all
	// of them. An entry has an attribute once, and there are fewer.
	maxSpecs   = 256
	maxColumns = 32

	// maxString is how many bytes of a string are read: thousands of entries may
	// share one.
	maxString = 1 << 17

	// maxFixed bounds the bytes of an entry's attributes of fixed size, so that
	// offsets cannot overflow where int has 32 bits.
	maxFixed = 1 << 20

	// maxDenseGap is how far an abbreviation code may run ahead of the number
	// of abbreviations seen and still be kept in the directly indexed table.
	maxDenseGap = 16

	// rangeSlack is added to a unit's size in bytes to give the number of range
	// list entries that its functions may use in all. Lists are shared only by
	// input that wants to make readers slow.
	rangeSlack = 1 << 12

	// maxIndexSlots bounds the hash table of a .dwp index (2^26 slots).
	maxIndexSlots = 1 << 26
)
