// Package testdwarf writes small pieces of DWARF 2 to 5 for tests: units with
// any entries, forms and encodings, line programs opcode by opcode, range
// lists and the tables they need. It writes what it is told, right or wrong,
// so that readers can be shown every defect.
//
//	b := testdwarf.New()
//	line := b.AddLine(&testdwarf.Line{Version: 4, Files: []testdwarf.File{{Name: "a.c"}}})
//	b.AddUnit(&testdwarf.Unit{Version: 4, Root: testdwarf.Die(testdwarf.TagCompileUnit,
//		testdwarf.A(testdwarf.AtName, testdwarf.FormString, "a.c"),
//		testdwarf.A(testdwarf.AtStmtList, testdwarf.FormSecOffset, line),
//	).With(child1, child2)})
//	sections := b.Build()
//
// The encodings follow https://dwarfstd.org/doc/DWARF5.pdf; numbers are
// little-endian.
package testdwarf
