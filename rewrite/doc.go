// Package rewrite plans the files that wasm-debugid writes: a module with a
// build ID (inject), a stripped production module, and the debug companion that
// belongs to it.
//
// A plan is a pure function of the input and its options. It results in a
// [Layout] for each output, which describes the file as extents of the input
// and literal bytes. A Layout can be read like a file before anything has been
// written, so that a pair is checked while it is still a plan; sections that are
// kept keep their exact bytes, size LEBs with their padding included; and the
// memory needed does not depend on the size of the input.
//
// # The pair
//
// The production module holds every section of the input in its place, except
// for what is stripped. Behind the last of them stand external_debug_info, which
// names the companion, and build_id.
//
// The companion's Code payload begins at the production module's code start,
// because clients turn the file offsets of a crash into code offsets with the
// code start of the file they have. The companion therefore opens with the
// production module's own leading sections, up to and including Code; what was
// stripped from before Code stands directly behind it. Its last sections are
// wasm-debugid, see [Record], and build_id.
//
// A companion of kind symbols holds no code and no data. Its bodies are blanked
// in place, sections that a blanked module does not need are dropped, and a
// padding section takes up the space of those that stood before Code.
package rewrite
