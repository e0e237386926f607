package symcheck

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// code checks that both files hold the same code at the same place.
func (c *checker) code() error {
	if c.comp == nil {
		return nil
	}
	p, hasP := c.prod.File.CodeSpan()
	k, hasK := c.comp.File.CodeSpan()
	switch {
	case !hasP && !hasK:
		c.checked("neither file has code")
		return nil
	case !hasK:
		c.find(CompanionNoCode, report.Location{Path: c.comp.Path},
			"the companion has no Code section, so that clients take its code to start at 0 and not at %v", p.Start)
		return nil
	case !hasP:
		c.find(CodeBytesDiffer, report.Location{Path: c.prod.Path}, "the companion has code, the production module has none")
		return nil
	}
	if p.Start != k.Start {
		at := in(c.comp, c.comp.File.Code())
		at.File = &k.Start
		shift := int64(p.Start) - int64(k.Start)
		if shift < 0 {
			shift = -shift
		}
		c.find(CodeStartDiffers, at, "the code starts at %v in the production module and at %v in the companion: "+
			"clients that take the companion's code start (Sentry, symbolic) resolve %d bytes beside the place", p.Start, k.Start, shift)
	}
	c.checked("the code starts are compared")
	if err := c.imports(); err != nil {
		return err
	}
	if c.record != nil && c.record.Kind == rewrite.CompanionSymbols.String() {
		return c.sameByDigest(p, k)
	}
	return c.sameBytes(p, k)
}

// imports compares the numbers of imported functions.
func (c *checker) imports() error {
	p, err := c.prod.File.ImportedFunctions()
	if err != nil {
		return c.damaged(c.prod, err)
	}
	k, err := c.comp.File.ImportedFunctions()
	if err != nil {
		return c.damaged(c.comp, err)
	}
	if p != k {
		c.find(ImportsDiffer, in(c.comp, c.comp.File.Section(wasm.SectionImport)),
			"the production module imports %d functions and the companion %d", p, k)
	}
	return nil
}

// damaged makes a finding of an error that is about the contents of a module.
func (c *checker) damaged(m *Module, err error) error {
	if !isFormat(err) {
		return m.fail(err)
	}
	c.find(CodeDamaged, atError(m, err), "%v", err)
	return nil
}

