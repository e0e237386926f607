package stacktrace

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/wasm-debugid/wasm-debugid/internal/printable"
)

// Summary counts what became of the frames of a text.
type Summary struct {
	Frames     int64 `json:"frames"`     // WebAssembly frames
	Functions  int64 `json:"functions"`  // resolved to a function alone
	Host       int64 `json:"host"`       // frames of host functions, stubs, and unknown positions
	Lines      int64 `json:"lines"`      // resolved to file and line
	Unresolved int64 `json:"unresolved"` // not resolved, host frames not counted
}

// add counts a frame.
func (s *Summary) add(r *Resolution) {
	s.Frames++
	switch {
	case r.Cause == CauseHost:
		s.Host++
	case !r.Resolved():
		s.Unresolved++
	case r.HasLine():
		s.Lines++
	default:
		s.Functions++
	}
}

// AnnotateOptions say what Annotate writes.
type AnnotateOptions struct {
	// Sources gives source lines; nil for none.
	Sources *Sources
	// Context is the number of source lines before and behind the one of a frame.
	Context int
	// Mark wraps added text, for colour; nil leaves it as it is. Its argument is
	// good only for the call.
	Mark func(kind Mark, text []byte) []byte
	// MaxLine is the length of the longest line that is read; see [NewLog].
	MaxLine int
}

// Mark says what an added text is.
type Mark uint8

// The kinds of added text.
const (
	MarkFrame   Mark = iota // a resolved frame
	MarkReason              // why a frame was not resolved, or not completely
	MarkSource              // a source line beside the one of the frame
	MarkCurrent             // the source line of the frame
)

// Annotate copies a text and puts below every frame what it was resolved to, one
// line for each function, innermost first:
//
//	at https://cdn.example/app.wasm:wasm-function[1]:0xd5
//	  => level3 at src/trap.c:17:5 (inlined)
//	  => outer at src/trap.c:28:11
//
// In a quoted string of a structured log, see [Line], added lines are written as
// the string's own, so that it stays one string. They are not marked.
//
// The lines of the input are not changed, but for those in which several frames
// stand: they are divided behind each. Added lines are indented further than
// the frame and begin with "=> ", or with a line number and "|" for source lines.
func Annotate(w io.Writer, r io.Reader, res *Resolver, o AnnotateOptions) (Summary, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	a := annotator{out: out, opt: o, many: len(res.store.builds) > 1, told: map[string]bool{}}
	// What is complete is written before a read that may block.
	log := NewLog(&flushingReader{r, out}, res, o.MaxLine)
	for log.Next() {
		l := log.Line()
		out.Write(l.Text)
		if l.Resolution == nil {
			out.Write(l.EOL)
			continue
		}
		a.sum.add(l.Resolution)
		eol := l.EOL
		if len(eol) == 0 {
			eol = newline
		}
		a.quoted = l.Quoted
		if a.quoted {
			eol = breakMark
		}
		a.begin(l.Text, eol)
		a.frame(l.Resolution)
		if l.Joined {
			out.Write(eol)
		}
		out.Write(l.EOL)
		if _, err := out.Write(nil); err != nil {
			return a.sum, err
		}
	}
	if err := out.Flush(); err != nil {
		return a.sum, err
	}
	return a.sum, log.Err()
}

var (
	newline = []byte{'\n'}
	tabMark = []byte(`\t`)
)

// flushingReader flushes a writer before every read.
type flushingReader struct {
	r io.Reader
	w *bufio.Writer
}

func (f *flushingReader) Read(p []byte) (int, error) {
	if err := f.w.Flush(); err != nil {
		return 0, err
	}
	return f.r.Read(p)
}

// annotator writes the lines below frames.
type annotator struct {
	out    *bufio.Writer
	opt    AnnotateOptions
	sum    Summary
	many   bool            // several builds, so that frames say which is theirs
	told   map[string]bool // notes that were written before
	indent []byte
	buf    []byte
	quoted bool // the frame stands in a quoted string
}

