//go:build unix

package debugfile_test

import (
	"syscall"
	"time"
)

// processorTime returns the time that this process has had, with the kernel's.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
