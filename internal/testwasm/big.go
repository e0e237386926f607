package testwasm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// BigModule describes a valid module of any size whose bytes are computed when
// they are read, so that it needs no memory. Equal descriptions give equal
// bytes.
//
// Its functions have the type () -> (), the same length but for the last, and
// 5-byte sizes. They hold constants, calls of each other and loads, all of them
// decodable; the module has one memory and exports its first function as "run".
type BigModule struct {
	CodeBytes  int64  // length of the Code section's payload; at least 12 bytes a function
	DebugBytes int64  // total length of the contents of the .debug_ sections
	Funcs      int    // number of functions, at least 1
	Names      bool   // add a name section with all functions
	DebugFirst bool   // put the .debug_ sections in front of Code
	Sparse     bool   // the .debug_ sections hold zeros; WriteFile leaves holes for them
	Seed       uint64 // changes constants, calls and the bytes of the .debug_ sections
	Extra      []Section
}

// Big is an open BigModule: an io.ReaderAt and io.WriterTo.
type Big struct {
	parts []bigPart
	size  int64
}

// bigPart is a range of the module that fill computes.
type bigPart struct {
	start, size int64
	fill        func(p []byte, off int64)
	hole        bool
}

// Layout of a function of a BigModule: size LEB, local count, units, padding,
// end.
const (
	bigUnit    = 7 // bytes of one unit of code
	bigHeader  = 6 // bytes of the size LEB and the local count
	bigMinimum = bigHeader + 1
)

var debugNames = []string{".debug_info", ".debug_line", ".debug_str", ".debug_abbrev", ".debug_ranges"}

// Open lays the module out.
func (m BigModule) Open() (*Big, error) {
	if m.Funcs < 1 || m.CodeBytes > math.MaxUint32 || m.CodeBytes < 5+int64(m.Funcs)*12 {
		return nil, fmt.Errorf("testwasm: %d functions do not fit %d bytes of code", m.Funcs, m.CodeBytes)
	}
	b := &Big{}
	head := Build(Types(FuncType{}))
	head, _ = wasm.AppendSectionHeader(head, wasm.SectionFunction, uint32(5+m.Funcs), 5)
	head, _ = wasm.AppendUint32Width(head, uint32(m.Funcs), 5)
	b.literal(head)
	b.add(int64(m.Funcs), true, zeros)
	b.literal(Exports(Export{"run", KindFunc, 0}).Append(Memories(Limits{Min: 1}).Append(nil)))
	if m.DebugFirst {
		if err := m.debug(b); err != nil {
			return nil, err
		}
	}
	m.code(b)
	if !m.DebugFirst {
		if err := m.debug(b); err != nil {
			return nil, err
		}
	}
	if m.Names {
		m.names(b)
	}
	for _, s := range m.Extra {
		b.literal(s.Append(nil))
	}
	return b, nil
}

func (b *Big) add(size int64, hole bool, fill func([]byte, int64)) {
	b.parts = append(b.parts, bigPart{b.size, size, fill, hole})
	b.size += size
}

func (b *Big) literal(data []byte) {
	b.add(int64(len(data)), false, func(p []byte, off int64) { copy(p, data[off:]) })
}

func (m BigModule) code(b *Big) {
	head, _ := wasm.AppendSectionHeader(nil, wasm.SectionCode, uint32(m.CodeBytes), 0)
	head, _ = wasm.AppendUint32Width(head, uint32(m.Funcs), 5)
	b.literal(head)
	total := m.CodeBytes - 5
	stride := total / int64(m.Funcs)
	last := int64(m.Funcs) - 1
	b.add(total, false, func(p []byte, off int64) {
		for len(p) > 0 {
			i := min(off/stride, last)
			length := stride
			if i == last {
				length = total - i*stride
			}
			at := off - i*stride
			n := min(int64(len(p)), length-at)
			m.function(p[:n], i, at, length)
			p, off = p[n:], off+n
		}
	})
}

// function computes the bytes from at on of function i, which takes length
// bytes with its size LEB.
func (m BigModule) function(p []byte, i, at, length int64) {
	var head [bigHeader]byte
	wasm.AppendUint32Width(head[:0], uint32(length-5), 5)
	units := (length - bigMinimum) / bigUnit
	for len(p) > 0 {
		switch {
		case at < bigHeader:
			n := copy(p, head[at:])
			p, at = p[n:], at+int64(n)
		case at < bigHeader+units*bigUnit:
			k := (at - bigHeader) / bigUnit
			unit := m.unit(uint64(i)<<32 | uint64(k))
			n := copy(p, unit[at-bigHeader-k*bigUnit:])
			p, at = p[n:], at+int64(n)
		case at < length-1:
			p[0] = OpNop
			p, at = p[1:], at+1
		default:
			p[0] = OpEnd
			p = p[1:]
		}
	}
}

