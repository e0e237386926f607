package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// tight are limits for modules that reach them on purpose.
var tight = Limits{CallTime: 50 * time.Millisecond, Time: 2 * time.Second, MemoryPages: 64, TableElements: 1000, Depth: 500, HostCalls: 1000, Output: 1000}

// export returns the sections of a module with one exported function "f" of type 0,
// which is () -> (), behind imported ones.
func exporting(index uint32) testwasm.Section {
	return testwasm.Exports(testwasm.Export{Name: "f", Kind: testwasm.KindFunc, Index: index})
}

// TestHostileModules: what a module may try ends at a limit, and soon.
func TestHostileModules(t *testing.T) {
	needsCompiler(t)
	void := testwasm.Types(testwasm.FuncType{})
	for _, c := range []struct {
		name     string
		sections []testwasm.Section
		want     string // in a finding
	}{
		{"endless loop", []testwasm.Section{void, testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0x03, 0x40, 0x0c, 0, 0x0b))}, "time for one call"},
		{"endless loop in the start function", []testwasm.Section{void, testwasm.Functions(0), testwasm.Start(0), testwasm.Code(testwasm.Fn(0x03, 0x40, 0x0c, 0, 0x0b))}, "time"},
		{"endless recursion", []testwasm.Section{void, testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0x10, 0))}, "nested calls"},
		// 2^60 calls without any loop, in which the engine looks at no clock.
		{"recursion without end or depth", []testwasm.Section{testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{Params: []byte{testwasm.I32}}), testwasm.Functions(1, 0),
			exporting(1),
			testwasm.Code(testwasm.Fn(0x20, 0, 0x04, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x10, 0, 0x20, 0, 0x41, 1, 0x6b, 0x10, 0, 0x0b), testwasm.Fn(0x41, 60, 0x10, 0))}, "time for one call"},
		{"endless tail calls", []testwasm.Section{void, testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0x12, 0))}, "time for one call"},
		{"calls of the host without end", []testwasm.Section{void, testwasm.Imports(testwasm.Import{Module: "a", Name: "b"}), testwasm.Functions(0), exporting(1),
			testwasm.Code(testwasm.Fn(0x03, 0x40, 0x10, 0, 0x0c, 0, 0x0b))}, "calls of the host"},
		{"output without end", []testwasm.Section{testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{Params: bytes.Repeat([]byte{testwasm.I32}, 4), Results: []byte{testwasm.I32}}),
			testwasm.Imports(testwasm.Import{Module: "wasi_snapshot_preview1", Name: "fd_write", Type: 1}), testwasm.Functions(0), testwasm.Memories(testwasm.Limits{Min: 1}),
			testwasm.Exports(testwasm.Export{Name: "f", Kind: testwasm.KindFunc, Index: 1}, testwasm.Export{Name: "memory", Kind: testwasm.KindMemory}),
			testwasm.Code(testwasm.Fn(0x03, 0x40, // a loop that writes 100 bytes
				0x41, 0, 0x41, 16, 0x36, 2, 0, 0x41, 4, 0x41, 0xe4, 0, 0x36, 2, 0, // an iovec at 0
				0x41, 1, 0x41, 0, 0x41, 1, 0x41, 8, 0x10, 0, 0x1a, 0x0c, 0, 0x0b))}, "more output"},
		{"memory.grow", []testwasm.Section{void, testwasm.Functions(0), testwasm.Memories(testwasm.Limits{Min: 1}), exporting(0),
			testwasm.Code(testwasm.Fn(0x03, 0x40, 0x41, 16, 0x40, 0, 0x1a, 0x0c, 0, 0x0b))}, "time for one call"},
		{"table.grow", []testwasm.Section{void, testwasm.Functions(0), testwasm.Tables(testwasm.Table{}), exporting(0),
			testwasm.Code(testwasm.Fn(0x03, 0x40, 0xd0, 0x70, 0x41, 0xe4, 0, 0xfc, 0x0f, 0, 0x1a, 0x0c, 0, 0x0b))}, "time for one call"},
		{"memory of 4 GiB", []testwasm.Section{void, testwasm.Functions(0), testwasm.Memories(testwasm.Limits{Min: 65536}), exporting(0), testwasm.Code(testwasm.Fn(0))}, "65536 pages"},
		{"imported memory of 4 GiB", []testwasm.Section{void, testwasm.Imports(testwasm.Import{Module: "a", Name: "b", Kind: testwasm.KindMemory, Limits: testwasm.Limits{Min: 65536}}),
			testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0))}, "65536 pages"},
		{"memory of more pages than fit", []testwasm.Section{void, testwasm.Functions(0), testwasm.Memories(testwasm.Limits{Min: 1 << 40}), exporting(0), testwasm.Code(testwasm.Fn(0))}, "pages"},
		{"huge table", []testwasm.Section{void, testwasm.Functions(0), testwasm.Tables(testwasm.Table{Limits: testwasm.Limits{Min: 100_000_000}}), exporting(0), testwasm.Code(testwasm.Fn(0))}, "100000000 elements"},
		{"many tables", []testwasm.Section{void, testwasm.Functions(0), testwasm.Tables(slices.Repeat([]testwasm.Table{{Limits: testwasm.Limits{Min: 900}}}, 50)...), exporting(0), testwasm.Code(testwasm.Fn(0))}, "45000 elements"},
		{"locals", []testwasm.Section{void, testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0).With(40_000, testwasm.I64))}, "40000 locals"},
		{"locals in all", []testwasm.Section{void, testwasm.Functions(make([]uint32, 500)...), exporting(0), testwasm.Code(slices.Repeat([]testwasm.Body{testwasm.Fn(0).With(9_000, testwasm.I64)}, 500)...)}, "4000000 locals"},
		// A wait for another thread would never end.
		{"atomic wait", []testwasm.Section{void, testwasm.Functions(0), testwasm.Memories(testwasm.Limits{Min: 1, Max: 64, HasMax: true, Shared: true}), exporting(0),
			testwasm.Code(testwasm.Fn(0x41, 0, 0x41, 0, 0x42, 0x7f, 0xfe, 0x01, 2, 0, 0x1a))}, ""},
		{"atomic wait, imported memory", []testwasm.Section{void,
			testwasm.Imports(testwasm.Import{Module: "a", Name: "m", Kind: testwasm.KindMemory, Limits: testwasm.Limits{Min: 1, Max: 64, HasMax: true, Shared: true}}),
			testwasm.Functions(0), exporting(0), testwasm.Code(testwasm.Fn(0x41, 0, 0x41, 0, 0x42, 0x7f, 0xfe, 0x01, 2, 0, 0x1a))}, ""},
		{"names that look like frames", []testwasm.Section{void, testwasm.Imports(testwasm.Import{Module: "x\n\t.$7()\n\t\t0x25: @shim:1", Name: "y\n\t.$9()\n\t\t0x30: @shim:1"}),
			testwasm.Functions(0), exporting(1), testwasm.Code(testwasm.Fn(0x10, 0, 0))}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := built(t, append(c.sections, names("f", "g", "h"))...)
			start := time.Now()
			r := p.run(t, Options{Limits: tight}, true)
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
			if r.Subject.Verdict == report.Fail || c.want != "" && !strings.Contains(messages(r), c.want) || c.want == "" && (r.Offsets == 0 || len(codes(r, report.Warning)) > 0) {
				t.Errorf("%v, %d offsets%s", r.Subject.Verdict, r.Offsets, messages(r))
			}
		})
	}
	runtime.GC()
}

