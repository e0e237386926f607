package wasm

// Limits of this package. They bound what is allocated or repeated on the word
// of a file; none of them restricts the size of a module.
const (
	// MaxSections is the number of sections a file may hold. Engines stop far
	// below it; object files compiled with one section per function do not.
	MaxSections = 1 << 20

	// MaxCustomName is the length in bytes of a custom section's name that is
	// read; a longer name is an error.
	MaxCustomName = 100_000

	// MaxSmallSection is the payload size in bytes up to which a custom section
	// is decoded into memory as a whole (producers, target_features, URLs).
	MaxSmallSection = 16 << 20

	// streamChunk is the size in bytes of a stream's read window.
	streamChunk = 64 << 10
)
