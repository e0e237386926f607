package stacktrace

import (
	"io"
)

// maxTrace is the number of lines of one trace that are resolved together.
const maxTrace = 1024

// LogLine is a line of a text, with what it was resolved to.
type LogLine struct {
	Line
	Number int64 // of the line, from 1
	// Resolution is set for frames of their own (RoleFrame).
	Resolution *Resolution
}

// Log streams a text of any size line by line and resolves the traces in it. It
// holds back the lines of one trace, because a trace is resolved as a whole, and
// nothing else. All lines, one after the other, are the input byte by byte.
type Log struct {
	scan     *Scanner
	resolver *Resolver

	lines  int64
	slots  []slot // lines of the trace at hand
	next   int    // number of the slot to hand out next
	used   int
	held   bool // the scanner's line comes behind the slots
	line   LogLine
	frames []*Frame
	memory traceMemory
}

// slot is a line in memory of its own.
type slot struct {
	line LogLine
	buf  []byte
}

// NewLog returns a Log that reads r and resolves with res. Lines longer than
// maxLine bytes are passed through in pieces; 0 stands for [DefaultMaxLine].
func NewLog(r io.Reader, res *Resolver, maxLine int) *Log {
	return &Log{scan: NewScanner(r, maxLine), resolver: res}
}

// Next advances to the next line. It returns false at the end of the text and
// after a read error.
func (l *Log) Next() bool {
	if l.next < l.used {
		l.line = l.slots[l.next].line
		l.next++
		return true
	}
	l.next, l.used = 0, 0
	if l.held {
		l.held = false
		l.pass()
		return true
	}
	for l.scan.Scan() {
		if !l.scan.Line().Continues {
			l.lines++
		}
		if !l.scan.Line().IsFrame {
			if l.used == 0 {
				l.pass()
				return true
			}
			l.held = true
			break
		}
		l.keep()
		if l.used == maxTrace {
			break
		}
	}
	if l.used == 0 {
		return false
	}
	l.resolve()
	return l.Next()
}

// Line returns the current line. It and its slices hold until the next call of
// Next.
func (l *Log) Line() *LogLine { return &l.line }

// Err returns the error that ended the text, nil for its regular end.
func (l *Log) Err() error { return l.scan.Err() }

// pass makes the scanner's line, which is no frame, the current one.
func (l *Log) pass() { l.line = LogLine{Line: *l.scan.Line(), Number: l.lines} }

// keep copies the scanner's line into the next slot.
func (l *Log) keep() {
	if l.used == len(l.slots) {
		l.slots = append(l.slots, slot{})
	}
	s := &l.slots[l.used]
	l.used++
	from := l.scan.Line()
	s.line = LogLine{Line: *from, Number: l.lines}
	f := &s.line.Frame
	parts := [...]*[]byte{&s.line.Text, &s.line.EOL, &f.Name, &f.Module, &f.Location.Text, &f.Source.File}
	n := 0
	for _, p := range parts {
		n += len(*p)
	}
	if cap(s.buf) < n {
		s.buf = make([]byte, 0, n+n/2)
	}
	s.buf = s.buf[:0]
	for _, p := range parts {
		if *p == nil {
			continue
		}
		at := len(s.buf)
		s.buf = append(s.buf, *p...)
		*p = s.buf[at:len(s.buf):len(s.buf)]
	}
}

// resolve resolves the lines in the slots.
func (l *Log) resolve() {
	l.frames = l.frames[:0]
	for i := range l.slots[:l.used] {
		f := &l.slots[i].line.Frame
		switch {
		case f.Role == RoleFrame:
			l.frames = append(l.frames, f)
		case f.Offset.unit != UnitNone && len(l.frames) > 0 && l.frames[len(l.frames)-1].Offset.unit == UnitNone:
			// wazero prints the offset of a frame on the line below it.
			l.frames[len(l.frames)-1].Offset = f.Offset
		}
	}
	results := l.resolver.trace(l.frames, nil, &l.memory)
	n := 0
	for i := range l.slots[:l.used] {
		if line := &l.slots[i].line; line.Frame.Role == RoleFrame {
			line.Resolution = results[n]
			n++
		}
	}
}
