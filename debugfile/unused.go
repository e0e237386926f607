package debugfile

import (
	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/mapped"
)

// UnusedLines are line programs that no unit leads to. Those that have rows of
// removed code alone are not among them: nobody will miss them.
type UnusedLines struct {
	Programs  int
	Functions int             // bodies that they have rows for, and that nothing else answers for
	First     []UnusedProgram // some of them, by offset
}

// UnusedProgram is a line program that no unit leads to.
type UnusedProgram struct {
	Offset    uint64 // in .debug_line
	File      string // the first one that it names; may be empty
	Functions int    // as in UnusedLines
	Body      Extent // the first of these bodies
}

// UnusedLines finds the line programs that no unit leads to. It needs [File.Build] to
// have been called, and gives nothing before.
func (f *File) UnusedLines() (all UnusedLines, err error) {
	if f.full.Load() == nil || len(f.units) == 0 {
		return all, nil
	}
	shrunk := mapped.Guard(func() {
		others := map[uint64]bool{} // of units that have no code of their own
		for i := range f.data.NumUnits() {
			du := f.data.Unit(i)
			if u := f.unitOf(du); u != nil && !u.partial {
				continue
			}
			if root, err := du.Root(); err == nil && root.HasLineOff {
				others[root.LineOff] = true
			}
		}
		f.data.LinePrograms(f.units[0].skel.AddrSize, func(p *dwarf.LineProgram) bool {
			if f.roots.owners[p.Off] == nil && !others[p.Off] {
				f.unused(p, &all)
			}
			return true
		})
	})
	if shrunk != nil {
		f.shrunk.Store(true)
	}
	return all, shrunk
}

// unused adds a line program that no unit leads to.
func (f *File) unused(p *dwarf.LineProgram, all *UnusedLines) {
	l := UnusedProgram{Offset: p.Off}
	live, last := false, -1
	for seqs := p.Sequences(); seqs.Next(); {
		live = true
		s := seqs.Sequence()
		e, ok := (&unit{}).extent(s.Start, s.End)
		if !ok {
			continue
		}
		body, _ := f.bodies.find(e.Start)
		if body < 0 || body == last || !f.resolve(body).empty() {
			continue
		}
		if last = body; l.Functions == 0 {
			l.Body = f.bodies.extent(body)
		}
		l.Functions++
	}
	if !live {
		return
	}
	all.Programs++
	all.Functions += l.Functions
	if len(all.First) < maxPlaces {
		if files := p.HeaderFiles(); files.NumFiles() > 0 {
			l.File, _ = files.Path(files.FirstFile())
		}
		all.First = append(all.First, l)
	}
}
