package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"
)

// signedUvarint is the minimal signed encoding, made another way: all 64 bits
// are encoded, and bytes are cut while what is left still means the same.
func signedUvarint(v int64) []byte {
	var full []byte
	for i := 0; i < 10; i++ {
		full = append(full, byte(v>>min(7*i, 63))&0x7f)
	}
	n := 10
	for n > 1 && (full[n-1] == 0 && full[n-2]&0x40 == 0 || full[n-1] == 0x7f && full[n-2]&0x40 != 0) {
		n--
	}
	for i := range n - 1 {
		full[i] |= 0x80
	}
	return full[:n]
}

func edges(bits int) []uint64 {
	var out []uint64
	for i := 0; i < bits; i++ {
		v := uint64(1) << i
		out = append(out, v-1, v, v+1)
	}
	return append(out, math.MaxUint64>>(64-bits))
}

func TestUnsignedMinimal(t *testing.T) {
	for _, v := range edges(64) {
		want := binary.AppendUvarint(nil, v)
		if got := AppendUint64(nil, v); !bytes.Equal(got, want) {
			t.Fatalf("AppendUint64(%d) = % x, want % x", v, got, want)
		}
		got, n, err := Uint64(append(want, 0xff))
		if got != v || n != len(want) || err != nil {
			t.Fatalf("Uint64(% x) = %d, %d, %v", want, got, n, err)
		}
		got32, n, err := Uint32(want)
		switch {
		case v <= math.MaxUint32 && (uint64(got32) != v || n != len(want) || err != nil):
			t.Fatalf("Uint32(% x) = %d, %d, %v", want, got32, n, err)
		case v > math.MaxUint32 && !errors.Is(err, ErrOverflow):
			t.Fatalf("Uint32(% x): error %v, want overflow", want, err)
		}
		if v <= math.MaxUint32 {
			if got := AppendUint32(nil, uint32(v)); !bytes.Equal(got, want) || Uint32Len(uint32(v)) != len(want) {
				t.Fatalf("AppendUint32(%d) = % x, Uint32Len %d", v, got, Uint32Len(uint32(v)))
			}
		}
	}
}

func TestSignedMinimal(t *testing.T) {
	for _, u := range edges(64) {
		for _, v := range []int64{int64(u), -int64(u), ^int64(u)} {
			want := signedUvarint(v)
			if got := AppendInt64(nil, v); !bytes.Equal(got, want) {
				t.Fatalf("AppendInt64(%d) = % x, want % x", v, got, want)
			}
			if got, n, err := Int64(want); got != v || n != len(want) || err != nil {
				t.Fatalf("Int64(% x) = %d, %d, %v; want %d", want, got, n, err, v)
			}
			got32, _, err := Int32(want)
			if fits := v == int64(int32(v)); fits != (err == nil) || fits && int64(got32) != v {
				t.Fatalf("Int32(% x) = %d, %v; want %d", want, got32, err, v)
			}
			got33, _, err := Int33(want)
			if fits := v == v<<31>>31; fits != (err == nil) || fits && got33 != v {
				t.Fatalf("Int33(% x) = %d, %v; want %d", want, got33, err, v)
			}
		}
	}
}

// TestLastByte walks through every last byte of the longest encodings, of which
// only some bits belong to the number.
func TestLastByte(t *testing.T) {
	for last := 0; last < 256; last++ {
		b5 := []byte{0x80, 0x80, 0x80, 0x80, byte(last)}
		b10 := append(bytes.Repeat([]byte{0x80}, 9), byte(last))
		check := func(name string, err error, ok bool) {
			t.Helper()
			if ok != (err == nil) || !ok && !errors.Is(err, ErrOverflow) {
				t.Errorf("%s with last byte %02x: error %v, want ok %v", name, last, err, ok)
			}
		}
		_, _, err := Uint32(b5)
		check("u32", err, last < 0x10)
		_, _, err = Uint64(b10)
		check("u64", err, last < 0x02)
		_, _, err = Int32(b5)
		check("s32", err, last < 0x08 || last >= 0x78 && last < 0x80)
		_, _, err = Int33(b5)
		check("s33", err, last < 0x10 || last >= 0x70 && last < 0x80)
		_, _, err = Int64(b10)
		check("s64", err, last == 0 || last == 0x7f)
	}
}

