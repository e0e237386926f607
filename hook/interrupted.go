package hook

import "fmt"

// InterruptedError reports an interrupt after which a build has no output: what the
// build tool had written, and nobody has split, was removed.
type InterruptedError struct {
	Path string // of what was removed
	Err  error  // of the context
}

// Error names the file.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted; %s, which was linked and not split, was removed", e.Path)
}

// Unwrap returns the error of the context.
func (e *InterruptedError) Unwrap() error { return e.Err }

// interrupted removes a file after an interrupt and tells so.
func interrupted(path string, err error) error {
	if discard(path) != nil {
		return err
	}
	return &InterruptedError{path, err}
}
