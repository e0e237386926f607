package rewrite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// valid lets wazero validate a module, with every feature that it has.
func valid(t testing.TB, b []byte) error {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithDebugInfoEnabled(false).
		WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads|experimental.CoreFeaturesTailCall|
			experimental.CoreFeaturesExtendedConst|experimental.CoreFeaturesExceptionHandling))
	defer r.Close(ctx)
	_, err := r.CompileModule(ctx, b)
	return err
}

// everything is a module with a section of each kind, imported ones of each kind
// included, whose functions have results of every type.
func everything() []byte {
	i32, i64 := byte(tw.I32), byte(tw.I64)
	return tw.Build(
		tw.Types(
			tw.FuncType{},
			tw.FuncType{Params: []byte{i32}, Results: []byte{i32}},
			tw.FuncType{Results: []byte{i64, 0x7d, 0x7c, 0x7b, 0x70, 0x6f}},
		),
		tw.Imports(
			tw.Import{Module: "env", Name: "f", Kind: tw.KindFunc, Type: 1},
			tw.Import{Module: "env", Name: "g", Kind: tw.KindGlobal, Val: tw.I32},
			tw.Import{Module: "env", Name: "t", Kind: tw.KindTable, Limits: tw.Limits{Min: 4}},
			tw.Import{Module: "env", Name: "m", Kind: tw.KindMemory, Limits: tw.Limits{Min: 1}},
		),
		tw.Functions(0, 1, 2, 0),
		tw.Globals(tw.Global{Val: tw.I32, Init: []byte{0x23, 0}}),
		tw.Exports(tw.Export{Name: "run", Kind: tw.KindFunc, Index: 2}),
		tw.Start(1),
		tw.Elements(tw.Elem{Funcs: []uint32{1, 2}}),
		tw.DataCount(1),
		tw.Code(
			tw.Fn(tw.OpCall, 4),
			tw.Fn(tw.OpLocalGet, 0),
			tw.Fn(0x00), // any results: unreachable
			tw.Fn(),     // two bytes
		),
		tw.Data(tw.Segment{Offset: 1, Bytes: []byte("secret")}),
		tw.Custom(".debug_info", []byte{1, 2, 3}),
		tw.Names{Module: "m", Functions: tw.List("f", "start"), Globals: tw.List("g", "h"), Data: tw.List("d")}.Section(),
	)
}

// wazero accepts what split makes of what it accepts.
func TestOutputsAreValid(t *testing.T) {
	modules := inputs()
	modules["everything"] = everything()
	for _, name := range []string{"sample", "everything"} {
		if err := valid(t, modules[name]); err != nil {
			t.Fatalf("%s itself: %v", name, err)
		}
	}
	checked := 0
	for name, in := range modules {
		if valid(t, in) != nil {
			continue // for example a section that wazero does not know
		}
		checked++
		for _, kind := range []CompanionKind{CompanionFull, CompanionSymbols} {
			production, companion, _ := split(t, in, Options{Companion: kind, Pointer: "p"})
			if err := valid(t, production); err != nil {
				t.Errorf("%s: production module: %v", name, err)
			}
			if err := valid(t, companion); err != nil {
				t.Errorf("%s: %v companion: %v", name, kind, err)
			}
		}
	}
	if checked < 8 {
		t.Errorf("wazero accepts only %d of the inputs", checked)
	}
}

func TestSymbolsCompanionLeaksNothing(t *testing.T) {
	in := everything()
	_, companion, p := split(t, in, Options{Companion: CompanionSymbols})
	span, _ := p.CompanionFile.CodeSpan()
	from, _ := open(t, in).CodeSpan()
	code := in[from.Start:from.End()]
	if got, want := string(companion[span.Start:span.End()]), string(blanked(t, code)); got != want {
		t.Errorf("code %x, want %x", got, want)
	}
	for _, s := range plainScan(t, companion) {
		if s.id == 11 {
			t.Error("it holds data")
		}
	}
}

// Real modules: what linkers wrote keeps its promises, kept relocations go.
func TestSplitCorpus(t *testing.T) {
	paths, err := filepath.Glob("../testdata/corpus/*/*.wasm")
	if err != nil || len(paths) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, path := range paths {
		in, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			for _, kind := range []CompanionKind{CompanionFull, CompanionSymbols} {
				p, err := tryPlan(in, Options{Companion: kind, Pointer: "app.debug.wasm"})
				if err != nil {
					t.Skip("not a module to split: ", err)
				}
				production, companion := read(t, p.Production), read(t, p.Companion)
				promises(t, in, production, companion, kind)
				rebuilt(t, in, production, companion, p.Record)
				for _, s := range plainScan(t, production) {
					if s.name == "linking" || len(s.name) > 6 && s.name[:6] == "reloc." {
						t.Errorf("%s is left", s.name)
					}
				}
			}
		})
	}
}
