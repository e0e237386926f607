package debugfile

import (
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
)

// fileNames gives the paths of a line program's file table. The table is read
// once, and each path is put together once, when it is asked for.
type fileNames struct {
	once   sync.Once
	table  *dwarf.FileTable // nil without a line program
	paths  []atomic.Pointer[pathBlock]
	memory atomic.Int64 // bytes
}

// pathBlock has the paths of so many files that follow each other. A table may have
// far more files than are ever asked for.
type pathBlock [64]atomic.Pointer[string]

// load takes a table, unless there is one already.
func (n *fileNames) load(read func() *dwarf.FileTable) {
	n.once.Do(func() {
		n.table = read()
		files := uint64(n.table.NumFiles()) + n.table.FirstFile()
		n.paths = make([]atomic.Pointer[pathBlock], (files+uint64(len(pathBlock{}))-1)/uint64(len(pathBlock{})))
		n.memory.Add(int64(n.table.Size()) + int64(len(n.paths))*8)
	})
}

// path returns the path of a file, empty for one that is not in the table.
func (n *fileNames) path(file uint64, texts *textBudget) string {
	i := file / uint64(len(pathBlock{}))
	if i >= uint64(len(n.paths)) {
		return ""
	}
	b := n.paths[i].Load()
	if b == nil {
		if n.paths[i].CompareAndSwap(nil, new(pathBlock)) {
			n.memory.Add(int64(len(pathBlock{})) * 8)
		}
		b = n.paths[i].Load()
	}
	place := &b[file%uint64(len(b))]
	if s := place.Load(); s != nil {
		return *s
	}
	s := texts.path(n.table, file)
	if place.CompareAndSwap(nil, &s) {
		n.memory.Add(int64(len(s)) + 16)
	}
	return *place.Load()
}

// path returns the path of a file that the unit's rows and entries name.
func (u *unit) path(file uint64) string {
	if u.lineOwner == nil {
		return ""
	}
	return u.lineOwner.files.path(file, u.texts)
}

// decl is the name of a function and where it is declared.
type decl struct {
	name, linkage string
	file          string
	line          uint32
}

// declTable holds declarations by origin. There is none until the first is asked
// for: in a large program most units never answer.
type declTable struct {
	once  sync.Once
	decls atomic.Pointer[[]atomic.Pointer[decl]]
}

// at returns the place of one of n declarations.
func (t *declTable) at(i uint32, n int) *atomic.Pointer[decl] {
	t.once.Do(func() {
		decls := make([]atomic.Pointer[decl], n)
		t.decls.Store(&decls)
	})
	return &(*t.decls.Load())[i]
}

// memory returns the bytes that the table takes.
func (t *declTable) memory() (n int64) {
	decls := t.decls.Load()
	if decls == nil {
		return 0
	}
	for i := range *decls {
		n += 8
		if d := (*decls)[i].Load(); d != nil {
			n += int64(unsafe.Sizeof(*d)) + int64(len(d.name)+len(d.linkage))
		}
	}
	return n
}

// decl returns the declaration of an origin, made once.
func (f *File) decl(u *unit, origin uint32) *decl {
	place := u.decls.at(origin, u.fns.NumOrigins())
	if d := place.Load(); d != nil {
		return d
	}
	from, _ := u.fns.Decl(origin) // what could be read of a damaged one is returned
	place.CompareAndSwap(nil, f.newDecl(u, &from))
	return place.Load()
}

// funcDecl returns the declaration of a function, made once if it may be asked for
// often.
func (f *File) funcDecl(u *unit, fn uint32) *decl {
	if origin := u.fns.Funcs[fn].Origin; origin != dwarf.NoOrigin {
		return f.decl(u, origin)
	}
	from, _ := u.fns.FuncDecl(fn)
	return f.newDecl(u, &from)
}

func (f *File) newDecl(u *unit, from *dwarf.Decl) *decl {
	d := &decl{name: f.texts.keep(from.Name), linkage: f.texts.keep(from.LinkageName), line: from.Line}
	if of := from.FileUnit; of != nil && (from.File != 0 || of.Version >= 5) {
		d.file = f.declFile(u, of, from.File)
	}
	return d
}

// declFile returns the path of a file that an entry of a unit names.
func (f *File) declFile(u *unit, of *dwarf.Unit, file uint64) string {
	if of == u.u || of == u.skel {
		return u.path(file)
	}
	other := f.unitOf(of)
	if other != nil {
		f.rootsUpTo(other.number)
	}
	if other != nil && other.lineOwner != nil {
		other = other.lineOwner
		of = other.skel
	}
	p, err := of.LineProgram()
	if err != nil || p == nil {
		return ""
	}
	if other != nil {
		other.files.load(p.Files)
		return other.files.path(file, &f.texts)
	}
	return f.texts.path(p.Files(), file)
}

// unitOf returns the unit of this file that du is, or nil.
func (f *File) unitOf(du *dwarf.Unit) *unit {
	i := sort.Search(len(f.units), func(i int) bool { return f.units[i].skel.Off >= du.Off })
	if i < len(f.units) && f.units[i].skel == du {
		return f.units[i]
	}
	return nil
}
