package debugfile

import (
	"unsafe"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// rowPieces holds rows of a unit's line program in pieces, so that none is copied
// when there are more.
type rowPieces struct{ pieces [][]dwarf.ShortRow }

// rowPlace is where the rows of a sequence are in the pieces: the number of the
// piece + 1, and the first row in it. 0 is nowhere.
type rowPlace uint32

const (
	rowBits    = 12
	firstPiece = 1 << 8       // rows
	lastPiece  = 1 << rowBits // rows; a longer sequence has its own piece
)

// add keeps a copy of rows that belong together.
func (p *rowPieces) add(rows []dwarf.ShortRow) rowPlace {
	n := len(p.pieces)
	if n == 0 || cap(p.pieces[n-1])-len(p.pieces[n-1]) < len(rows) || len(p.pieces[n-1]) >= lastPiece {
		if n+1 >= 1<<(32-rowBits) {
			return 0
		}
		size := firstPiece
		if n > 0 {
			size = min(2*cap(p.pieces[n-1]), lastPiece)
		}
		p.pieces = append(p.pieces, make([]dwarf.ShortRow, 0, max(size, len(rows))))
		n++
	}
	piece := &p.pieces[n-1]
	at := len(*piece)
	*piece = append(*piece, rows...)
	return rowPlace(n<<rowBits | at)
}

// at returns n rows that were kept.
func (p *rowPieces) at(place rowPlace, n uint32) []dwarf.ShortRow {
	from := uint32(place) & (1<<rowBits - 1)
	return p.pieces[place>>rowBits-1][from : from+n : from+n]
}

// memory returns the bytes that the rows take.
func (p *rowPieces) memory() (n int64) {
	for _, piece := range p.pieces {
		n += int64(cap(piece)) * int64(unsafe.Sizeof(dwarf.ShortRow{}))
	}
	return n
}
