package stacktrace

import (
	"bytes"
	"io"
)

// firstBuffer is what a lineReader starts with, in bytes.
const firstBuffer = 64 << 10

// lineReader cuts a stream into lines without copying them. A line longer than
// max comes in pieces, so that memory stays bounded.
type lineReader struct {
	r          io.Reader
	buf        []byte
	start, end int // unread bytes of buf
	searched   int // bytes from start on that hold no line break
	max        int
	inLong     bool // the pieces of a long line are being handed out
	// marked is a position in buf from which on there is neither a backslash nor an
	// escape character, so that most lines need not be searched for them.
	marked int
	err    error
}

// next returns the next line or piece and its line break, which is empty behind
// a piece and at the end of the stream. The slices hold until the next call.
func (l *lineReader) next() (text, eol []byte, partial, ok bool) {
	for {
		if i := bytes.IndexByte(l.buf[l.start+l.searched:l.end], '\n'); i >= 0 {
			n := l.searched + i
			line := l.buf[l.start : l.start+n+1]
			if n > 0 && line[n-1] == '\r' {
				n--
			}
			l.start += len(line)
			l.searched = 0
			partial, l.inLong = l.inLong, false
			return line[:n:n], line[n:], partial, true
		}
		l.searched = l.end - l.start
		if l.searched >= l.max {
			piece := l.buf[l.start : l.start+l.max]
			l.start += l.max
			l.searched = 0
			l.inLong = true
			return piece, nil, true, true
		}
		if l.err != nil {
			if l.start == l.end {
				return nil, nil, false, false
			}
			rest := l.buf[l.start:l.end]
			l.start, l.searched = l.end, 0
			partial, l.inLong = l.inLong, false
			return rest, nil, partial, true
		}
		l.fill()
	}
}

// plain reports whether a line that next has returned can hold neither a backslash
// nor an escape character. They were searched for when it was read.
func (l *lineReader) plain(text, eol []byte) bool {
	return l.start-len(text)-len(eol) >= l.marked
}

// fill reads more, moving or growing the buffer when it is full.
func (l *lineReader) fill() {
	if l.end == len(l.buf) {
		l.marked -= l.start
		n := copy(l.buf, l.buf[l.start:l.end])
		if l.start == 0 {
			size := max(2*len(l.buf), min(firstBuffer, l.max))
			grown := make([]byte, min(size, l.max))
			n = copy(grown, l.buf[:l.end])
			l.buf = grown
		}
		l.start, l.end = 0, n
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		if n < 0 || n > len(l.buf)-l.end {
			n, err = 0, io.ErrNoProgress
		}
		if fresh := l.buf[l.end : l.end+n]; bytes.IndexByte(fresh, '\\') >= 0 || bytes.IndexByte(fresh, escape) >= 0 {
			l.marked = l.end + n
		}
		l.end += n
		if err != nil {
			l.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	l.err = io.ErrNoProgress
}