// maxTold bounds the notes that are remembered as told.
const maxTold = 4096

// begin prepares for a frame whose line is text.
func (a *annotator) begin(text, eol []byte) {
	n := skipSpace(text, 0)
	for a.quoted && bytes.HasPrefix(text[n:], tabMark) {
		n += len(tabMark)
	}
	a.indent = append(append(a.indent[:0], eol...), text[:n]...)
	a.indent = append(a.indent, "  "...)
}

// line writes a line: a break, the indentation, and the text in a.buf.
func (a *annotator) line(kind Mark) {
	a.out.Write(a.indent)
	if a.quoted {
		// A string stays one, so that a log of JSON documents stays that. JSON leaves
		// some of the characters that command terminals as they are.
		if b, err := encodeJSON(printable.Source(string(a.buf))); err == nil {
			a.out.Write(b[1 : len(b)-1])
		}
		return
	}
	if a.opt.Mark != nil {
		a.out.Write(a.opt.Mark(kind, a.buf))
		return
	}
	a.out.Write(a.buf)
}

// frame writes what a frame was resolved to.
func (a *annotator) frame(r *Resolution) {
	if !r.Resolved() {
		a.buf = append(append(append(a.buf[:0], "=> "...), causePrefix(r.Cause)...), r.Reason...)
		a.line(MarkReason)
		return
	}
	for i := range r.Frames {
		last := i == len(r.Frames)-1
		a.buf = append(a.buf[:0], "=> "...)
		a.buf = appendFrame(a.buf, r, i)
		if last && r.Reason != "" && !r.FunctionOnly {
			a.buf = append(append(append(a.buf, " (no line: "...), r.Reason...), ')')
		}
		if last && a.many {
			a.buf = append(append(append(a.buf, " ["...), r.Build.Path()...), ']')
		}
		a.line(MarkFrame)
		if f := &r.Frames[i]; a.opt.Sources != nil && f.Line != 0 {
			a.source(f)
		}
	}
	for _, n := range r.Notes {
		a.tell(n, r.suspicious)
	}
}

func causePrefix(c Cause) string {
	if c == CauseHost {
		return "no frame of the module: "
	}
	return "not resolved: "
}

// appendFrame appends one function of a resolved frame as text.
func appendFrame(b []byte, r *Resolution, i int) []byte {
	f := &r.Frames[i]
	b = append(b, f.Display...)
	if f.File != "" {
		if r.FunctionOnly {
			b = append(b, ", declared"...)
		}
		b = append(b, " at "...)
		b = append(b, oneLine(f.File)...)
		if f.Line != 0 {
			b = strconv.AppendUint(append(b, ':'), uint64(f.Line), 10)
			if f.Column != 0 {
				b = strconv.AppendUint(append(b, ':'), uint64(f.Column), 10)
			}
		}
	}
	if f.Inlined {
		b = append(b, " (inlined)"...)
	}
	if r.Inferred {
		b = append(b, " (inferred)"...)
	}
	return b
}

// tell writes a note: every time, or where it is the first time.
func (a *annotator) tell(text string, always bool) {
	if !always && a.told[text] {
		return
	}
	if len(a.told) >= maxTold {
		clear(a.told)
	}
	a.told[text] = true
	a.buf = append(append(a.buf[:0], "   note: "...), text...)
	a.line(MarkReason)
}

// source writes the source lines around a frame.
func (a *annotator) source(f *SourceFrame) {
	lines, first := a.opt.Sources.Context(f.File, f.Line, a.opt.Context)
	for i, text := range lines {
		n := first + uint32(i)
		kind, mark := MarkSource, "     "
		if n == f.Line {
			kind, mark = MarkCurrent, "   > "
		}
		a.buf = append(a.buf[:0], mark...)
		digits := strconv.FormatUint(uint64(n), 10)
		for range max(0, 5-len(digits)) {
			a.buf = append(a.buf, ' ')
		}
		a.buf = append(append(append(a.buf, digits...), " | "...), text...)
		a.line(kind)
	}
}
