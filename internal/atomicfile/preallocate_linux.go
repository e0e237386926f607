//go:build linux

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// keepSize is FALLOC_FL_KEEP_SIZE: the space is taken, the size still counts what was written.
const keepSize = 1

// preallocate takes disk space for size bytes. Only errors that writing would meet too are returned.
func preallocate(f *os.File, size int64) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), keepSize, 0, size)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EIO):
			return err
		}
		return nil
	}
}
