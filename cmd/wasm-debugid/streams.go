package main

// What may go where:
//
//   - Standard output takes the result and nothing else: build IDs, a JSON
//     document, a description, a script. With "-o -" it takes the module.
//   - A module never goes to a terminal.
//   - Standard error takes everything that is meant for a person: errors, hints,
//     warnings, the summary, progress. Every error is one line that begins with
//     "wasm-debugid: error: ", perhaps followed by one with "hint: ". --quiet
//     leaves errors only; results that are asked for by a flag or a command of
//     their own (--json, info, completion) are printed all the same.
//   - Text out of files, names of files included, goes through package printable
//     before it is shown: a line, a column or a colour of ours cannot be forged, and
//     a terminal is given no commands. JSON and modules are left as they are.
//   - Progress is shown on a terminal alone, and colour only where it is wanted:
//     see wantsColor.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fatih/color"
	"golang.org/x/term"

	debugid "github.com/wasm-debugid/wasm-debugid"
	"github.com/wasm-debugid/wasm-debugid/hook"
	"github.com/wasm-debugid/wasm-debugid/internal/printable"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
)

// program is the name that messages begin with.
const program = "wasm-debugid"

// streams are the three standard streams and how they are to be used.
type streams struct {
	stdin                 io.Reader
	rawStdin              io.Reader // as it is, for programs that are run in this one's place
	stdout, stderr        io.Writer
	inTTY, outTTY, errTTY bool // whether they are terminals
	outClosed             bool // what is written to stdout is lost; see isClosed
	changed               bool // files were written, or a tool was run that writes some
	quiet, verbose        bool
	color                 string // auto, always or never
}

func newStreams(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) *streams {
	return &streams{
		rawStdin: stdin,
		stdin:    &interruptible{ctx: ctx, r: stdin, closed: isClosed(stdin)},
		stdout:   stdout, stderr: stderr,
		inTTY: isTerminal(stdin), outTTY: isTerminal(stdout), errTTY: isTerminal(stderr),
		outClosed: isClosed(stdout),
		color:     "auto",
	}
}

// isTerminal reports whether a stream is a terminal. Tests say so themselves.
func isTerminal(stream any) bool {
	switch v := stream.(type) {
	case *os.File:
		return term.IsTerminal(int(v.Fd()))
	case interface{ IsTerminal() bool }:
		return v.IsTerminal()
	}
	return false
}

