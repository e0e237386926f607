package stacktrace

import (
	"bytes"
	"io"
)

// DefaultMaxLine is the longest line, in bytes, that a Scanner holds in memory.
// Locations may be whole data: URLs, so it is generous.
const DefaultMaxLine = 1 << 20

// Line is one line of a scanned text. All lines, one after the other, Text and
// then EOL, are the input byte by byte.
type Line struct {
	Text []byte // without the line break
	EOL  []byte // "\n", "\r\n", or empty
	// Partial says that Text is a piece of a line too long to be held. Pieces
	// are passed through and never read as frames.
	Partial bool
	// Quoted says that Text is a line of a string in quotes, in which line breaks
	// are written as \n: structured logs hold traces so. EOL is that escape, or
	// empty where the string ends.
	Quoted bool
	// Joined says that a further frame stands behind this one, where a line break
	// was taken out. EOL is empty then.
	Joined bool
	// Continues says that the line before is the beginning of the same line of the
	// text: that Text is a further piece, of a long line or of one with several frames.
	Continues bool
	// IsFrame says that Frame is set.
	IsFrame bool
	Frame   Frame
}

// Scanner reads a text line by line and finds the WebAssembly frames in it. It
// knows the shapes that need the lines before: wasmtime's and wazero's lists,
// the source lines below their frames, and names that contain a line break.
// Colours and links for terminals are passed over, and strings of structured logs
// are read as the lines that they stand for.
// Once its buffer has grown to the longest line it allocates nothing.
type Scanner struct {
	lines  lineReader
	line   Line
	ctx    lineContext
	quoted quotedLine // what is left of the line at hand
	joined joinedLine // what is left of a line of that
	clean  cleaner
	within bool // the last line ended before its line break
}

// NewScanner returns a Scanner that reads r. Lines longer than maxLine bytes
// are passed through in pieces; 0 stands for [DefaultMaxLine].
func NewScanner(r io.Reader, maxLine int) *Scanner {
	if maxLine <= 0 {
		maxLine = DefaultMaxLine
	}
	return &Scanner{lines: lineReader{r: r, max: maxLine}}
}

// HoldsFrames reports whether there is a WebAssembly frame in a text.
func HoldsFrames(text []byte) bool { return holdsFrames(text, false) }

// holdsFrames is HoldsFrames, or the same for the strings of structured logs alone.
func holdsFrames(text []byte, quoted bool) bool {
	s := NewScanner(bytes.NewReader(text), len(text)+1)
	for s.Scan() {
		if l := s.Line(); l.IsFrame && (l.Quoted || !quoted) {
			return true
		}
	}
	return false
}

// Scan advances to the next line. It returns false at the end of the text and
// after a read error.
func (s *Scanner) Scan() bool {
	l := &s.line
	l.Continues = s.within
	plain, whole := false, false
	switch {
	case s.joined.more():
		l.Quoted = s.joined.quoted
		l.Text, l.EOL = s.joined.next()
	case s.quoted.more():
		l.Text, l.EOL, l.Quoted = s.quoted.next()
		whole = true
	default:
		var ok bool
		l.Quoted = false
		l.Text, l.EOL, l.Partial, ok = s.lines.next()
		if !ok {
			*l = Line{}
			return false
		}
		whole = true
		plain = s.lines.plain(l.Text, l.EOL)
		if !plain && !l.Partial && isQuoted(l.Text) {
			s.quoted = quotedLine{rest: l.Text, eol: l.EOL}
			l.Text, l.EOL, l.Quoted = s.quoted.next()
		}
	}
	if n := len(l.Text); whole && !l.Partial && n > 0 && endsFrame(l.Text[n-1]) && isJoined(l.Text) {
		s.joined = joinedLine{rest: l.Text, eol: l.EOL, quoted: l.Quoted}
		l.Text, l.EOL = s.joined.next()
	}
	l.Joined = s.joined.more()
	s.within = l.Joined || s.quoted.more() || l.Partial && len(l.EOL) == 0
	if l.IsFrame {
		l.Frame = Frame{}
		l.IsFrame = false
	}
	if l.Partial {
		s.ctx.reset()
		return true
	}
	text, cleaned := l.Text, false
	if !plain {
		text, cleaned = s.clean.clean(l.Text, l.Quoted)
	}
	if l.IsFrame = s.ctx.parse(text, &l.Frame); !l.IsFrame {
		l.Frame = Frame{}
	} else if cleaned {
		l.Frame.Span = s.clean.span(l.Frame.Span)
	}
	return true
}

// Line returns the current line. It and its slices hold until the next Scan.
func (s *Scanner) Line() *Line { return &s.line }

// Err returns the error that ended the text, nil for its regular end.
func (s *Scanner) Err() error {
	if s.lines.err == io.EOF {
		return nil
	}
	return s.lines.err
}

// list is the kind of multi-line trace that the lines belong to.
type list uint8

const (
	listNone list = iota
	listWasmtime
	listWazero
	listWAMR
)

// lineContext is what a Scanner remembers of the lines before.
type lineContext struct {
	list   list
	column int    // wasmtime: position of the colon behind the frame number
	next   uint32 // number that the next frame of the list must have
	bare   bool   // WAMR: frames have no prefix of a log, which text that follows may have
	deep   bool   // a frame of the list was seen, so details may follow
	parent Frame  // that frame, in memory of its own
	store  []byte // backing of parent's slices
	gecko  bool   // the line before was a Firefox frame
	cut    bool   // a line since then looks like the first part of a name
}

// reset forgets the list; nothing that follows belongs to it.
func (c *lineContext) reset() {
	c.list, c.deep, c.gecko, c.cut = listNone, false, false, false
}