// sameBytes compares two payloads byte for byte, in blocks and in parallel.
func (c *checker) sameBytes(p, k wasm.CodeSpan) error {
	at := in(c.comp, c.comp.File.Code())
	if p.Size != k.Size {
		c.find(CodeBytesDiffer, at, "the code has %d bytes in the production module and %d in the companion", p.Size, k.Size)
		c.checked("the code is compared byte for byte")
		return nil
	}
	var bufs sync.Pool
	first := atomic.Int64{}
	first.Store(int64(p.Size))
	blocks := (int64(p.Size) + blockSize - 1) / blockSize
	err := c.parallel(int(blocks), func(_, i int) error {
		off := int64(i) * blockSize
		n := min(blockSize, int64(p.Size)-off)
		if off > first.Load() {
			return nil
		}
		buf, _ := bufs.Get().(*[2][]byte)
		if buf == nil {
			buf = new([2][]byte)
		}
		defer bufs.Put(buf)
		a, err := c.prod.bytes(int64(p.Start)+off, n, &buf[0])
		if err != nil {
			return c.prod.fail(err)
		}
		b, err := c.comp.bytes(int64(k.Start)+off, n, &buf[1])
		if err != nil {
			return c.comp.fail(err)
		}
		if bytes.Equal(a, b) {
			return nil
		}
		d := off
		for a[d-off] == b[d-off] {
			d++
		}
		for old := first.Load(); d < old && !first.CompareAndSwap(old, d); old = first.Load() {
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.checked("%d bytes of code are compared one by one", p.Size)
	if d := first.Load(); d < int64(p.Size) {
		where := wasm.CodeOffset(d)
		at.Code = &where
		f := c.find(CodeBytesDiffer, at, "the code differs from C %v on", where)
		if index, ok := functionAt(c.prod.File, where); ok && f != nil {
			f.Location.Index = &index
		}
		return nil
	}
	c.same = true
	return nil
}

// functionAt returns the index of the function whose body holds c.
func functionAt(f *wasm.File, c wasm.CodeOffset) (uint32, bool) {
	r, err := wasm.NewBodyReader(f)
	if err != nil {
		return 0, false
	}
	for {
		b, err := r.Next()
		if err != nil || b.Start > c {
			return 0, false
		}
		if b.Contains(c) {
			return b.Index, true
		}
	}
}

// sameByDigest compares the production module's code with the digest that a
// companion without code records, and the places of all bodies.
func (c *checker) sameByDigest(p, k wasm.CodeSpan) error {
	at := in(c.comp, c.comp.File.Code())
	c.split = true
	if c.record.Code == nil {
		return nil // found before: the record knows of no code
	}
	if !c.o.Planned {
		sum, err := buildid.Sum(c.ctx, c.prod.File, int64(p.Start), int64(p.Size), buildid.Options{Workers: c.o.Workers})
		if err != nil {
			return c.prod.fail(err)
		}
		if sum.String() != c.record.Code.BLAKE3 {
			c.find(CodeBytesDiffer, report.Location{Path: c.prod.Path, Section: c.prod.File.Code().Label()},
				"the digest of the code is not the one that the companion records")
		}
	}
	if err := c.blanked(at, k); err != nil {
		return err
	}
	same, err := c.sameBodies(at, p, k)
	if err == nil && same {
		c.checked("the digest of the code is the recorded one, and all bodies stand at the same places")
	}
	return err
}

// blanked checks that a companion whose record says that it holds no code holds
// none.
func (c *checker) blanked(at report.Location, k wasm.CodeSpan) error {
	r, err := wasm.NewBodyReaderAt(c.comp.File, k, 0)
	if err != nil {
		return c.damaged(c.comp, err)
	}
	w := window{m: c.comp, end: int64(k.End())}
	for n := 0; ; n++ {
		if n%4096 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		b, err := r.Next()
		if err != nil {
			return nil // the end, or a defect that is found where bodies are compared
		}
		code, err := w.bytes(int64(k.Start)+int64(b.Start), int64(b.End-b.Start))
		if err != nil {
			return c.comp.fail(err)
		}
		if !rewrite.IsBlank(code) {
			at.Code = &b.Start
			c.find(RecordDisagrees, at, "the record calls the companion one of kind %s, which holds no code, and from C %v on it holds some", c.record.Kind, b.Start)
			return nil
		}
	}
}

// sameBodies compares the extents of all bodies.
func (c *checker) sameBodies(at report.Location, p, k wasm.CodeSpan) (bool, error) {
	a, err := wasm.NewBodyReaderAt(c.prod.File, p, 0)
	if err != nil {
		return false, c.damaged(c.prod, err)
	}
	b, err := wasm.NewBodyReaderAt(c.comp.File, k, 0)
	if err != nil {
		return false, c.damaged(c.comp, err)
	}
	for n := 0; ; n++ {
		if n%4096 == 0 && c.ctx.Err() != nil {
			return false, c.ctx.Err()
		}
		x, errX := a.Next()
		y, errY := b.Next()
		switch {
		case errX != nil && !errors.Is(errX, io.EOF):
			return false, c.damaged(c.prod, errX)
		case errY != nil && !errors.Is(errY, io.EOF):
			return false, c.damaged(c.comp, errY)
		case errX != nil && errY != nil:
			return true, nil
		case (errX == nil) != (errY == nil) || x.Start != y.Start || x.End != y.End:
			at.Code = &x.Start
			c.find(CodeBytesDiffer, at, "function body %d stands at C %v to %v in the production module and at %v to %v in the companion",
				n, x.Start, x.End, y.Start, y.End)
			return false, nil
		}
	}
}
