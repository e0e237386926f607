package atomicfile

import "runtime"

// locksMissing is true on systems for which tryLock cannot lock.
var locksMissing = func() bool {
	switch runtime.GOOS {
	case "js", "wasip1", "plan9", "solaris", "illumos", "aix":
		return true
	}
	return false
}()
