package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // with slashes, below the archive's folder
	mode fs.FileMode
	data []byte
	link string // what a symbolic link points to; it has no data
}

// contents lists the files of a platform's archive. Its second name costs a tar
// archive nothing. A zip archive would hold the program twice, so that on Windows
// it is made by copying, which the README in it says.
func contents(src *source, t target, program, extras string) ([]entry, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	list := []entry{{name: t.program(), mode: 0o755, data: data}}
	if t.os != "windows" {
		list = append(list, entry{name: cargoName, mode: fs.ModeSymlink | 0o777, link: programName})
	}
	names := append(slices.Clone(copied), noticesName)
	for _, m := range made {
		names = append(names, m.path)
	}
	for _, name := range names {
		if data, err = os.ReadFile(filepath.Join(extras, name)); err != nil {
			return nil, err
		}
		list = append(list, entry{name: name, mode: 0o644, data: data})
	}
	return list, nil
}

// writeArchive writes a .tar.gz or .zip file. Order, owners, times and modes come
// from here alone.
func writeArchive(name, folder string, entries []entry, modified time.Time) error {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".zip") {
		err = writeZip(f, folder, entries, modified)
	} else {
		err = writeTarGz(f, folder, entries, modified)
	}
	return errors.Join(err, f.Close())
}

func writeTarGz(w io.Writer, folder string, entries []entry, modified time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression) // no name and no time in the header
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: path.Join(folder, e.name),
			Mode: int64(e.mode.Perm()), Size: int64(len(e.data)), ModTime: modified}
		if e.link != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.link
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func writeZip(w io.Writer, folder string, entries []entry, modified time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range entries {
		h := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: modified}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}
