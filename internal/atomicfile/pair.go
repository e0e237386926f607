package atomicfile

import (
	"context"
	"io/fs"
	"os"
)

// File is one file to be written.
type File struct {
	// Path says where the file shall appear. A symbolic link is followed to its final target, which
	// is replaced while the link stays; the target need not exist.
	Path string
	// Mode holds the permission bits of a new file, before the umask; zero means 0666. An existing
	// target keeps its own mode.
	Mode fs.FileMode
	// Size is the number of bytes that Write will write, or -1 if that is not known. The disk space
	// is taken before any work where the system can do that, so that a full disk shows early, and
	// another number of bytes than promised is an error.
	Size int64
	// Write writes the contents from the start, in order. It may read the existing target: that is
	// untouched until everything is written. It must not close w.
	Write func(ctx context.Context, w *os.File) error
	// Unchanged reports whether the file at the path existing already equals what would be written;
	// it is then left alone, modification time included. It may be nil, and is called only when
	// there is such a file.
	Unchanged func(existing string) (bool, error)
}

// Pair is what one run writes: two files that belong together, or one of them when the other is nil.
type Pair struct {
	// Companion is put in place first.
	Companion *File
	// Production is put in place second.
	Production *File
	// Belongs reports whether the companion at one path belongs to the production file at the
	// other. It is needed only after a killed run. A file that makes no sense belongs to nothing
	// (false, nil); an error means that it could not be found out, and stops the run.
	Belongs func(production, companion string) (bool, error)
	// Release, if set, is called once, when everything is written and before the first file is
	// replaced. Whoever holds a target open or mapped lets go of it here: Windows replaces no file
	// that is in use. An error stops the run.
	Release func() error

	hooks hooks
}

// hooks let tests stop a run between two steps and take hard links away.
type hooks struct {
	step func(name string) error
	link func(oldname, newname string) error
}

// Result tells what a run did.
type Result struct {
	// Recovered says what became of the remains of a killed run.
	Recovered Recovery
	// WroteCompanion and WroteProduction are false for a file that was unchanged or not asked for.
	WroteCompanion, WroteProduction bool
	// Notes are sentences for the user about things that are no errors, for example that another
	// hard link keeps the old contents.
	Notes []string
}

// Recovery says what was done about the remains of a killed run.
type Recovery int

const (
	// RecoveredNothing means that there was nothing to settle.
	RecoveredNothing Recovery = iota
	// RecoveredFinished means that both new files were in place and only the old companion, kept as
	// NAME.prev, had to be removed.
	RecoveredFinished
	// RecoveredRolledBack means that the old companion was put back, because the production file is
	// still the one that it belongs to.
	RecoveredRolledBack
)

// String returns a word for r.
func (r Recovery) String() string {
	switch r {
	case RecoveredNothing:
		return "nothing"
	case RecoveredFinished:
		return "finished"
	case RecoveredRolledBack:
		return "rolled back"
	}
	return "unknown"
}
