// Package buildid reads, judges, derives and shows the build ID of a
// WebAssembly module: the bytes in its "build_id" custom section that tie a
// production module to its debug companion.
//
// The section is specified at
// https://github.com/WebAssembly/tool-conventions/blob/main/BuildId.md. Its
// payload is a length in LEB128 and that many bytes. Two older forms are in use
// as well; [Decode] tells them apart, [Read] finds the sections of a module and
// reports duplicates and damage, and [Forms] lists what each client will make
// of one payload, because the clients do not agree.
//
// # Fresh or changed
//
// Most tools that rewrite a module keep its ID, so that an equal ID in two files
// proves nothing about their code. [Judge] recomputes the IDs that can be
// recomputed, wasm-ld's "fast" and "sha1" and the content ID below, and says
// whether the file is still the one that the ID was made for.
//
// # Content ID, version 1
//
// A content ID depends on everything that gives a pair of production module and
// companion its meaning, and on nothing else: not on an existing build ID, on a
// URL, on the file's name or on the module name that a linker copies from it.
// Whoever has BLAKE3 can recompute one.
//
// The stream to hash is the concatenation of the items below. Numbers are
// little-endian: u32 takes 4 bytes, u64 takes 8. H(x) is the 32-byte BLAKE3 hash
// of x, without a key. F is an offset from the start of a file.
//
//  1. The ASCII line "wasm-debugid content id 1" and a line feed (0x0a).
//  2. For each non-custom section of the module, in file order: the byte 'S',
//     the section id (1 byte), the size of the payload (u64), H(payload). The
//     payload is what follows the section's size; how that size is encoded does
//     not matter.
//  3. For each custom section whose name begins with ".debug_", in file order:
//     the byte 'D', the length of the name in bytes (u32), the name, the size of
//     the contents behind the name (u64), H(contents).
//  4. The byte 'N', the size of the payload of the function name subsection (u64),
//     H(that payload). The subsection is the first one with id 1 in the first
//     custom section named "name"; its payload is what follows its size. Where
//     there is none, or where it or the section is malformed, the size is 0 and
//     the hash is that of nothing. Malformed means: the section's contents are not
//     a sequence of subsections (a byte, a size, that many bytes) that ends where
//     the section ends, or the payload is not a count and that many entries (an
//     index, a length, that many bytes) that end where the payload ends; numbers
//     here are u32 in LEB128 of at most five bytes, minimal or not.
//  5. The byte 'C' and the code start: F of the first byte of the Code section's
//     payload in the production module (u64), or 2^64-1 for a module without a
//     Code section.
//  6. For each custom section that the production module keeps, in file order:
//     the byte 'K', the length of its name in bytes (u32), the name. All custom
//     sections count as kept but "build_id", "external_debug_info",
//     "wasm-debugid" and those whose names begin with ".debug_".
//
// The ID is the first 16 bytes of H(stream), with the high four bits of byte 6
// set to 8 and the high two bits of byte 8 set to 10 (binary): a UUID of version
// 8, RFC 9562. A client that drops the last byte still tells IDs apart.
//
// The ID of the smallest module, 00 61 73 6d 01 00 00 00 with nothing behind it,
// is 6aad7049fa518a1bbf60c6b24ebd7d31; the tests of this package hold more.
//
// For a module that is not split, production module and companion are the same
// file: items 5 and 6 are taken from the module itself. For a pair, items 2, 5
// and 6 come from the production module, item 3 from the companion, and item 4
// from the companion or, where it has no function names, from the production
// module ([ContentOfPair]).
package buildid
