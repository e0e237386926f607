package mapped

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func file(t *testing.T, b []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBytes(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), 2000)
	m, err := Open(file(t, want))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, data := range []bool{true, false} { // mapped and read
		if !data {
			if err := m.data.Unmap(); err != nil {
				t.Fatal(err)
			}
			m.data = nil
		}
		got, err := m.Bytes(5, 10_000)
		if err != nil || !bytes.Equal(got, want[5:10_005]) {
			t.Errorf("mapped %v: other bytes, %v", data, err)
		}
		for _, r := range [][2]int64{{-1, 2}, {0, -1}, {19_999, 2}, {20_001, 0}, {1, 1 << 62}} {
			if _, err := m.Bytes(r[0], r[1]); err == nil {
				t.Errorf("Bytes(%d, %d): no error", r[0], r[1])
			}
		}
	}
}

// TestOf: the file of a File that was made of it stays open.
func TestOf(t *testing.T) {
	f, err := os.Open(file(t, []byte("0123456789")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Of(f)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := m.Bytes(3, 4); err != nil || string(b) != "3456" {
		t.Errorf("%q, %v", b, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); err != nil {
		t.Errorf("the caller's file: %v", err)
	}
	f.Close()
	if _, err := Of(f); err == nil {
		t.Error("a closed file is mapped")
	}
}

func TestEmptyAndNotRegular(t *testing.T) {
	m, err := Open(file(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := m.Bytes(0, 0); err != nil || len(b) != 0 {
		t.Error(b, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory opens")
	}
}

func TestShrinkingFileIsAnError(t *testing.T) {
	name := file(t, make([]byte, 1<<20))
	m, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !m.Mapped() {
		t.Skip("files cannot be mapped here")
	}
	b, err := m.Bytes(0, m.Size())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 10); err != nil {
		t.Skip("a mapped file cannot be truncated here: ", err)
	}
	sum := 0
	err = Guard(func() {
		for _, c := range b {
			sum += int(c)
		}
	})
	if !errors.Is(err, ErrShrunk) {
		t.Errorf("got %v, want ErrShrunk", err)
	}
	if err := Guard(func() { sum += int(b[3]) }); err != nil {
		t.Errorf("a byte that is still there: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("another panic did not go through")
		}
	}()
	_ = Guard(func() { panic("other") })
}
