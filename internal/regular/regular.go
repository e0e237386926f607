// Package regular opens files that are read more than once and at any offset. To
// open a pipe would wait for a writer that may never come, to open a device may
// do anything; both are refused unopened.
package regular

import (
	"io/fs"
	"os"
)

// Open opens the named file for reading. Anything but a regular file is an
// [fs.PathError] with a [KindError].
func Open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil {
		if err := check(name, info); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.Open(name) // says what is wrong, if anything is
	if err != nil {
		return nil, nil, err
	}
	// The name may have come to mean something else.
	if info, err = f.Stat(); err == nil {
		err = check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func check(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: &KindError{info.Mode().Type()}}
}

// KindError says that something else than a regular file was named.
type KindError struct{ Type fs.FileMode }

// Error names the kind.
func (e *KindError) Error() string {
	switch t := e.Type; {
	case t.IsDir():
		return "this is a directory; give the file in it that is meant"
	case t&fs.ModeNamedPipe != 0:
		return "not a regular file but a pipe, which can be read only once"
	case t&fs.ModeSocket != 0:
		return "not a regular file but a socket"
	case t&fs.ModeDevice != 0:
		return "not a regular file but a device"
	}
	return "not a regular file"
}

// Hint says how the bytes can be given all the same.
func (e *KindError) Hint() string {
	if e.Type.IsDir() {
		return ""
	}
	return `to read from a pipe, give "-" for standard input, as in "producer | wasm-debugid info -"; a command that needs files takes none`
}
