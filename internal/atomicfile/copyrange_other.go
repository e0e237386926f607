//go:build !linux

package atomicfile

import (
	"context"
	"os"
)

// copyInKernel copies nothing: the standard library has no such call for files here.
func copyInKernel(context.Context, *os.File, *os.File, int64, int64, func(int64)) (int64, error) {
	return 0, nil
}