// unit returns seven bytes of code that leave the stack as it was.
func (m BigModule) unit(key uint64) [bigUnit]byte {
	h := mix(key ^ m.Seed*0x9e3779b97f4a7c15)
	v := uint32(h >> 8)
	switch h & 15 {
	case 0, 1: // call v; nop
		v %= uint32(m.Funcs)
		return [bigUnit]byte{OpCall, byte(v) | 0x80, byte(v>>7) | 0x80, byte(v>>14) | 0x80, byte(v>>21) | 0x80, byte(v >> 28), OpNop}
	case 2, 3, 4: // i32.load (i32.const v); drop; nop
		return [bigUnit]byte{OpI32Const, byte(v) & 0x3f, OpI32Load, 2, byte(v>>8) & 0x7f, OpDrop, OpNop}
	}
	top := byte(int8(int32(v)>>28)) & 0x7f // sign-extended
	return [bigUnit]byte{OpI32Const, byte(v) | 0x80, byte(v>>7) | 0x80, byte(v>>14) | 0x80, byte(v>>21) | 0x80, top, OpDrop}
}

// mix is a bijective hash of 64 bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (m BigModule) debug(b *Big) error {
	if m.DebugBytes > int64(len(debugNames))*(1<<32-64) {
		return fmt.Errorf("testwasm: %d debug bytes do not fit %d sections", m.DebugBytes, len(debugNames))
	}
	left := m.DebugBytes
	for i, name := range debugNames {
		if left == 0 {
			break
		}
		size := left
		if i < len(debugNames)-1 {
			size = max(left/2, min(left, 1024))
			size = min(size, 1<<32-64)
			size = max(size, left-int64(len(debugNames)-1-i)*(1<<32-64))
		}
		left -= size
		b.literal(wasm.AppendCustomHeader(nil, name, size))
		if m.Sparse {
			b.add(size, true, zeros)
			continue
		}
		seed := mix(m.Seed + uint64(i) + 1)
		b.add(size, false, func(p []byte, off int64) { noise(p, off, seed) })
	}
	return nil
}

// names writes names of one length, f00000000 and so on, under 5-byte indices.
func (m BigModule) names(b *Big) {
	const entry = 15
	size := uint32(m.Funcs)*entry + 5
	payload := append(wasm.AppendName(nil, "name"), 1)
	payload, _ = wasm.AppendUint32Width(payload, size, 5)
	payload, _ = wasm.AppendUint32Width(payload, uint32(m.Funcs), 5)
	head, _ := wasm.AppendSectionHeader(nil, wasm.SectionCustom, uint32(len(payload)-5)+size, 5)
	b.literal(append(head, payload...))
	b.add(int64(m.Funcs)*entry, false, func(p []byte, off int64) {
		var e [entry]byte
		for len(p) > 0 {
			i := off / entry
			wasm.AppendUint32Width(e[:0], uint32(i), 5)
			e[5] = 9
			copy(e[6:], fmt.Sprintf("f%08d", i%100_000_000))
			n := copy(p, e[off-i*entry:])
			p, off = p[n:], off+int64(n)
		}
	})
}

func zeros(p []byte, _ int64) { clear(p) }

func noise(p []byte, off int64, seed uint64) {
	var word [8]byte
	for len(p) > 0 {
		binary.LittleEndian.PutUint64(word[:], mix(seed^uint64(off>>3)))
		n := copy(p, word[off&7:])
		p, off = p[n:], off+int64(n)
	}
}

// Size returns the length of the module in bytes.
func (b *Big) Size() int64 { return b.size }

// ReadAt implements io.ReaderAt.
func (b *Big) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("testwasm: negative offset")
	}
	done := 0
	for _, part := range b.parts {
		if done == len(p) {
			return done, nil
		}
		at := off + int64(done) - part.start
		if at < 0 || at >= part.size {
			continue
		}
		n := int(min(int64(len(p)-done), part.size-at))
		part.fill(p[done:done+n], at)
		done += n
	}
	if done < len(p) {
		return done, io.EOF
	}
	return done, nil
}

// WriteTo implements io.WriterTo.
func (b *Big) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(b, 0, b.size), make([]byte, 1<<20))
}

// WriteFile writes the module to a new file; what is zero is left a hole where
// the file system has holes.
func (b *Big) WriteFile(name string) (err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buf := make([]byte, 1<<20)
	for _, part := range b.parts {
		if part.hole {
			continue
		}
		for at := int64(0); at < part.size; at += int64(len(buf)) {
			n := min(int64(len(buf)), part.size-at)
			part.fill(buf[:n], at)
			if _, err := f.WriteAt(buf[:n], part.start+at); err != nil {
				return err
			}
		}
	}
	return f.Truncate(b.size)
}
