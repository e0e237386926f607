package dwarf

import (
	"bytes"
	"unsafe"
)

// FileEntry is one entry of a file table.
type FileEntry struct {
	Name []byte // as written; may be relative to the directory
	Dir  uint64 // index of the directory
}

// FileTable is the table of directories and files of a line program. Rows,
// declarations and calls name files by index; [FileTable.File] knows which
// index the first file has.
//
// Entries may have a byte or two and are read again when they are asked for: only
// where every sixteenth of them begins is kept.
type FileTable struct {
	version  uint16
	compDir  []byte
	dirs     entryTable
	files    entryTable
	defined  []FileEntry // by DW_LNE_define_file
	problems Problems
	lost     Lost // names that cannot be read
	looked   int  // bytes of names
	lineStrs int  // names that are in .debug_line_str; lineStr is the first
	lineStr  uint64
}

// entryTable is a table of directories or files.
type entryTable struct {
	p       *LineProgram
	columns []columnSpec // nil before DWARF 5
	names   bool         // before DWARF 5: of directories, which have a name only
	n       int
	marks   []uint64 // offset in .debug_line of entries 0, 16, 32 …
}

// markEvery is how many entries apart the marks are.
const markEvery = 16

// note counts an entry that begins at off.
func (t *entryTable) note(off int) {
	if t.n%markEvery == 0 {
		t.marks = append(t.marks, uint64(off))
	}
	t.n++
}

// get reads entry i.
func (t *entryTable) get(i uint64) (e FileEntry, ok bool) {
	if i >= uint64(t.n) {
		return e, false
	}
	r := readerAt(t.p.d.sec.Line, t.marks[i/markEvery], t.p.code)
	for range i%markEvery + 1 {
		if e, ok = t.read(&r); !ok {
			break
		}
	}
	return e, ok
}

// read reads the next entry.
func (t *entryTable) read(r *reader) (e FileEntry, ok bool) {
	switch {
	case t.columns == nil && t.names:
		e.Name = r.cstring()
	case t.columns == nil:
		e = fileEntry4(r, r.cstring())
	}
	enc := encoding{version: t.p.Version, addrSize: t.p.AddrSize, is64: t.p.DWARF64}
	for i := range t.columns {
		c := &t.columns[i]
		v := readValue(r, &c.spec, enc)
		if r.bad {
			break
		}
		switch c.content {
		case lnctPath:
			e.Name, _, _ = t.p.tableString(v)
		case lnctDirectoryIndex:
			e.Dir = v.U
		}
	}
	return e, !r.bad
}

// Files reads the tables of directories and files. It never fails: what cannot
// be read is missing from the table, and is in [FileTable.Problems].
func (p *LineProgram) Files() *FileTable {
	t := p.HeaderFiles()
	if p.Version < 5 && t.problems.Total == 0 {
		p.definedFiles(t)
	}
	return t
}

// HeaderFiles is Files without what DW_LNE_define_file opcodes append, for those
// who know from [SequenceReader.DefinesFiles] that there are none. It does not
// look at the program.
func (p *LineProgram) HeaderFiles() *FileTable {
	t := &FileTable{version: p.Version, compDir: p.compDir, dirs: entryTable{p: p, names: true}, files: entryTable{p: p}}
	r := readerAt(p.d.sec.Line, p.tables, p.code)
	if p.Version >= 5 {
		p.readTables5(t, &r)
		return t
	}
	for _, table := range []*entryTable{&t.dirs, &t.files} {
		for r.more() {
			at := r.off
			if r.u8() == 0 {
				break
			}
			r.off = at
			if e, _ := table.read(&r); len(e.Name) > 0 {
				table.note(at) // of a file that is cut off the name is good
			}
		}
	}
	if r.bad {
		t.problems.add(p.d.errf(SecLine, p.tables, "table of directories and files is cut off"))
	}
	return t
}

// fileEntry4 reads an entry of the tables before DWARF 5.
func fileEntry4(r *reader, name []byte) FileEntry {
	e := FileEntry{Name: name, Dir: r.uleb()}
	r.skipLEB() // time of last change
	r.skipLEB() // size
	return e
}

// definedFiles adds the files that DW_LNE_define_file opcodes append while the
// program runs. Hardly any program has one, so it is searched for the bytes
// first.
func (p *LineProgram) definedFiles(t *FileTable) {
	code := p.d.sec.Line[p.code:p.End]
	possible := false
	for rest := code; !possible; {
		i := bytes.IndexByte(rest, 0)
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		op := reader{data: rest}
		op.skipLEB()
		possible = op.off < len(rest) && rest[op.off] == lneDefineFile
	}
	rr := p.Rows()
	rr.files = t
	var row Row
	for rr.Next(&row) {
	}
}

// columnSpec is one column of a DWARF 5 table.
type columnSpec struct {
	content uint64
	spec    attrSpec
}