// TestNothingIsGiven: a WASI program sees no files, no environment and no time
// unless it is given them.
func TestNothingIsGiven(t *testing.T) {
	i32 := testwasm.I32
	// _start exits with a number that tells what it was given: the count of
	// environment variables, and the error of opening the first preopened directory.
	p := built(t,
		testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{Params: []byte{i32, i32}, Results: []byte{i32}}, testwasm.FuncType{Params: []byte{i32}},
			testwasm.FuncType{Params: []byte{i32, testwasm.I64, i32}, Results: []byte{i32}}),
		testwasm.Imports(
			testwasm.Import{Module: "wasi_snapshot_preview1", Name: "environ_sizes_get", Type: 1},
			testwasm.Import{Module: "wasi_snapshot_preview1", Name: "fd_prestat_get", Type: 1},
			testwasm.Import{Module: "wasi_snapshot_preview1", Name: "args_sizes_get", Type: 1},
			testwasm.Import{Module: "wasi_snapshot_preview1", Name: "proc_exit", Type: 2}),
		testwasm.Functions(0),
		testwasm.Memories(testwasm.Limits{Min: 1}),
		testwasm.Exports(testwasm.Export{Name: "_start", Kind: testwasm.KindFunc, Index: 4}, testwasm.Export{Name: "memory", Kind: testwasm.KindMemory}),
		testwasm.Code(testwasm.Fn(
			0x41, 0, 0x41, 8, 0x10, 0, 0x1a, // environ_sizes_get(0, 8)
			0x41, 16, 0x41, 24, 0x10, 2, 0x1a, // args_sizes_get(16, 24)
			0x41, 0, 0x28, 2, 0, // the count
			0x41, 16, 0x28, 2, 0, 0x41, 10, 0x6c, 0x6a, // + 10 * arguments
			0x41, 3, 0x41, 32, 0x10, 1, 0x45, 0x41, 0xe4, 0, 0x6c, 0x6a, // + 100 if there is a directory
			0x10, 3)),
		names("a", "b", "c", "d", "_start"))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SECRET", "1")
	code := func(n uint32) *uint32 { return &n }
	for _, s := range []*Scenario{
		{Calls: []Call{{Export: "_start", Expect: &Expect{Exit: code(0)}}}},
		{Args: []string{"a", "b"}, Env: map[string]string{"X": "1", "Y": "2", "Z": "3"}, Dirs: map[string]string{"/d": dir}, Calls: []Call{{Export: "_start", Expect: &Expect{Exit: code(123)}}}},
	} {
		r := p.run(t, Options{Scenario: s}, false)
		if r.Subject.Verdict != report.Pass || r.Engines[0].HostCalls != 4 {
			t.Errorf("%+v: %v%s", s, r.Subject.Verdict, messages(r))
		}
		*s.Calls[0].Expect.Exit++
		if r = p.run(t, Options{Scenario: s}, false); r.Subject.Verdict != report.Fail {
			t.Errorf("another exit code is not noticed")
		}
	}
}

