package hook

import (
	"errors"
	"fmt"
	"os"
	"strings"

	debugid "github.com/wasm-debugid/wasm-debugid"
)

// maxAside bounds how many names SetAside tries.
const maxAside = 9

// SetAside gives a module that could not be split another name, app.unsplit.wasm
// for app.wasm, and returns it. A file of that name is replaced; where a folder has
// it, the name is app.unsplit-2.wasm, and so on.
func SetAside(path string) (string, error) {
	name := strings.TrimSuffix(path, ".wasm") + ".unsplit"
	to := name + ".wasm"
	for i := 2; ; i++ {
		err := os.Rename(path, to)
		if err == nil {
			return to, nil
		}
		if info, failed := os.Lstat(to); i > maxAside || failed != nil || !info.IsDir() {
			return "", err
		}
		to = fmt.Sprintf("%s-%d.wasm", name, i)
	}
}

// setAside sets a module aside that could not be split for a reason, and adds to
// that where it is. One that cannot have another name is removed: it must not be
// taken for the result of the build.
func setAside(path string, reason error) error {
	kept, err := SetAside(path)
	if err == nil {
		return &asideError{reason, "the linked module is kept as " + kept}
	}
	if failed := discard(path); failed != nil {
		return &asideError{reason, fmt.Sprintf("the linked module is still there, unsplit, and is not to be shipped: it can neither be renamed (%v) nor removed (%v)", err, failed)}
	}
	return &asideError{reason, fmt.Sprintf("the linked module was removed, because it could not be kept under another name (%v)", err)}
}

// discard removes a file that a build has written, and nothing but a file: a
// linker may have been told to write to a device.
func discard(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no file")
	}
	return os.Remove(path)
}

// asideError adds to an error what became of the module.
type asideError struct {
	err  error
	what string
}

// Error says where the module is.
func (e *asideError) Error() string { return fmt.Sprintf("%v; %s", e.err, e.what) }

// Unwrap returns the error.
func (e *asideError) Unwrap() error { return e.err }

// Hint is that of the error.
func (e *asideError) Hint() string { return debugid.Hint(e.err) }