// readTables5 reads the tables of DWARF 5 (6.2.4): each says itself which
// columns it has.
func (p *LineProgram) readTables5(t *FileTable, r *reader) {
	at := r.off
	if !p.readTable5(t, r, &t.dirs) {
		t.problems.add(p.d.errf(SecLine, uint64(at), "table of directories cannot be read"))
		return
	}
	at = r.off
	if !p.readTable5(t, r, &t.files) {
		t.problems.add(p.d.errf(SecLine, uint64(at), "table of files cannot be read to its end"))
	}
}

func (p *LineProgram) readTable5(table *FileTable, r *reader, t *entryTable) bool {
	enc := encoding{version: p.Version, addrSize: p.AddrSize, is64: p.DWARF64}
	n := r.u8()
	if n > maxColumns {
		return false
	}
	t.columns = make([]columnSpec, n)
	for i := range t.columns {
		content, form := r.uleb(), r.uleb()
		if form > 0xffff {
			return false
		}
		f := Form(form)
		t.columns[i] = columnSpec{content, attrSpec{form: f, size: f.size(enc)}}
	}
	count := r.uleb()
	if r.bad {
		return false
	}
	for range count {
		start := r.off
		for i := range t.columns {
			v := readValue(r, &t.columns[i].spec, enc)
			if r.bad {
				return false
			}
			if t.columns[i].content == lnctPath {
				table.look(p, v)
			}
		}
		if r.off == start {
			return false // entries of no size: the count means nothing
		}
		t.note(start)
	}
	return true
}

// tableString resolves a path; nil if it cannot be found.
func (p *LineProgram) tableString(v Value) (s []byte, section SectionID, err error) {
	section = SecLineStr
	switch v.Form {
	case FormString:
		return v.B, section, nil
	case FormLineStrp:
		s, err = stringAt(p.d.sec.LineStr, v.U)
	case FormStrp:
		section = SecStr
		s, err = stringAt(p.d.sec.Str, v.U)
	default:
		section = SecStrOffsets
		if p.strs != nil {
			s, err = p.strs.String(v)
		}
	}
	return s, section, err
}

// look counts a path that cannot be found. Entries may share long ones, so that no
// more is looked at than the sections have bytes, a few times over.
func (t *FileTable) look(p *LineProgram, v Value) {
	const overlap, slack = 4, 1 << 20
	if v.Form == FormString || t.looked > overlap*(len(p.d.sec.LineStr)+len(p.d.sec.Str))+slack {
		return
	}
	s, section, err := p.tableString(v)
	t.looked += len(s)
	if v.Form == FormLineStrp {
		if t.lineStrs++; t.lineStrs == 1 {
			t.lineStr = v.U
		}
	}
	if err == nil {
		return
	}
	if t.lost.Count++; t.lost.Count == 1 {
		t.lost.Section, t.lost.Value, t.lost.Entry, t.lost.Msg = section, v.U, p.Off, "is too short"
		if len(p.d.sec.Get(section)) == 0 {
			t.lost.Msg = "is missing"
		}
	}
}

// Lost returns the names of directories and files that cannot be read, because the
// section that they are in holds nothing there. Lost.Entry is the offset of the
// line program in .debug_line. It reports false for none.
func (t *FileTable) Lost() (Lost, bool) {
	if t.lost.Count > 0 || t.lineStrs == 0 {
		return t.lost, t.lost.Count > 0
	}
	p := t.files.p
	l := Lost{Section: SecLineStr, Entry: p.Off, Value: t.lineStr, Count: t.lineStrs}
	switch sum := p.d.summary(SecLineStr); {
	case sum.zeros:
		l.Msg = "holds nothing but zeros"
	case sum.hole:
		l.Msg = holeMsg
	}
	return l, l.Msg != ""
}

// Size returns how many bytes of memory t holds.
func (t *FileTable) Size() int {
	return 8*(len(t.dirs.marks)+len(t.files.marks)) + len(t.defined)*int(unsafe.Sizeof(FileEntry{}))
}

// Problems returns the defects of the tables.
func (t *FileTable) Problems() Problems { return t.problems }

// NumDirs returns the number of directories.
func (t *FileTable) NumDirs() int { return t.dirs.n }

// Dir returns a directory as written: entry 0 of DWARF 5 is the compilation
// directory, below DWARF 5 entry 0 is the directory with index 1.
func (t *FileTable) Dir(i uint64) ([]byte, bool) {
	e, ok := t.dirs.get(i)
	return e.Name, ok
}

// FirstFile returns the index of the first file: 0 in DWARF 5, else 1.
func (t *FileTable) FirstFile() uint64 {
	if t.version >= 5 {
		return 0
	}
	return 1
}

// NumFiles returns the number of files. Their indices start at FirstFile.
func (t *FileTable) NumFiles() int { return t.files.n + len(t.defined) }

// File returns the file with an index as it occurs in rows and attributes, and
// whether there is one.
func (t *FileTable) File(index uint64) (FileEntry, bool) {
	i := index - t.FirstFile()
	if i < uint64(t.files.n) {
		e, _ := t.files.get(i) // it was there when it was counted; one that is cut off has its name
		return e, true
	}
	if i -= uint64(t.files.n); i >= uint64(len(t.defined)) {
		return FileEntry{}, false
	}
	return t.defined[i], true
}
