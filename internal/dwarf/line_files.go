package dwarf

import "bytes"

// FileEntry is one entry of a file table.
type FileEntry struct {
	Name []byte // as written; may be relative to the directory
	Dir  uint64 // index of the directory
}

// FileTable is the table of directories and files of a line program. Rows,
// declarations and calls name files by index; [FileTable.File] knows which
// index the first file has.
type FileTable struct {
	version  uint16
	compDir  []byte
	dirs     [][]byte
	files    []FileEntry
	problems Problems
	lost     Lost // names that cannot be read
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
	t := &FileTable{version: p.Version, compDir: p.compDir}
	r := readerAt(p.d.sec.Line, p.tables, p.code)
	if p.Version >= 5 {
		p.readTables5(t, &r)
		return t
	}
	for r.more() {
		s := r.cstring()
		if len(s) == 0 {
			break
		}
		t.dirs = append(t.dirs, s)
	}
	for r.more() {
		name := r.cstring()
		if len(name) == 0 {
			break
		}
		t.files = append(t.files, fileEntry4(&r, name))
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
	ok := p.readTable5(t, r, func(e FileEntry) { t.dirs = append(t.dirs, e.Name) })
	if !ok {
		t.problems.add(p.d.errf(SecLine, uint64(at), "table of directories cannot be read"))
		return
	}
	at = r.off
	ok = p.readTable5(t, r, func(e FileEntry) { t.files = append(t.files, e) })
	if !ok {
		t.problems.add(p.d.errf(SecLine, uint64(at), "table of files cannot be read to its end"))
	}
}

func (p *LineProgram) readTable5(t *FileTable, r *reader, add func(FileEntry)) bool {
	enc := encoding{version: p.Version, addrSize: p.AddrSize, is64: p.DWARF64}
	columns := make([]columnSpec, r.u8())
	for i := range columns {
		content, form := r.uleb(), r.uleb()
		if form > 0xffff {
			return false
		}
		f := Form(form)
		columns[i] = columnSpec{content, attrSpec{form: f, size: f.size(enc)}}
	}
	count := r.uleb()
	if r.bad {
		return false
	}
	for range count {
		start := r.off
		var e FileEntry
		for i := range columns {
			c := &columns[i]
			v := readValue(r, &c.spec, enc)
			if r.bad {
				return false
			}
			switch c.content {
			case lnctPath:
				e.Name = p.tableString(t, v)
			case lnctDirectoryIndex:
				e.Dir = v.U
			}
		}
		if r.off == start {
			return false // entries of no size: the count means nothing
		}
		add(e)
	}
	return true
}

// tableString resolves a path; nil if it cannot be found, which the table counts.
func (p *LineProgram) tableString(t *FileTable, v Value) []byte {
	var s []byte
	var err error
	section := SecLineStr
	switch v.Form {
	case FormString:
		return v.B
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
	if blank := err == nil && len(s) == 0 && p.d.summary(section).zeros; err != nil || blank {
		if t.lost.Count++; t.lost.Count == 1 {
			t.lost.Section, t.lost.Value, t.lost.Entry, t.lost.Msg = section, v.U, p.Off, "is too short"
			switch {
			case blank:
				t.lost.Msg = "holds nothing but zeros"
			case len(p.d.sec.Get(section)) == 0:
				t.lost.Msg = "is missing"
			}
		}
	}
	return s
}

// Lost returns the names of directories and files that cannot be read, because the
// section that they are in holds nothing there. Lost.Entry is the offset of the
// line program in .debug_line. It reports false for none.
func (t *FileTable) Lost() (Lost, bool) { return t.lost, t.lost.Count > 0 }

// Problems returns the defects of the tables.
func (t *FileTable) Problems() Problems { return t.problems }

// Dirs returns the directories as written: entry 0 of DWARF 5 is the
// compilation directory, below DWARF 5 entry 0 is the directory with index 1.
func (t *FileTable) Dirs() [][]byte { return t.dirs }

// FirstFile returns the index of the first file: 0 in DWARF 5, else 1.
func (t *FileTable) FirstFile() uint64 {
	if t.version >= 5 {
		return 0
	}
	return 1
}

// NumFiles returns the number of files. Their indices start at FirstFile.
func (t *FileTable) NumFiles() int { return len(t.files) }

// File returns the file with an index as it occurs in rows and attributes, and
// whether there is one.
func (t *FileTable) File(index uint64) (FileEntry, bool) {
	i := index - t.FirstFile()
	if i >= uint64(len(t.files)) {
		return FileEntry{}, false
	}
	return t.files[i], true
}
