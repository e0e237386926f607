// Package atomicfile writes one file, or two files that belong together, so that a reader of the
// directory finds either all of the old state or all of the new one: after an error, a cancelled
// context, a full disk, and after a kill or a power failure at any moment.
//
// It knows nothing about what the files hold. The two halves of a [Pair] are called companion and
// production file; the companion is put in place first, so that no production file is ever seen
// without the companion that belongs to it.
//
// # Protocol
//
//  1. Symbolic links are followed to the file that will be replaced. Directories, devices and pipes
//     are refused, and so are two halves that are one file.
//  2. Each target is locked by a file .NAME.wasm-debugid-lock beside it, for the whole run. A second
//     run onto the same names waits. The system drops the lock when its holder dies, however it dies.
//  3. What a dead run left is settled, see [Recover], and its temporaries are removed: whoever holds
//     the lock of NAME knows that every .NAME.wasm-debugid-*.tmp belongs to the dead. Where the system
//     or the file system has no locks, temporaries younger than a day are left alone.
//  4. Both temporaries are created beside their targets, given their disk space, written, checked for
//     size, given owner and mode, and synced.
//  5. An existing companion is kept as NAME.prev by a hard link (a rename where there are no hard
//     links) after its identity was noted down, synced, in the lock file. Then: companion renamed,
//     directory synced, production file renamed, directory synced, NAME.prev removed, lock file
//     removed. An error before the production file is in place undoes all of it.
//
// The note in the lock file, the journal, is what tells a NAME.prev of ours from a file that
// somebody keeps under that name. A foreign NAME.prev is never removed; the run then keeps
// the old companion under a hidden name instead.
//
// The lock is not taken on the directory itself, though that would leave no file behind: build
// scripts hold such locks themselves (flock DIR command) and would wait for their own child for ever.
//
// # What is kept of an existing file
//
// Mode bits, and the owner as far as the process may set it. Access control lists and extended
// attributes are those of a new file. Another hard link to the target keeps the old contents, which
// is reported in [Result.Notes].
//
// # Why not a module
//
// github.com/google/renameio, the usual choice, does not build on Windows and joins sync and rename
// in one call, whereas a pair needs both files synced before the first of them is renamed. So this
// package uses the standard library alone.
package atomicfile
