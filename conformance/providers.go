package conformance

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// provider is what stands in for one module that is imported from. Functions are
// host functions; what a host module cannot export, memories, tables, globals and
// tags, comes from a helper module made in memory, which hands the functions on.
//
// Providers are instantiated under no name and found through a resolver, so that
// no name from the file appears in the engine's texts.
type provider struct {
	name   string
	host   wazero.CompiledModule // nil without functions
	helper wazero.CompiledModule // nil if the host module has everything
}

// hostModuleName is the name under which a helper imports from its host module.
const hostModuleName = "host"

// stubModule is what engines call the functions of stubs.
const stubModule = "host"

// compileProviders compiles a provider for each module that is imported from.
func (r *runner) compileProviders(ctx context.Context) error {
	if r.watch != nil {
		ctx = experimental.WithFunctionListenerFactory(ctx, experimental.FunctionListenerFactoryFunc(r.watch.hostListener))
	}
	signatures := map[uint32]api.FunctionDefinition{}
	for i, def := range r.guest.ImportedFunctions() {
		signatures[uint32(i)] = def
	}
	var names []string
	byName := map[string][]importEntry{}
	for _, im := range r.m.imports {
		if byName[im.module] == nil {
			names = append(names, im.module)
		}
		byName[im.module] = append(byName[im.module], im)
	}
	for _, name := range names {
		p := &provider{name: name}
		r.providers = append(r.providers, p)
		have := map[string]api.FunctionDefinition{}
		builder := r.rt.NewHostModuleBuilder(stubModule)
		if name == wasi_snapshot_preview1.ModuleName || name == "wasi_unstable" {
			wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(builder)
			compiled, err := builder.Compile(ctx)
			if err != nil {
				return err
			}
			have = compiled.ExportedFunctions()
		}
		helper, functions := false, len(have) > 0
		stubs := map[string]int{} // number of stubs by name of the import
		for _, im := range byName[name] {
			if im.kind != wasm.ExternFunc {
				helper = true
				continue
			}
			def := signatures[im.index]
			if def == nil {
				return fmt.Errorf("the engine does not know the imported function %d", im.index)
			}
			if w := have[im.name]; w != nil && slices.Equal(w.ParamTypes(), def.ParamTypes()) && slices.Equal(w.ResultTypes(), def.ResultTypes()) {
				continue // WASI's own
			}
			if !hostable(def) {
				helper = true
				continue
			}
			builder.NewFunctionBuilder().WithGoFunction(stub(len(def.ResultTypes())), def.ParamTypes(), def.ResultTypes()).
				WithName("import" + strconv.Itoa(int(im.index))).Export(im.name)
			functions = true
			stubs[im.name]++
		}
		var err error
		if functions {
			if p.host, err = builder.Compile(ctx); err != nil {
				return err
			}
		}
		if helper {
			image, err := r.m.helper(byName[name], signatures, copyOptions{tableMax: uint64(r.limits.TableElements)})
			if err != nil {
				return err
			}
			if p.helper, err = r.rt.CompileModule(ctx, image); err != nil {
				return fmt.Errorf("making what is imported from %q: %w", name, err)
			}
		}
	}
	return nil
}

// provide instantiates the providers and returns them by the name that the module
// imports from.
func (r *runner) provide(ctx context.Context) (map[string]api.Module, error) {
	out := map[string]api.Module{}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	for _, p := range r.providers {
		var host api.Module
		for _, c := range []wazero.CompiledModule{p.host, p.helper} {
			if c == nil {
				continue
			}
			ctx := experimental.WithImportResolver(ctx, func(string) api.Module { return host })
			m, err := r.rt.InstantiateModule(ctx, c, config)
			if err != nil {
				return nil, fmt.Errorf("making what is imported from %q: %w", p.name, err)
			}
			r.open = append(r.open, m)
			host, out[importModule(p.name)] = m, m
		}
	}
	return out, nil
}

// hostable reports whether a function can be a host function.
func hostable(def api.FunctionDefinition) bool {
	for _, types := range [][]api.ValueType{def.ParamTypes(), def.ResultTypes()} {
		for _, t := range types {
			switch t {
			case api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64, api.ValueTypeExternref:
			default:
				return false
			}
		}
	}
	return true
}

// stub returns a host function that returns zeros. Its callers are recorded by the
// listener.
func stub(results int) api.GoFunc {
	return func(_ context.Context, stack []uint64) { clear(stack[:results]) }
}

// Values for imports that position-independent code computes with.
const (
	pageSize     = 64 << 10
	memoryBase   = 1024
	tableBase    = 1
	stackPointer = pageSize
)

