package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// ErrNotRebuildable: the record does not say how the input is put together
// again, because neither file of the pair holds all of it.
var ErrNotRebuildable = errors.New("the input of the split cannot be put together again from this pair")

// Rebuilt is the input of a split, put together again from its pair. It reads
// from the two files and needs no memory of its own.
type Rebuilt struct {
	segments []segment
	size     int64
}

type segment struct {
	at, n int64 // offset in the rebuilt file, and length
	r     io.ReaderAt
	off   int64
}

// Rebuild puts the input together again by the companion's record. The result
// is what the linker's own build ID, a hash over the whole file, was made for.
func Rebuild(r *Record, production, companion *wasm.File) (*Rebuilt, error) {
	if r.Input == nil {
		return nil, ErrNotRebuildable
	}
	out := &Rebuilt{}
	out.add(production, 0, int64(len(preamble)))
	for _, piece := range r.Input {
		var f *wasm.File
		switch piece.From {
		case "literal":
			out.add(bytes.NewReader(piece.Literal), 0, int64(len(piece.Literal)))
			continue
		case "production":
			f = production
		case "companion":
			f = companion
		default:
			return nil, fmt.Errorf("the record names an unknown file, %q", piece.From)
		}
		if piece.First < 0 || piece.Count < 1 || piece.First > len(f.Sections) || piece.Count > len(f.Sections)-piece.First {
			return nil, fmt.Errorf("the record names sections %d to %d of the %s, which has %d: the pair was changed after the split",
				piece.First, piece.First+piece.Count-1, piece.From, len(f.Sections))
		}
		first, last := &f.Sections[piece.First], &f.Sections[piece.First+piece.Count-1]
		out.add(f, int64(first.Offset), int64(last.End()-first.Offset))
	}
	return out, nil
}

func (b *Rebuilt) add(r io.ReaderAt, off, n int64) {
	b.segments = append(b.segments, segment{b.size, n, r, off})
	b.size += n
}

// Size returns the length in bytes.
func (b *Rebuilt) Size() int64 { return b.size }

// ReadAt implements io.ReaderAt.
func (b *Rebuilt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("rewrite: negative offset %d", off)
	}
	n := 0
	i := sort.Search(len(b.segments), func(i int) bool { return b.segments[i].at+b.segments[i].n > off })
	for ; n < len(p) && i < len(b.segments); i++ {
		s := &b.segments[i]
		skip := off + int64(n) - s.at
		want := p[n:min(int64(len(p)), int64(n)+s.n-skip)]
		got, err := s.r.ReadAt(want, s.off+skip)
		n += got
		if got < len(want) {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
