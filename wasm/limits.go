package wasm

// Limits of this package. They bound what is allocated or repeated on the word
// of a file; none of them restricts the size of a module.
const (
	// MaxSections is the number of sections a file may hold. Linkers and compilers
	// write a few dozen. What is done with a module takes up to a kilobyte of memory
	// for each of its sections, which may have three bytes.
	MaxSections = 1 << 16

	// MaxCustomName is the length in bytes of a custom section's name that is
	// read; a longer name is an error.
	MaxCustomName = 100_000

	// MaxSmallSection is the size in bytes up to which the contents of a custom
	// section are read into memory as a whole (URLs, which may be data: URLs).
	MaxSmallSection = 16 << 20

	// maxListSection is the size in bytes up to which a section that holds a list
	// of small things is decoded (producers, target_features, dylink.0). A decoded
	// list takes up to sixteen times the memory.
	maxListSection = 4 << 20

	// streamChunk is the size in bytes of a stream's read window.
	streamChunk = 64 << 10
)
