package debugid

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/wasm-debugid/wasm-debugid/stacktrace"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TraceError reports an input that is no text, or that was to be JSON and is not,
// or holds no trace.
type TraceError struct{ Err error }

// Error returns the message.
func (e *TraceError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *TraceError) Unwrap() error { return e.Err }

// misplacedError reports a file that was given in the place of another.
type misplacedError struct {
	msg, hint string
	err       error // what it would be in its place; may be nil
}

func (e *misplacedError) Error() string { return e.msg }

// Hint says where the file belongs.
func (e *misplacedError) Hint() string { return e.hint }

func (e *misplacedError) Unwrap() error { return e.err }

const swappedHint = "the trace and the file of --debug may be swapped; the trace stands by itself: wasm-debugid symbolicate TRACE --debug COMPANION"

// refuseBinary reads the beginning of an input and returns the whole of it, or a
// *TraceError for one that is no text. It waits for no more than a first read
// gives, because a log may grow slowly.
func refuseBinary(r io.Reader) (io.Reader, error) {
	const enough = 8
	head := make([]byte, 512)
	n, err := r.Read(head)
	for n > 0 && n < enough && err == nil && (head[0] < ' ' && !bytes.ContainsAny(head[:1], "\t\n\r\x1b") || head[0] > '~') {
		var k int
		k, err = r.Read(head[n:])
		n += k
	}
	head = head[:n]
	if why := noText(head); why != nil {
		return nil, &TraceError{why}
	}
	if err != nil {
		r = failed{err}
	}
	return io.MultiReader(bytes.NewReader(head), r), nil
}

// noText says what an input is that is no text.
func noText(head []byte) error {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return &misplacedError{msg: "this is text in UTF-16", hint: "write it in UTF-8, for example with iconv -f UTF-16 -t UTF-8, or in PowerShell with Out-File -Encoding utf8"}
		}
	}
	kind := wasm.Sniff(head)
	hint := kind.Hint()
	switch kind {
	case wasm.KindModule, wasm.KindComponent, wasm.KindVersion:
		hint = swappedHint
	case wasm.KindGzip, wasm.KindZstd, wasm.KindZip:
	case wasm.KindArchive, wasm.KindBitcode, wasm.KindELF, wasm.KindMachO:
		hint = "give the text with the stack trace"
	default:
		return nil
	}
	return &misplacedError{msg: fmt.Sprintf("this is %v, no text with a stack trace", kind), hint: hint}
}

// failed is a reader that has ended.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// swapped explains the error for files that are no modules where one of them is a
// text with a stack trace.
func swapped(err error, paths []string) error {
	if !errors.Is(err, wasm.ErrNotModule) {
		return err
	}
	for _, path := range paths {
		if holdsTrace(path) {
			return &misplacedError{msg: path + ": this is a text with a stack trace, no companion and no module", hint: swappedHint, err: err}
		}
	}
	return err
}

// holdsTrace reports whether the beginning of a file is text with a WebAssembly
// frame.
func holdsTrace(path string) bool {
	const looked = 1 << 20
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, looked))
	if err != nil || wasm.Sniff(text[:min(len(text), 512)]) == wasm.KindModule {
		return false
	}
	if d, err := stacktrace.ParseDocument(text); err == nil && len(d.Frames) > 0 {
		return true
	}
	return stacktrace.HoldsFrames(text)
}
