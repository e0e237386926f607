// Package symcheck proves that every place a runtime can report in a production
// module resolves through its debug companion, before anything is deployed.
//
//	s, err := symcheck.Check(ctx, &production, &companion, symcheck.Options{})
//	if s.Verdict != report.Pass { … }
//
// The proof is exhaustive: every function body is decoded, and every reportable
// point (the start of a body, and each instruction that calls, traps or throws)
// is looked up. Nothing is sampled and nothing is executed.
//
// # What is compared with what
//
// The pair: build IDs, code bytes, code start, sections, the pointer. The DWARF
// with the code: each function's range, each row and each inlined call. The DWARF
// with itself: what its entries refer to is there, and functions and inlined calls
// have names. The names of both files with each other and with the DWARF's. And the
// production module with what should not leave the house. Each kind of defect is a [report.Rule] with a stable code, see
// [Rules] and docs/checks.md.
//
// # Three verdicts
//
// A subject passes, fails, or could not be checked. What could not be checked is
// listed, and is never a pass.
//
// # Planned pairs
//
// A [Module] is an open file and need not be on disk: a split proves its own
// plans with this package before it writes them.
package symcheck
