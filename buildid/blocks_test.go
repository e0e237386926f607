package buildid

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lukechampine.com/blake3"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// noise returns n bytes that depend on seed only.
func noise(n int, seed uint64) []byte {
	b := make([]byte, n)
	var key [32]byte
	key[0] = byte(seed)
	rand.NewChaCha8(key).Read(b)
	return b
}

// TestSumEqualsBLAKE3 compares with the module's own hasher at the sizes where
// the tree changes its shape.
func TestSumEqualsBLAKE3(t *testing.T) {
	ctx := context.Background()
	all := noise(5*blockSize+12345, 1)
	sizes := []int{0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3 * 1024, 8 * 1024, 8*1024 + 1, 9 * 1024,
		groupSize - 1, groupSize, groupSize + 1, 2 * groupSize, 3*groupSize + 5,
		blockSize - 1, blockSize, blockSize + 1, 2*blockSize - 1024, 2 * blockSize, 3*blockSize + 1024, 4 * blockSize, 5*blockSize + 12000}
	for range 20 {
		sizes = append(sizes, rand.IntN(5*blockSize))
	}
	for _, n := range sizes {
		off := rand.IntN(300)
		want := Digest(blake3.Sum256(all[off : off+n]))
		for _, w := range []int{1, 2, 3, 8} {
			got, err := Sum(ctx, bytes.NewReader(all), int64(off), int64(n), Options{Workers: w})
			if err != nil || got != want {
				t.Fatalf("%d bytes at %d, %d workers: %v, %v; want %v", n, off, w, got, err, want)
			}
		}
	}
}

// TestSumManyBatches passes the number of blocks that are held at a time.
func TestSumManyBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 257 MiB")
	}
	const size = (batchBlocks + 1) * blockSize
	h := blake3.New(32, nil)
	zeros := make([]byte, blockSize)
	for range batchBlocks + 1 {
		h.Write(zeros)
	}
	got, err := Sum(context.Background(), zeroReader{}, 0, size, Options{})
	if err != nil || got.String() != Digest(h.Sum(nil)).String() {
		t.Errorf("%v, %v", got, err)
	}
}

type zeroReader struct{}

func (zeroReader) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

// shortReader ends at size, whatever was promised.
type shortReader struct {
	data []byte
	size int64
}

func (r shortReader) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(r.data[:r.size]).ReadAt(p, off)
}

func TestShrunkFile(t *testing.T) {
	data := noise(4*blockSize, 2)
	cut := int64(2*blockSize + 100)
	for _, w := range []int{1, 4} {
		_, err := Sum(context.Background(), shortReader{data, cut}, 0, int64(len(data)), Options{Workers: w})
		var fe *wasm.FormatError
		if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &fe) || fe.Off < wasm.FileOffset(cut) ||
			!strings.Contains(err.Error(), "became shorter") {
			t.Errorf("%d workers: %v", w, err)
		}
	}
}

var errBroken = errors.New("broken disk")

type brokenReader struct{}

func (brokenReader) ReadAt([]byte, int64) (int, error) { return 0, errBroken }

func TestReadErrors(t *testing.T) {
	_, err := Sum(context.Background(), brokenReader{}, 0x100, blockSize, Options{})
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "0x100") {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	data := noise(8*blockSize, 3)
	for _, w := range []int{1, 2, 8} {
		ctx, cancel := context.WithCancel(context.Background())
		var hashed atomic.Int64
		_, err := Sum(ctx, bytes.NewReader(data), 0, int64(len(data)), Options{Workers: w, Progress: func(n int64) {
			hashed.Add(n)
			cancel()
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v", w, err)
		}
		// Each worker may finish the block that it was at.
		if n := hashed.Load(); n > int64(w)*blockSize {
			t.Errorf("%d workers: %d bytes hashed after the cancellation", w, n)
		}
		cancel()
	}
}

func TestProgressAddsUp(t *testing.T) {
	data := noise(9*blockSize+77, 4)
	for _, w := range []int{1, 3} {
		var sum int64
		var inside atomic.Int32
		_, err := Sum(context.Background(), bytes.NewReader(data), 0, int64(len(data)), Options{Workers: w, Progress: func(n int64) {
			if inside.Add(1) != 1 {
				t.Error("calls overlap")
			}
			time.Sleep(time.Millisecond) // long enough for another worker to arrive
			sum += n
			inside.Add(-1)
		}})
		if err != nil || sum != int64(len(data)) {
			t.Errorf("%d workers: %d of %d bytes, %v", w, sum, len(data), err)
		}
	}
}

// TestBuffersAreBounded: memory does not grow with the size of the input, and is
// small for a small one.
func TestBuffersAreBounded(t *testing.T) {
	b := newBlockReader(Options{Workers: 2})
	if _, err := b.sum(context.Background(), zeroReader{}, 0, 1000); err != nil {
		t.Fatal(err)
	}
	if n := len(b.buffers[0]) + len(b.buffers[1]); n != groupSize {
		t.Errorf("%d bytes of buffers for 1000 bytes", n)
	}
	if _, err := b.sum(context.Background(), zeroReader{}, 0, 10*blockSize); err != nil {
		t.Fatal(err)
	}
	// One worker may have taken every block before the other began.
	if n := len(b.buffers[0]) + len(b.buffers[1]); n < blockSize || n > 2*blockSize {
		t.Errorf("%d bytes of buffers for 10 blocks", n)
	}
	if n := len(newBlockReader(Options{Workers: 1 << 30}).buffers); n != maxWorkers {
		t.Errorf("%d workers", n)
	}
}
