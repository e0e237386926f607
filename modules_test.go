package debugid_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	debugid "github.com/wasm-debugid/wasm-debugid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// odd is a module that no linker writes and that is valid: DWARF before the code
// and between code and data, padded sizes, custom sections that repeat, are empty
// or have odd names, a section that looks like DWARF, an ID in the raw form that
// old tools wrote, and a pointer to a companion that stands first.
func odd() []byte {
	return tw.Build(
		tw.ExternalDebugInfo("https://old.example/odd.debug.wasm").Pad(4),
		tw.Custom("go:buildid", []byte("\xff Go build ID: \"odd\"\n \xff")).Pad(5),
		tw.Types(tw.FuncType{}, tw.FuncType{Params: []byte{tw.I32}, Results: []byte{tw.I32}}).Pad(3),
		tw.Custom(".debug_str", []byte("/home/alice/odd.c\x00odd\x00")),
		tw.Imports(tw.Import{Module: "env", Name: "f", Kind: tw.KindFunc, Type: 0}),
		tw.Functions(1, 0),
		tw.Memories(tw.Limits{Min: 1}),
		tw.Custom("build_id", []byte("\xf0\xf1\xf2\xf3\xf4\xf5\x46\xf7\xb8\xf9\xfa\xfb\xfc\xfd\xfe\xff")),
		tw.Exports(tw.Export{Name: "twice", Kind: tw.KindFunc, Index: 1}),
		tw.Custom("metadata.code.branch_hint", []byte{0}),
		tw.Custom(".debug_info.old", make([]byte, 20)),
		tw.Code(
			tw.Fn(tw.OpLocalGet, 0, tw.OpLocalGet, 0, 0x6a).Pad(5),
			tw.Fn(tw.OpCall, 0),
		).Pad(4),
		tw.Custom(".debug_line", make([]byte, 12)),
		tw.Data(tw.Segment{Offset: 8, Bytes: []byte("/home/alice/secret")}),
		tw.Custom("debug_info", []byte("no DWARF, for want of a dot")),
		tw.Custom("caf\xe9", []byte("a name that is not UTF-8")),
		tw.Custom("twin", []byte{1}),
		tw.Custom("twin", []byte{2}),
		tw.Names{Module: "odd.wasm", Functions: tw.List("f", "twice", "go")}.Section(),
		tw.Custom("", nil),
	)
}

func TestOddModule(t *testing.T) {
	path := filepath.Join("testdata", "odd", "odd.wasm")
	if *update {
		write(t, path, odd())
	}
	in := read(t, path)
	if !bytes.Equal(in, odd()) {
		t.Fatal("testdata/odd/odd.wasm is not what odd builds; run the test with -update")
	}
	out := filepath.Join(t.TempDir(), "odd.wasm")
	r := split(t, debugid.SplitOptions{Input: path, Output: out})
	if got, want := r.ID.String(), "f0f1f2f3f4f546f7b8f9fafbfcfdfeff"; got != want {
		t.Errorf("ID %s, want the module's own, %s", got, want)
	}
	from, _ := r.Plan.Input.CodeSpan()
	p, _ := r.Plan.ProductionFile.CodeSpan()
	c, _ := r.Plan.CompanionFile.CodeSpan()
	if p != c || p.Start >= from.Start || p.Size != from.Size {
		t.Errorf("code at %v and %v, in the input at %v", p, c, from)
	}
	// The ID stays in its own form, unless it is to be normalised.
	f, err := wasm.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s := f.Custom("build_id"); s.DataSize() != 16 || s.Index >= f.Code().Index {
		t.Errorf("the ID was rewritten or moved: %+v", s)
	}
	n := split(t, debugid.SplitOptions{Input: path, Output: out, Options: rewrite.Options{NormalizeBuildID: true}})
	if !bytes.HasSuffix(read(t, out), append([]byte("\x08build_id\x10"), n.ID...)) {
		t.Error("a normalised ID stands last, in the convention's form")
	}
}

// A program of the Go toolchain behaves the same before and after.
func TestGoModule(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "hello.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-o", in, "main.go")
	cmd.Dir = filepath.Join("testdata", "go")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	want := run(t, in)
	if want != "hello from wasm\n" {
		t.Fatalf("the input prints %q", want)
	}
	r := split(t, debugid.SplitOptions{Input: in, Output: filepath.Join(dir, "out.wasm")})
	if got := run(t, r.Production); got != want {
		t.Errorf("the production module prints %q", got)
	}
	f := r.Plan.ProductionFile
	if f.Sections[0].Name != wasm.CustomGoBuildID || f.Sections[0].SizeWidth != 5 || f.Code().SizeWidth != 5 {
		t.Error("go:buildid or the padding of sizes is gone")
	}
	if e := r.Plan.Production.Extents()[0]; e.Kind != rewrite.ExtentSource || e.Len != r.InputSize {
		t.Errorf("the first extent is %+v, want the whole input as it is", e)
	}
	symbols := split(t, debugid.SplitOptions{Input: in, Output: filepath.Join(dir, "out2.wasm"), Options: rewrite.Options{Companion: rewrite.CompanionSymbols}})
	if err := compile(read(t, symbols.Companion)); err != nil {
		t.Errorf("the companion without code is not valid: %v", err)
	}
}

// run runs a WASI command and returns what it prints.
func run(t *testing.T, path string) string {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out bytes.Buffer
	_, err := r.InstantiateWithConfig(ctx, read(t, path), wazero.NewModuleConfig().WithStdout(&out).WithStderr(&out))
	if exit, ok := err.(*sys.ExitError); err != nil && (!ok || exit.ExitCode() != 0) {
		t.Fatal(err)
	}
	return out.String()
}

func compile(b []byte) error {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	_, err := r.CompileModule(ctx, b)
	return err
}