var (
	wasmtimeHeader = []byte("wasm backtrace:")
	wazeroHeader   = []byte("wasm stack trace:")
	wazeroOmitted  = []byte("... maybe followed by omitted frames")
)

// parse reads one line in its context and keeps the context up to date.
func (c *lineContext) parse(line []byte, f *Frame) bool {
	if len(line) == 0 {
		c.reset()
		return false
	}
	// The colon ends few lines; look for the two headers in those only.
	if end := backSpace(line, len(line)); end > 0 && line[end-1] == ':' {
		if bytes.HasSuffix(line[:end], wasmtimeHeader) {
			c.reset()
			c.list, c.column, c.next = listWasmtime, -1, 0
			return false
		}
		if bytes.HasSuffix(line[:end], wazeroHeader) {
			c.reset()
			c.list = listWazero
			return false
		}
	}
	switch c.list {
	case listWasmtime:
		if c.wasmtime(line, f) {
			return true
		}
	case listWazero:
		if c.wazero(line, f) {
			return true
		}
	case listWAMR:
		if parseWAMROld(line, f, true) && f.Number == c.next && startsNumbered(line) == c.bare {
			c.next++
			return true
		}
	}
	if c.list != listNone {
		c.list, c.deep = listNone, false
		*f = Frame{}
	}
	if !parseLine(line, f) {
		// A name with a line break in it: the frame ends on a later line. Other
		// frames of Firefox have an '@'.
		c.cut = c.gecko && bytes.IndexByte(line, '@') < 0
		return false
	}
	c.enter(line, f)
	return true
}

// enter notes what a frame outside of any list means for the lines to come.
func (c *lineContext) enter(line []byte, f *Frame) {
	if f.Shape == ShapeGecko && c.cut {
		f.Doubts |= DoubtNameCut
		f.Name, f.HasName, f.Separator = nil, false, 0
	}
	c.cut, c.gecko = false, f.Shape == ShapeGecko
	switch f.Shape {
	case ShapeWasmtime:
		// A list whose header was cut off.
		c.list = listWasmtime
		c.column = colonColumn(line)
		c.next = f.Number + 1
		c.keep(f)
	case ShapeWazero:
		c.list = listWazero
		c.keep(f)
	case ShapeWAMROld:
		c.list, c.next, c.bare = listWAMR, f.Number+1, startsNumbered(line)
	}
}

// startsNumbered reports whether the number of a WAMR frame begins the line.
func startsNumbered(line []byte) bool {
	i := skipSpace(line, 0)
	return i < len(line) && line[i] == '#'
}

// colonColumn returns the position of the colon behind a wasmtime frame number.
func colonColumn(line []byte) int {
	i := skipSpace(line, 0)
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	if i < len(line) && line[i] == ':' {
		return i
	}
	return -1
}

// wasmtime reads a line of a wasmtime backtrace.
func (c *lineContext) wasmtime(line []byte, f *Frame) bool {
	line = line[:backSpace(line, len(line))]
	lead := skipSpace(line, 0)
	if c.deep && lead < len(line) && lead > c.column {
		if at, ok := bytes.CutPrefix(line[lead:], atMark); ok {
			f.inherit(&c.parent)
			f.Role = RoleSource
			f.Span = Span{lead + len(atMark), len(line)}
			f.Source.set(at)
			return len(f.Source.File) > 0
		}
		if name, ok := bytes.CutPrefix(line[lead:], dashMark[1:]); ok && len(name) > 0 {
			f.inherit(&c.parent)
			f.Role = RoleSymbol
			f.Span = Span{lead + 2, len(line)}
			f.setName(name, 0)
			f.Module = nil
			return true
		}
	}
	// Lines of an error chain are numbered as well, further to the left. Behind a
	// list without the prefix of a log none of its frames has one.
	column := colonColumn(line)
	if c.column >= 0 && column != c.column {
		return false
	}
	if !parseNumbered(line, f, true) || f.Shape != ShapeWasmtime || f.Number != c.next {
		return false
	}
	if column >= 0 {
		c.column = column
	}
	c.next++
	c.keep(f)
	return true
}

// wazero reads a line of a wazero trace.
func (c *lineContext) wazero(line []byte, f *Frame) bool {
	if parseWazeroFrame(line, f, true) {
		c.keep(f)
		return true
	}
	*f = Frame{}
	if !c.deep || bytes.HasSuffix(line, wazeroOmitted) {
		return false
	}
	addressed, ok := parseWazeroSource(line, f)
	if !ok || !addressed && c.parent.Offset.Unit() == UnitNone {
		return false
	}
	if addressed {
		c.parent.Offset = f.Offset
	}
	offset := c.parent.Offset
	span, source, doubts := f.Span, f.Source, f.Doubts
	f.inherit(&c.parent)
	f.Role, f.Span, f.Source, f.Offset = RoleSource, span, source, offset
	f.Doubts |= doubts
	return true
}

// keep copies f as the frame that the lines below belong to.
func (c *lineContext) keep(f *Frame) {
	c.deep = true
	c.store = append(append(c.store[:0], f.Name...), f.Module...)
	c.parent = *f
	n := len(f.Name)
	c.parent.Name = c.store[:n:n]
	c.parent.Module = c.store[n:]
	c.parent.Location = Location{}
}

// inherit makes f a line below parent.
func (f *Frame) inherit(parent *Frame) {
	*f = *parent
	if !f.HasName {
		f.Name = nil
	}
	if len(f.Module) == 0 {
		f.Module = nil
	}
}
