package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sources returns the same bytes as an open file and as another kind of io.ReaderAt.
func sources(t testing.TB, data []byte) map[string]io.ReaderAt {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "source"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	return map[string]io.ReaderAt{"file": f, "wrapped": wrapped{f}, "reader": bytes.NewReader(data)}
}

// wrapped is a source that reads from a file that it gives.
type wrapped struct{ io.ReaderAt }

func (w wrapped) OSFile() (*os.File, error) { return w.ReaderAt.(*os.File), nil }

func noise(n int) []byte {
	data := make([]byte, n)
	rng := rand.NewChaCha8([32]byte{1})
	rng.Read(data)
	return data
}

func TestCopyRange(t *testing.T) {
	data := noise(3<<20 + 17)
	for kind, src := range sources(t, data) {
		for _, tc := range []struct{ off, n int }{
			{0, 0}, {0, 1}, {5, 1000}, {0, len(data)}, {1, len(data) - 1}, {7, copyDirect}, {7, copyDirect - 1}, {len(data), 0},
		} {
			for _, size := range []int{0, 1 << 16, 12345} {
				t.Run(fmt.Sprint(kind, tc.off, "+", tc.n, " buffer ", size), func(t *testing.T) {
					dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
					if err != nil {
						t.Fatal(err)
					}
					defer dst.Close()
					if _, err := dst.WriteString("head"); err != nil {
						t.Fatal(err)
					}
					var told int64
					err = CopyRange(context.Background(), dst, src, int64(tc.off), int64(tc.n), make([]byte, size), func(n int64) { told += n })
					if err != nil {
						t.Fatal(err)
					}
					if _, err := dst.WriteString("tail"); err != nil {
						t.Fatal(err)
					}
					got, err := os.ReadFile(dst.Name())
					want := "head" + string(data[tc.off:tc.off+tc.n]) + "tail"
					if err != nil || string(got) != want {
						t.Errorf("copied %d bytes, want %d, or others (%v)", len(got), len(want), err)
					}
					if told != int64(tc.n) {
						t.Errorf("progress told %d of %d", told, tc.n)
					}
				})
			}
		}
		if f, ok := src.(*os.File); ok {
			if pos, err := f.Seek(0, io.SeekCurrent); err != nil || pos != int64(len(data)) {
				t.Errorf("the source's position was moved to %d (%v)", pos, err)
			}
		}
	}
}

func TestCopyRangeErrors(t *testing.T) {
	data := noise(1 << 20)
	for kind, src := range sources(t, data) {
		t.Run(kind, func(t *testing.T) {
			dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
			if err != nil {
				t.Fatal(err)
			}
			defer dst.Close()
			ctx := context.Background()
			for _, off := range []int64{0, 1<<20 - 10, 1 << 20} {
				err := CopyRange(ctx, dst, src, off, 1<<20+5, nil, nil)
				if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "ends at offset 0x100000") {
					t.Errorf("short source from %d: %v", off, err)
				}
			}
			err = CopyRange(ctx, dst, src, 2<<20, 1<<20, nil, nil)
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "ends at offset 0x200000") {
				t.Errorf("start behind the end: %v", err)
			}
			if CopyRange(ctx, dst, src, -1, 1, nil, nil) == nil || CopyRange(ctx, dst, src, 0, -1, nil, nil) == nil {
				t.Error("negative values were accepted")
			}
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			if err := CopyRange(cancelled, dst, src, 0, 1<<20, nil, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			dst.Close()
			if err := CopyRange(ctx, dst, src, 0, 1<<20, nil, nil); !errors.Is(err, os.ErrClosed) {
				t.Errorf("closed destination: %v", err)
			}
		})
	}
}

// The name of an open source may be gone or belong to another file by now.
func TestCopyRangeUnlinkedSource(t *testing.T) {
	data := noise(1 << 20)
	f := sources(t, data)["file"].(*os.File)
	if err := os.Remove(f.Name()); err != nil {
		t.Skipf("open files cannot be removed here: %v", err)
	}
	put(t, f.Name(), noise(1 << 20)[1:], 0o644)
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	if err := CopyRange(context.Background(), dst, f, 0, 1<<20, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(dst.Name()); err != nil || !bytes.Equal(got, data) {
		t.Errorf("another file was copied (%v)", err)
	}
}

func BenchmarkCopy(b *testing.B) {
	const size = 64 << 20
	data := noise(size)
	for _, bc := range []struct {
		name string
		copy func(dst, src *os.File) error
	}{
		{"CopyRange file", func(dst, src *os.File) error {
			return CopyRange(context.Background(), dst, src, 0, size, nil, nil)
		}},
		{"CopyRange other", func(dst, src *os.File) error {
			return CopyRange(context.Background(), dst, io.NewSectionReader(src, 0, size), 0, size, nil, nil)
		}},
		{"io.Copy file", func(dst, src *os.File) error {
			if _, err := src.Seek(0, io.SeekStart); err != nil {
				return err
			}
			_, err := io.Copy(dst, src)
			return err
		}},
		{"io.Copy section", func(dst, src *os.File) error {
			_, err := io.Copy(dst, io.NewSectionReader(src, 0, size))
			return err
		}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			src := sources(b, data)["file"].(*os.File)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				dst, err := os.CreateTemp(b.TempDir(), "")
				if err != nil {
					b.Fatal(err)
				}
				if err := bc.copy(dst, src); err != nil {
					b.Fatal(err)
				}
				dst.Close()
				os.Remove(dst.Name())
			}
		})
	}
}

// BenchmarkCommit is the price of the protocol for a small pair: mostly the syncs.
func BenchmarkCommit(b *testing.B) {
	for _, s := range []struct {
		name string
		ids  []string
	}{{"changing", []string{"one", "two"}}, {"unchanged", []string{"one"}}} {
		b.Run(s.name, func(b *testing.B) {
			dir := b.TempDir()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := pairOf(dir, s.ids[i%len(s.ids)], nil).Commit(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