// wantsColor decides on colour: --color first; then a non-empty NO_COLOR
// (https://no-color.org) and TERM=dumb turn it off; then terminals get it.
func (s *streams) wantsColor(tty bool) bool {
	switch s.color {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// painter colours text for one stream.
type painter struct{ on bool }

func (s *streams) paintOut() painter { return painter{s.wantsColor(s.outTTY)} }
func (s *streams) paintErr() painter { return painter{s.wantsColor(s.errTTY)} }

func (p painter) paint(text string, attrs ...color.Attribute) string {
	c := color.New(attrs...)
	if p.on {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(text)
}

func (p painter) bold(text string) string   { return p.paint(text, color.Bold) }
func (p painter) dim(text string) string    { return p.paint(text, color.Faint) }
func (p painter) red(text string) string    { return p.paint(text, color.FgRed, color.Bold) }
func (p painter) yellow(text string) string { return p.paint(text, color.FgYellow, color.Bold) }

// maxMessage bounds the length in bytes of a line of a message: URLs and names in
// files may have millions.
const maxMessage = 4000

// message writes one message to standard error, on one line.
func (s *streams) message(label, text string) { s.messageLines(label, text) }

// messageLines writes a message of several lines. All but the first are indented:
// a line that begins with the program's name begins a message.
func (s *streams) messageLines(label string, lines ...string) {
	for i := range lines {
		lines[i] = printable.Clip(lines[i], maxMessage)
	}
	fmt.Fprintf(s.stderr, "%s: %s: %s\n", program, label, strings.Join(lines, "\n  "))
}

// note prints a note of the library, unless --quiet.
func (s *streams) note(about string, n rewrite.Note) {
	if s.quiet {
		return
	}
	label := s.paintErr().dim("note")
	if n.Warning {
		label = s.paintErr().yellow("warning")
	}
	s.message(label, about+": "+n.Text)
}

// finish prints an error and returns the exit code for it.
func (s *streams) finish(err error) int {
	code := exitCode(err)
	var child *hook.ExitError
	if errors.As(err, &child) {
		if child.Signal != "" { // otherwise it has said what is wrong
			s.message(s.paintErr().red("error"), errorText(err))
		}
		return code
	}
	switch code {
	case exitOK:
		return code
	case exitInterrupted:
		text := "interrupted; existing files are as they were"
		var removed *hook.InterruptedError
		switch {
		case errors.As(err, &removed):
			text = removed.Error()
		case s.changed:
			text = "interrupted; what was done before stays"
		}
		s.message(s.paintErr().red("error"), text)
		return code
	}
	all, ok := err.(several)
	if !ok {
		all = several{err}
	}
	for _, err := range all {
		s.message(s.paintErr().red("error"), errorText(err))
		if hint := hintFor(err, exitCode(err)); len(hint) > 0 {
			s.messageLines(s.paintErr().bold("hint"), hint...)
		}
	}
	return code
}

// errorText is the text of an error. Of joined errors, which print on lines of
// their own, it makes one line.
func errorText(err error) string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err.Error()
	}
	var texts []string
	for _, err := range joined.Unwrap() {
		texts = append(texts, errorText(err))
	}
	return strings.Join(texts, "; ")
}

// reportURL is where defects are reported.
const reportURL = "https://github.com/wasm-debugid/wasm-debugid/issues"

// hintFor says what to do about an error, in lines.
func hintFor(err error, code int) []string {
	var choice *choiceError
	if errors.As(err, &choice) {
		return choice.hints
	}
	if hint := debugid.Hint(err); hint != "" {
		return []string{hint}
	}
	if code == exitInternal {
		return []string{"this is a defect of wasm-debugid; please report it, with the command line and the output of --version, at " + reportURL}
	}
	return nil
}

// crash reports a panic.
func (s *streams) crash(p any, stack []byte) int {
	s.message(s.paintErr().red("error"), fmt.Sprintf("internal error: %v", p))
	s.message(s.paintErr().bold("hint"), "this is a defect of wasm-debugid; please report it, with the command line and what follows, at "+reportURL)
	fmt.Fprintf(s.stderr, "%s\n%s", versionLine(), stack)
	return exitInternal
}

// interruptible is a reader whose reads end when the context does. A read from a
// terminal or a pipe can block for ever, and nothing else would notice Ctrl-C.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	closed bool // there is nothing to read; see isClosed
	buf    []byte
}

type readResult struct {
	n   int
	err error
}

// Read implements io.Reader.
func (i *interruptible) Read(p []byte) (int, error) {
	if i.r == nil {
		return 0, errors.New("there is no standard input to read")
	}
	if i.closed {
		return 0, &fs.PathError{Op: "read", Path: "standard input", Err: errors.New("it is closed, or the null device")}
	}
	if i.ctx.Done() == nil {
		return i.r.Read(p)
	}
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	// The goroutine reads into a buffer of its own: after an interruption it may
	// still be reading when p belongs to somebody else.
	if len(i.buf) < len(p) {
		i.buf = make([]byte, len(p))
	}
	done := make(chan readResult, 1)
	go func(buf []byte) {
		n, err := i.r.Read(buf)
		done <- readResult{n, err}
	}(i.buf[:len(p)])
	select {
	case r := <-done:
		return copy(p, i.buf[:r.n]), r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}

// openText opens a file that is read once, and so may be a pipe. To open a pipe
// waits for a writer: the context ends that.
func openText(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
