// Package hook splits modules at the very place and moment at which a build tool
// writes them, so that a build needs one line for it.
//
// [Split] is the core: it takes a file that a linker or a compiler driver has just
// written and replaces it by its production module, puts the companion where it
// will be found again, and leaves a [Note] beside it. Files that are no linked
// modules, of which a build has many, pass through untouched. Everything can be
// set by variables, see [ReadOptions], because the build tools in between pass on
// no flags of ours.
//
// What calls it:
//
//   - [Linker] is linker mode: the program stands in for the linker of a
//     toolchain, runs the real one with the same arguments, and splits its output;
//   - [Cargo] runs cargo and splits what it reports to have built;
//   - [Compiler] runs a compiler driver, keeps it from ruining the DWARF, and splits
//     what it links.
//
// # Files
//
// For a module app.wasm:
//
//	app.wasm           the production module
//	app.debug.wasm     the companion, beside it or in the folder that is set
//	app.debugid.json   the note: IDs, digests, sizes, warnings and the verdict
//
// A build tool may have hard links to its output, as cargo has. A file is replaced
// by a rename, which leaves another link with the old contents; [Job.Copies] are
// the names that are to become links to the new file.
package hook
