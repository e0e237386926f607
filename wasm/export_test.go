package wasm

import "io"

// NewFileWindow is NewFile with a scan window of n bytes.
func NewFileWindow(r io.ReaderAt, size int64, n int) (*File, error) { return newFile(r, size, n) }
