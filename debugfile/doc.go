// Package debugfile answers what stands at a code offset: which function, which
// file and line, and what was inlined there. It reads the debug companion of a
// module, or the unsplit module itself.
//
// # Use
//
//	f, err := debugfile.Open("app.debug.wasm", debugfile.Options{})
//	defer f.Close()
//	a := f.Lookup(c, nil)
//	for _, frame := range a.Frames {
//		fmt.Println(frame.Name(), frame.File, frame.Line)
//	}
//
// A File builds its index unit by unit, as lookups need it; [File.Build] indexes
// everything at once, in parallel. A File is safe for concurrent use.
//
// # Where answers come from
//
// Each frame says which [Tier] it comes from: DWARF, a source map, names alone,
// or no more than the function's index. A lookup goes from the best tier down.
//
// # Rules
//
// An offset is answered as it stands; nothing is subtracted. It belongs to the
// function whose body holds it. The position is that of the last line row at or
// before the offset, inside the row's own sequence. The offset of a body's first
// byte, which engines report for a stack overflow, often lies before the first
// row; it is answered with the function and the line of its declaration. Offsets
// that are no code (the function count, size LEBs) have no answer.
//
// # Removed and shadowed code
//
// DWARF of functions that the linker removed is recognised by the values that
// linkers write in place of its addresses, and never is an answer. DWARF of a
// definition that lost to another of the same name is moved onto the winner's
// code by the linker. Of several ranges or sequences that start at one body, the
// one that ends where the body ends is live, and of equals the one of the earlier
// unit. A range or sequence that leaves its body or ends inside an instruction
// describes other code, even when it is alone. Such DWARF is shadowed: never an
// answer, but counted, see [File.Stats].
package debugfile
