//go:build !unix && !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// errLoop stands for too many symbolic links.
var errLoop = errors.New("too many levels of symbolic links")

// noSuchCall reports whether err says that the system lacks an operation, not that it failed.
func noSuchCall(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// linkCount returns 1: hard links are not known here.
func linkCount(string, fs.FileInfo) uint64 { return 1 }

// copyOwner does nothing.
func copyOwner(*os.File, fs.FileInfo) bool { return true }

// replace renames a temporary onto its target.
func replace(from, to string) error { return os.Rename(from, to) }

// syncDir does nothing.
func syncDir(string) error { return nil }