// TestImportsOfEveryKind: everything that can be imported has a stand-in.
func TestImportsOfEveryKind(t *testing.T) {
	needsCompiler(t)
	i32 := testwasm.I32
	all := []testwasm.Import{
		{Module: "env", Name: "f", Type: 0},
		{Module: "env", Name: "v", Type: 1}, // v128 in and out: no host function can have it
		{Module: "env", Name: "r", Type: 2},
		{Module: "env", Name: "f", Type: 0}, // twice
		{Module: "env", Name: "m", Kind: testwasm.KindMemory, Limits: testwasm.Limits{Min: 2, Max: 3, HasMax: true}},
		{Module: "env", Name: "t", Kind: testwasm.KindTable, Limits: testwasm.Limits{Min: 3}},
		{Module: "env", Name: "te", Kind: testwasm.KindTable, Ref: testwasm.ExternRef, Limits: testwasm.Limits{Min: 3}},
		{Module: "env", Name: "gi", Kind: testwasm.KindGlobal, Val: i32},
		{Module: "GOT.mem", Name: "gm", Kind: testwasm.KindGlobal, Val: testwasm.I64, Mutable: true},
		{Module: "env", Name: "gf", Kind: testwasm.KindGlobal, Val: testwasm.F32},
		{Module: "env", Name: "gd", Kind: testwasm.KindGlobal, Val: testwasm.F64, Mutable: true},
		{Module: "env", Name: "gv", Kind: testwasm.KindGlobal, Val: testwasm.V128},
		{Module: "env", Name: "gr", Kind: testwasm.KindGlobal, Val: testwasm.FuncRef, Mutable: true},
		{Module: "env", Name: "tag", Kind: testwasm.KindTag, Type: 3},
		{Module: "wasi_snapshot_preview1", Name: "fd_close", Type: 4},
		{Module: "wasi_snapshot_preview1", Name: "fd_write", Type: 0},     // of another type
		{Module: "wasi_snapshot_preview1", Name: "fd_imaginary", Type: 4}, // no such function
		{Module: "", Name: "", Type: 0},
	}
	v := testwasm.V128
	p := built(t,
		testwasm.Types(testwasm.FuncType{}, testwasm.FuncType{Params: []byte{v}, Results: []byte{v}}, testwasm.FuncType{Results: []byte{testwasm.FuncRef, i32}},
			testwasm.FuncType{Params: []byte{i32}}, testwasm.FuncType{Params: []byte{i32}, Results: []byte{i32}}),
		testwasm.Imports(all...),
		testwasm.Functions(0),
		exporting(8),
		testwasm.Code(testwasm.Fn(slices.Concat([]byte{0x10, 0, 0xfd, 0x0c}, make([]byte, 16), []byte{
			0x10, 1, 0x1a, 0x10, 2, 0x1a, 0x1a, 0x10, 3, // f, v, r, f
			0x41, 9, 0x10, 4, 0x1a, 0x10, 5, 0x41, 9, 0x10, 6, 0x1a, 0x10, 7, // WASI and ""
			0x41, 0, 0x11, 0, 0, // call_indirect of a null: a trap
		})...)),
		names("f", "v", "r", "f2", "close", "write", "imaginary", "empty", "main"))
	r := p.run(t, Options{}, false)
	e := r.Engines[0]
	if r.Subject.Verdict != report.Pass || e.HostCalls != 8 || e.Traps != 1 || r.Offsets != 9 || len(codes(r, report.Warning)) > 0 {
		t.Errorf("%v, %+v, %d offsets%s", r.Subject.Verdict, r.Engines, r.Offsets, messages(r))
	}
	if r.Engines[1].HostCalls != 8 {
		t.Errorf("%+v", r.Engines[1])
	}
}

