package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var testTime = time.Unix(1700000000, 0).UTC()

func testEntries() []entry {
	return []entry{
		{name: "wasm-debugid", mode: 0o755, data: []byte("program")},
		{name: "man/wasm-debugid.1", mode: 0o644, data: []byte(".TH")},
		{name: "LICENSE", mode: 0o644, data: bytes.Repeat([]byte("text "), 1000)},
	}
}

// Archives do not depend on the order in which files come, the folder, or the time.
func TestArchivesAreTheSameBytes(t *testing.T) {
	for _, name := range []string{"a.tar.gz", "a.zip"} {
		var all [][]byte
		for range 2 {
			list := testEntries()
			if len(all) > 0 {
				slices.Reverse(list)
			}
			path := filepath.Join(t.TempDir(), name)
			if err := writeArchive(path, "folder", list, testTime); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
		if !bytes.Equal(all[0], all[1]) {
			t.Errorf("%s differs", name)
		}
		if bytes.Contains(all[0], []byte(os.TempDir())) {
			t.Errorf("%s holds the path of a folder", name)
		}
	}
}

func TestTarGz(t *testing.T) {
	list := append(testEntries(), entry{name: cargoName, mode: fs.ModeSymlink | 0o777, link: programName})
	path := filepath.Join(t.TempDir(), "a.tar.gz")
	if err := writeArchive(path, "folder", list, testTime); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if z.Name != "" || !z.ModTime.IsZero() || z.Comment != "" || z.Extra != nil {
		t.Errorf("the gzip header says more than it must: %+v", z.Header)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || !h.ModTime.Equal(testTime) || h.Format != tar.FormatUSTAR {
			t.Errorf("%s: %+v", h.Name, h)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+h.Linkname)
	}
	want := []string{
		"-rw-r--r-- folder/LICENSE ", "Lrwxrwxrwx folder/cargo-debugid wasm-debugid",
		"-rw-r--r-- folder/man/wasm-debugid.1 ", "-rwxr-xr-x folder/wasm-debugid ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestZip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := writeArchive(path, "folder", testEntries(), testTime); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var got []string
	for _, f := range z.File {
		if !f.Modified.Equal(testTime) {
			t.Errorf("%s: %v", f.Name, f.Modified)
		}
		got = append(got, f.Mode().String()+" "+f.Name)
	}
	want := []string{"-rw-r--r-- folder/LICENSE", "-rw-r--r-- folder/man/wasm-debugid.1", "-rwxr-xr-x folder/wasm-debugid"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
