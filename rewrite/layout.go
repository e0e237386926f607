package rewrite

import (
	"context"
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/wasm-debugid/wasm-debugid/internal/atomicfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// ExtentKind says where the bytes of an Extent come from.
type ExtentKind uint8

const (
	// ExtentSource: bytes of the source file, copied as they are.
	ExtentSource ExtentKind = iota
	// ExtentLiteral: bytes held in memory.
	ExtentLiteral
	// ExtentBlank: the Code section's payload with every body blanked, made
	// from the source on the fly.
	ExtentBlank
	// ExtentZero: zero bytes.
	ExtentZero
)

// String returns "source", "literal", "blank" or "zero".
func (k ExtentKind) String() string {
	return [...]string{"source", "literal", "blank", "zero"}[k]
}

// Extent is one contiguous piece of a Layout.
type Extent struct {
	Kind   ExtentKind
	Offset wasm.FileOffset // F in the output
	Len    int64           // length in bytes
	Source wasm.FileOffset // ExtentSource, ExtentBlank: F in the source file

	literal []byte
	blank   *blankCode
}

// End returns F in the output of the first byte behind the extent.
func (e *Extent) End() wasm.FileOffset { return e.Offset + wasm.FileOffset(e.Len) }

// Layout describes an output file as extents of its source and literal bytes.
// It can be read before it has been written, which is how a planned pair is
// checked, and it needs memory only for its literals.
//
// A Layout does not change once made and is safe for concurrent use as far as
// its source is.
type Layout struct {
	src     *wasm.File
	extents []Extent
	size    int64
}

// Size returns the length of the output in bytes.
func (l *Layout) Size() int64 { return l.size }

// Extents returns the pieces in output order. The slice must not be changed.
func (l *Layout) Extents() []Extent { return l.extents }

// find returns the index of the extent that holds output offset off, or
// len(l.extents).
func (l *Layout) find(off wasm.FileOffset) int {
	return sort.Search(len(l.extents), func(i int) bool { return l.extents[i].End() > off })
}

// SourceOffset returns where the byte at output offset out stands in the
// source. It reports false for bytes that do not come from there.
func (l *Layout) SourceOffset(out wasm.FileOffset) (wasm.FileOffset, bool) {
	i := l.find(out)
	if out < 0 || i == len(l.extents) || l.extents[i].Kind != ExtentSource {
		return 0, false
	}
	return l.extents[i].Source + out - l.extents[i].Offset, true
}

// OutputOffset returns where the byte at source offset src stands in the
// output. It reports false for bytes that are not copied.
func (l *Layout) OutputOffset(src wasm.FileOffset) (wasm.FileOffset, bool) {
	for i := range l.extents {
		e := &l.extents[i]
		if e.Kind == ExtentSource && src >= e.Source && src < e.Source+wasm.FileOffset(e.Len) {
			return e.Offset + src - e.Source, true
		}
	}
	return 0, false
}

// ReadAt implements io.ReaderAt on the planned output.
func (l *Layout) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("rewrite: negative offset %d", off)
	}
	n := 0
	for i := l.find(wasm.FileOffset(off)); n < len(p) && i < len(l.extents); i++ {
		e := &l.extents[i]
		skip := off + int64(n) - int64(e.Offset)
		want := p[n:min(int64(len(p)), int64(n)+e.Len-skip)]
		got, err := l.readExtent(e, want, skip)
		n += got
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readExtent fills p from the extent, beginning skip bytes into it.
func (l *Layout) readExtent(e *Extent, p []byte, skip int64) (int, error) {
	switch e.Kind {
	case ExtentLiteral:
		return copy(p, e.literal[skip:]), nil
	case ExtentBlank:
		return e.blank.readAt(p, skip)
	case ExtentZero:
		clear(p)
		return len(p), nil
	}
	n, err := l.src.ReadAt(p, int64(e.Source)+skip)
	if n == len(p) {
		return n, nil
	}
	msg := "the input cannot be read"
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
		msg = "the input became shorter while it was read"
	}
	return n, &wasm.FormatError{Off: e.Source + wasm.FileOffset(skip) + wasm.FileOffset(n), Msg: msg, Err: err}
}

// copyChunk is the size in bytes of the buffer for bytes that the kernel cannot
// copy by itself.
const copyChunk = 1 << 20

// WriteFile writes the output to w, which stands at offset 0. Progress, which
// may be nil, is told the number of bytes written since its last call.
func (l *Layout) WriteFile(ctx context.Context, w *os.File, progress func(n int64)) error {
	var buf []byte
	for i := range l.extents {
		e := &l.extents[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Kind == ExtentSource {
			if buf == nil {
				buf = make([]byte, copyChunk)
			}
			if err := atomicfile.CopyRange(ctx, w, l.src.Reader(), int64(e.Source), e.Len, buf, progress); err != nil {
				return err
			}
			continue
		}
		if err := l.writeExtent(ctx, w, e, progress); err != nil {
			return err
		}
	}
	return nil
}

// WriteStream writes the output to w, for outputs that are not files.
func (l *Layout) WriteStream(ctx context.Context, w io.Writer) error {
	for i := range l.extents {
		if err := l.writeExtent(ctx, w, &l.extents[i], nil); err != nil {
			return err
		}
	}
	return nil
}

func (l *Layout) writeExtent(ctx context.Context, w io.Writer, e *Extent, progress func(n int64)) error {
	buf := make([]byte, min(copyChunk, e.Len))
	for done := int64(0); done < e.Len; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := l.readExtent(e, buf[:min(int64(len(buf)), e.Len-done)], done)
		if err != nil {
			return err
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		done += int64(n)
		if progress != nil {
			progress(int64(n))
		}
	}
	return nil
}

// builder collects extents in output order.
type builder struct{ l Layout }

func newBuilder(src *wasm.File) *builder { return &builder{Layout{src: src}} }

// source appends n bytes of the source from offset off, joining them to the
// extent before where they continue it.
func (b *builder) source(off wasm.FileOffset, n int64) {
	if n == 0 {
		return
	}
	if k := len(b.l.extents) - 1; k >= 0 {
		if e := &b.l.extents[k]; e.Kind == ExtentSource && e.Source+wasm.FileOffset(e.Len) == off {
			e.Len += n
			b.l.size += n
			return
		}
	}
	b.add(Extent{Kind: ExtentSource, Len: n, Source: off})
}

// section appends a whole section of the source, header included.
func (b *builder) section(s *wasm.Section) { b.source(s.Offset, s.Len()) }

func (b *builder) literal(p []byte) {
	if len(p) > 0 {
		b.add(Extent{Kind: ExtentLiteral, Len: int64(len(p)), literal: p})
	}
}

func (b *builder) blank(c *blankCode) {
	b.add(Extent{Kind: ExtentBlank, Len: int64(c.span.Size), Source: c.span.Start, blank: c})
}

func (b *builder) zero(n int64) {
	if n > 0 {
		b.add(Extent{Kind: ExtentZero, Len: n})
	}
}

func (b *builder) add(e Extent) {
	e.Offset = wasm.FileOffset(b.l.size)
	b.l.extents = append(b.l.extents, e)
	b.l.size += e.Len
}

// layout returns the finished Layout.
func (b *builder) layout() *Layout {
	l := b.l
	return &l
}