// TestUnrunnable: what the engine lacks is named, and is neither a pass nor a
// failure; what can be said without running is.
func TestUnrunnable(t *testing.T) {
	for name, want := range map[string]string{
		"corpus/eh/eh-legacy-4.wasm":   "old form of exception handling",
		"corpus/c/mem64.wasm":          "memory64",
		"corpus/cpp/mem64-dw5.wasm":    "table64",
		"corpus/feat/gc-multimem.wasm": "multi-memory",
		"instr/gc.wasm":                "garbage collection",
		"instr/simd.wasm":              "relaxed SIMD",
		"instr/wide.wasm":              "wide arithmetic",
		"instr/stack-switching.wasm":   "stack switching",
		"instr/memory64.wasm":          "memory64",
		"instr/descriptors.wasm":       "garbage collection",
		"instr/eh-legacy.wasm":         "old form of exception handling",
	} {
		path := filepath.Join("..", "testdata", name)
		for _, allow := range []bool{false, true} {
			r, err := Run(context.Background(), open(t, path, read(t, path)), nil, Options{Limits: quick, AllowUnrunnable: allow})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if r.Subject.Verdict == report.Pass || len(r.Unrunnable) == 0 || !strings.Contains(strings.Join(r.Unrunnable, "; "), want) {
				t.Errorf("%s: %v%s", name, r.Subject.Verdict, messages(r))
			}
			if strings.Contains(name, "mem64") && (r.Subject.Verdict != report.CouldNotCheck || len(r.Subject.Checked) == 0 || r.Resolved.Line == 0 || r.Acceptable != allow) {
				t.Errorf("%s: %v, %v, acceptable: %v%s", name, r.Subject.Verdict, r.Subject.Checked, r.Acceptable, messages(r))
			}
		}
	}
	// A damaged pair is still refused, without any engine.
	p := corpusPair(t, "c/mem64.wasm")
	p.companion = slices.Concat(p.companion[:8], wasm.AppendCustom(nil, "x", nil), p.companion[8:])
	if r := p.run(t, Options{AllowUnrunnable: true}, true); r.Subject.Verdict != report.Fail || r.Acceptable || !slices.Contains(codes(r, report.Error), ClientElsewhere) {
		t.Errorf("%v%s", r.Subject.Verdict, messages(r))
	}
	// The engine's word is asked for whatever else it refuses: tags that are no functions.
	q := built(t, testwasm.Types(testwasm.FuncType{}), testwasm.Functions(0), testwasm.Code(testwasm.Fn(0x6a)), names("f"))
	if r := q.run(t, Options{}, false); r.Subject.Verdict != report.CouldNotCheck || len(r.Unrunnable) != 1 {
		t.Errorf("an invalid module: %v%s", r.Subject.Verdict, messages(r))
	}
}

// TestLastSectionEmpty: an empty custom section at the end, which the engine refuses
// by itself.
func TestLastSectionEmpty(t *testing.T) {
	p := corpusPair(t, "c/O2-dw4.wasm")
	p.production = append(p.production, wasm.AppendCustom(nil, ".debug_info", nil)...)
	p.production = append(p.production, wasm.AppendCustom(nil, "empty", nil)...)
	if r := p.run(t, Options{}, true); r.Subject.Verdict != report.Pass || r.Offsets == 0 {
		t.Errorf("%v%s", r.Subject.Verdict, messages(r))
	}
}

// TestContext: a context that ends is an error and no verdict.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := corpusPair(t, "c/O2-dw4.wasm")
	_, err := Run(ctx, open(t, "p", p.production), open(t, "c", p.companion), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
