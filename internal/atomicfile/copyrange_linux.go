//go:build linux

package atomicfile

import (
	"context"
	"fmt"
	"io"
	"os"
)

// copySlice is how much the system copies by itself before progress is told and the context is
// looked at.
const copySlice = 64 << 20

// copyInKernel copies with copy_file_range, through os.File.ReadFrom. That call reads from a file
// position, which src's descriptor may share with others, so the file is opened once more; /proc
// leads to the very same file even if its name is gone. done < n without an error means that the
// rest has to be copied in the ordinary way.
func copyInKernel(ctx context.Context, dst, src *os.File, off, n int64, progress func(int64)) (done int64, err error) {
	fi, err := src.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return 0, nil
	}
	again, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", src.Fd()))
	if err != nil {
		return 0, nil
	}
	defer again.Close()
	if now, err := again.Stat(); err != nil || !os.SameFile(fi, now) {
		return 0, nil
	}
	if _, err := again.Seek(off, io.SeekStart); err != nil {
		return 0, nil
	}
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		want := min(n-done, copySlice)
		got, err := dst.ReadFrom(&io.LimitedReader{R: again, N: want})
		done += got
		if got > 0 && progress != nil {
			progress(got)
		}
		if err != nil {
			return done, err
		}
		if got < want {
			return done, endsEarly(off+done, n-done)
		}
	}
	return done, nil
}