// helper makes a module that exports everything under the names of the imports.
// It has the Type section of the module itself, so that type indices are the same.
func (m *module) helper(imports []importEntry, signatures map[uint32]api.FunctionDefinition, o copyOptions) ([]byte, error) {
	var (
		funcImports, functions, tables, memories, globals, tags, exports, code [][]byte
		moreMemory, moreTable                                                  uint64
	)
	if d, err := m.file.Dylink(); err == nil && d != nil {
		moreMemory = (memoryBase+uint64(d.MemorySize)+pageSize-1)/pageSize + 1
		moreTable = tableBase + uint64(d.TableSize)
	}
	// Host functions come first in the index space.
	index := uint32(0)
	export := func(name string, kind wasm.ExternKind, index uint32) {
		exports = append(exports, wasm.AppendUint32(append(wasm.AppendName(nil, name), byte(kind)), index))
	}
	exported := map[string]bool{}
	for _, im := range imports {
		if im.kind == wasm.ExternFunc && hostable(signatures[im.index]) && !exported[im.name] {
			exported[im.name] = true
			b := wasm.AppendName(wasm.AppendName(nil, hostModuleName), im.name)
			funcImports = append(funcImports, append(append(b, byte(im.kind)), im.typ...))
			export(im.name, im.kind, index)
			index++
		}
	}
	for _, im := range imports {
		if exported[im.name] {
			continue // the same again; where types differ nothing can satisfy both
		}
		exported[im.name] = true
		switch im.kind {
		case wasm.ExternFunc:
			functions = append(functions, im.typ)
			code = append(code, stubBody(signatures[im.index].ResultTypes()))
			export(im.name, im.kind, index)
			index++
		case wasm.ExternTable:
			l := m.capped(im.limits, o)
			l.min = fit(l, moreTable)
			export(im.name, im.kind, uint32(len(tables)))
			tables = append(tables, l.append(slices.Clone(im.typ)))
		case wasm.ExternMemory:
			l := unshared(im.limits)
			l.min = fit(l, moreMemory)
			export(im.name, im.kind, uint32(len(memories)))
			memories = append(memories, l.append(nil))
		case wasm.ExternGlobal:
			b, err := globalBody(im)
			if err != nil {
				return nil, err
			}
			export(im.name, im.kind, uint32(len(globals)))
			globals = append(globals, b)
		case wasm.ExternTag:
			export(im.name, im.kind, uint32(len(tags)))
			tags = append(tags, im.typ)
		}
	}
	out := wasm.AppendPreamble(nil)
	out = wasm.AppendSection(out, wasm.SectionType, m.types)
	for _, s := range []struct {
		id    wasm.SectionID
		items [][]byte
	}{
		{wasm.SectionImport, funcImports}, {wasm.SectionFunction, functions}, {wasm.SectionTable, tables}, {wasm.SectionMemory, memories},
		{wasm.SectionTag, tags}, {wasm.SectionGlobal, globals}, {wasm.SectionExport, exports}, {wasm.SectionCode, code},
	} {
		if len(s.items) > 0 {
			payload := wasm.AppendUint32(nil, uint32(len(s.items)))
			out = wasm.AppendSection(out, s.id, append(payload, slices.Concat(s.items...)...))
		}
	}
	// The name is what tells the helper's functions from the module's.
	return wasm.AppendCustom(out, wasm.CustomName, append([]byte{0, byte(len(stubModule) + 1)}, wasm.AppendName(nil, stubModule)...)), nil
}

// fit returns a minimum of at least more, within the maximum.
func fit(l limitsType, more uint64) uint64 {
	more = max(l.min, more)
	if l.hasMax {
		more = min(more, l.max)
	}
	return more
}

// stubBody returns the body of a stub with results that a host function cannot
// have: it returns zeros, or traps where there is no zero.
func stubBody(results []api.ValueType) []byte {
	body := []byte{0}
	for _, t := range results {
		zero, ok := zeroOf([]byte{t})
		if !ok {
			body = []byte{0, 0x00}
			break
		}
		body = append(body, zero...)
	}
	body = append(body, 0x0b)
	return append(wasm.AppendUint32(nil, uint32(len(body))), body...)
}

// zeroOf returns the instruction for the zero of a type.
func zeroOf(typ []byte) ([]byte, bool) {
	if len(typ) == 0 {
		return nil, false
	}
	switch typ[0] {
	case api.ValueTypeI32:
		return []byte{0x41, 0}, true
	case api.ValueTypeI64:
		return []byte{0x42, 0}, true
	case api.ValueTypeF32:
		return append([]byte{0x43}, make([]byte, 4)...), true
	case api.ValueTypeF64:
		return append([]byte{0x44}, make([]byte, 8)...), true
	case typeV128:
		return append([]byte{0xfd, 0x0c}, make([]byte, 16)...), true
	case typeFuncRef, api.ValueTypeExternref:
		return []byte{0xd0, typ[0]}, true
	case 0x63: // a reference that may be null: the heap type follows
		return append([]byte{0xd0}, typ[1:]...), true
	}
	return nil, false
}

// globalBody returns the definition of a global: its type, and a value that
// position-independent code can work with.
func globalBody(im importEntry) ([]byte, error) {
	val := im.typ[:len(im.typ)-1]
	init, ok := zeroOf(val)
	if !ok {
		return nil, &UnrunnableError{Why: []string{fmt.Sprintf("it imports the global %q of a type that has no zero", im.name)}}
	}
	known := map[string]int64{"__memory_base": memoryBase, "__table_base": tableBase, "__stack_pointer": stackPointer}[im.name]
	switch {
	case known != 0 && val[0] == api.ValueTypeI32:
		init = wasm.AppendInt64([]byte{0x41}, known)
	case known != 0 && val[0] == api.ValueTypeI64:
		init = wasm.AppendInt64([]byte{0x42}, known)
	}
	return append(append(slices.Clone(im.typ), init...), 0x0b), nil
}