func TestTruncatedNumbers(t *testing.T) {
	long := bytes.Repeat([]byte{0x80}, 12)
	for n := 0; n <= 10; n++ {
		b := long[:n]
		want32, want64 := ErrTruncated, ErrTruncated
		if n >= 5 {
			want32 = ErrOverflow // a sixth byte would be needed
		}
		if n >= 10 {
			want64 = ErrOverflow
		}
		_, _, e1 := Uint32(b)
		_, _, e2 := Int32(b)
		_, _, e3 := Int33(b)
		_, _, e4 := Uint64(b)
		_, _, e5 := Int64(b)
		if e1 != want32 || e2 != want32 || e3 != want32 || e4 != want64 || e5 != want64 {
			t.Errorf("%d bytes: %v %v %v %v %v", n, e1, e2, e3, e4, e5)
		}
	}
}

func TestNonMinimal(t *testing.T) {
	for _, v := range []uint32{0, 1, 63, 64, 127, 128, 16383, 16384, 1 << 21, 1<<28 - 1, 1 << 28, math.MaxUint32} {
		for width := 0; width <= 6; width++ {
			b, ok := AppendUint32Width([]byte("x"), v, width)
			if want := width >= Uint32Len(v) && width <= 5; ok != want {
				t.Fatalf("width %d of %d: ok %v, want %v", width, v, ok, want)
			}
			if !ok {
				if string(b) != "x" {
					t.Fatalf("refused, yet appended: % x", b)
				}
				continue
			}
			got, n, err := Uint32(b[1:])
			if got != v || n != width || err != nil || len(b) != 1+width {
				t.Fatalf("Uint32(% x) = %d, %d, %v; want %d", b[1:], got, n, err, v)
			}
			if got, n, err := Uint64(b[1:]); got != uint64(v) || n != width || err != nil {
				t.Fatalf("Uint64(% x) = %d, %d, %v", b[1:], got, n, err)
			}
		}
	}
	// -1 in every width of an s33, and a padded positive number.
	for width := 1; width <= 5; width++ {
		b := append(bytes.Repeat([]byte{0xff}, width-1), 0x7f)
		if v, n, err := Int33(b); v != -1 || n != width || err != nil {
			t.Errorf("Int33(% x) = %d, %d, %v", b, v, n, err)
		}
		if v, n, err := Int32(b); v != -1 || n != width || err != nil {
			t.Errorf("Int32(% x) = %d, %d, %v", b, v, n, err)
		}
	}
	if v, _, err := Int33([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}); v != math.MaxUint32 || err != nil {
		t.Errorf("the largest s33: %d, %v", v, err)
	}
}

func FuzzLEB(f *testing.F) {
	for _, s := range []string{"", "\x00", "\x7f", "\x80\x01", "\xff\xff\xff\xff\x0f", "\xff\xff\xff\xff\x7f",
		"\x80\x80\x80\x80\x80\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		u, n := binary.Uvarint(b)
		v, m, err := Uint64(b)
		switch {
		case err == nil && (v != u || m != n):
			t.Errorf("Uint64 = %d in %d bytes, binary.Uvarint = %d in %d", v, m, u, n)
		case n > 0 && err != nil, n == 0 && err != ErrTruncated && len(b) < 10, n < 0 && err != ErrOverflow:
			t.Errorf("binary.Uvarint = %d in %d bytes, Uint64: %v", u, n, err)
		}
		if v32, m, err := Uint32(b); err == nil && (uint64(v32) != u || m != n) {
			t.Errorf("Uint32 = %d in %d bytes, binary.Uvarint = %d in %d", v32, m, u, n)
		}
		s64, m64, err64 := Int64(b)
		if err64 == nil {
			if back := AppendInt64(nil, s64); len(back) > m64 {
				t.Errorf("%d was read from %d bytes, its minimal form has %d", s64, m64, len(back))
			}
		}
		s33, m33, err33 := Int33(b)
		if err33 == nil && (err64 != nil || s33 != s64 || m33 != m64) {
			t.Errorf("Int33 = %d in %d, Int64 = %d in %d, %v", s33, m33, s64, m64, err64)
		}
		if s32, m32, err := Int32(b); err == nil && (err33 != nil || int64(s32) != s33 || m32 != m33) {
			t.Errorf("Int32 = %d in %d, Int33 = %d in %d, %v", s32, m32, s33, m33, err33)
		}
	})
}

func BenchmarkUint32(b *testing.B) {
	for width := 1; width <= 5; width++ {
		enc, _ := AppendUint32Width(nil, 77, width)
		b.Run(fmt.Sprintf("width=%d", width), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(width))
			for b.Loop() {
				if v, _, _ := Uint32(enc); v != 77 {
					b.Fatal(v)
				}
			}
		})
	}
}
