package testwasm

import (
	"bytes"
	"errors"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// nodeValidate reports whether V8 takes b for a valid module.
func nodeValidate(t *testing.T, b []byte) bool {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: validity is not checked")
	}
	name := filepath.Join(t.TempDir(), "m.wasm")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	script := `process.exit(WebAssembly.validate(require("fs").readFileSync(process.argv[1])) ? 0 : 9)`
	err = exec.Command(node, "-e", script, name).Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 9) {
		t.Fatal(err)
	}
	return err == nil
}

func TestSampleIsValid(t *testing.T) {
	b := Build(Sample()...)
	if _, err := wasm.NewFile(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatal(err)
	}
	if !nodeValidate(t, b) {
		t.Error("V8 refuses the sample")
	}
	// The witness has to be able to say no.
	broken := Build(Replace(Sample(), "start", Start(99))...)
	if nodeValidate(t, broken) {
		t.Error("V8 accepts a start function that does not exist")
	}
}

func TestEveryKindIsValid(t *testing.T) {
	b := Build(
		Types(FuncType{}, FuncType{Params: []byte{I32}}),
		Imports(
			Import{Module: "m", Name: "f", Kind: KindFunc, Type: 1},
			Import{Module: "m", Name: "t", Kind: KindTable, Limits: Limits{Min: 1}},
			Import{Module: "m", Name: "mem", Kind: KindMemory, Limits: Limits{Min: 1, Max: 2, HasMax: true, Shared: true}},
			Import{Module: "m", Name: "g", Kind: KindGlobal, Val: I64, Mutable: true},
			Import{Module: "m", Name: "tag", Kind: KindTag, Type: 1},
		).Pad(5),
		Functions(0),
		Tables(Table{Ref: ExternRef, Limits: Limits{Min: 3}}),
		Tags(1),
		Globals(Global{Val: I32, Init: []byte{OpI32Const, 1}}),
		DataCount(1),
		Code(Fn(OpNop).With(1, V128).Pad(4)).Pad(3),
		Data(Segment{Passive: true, Bytes: []byte("x")}),
	)
	if !nodeValidate(t, b) {
		t.Error("V8 refuses the module")
	}
}

func TestEditing(t *testing.T) {
	s := Sample()
	n := len(s)
	s = Before(s, "code", Custom("x", nil))
	s = After(s, "type", Custom("y", nil), Unknown(77, nil))
	if len(s) != n+3 || s[1].Name != "y" || s[2].ID != 77 || s[Find(s, "code")-1].Name != "x" {
		t.Errorf("wrong order: %+v", s)
	}
	if got := Without(s, "x", "y", "unknown section 77"); len(got) != n {
		t.Errorf("%d sections are left, want %d", len(got), n)
	}
	if Find(Without(s, "code"), "code") >= 0 {
		t.Error("code is still there")
	}
}

func TestClaimAndPad(t *testing.T) {
	got := Custom("n", []byte("ab")).Claim(200).Pad(4).Append(nil)
	want := []byte{0, 0xc8, 0x81, 0x80, 0x00, 1, 'n', 'a', 'b'}
	if !bytes.Equal(got, want) {
		t.Errorf("got % x, want % x", got, want)
	}
	body := RawBody(0, 11).Claim(9).Pad(2).Append(nil)
	if want := []byte{0x89, 0x00, 0, 11}; !bytes.Equal(body, want) {
		t.Errorf("got % x, want % x", body, want)
	}
}

func TestBigModule(t *testing.T) {
	for _, m := range []BigModule{
		{CodeBytes: 17, Funcs: 1},
		{CodeBytes: 30_000, DebugBytes: 50_001, Funcs: 77, Names: true, Seed: 7},
		{CodeBytes: 5_000, DebugBytes: 100_000, Funcs: 3, DebugFirst: true, Sparse: true, Extra: []Section{BuildID([]byte("0123456789abcdef"))}},
	} {
		big, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		if n, err := big.WriteTo(&buf); err != nil || n != big.Size() || int64(buf.Len()) != n {
			t.Fatalf("wrote %d of %d bytes: %v", n, big.Size(), err)
		}
		whole := buf.Bytes()
		rnd := rand.New(rand.NewSource(1))
		for range 2000 {
			off := rnd.Intn(len(whole) + 10)
			p := make([]byte, rnd.Intn(40))
			n, err := big.ReadAt(p, int64(off))
			want := whole[min(off, len(whole)):min(off+len(p), len(whole))]
			if !bytes.Equal(p[:n], want) || (n < len(p)) != (err == io.EOF) {
				t.Fatalf("%d bytes at %d: got % x and %v, want % x", len(p), off, p[:n], err, want)
			}
		}
		name := filepath.Join(t.TempDir(), "big.wasm")
		if err := big.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("the written file differs: %v", err)
		}
		f, err := wasm.NewFile(big, big.Size())
		if err != nil {
			t.Fatal(err)
		}
		if f.Code().Size != uint32(m.CodeBytes) || f.HasDebug() != (m.DebugBytes > 0) {
			t.Errorf("code has %d bytes, debug %v", f.Code().Size, f.HasDebug())
		}
		var debug int64
		for i := range f.Sections {
			if f.Sections[i].IsDebug() {
				debug += f.Sections[i].DataSize()
			}
		}
		if debug != m.DebugBytes {
			t.Errorf("%d debug bytes, want %d", debug, m.DebugBytes)
		}
		if !nodeValidate(t, whole) {
			t.Errorf("V8 refuses %+v", m)
		}
	}
}

func TestBigModuleOfThreeGiB(t *testing.T) {
	big, err := BigModule{CodeBytes: 1 << 20, DebugBytes: 3 << 30, Funcs: 100, Sparse: true}.Open()
	if err != nil {
		t.Fatal(err)
	}
	count := &Counting{R: big}
	if _, err := wasm.NewFile(count, big.Size()); err != nil {
		t.Fatal(err)
	}
	if big.Size() < 3<<30 || count.Bytes.Load() > 1<<16 {
		t.Errorf("size %d, scan read %d bytes", big.Size(), count.Bytes.Load())
	}
}

func TestReaders(t *testing.T) {
	data := []byte("0123456789")
	p := make([]byte, 4)
	if n, err := (Shrunk{bytes.NewReader(data), 5}).ReadAt(p, 3); n != 2 || err != io.EOF {
		t.Errorf("shrunk: %d, %v", n, err)
	}
	want := errors.New("disk")
	f := Failing{bytes.NewReader(data), 5, want}
	if n, err := f.ReadAt(p, 3); n != 2 || !errors.Is(err, want) {
		t.Errorf("failing: %d, %v", n, err)
	}
	if n, err := f.ReadAt(p, 1); n != 4 || err != nil {
		t.Errorf("failing before the place: %d, %v", n, err)
	}
}

func BenchmarkBigModule(b *testing.B) {
	big, err := BigModule{CodeBytes: 8 << 20, DebugBytes: 8 << 20, Funcs: 10_000, Names: true}.Open()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(big.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := big.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
