// Package dwarf reads DWARF 2 to 5 debugging information, fast and without
// trusting it.
//
// It differs from the standard library's debug/dwarf in what it is for: an
// index over every function, inlined call and line row of files of any size.
// It walks debugging entries without allocating, keeps views into the
// sections instead of copies, knows the values that linkers leave behind for
// removed code, and treats every byte as possibly damaged: no input makes it
// panic, loop for ever, or allocate from a length that the file only claims.
// One bad unit, list or attribute costs that unit, list or attribute; it is
// reported as an [Error] with section and offset, and the rest still works.
//
// # Use
//
//	var sec dwarf.Sections
//	for name, data := range customSections {
//		sec.Set(name, data)
//	}
//	d := dwarf.New(sec, dwarf.Options{ZeroIsDead: true})
//	for i := range d.NumUnits() {
//		u := d.Unit(i)
//		root, err := u.Root()
//		fns, err := u.Functions(dwarf.FuncOptions{})
//		prog, err := u.LineProgram() // nil if the unit has none
//		var seqs dwarf.SequenceReader
//		for seqs.Reset(prog); seqs.Next(); {
//			use(seqs.Sequence(), seqs.Rows())
//		}
//	}
//
// # Costs
//
// Reading a header costs a few bytes of each unit; abbreviations and the root
// entry are read when a unit is first asked for something. Walks go over every
// byte of a unit once. Several units may share one line program; who indexes a
// whole file keeps what it has read by [LineProgram].Off.
//
// # Units of measure
//
// Addresses are plain uint64 values as DWARF writes them; in a linked
// WebAssembly module they are code offsets (C), counted from the first byte of
// the Code section's payload. Offsets are byte offsets into the named section.
// Data is little-endian, as WebAssembly requires.
//
// # Concurrency
//
// A [Data] and its units may be used from several goroutines at once.
// Iterators ([Cursor], [RangeIter], [RowReader], [SequenceReader], [LocIter])
// belong to one goroutine each.
//
// The format is defined at https://dwarfstd.org (version 5:
// https://dwarfstd.org/doc/DWARF5.pdf), its use in WebAssembly at
// https://yurydelendik.github.io/webassembly-dwarf/.
package dwarf
