package buildid

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Options are the knobs of everything here that reads whole files.
type Options struct {
	// Workers is the number of goroutines that read and hash. Zero or less means
	// one for each CPU that the process may use. Results do not depend on it.
	Workers int
	// Progress, if set, is called after each piece with the number of bytes that
	// were hashed since the last call. Calls do not overlap.
	Progress func(n int64)
}

const (
	// blockSize is what one worker reads and hashes at a time. It is the chunk of
	// wasm-ld's build IDs, and 2^10 BLAKE3 chunks, hence one whole subtree.
	blockSize = 1 << 20
	// batchBlocks bounds the results that are held before they are folded.
	batchBlocks = 256
	// maxWorkers bounds the buffers, which take blockSize each.
	maxWorkers = 64
)

// blockReader hands the blocks of extents to workers. It keeps their buffers
// between extents, so that one serves for all sections of a module. It must not
// be used by several goroutines at a time.
type blockReader struct {
	workers  int
	buffers  [][]byte
	mu       sync.Mutex
	progress func(int64)
}

func newBlockReader(o Options) *blockReader {
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = min(n, maxWorkers)
	return &blockReader{workers: n, buffers: make([][]byte, n), progress: o.Progress}
}

// buffer returns worker w's buffer, with room for size bytes rounded up to
// whole groups of the tree hash, which reads whole groups.
func (b *blockReader) buffer(w int, size int64) []byte {
	size = min((size+groupSize-1)/groupSize*groupSize, blockSize)
	if int64(len(b.buffers[w])) < size {
		b.buffers[w] = make([]byte, size)
	}
	return b.buffers[w]
}

func (b *blockReader) report(n int) {
	if b.progress == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress(int64(n))
}

// hashBlocks reads size bytes of r from off on, block by block, calls hash for
// each block on several goroutines and fold for each result in order. A block
// passed to hash is blockSize bytes long, but for the last one, and has capacity
// up to the next whole group. An extent of no bytes has no blocks.
func hashBlocks[T any](ctx context.Context, b *blockReader, r io.ReaderAt, off, size int64,
	hash func(block []byte, index int64) T, fold func(T)) error {
	blocks := (size + blockSize - 1) / blockSize
	one := func(w int, i int64) (T, error) {
		n := min(size-i*blockSize, blockSize)
		buf := b.buffer(w, n)
		if err := ctx.Err(); err != nil {
			var none T
			return none, err
		}
		if err := readFull(r, buf[:n], off+i*blockSize); err != nil {
			var none T
			return none, err
		}
		v := hash(buf[:n], i)
		b.report(int(n))
		return v, nil
	}
	workers := int(min(int64(b.workers), blocks))
	if workers <= 1 {
		for i := range blocks {
			v, err := one(0, i)
			if err != nil {
				return err
			}
			fold(v)
		}
		return nil
	}
	results := make([]T, min(blocks, batchBlocks))
	errs := make([]error, workers)
	for first := int64(0); first < blocks; first += batchBlocks {
		batch := min(blocks-first, batchBlocks)
		var next atomic.Int64
		var failed atomic.Bool
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for !failed.Load() {
					i := next.Add(1) - 1
					if i >= batch {
						return
					}
					v, err := one(w, first+i)
					if err != nil {
						errs[w] = err
						failed.Store(true)
						return
					}
					results[i] = v
				}
			})
		}
		wg.Wait()
		if err := firstError(errs); err != nil {
			return err
		}
		for _, v := range results[:batch] {
			fold(v)
		}
	}
	return nil
}

// firstError picks the error at the lowest offset, so that the message does not
// depend on which worker came first.
func firstError(errs []error) error {
	var best error
	var at wasm.FileOffset
	for _, err := range errs {
		var fe *wasm.FormatError
		switch {
		case err == nil:
		case !errors.As(err, &fe):
			return err // the context's
		case best == nil || fe.Off < at:
			best, at = err, fe.Off
		}
	}
	return best
}

// readFull fills p from r at off. The extent was inside the file when it was
// opened, so that an early end means that the file has shrunk.
func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return &wasm.FormatError{Off: wasm.FileOffset(off + int64(n)), Err: io.ErrUnexpectedEOF,
			Msg: "the file became shorter while it was being hashed"}
	}
	return &wasm.FormatError{Off: wasm.FileOffset(off), Msg: "reading the file", Err: err}
}
