//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// isClosed reports whether a standard stream was closed when the program began.
// The runtime has put the null device in its place by then, opened for reading and
// writing. A shell's redirections open it for one of both; some programs that throw
// a stream away for their children open it for both as well, and so this only says
// that whatever is written is lost, and that there is nothing to read.
func isClosed(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	var st, null unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || unix.Stat(os.DevNull, &null) != nil {
		return false
	}
	if st.Mode&unix.S_IFMT != unix.S_IFCHR || st.Rdev != null.Rdev {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
