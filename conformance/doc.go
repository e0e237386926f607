// Package conformance runs a production module in a real engine and holds every
// offset that the engine reports against the debug companion.
//
//	r, err := conformance.Run(ctx, production, companion, conformance.Options{})
//	if r.Subject.Verdict != report.Pass { … }
//
// Package symcheck reasons about offsets; this package takes them from an engine,
// wazero, that runs the very code that ships. Both of its engines are used, the
// interpreter and the compiler.
//
// # How a stripped module is made to report offsets
//
// wazero knows offsets only of modules with DWARF. The module is therefore run
// from a copy in memory: the same sections, without names and DWARF, and behind
// them a synthetic compile unit that covers all of the code. Not a byte of the
// code is changed, and offsets count from the code start (C), so that they are
// those of the file on disk. Where an offset is resolved it is first turned into a
// file offset (F) with the production module's code start, as a browser would
// report it, and then back with the companion's, as its clients do.
//
// # What is run
//
// A scenario, named exports, the program's _start, or every export with boundary
// arguments, whose imports are stubs. And then the sweep: in another copy every
// instruction that can trap or call is replaced by unreachable, so that the engine
// must accept what this project's decoder makes of the code, and every function
// that does anything traps inside itself.
//
// # Three results
//
// A module conforms, or does not, or cannot be run: the engine lacks memory64,
// garbage collection, the old exceptions and more. The last is never a pass.
//
// # Untrusted modules
//
// A module gets no file system, network, clock or environment unless Options name
// one, and is held to Limits of time, memory, depth and output.
package conformance
