package symcheck

import (
	"strings"

	"github.com/wasm-debugid/wasm-debugid/debugfile"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Names of functions that linkers and tools make. None of them has a line of
// source that somebody wrote.
var glueNames = map[string]bool{
	// wasm-ld
	"__wasm_call_ctors": true, "__wasm_init_memory": true, "__wasm_init_tls": true, "__wasm_start": true,
	"__wasm_apply_data_relocs": true, "__wasm_apply_global_relocs": true, "__wasm_apply_global_tls_relocs": true,
	"__wasm_apply_tls_relocs": true, "undefined_stub": true,
	// emscripten
	"stackSave": true, "stackRestore": true, "stackAlloc": true, "setThrew": true, "setTempRet0": true, "getTempRet0": true,
	"__set_stack_limits": true, "__get_temp_ret": true, "__set_temp_ret": true, "__get_exception_message": true,
}

// gluePrefixes begin names of that kind.
var gluePrefixes = []string{
	"signature_mismatch:", "undefined_weak:", "undefined:", // wasm-ld
	"legalstub$", "legalfunc$", "dynCall_", "emscripten_stack_", "_emscripten_stack_", "orig$", // emscripten
	"asyncify_", "byn$", "fpcast_emu", // binaryen
	"__wbindgen_", "__wbg_", "__externref_", // wasm-bindgen
}

// glueSuffixes end names of that kind.
var glueSuffixes = []string{".command_export", " multivalue shim", "$thunk"}

// isGlueName reports whether a function of this name is made by a tool.
func isGlueName(name string) bool {
	if glueNames[name] {
		return true
	}
	for _, p := range gluePrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	for _, s := range glueSuffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// bodyShape is what the instructions of a small body look like.
type bodyShape struct {
	n     uint32 // instructions, up to a few
	gets  uint32 // that read a local
	trap  bool   // the first one is unreachable
	calls uint32
	to    uint32 // what is called
}

// Opcodes that stubs and thunks are made of.
const (
	opUnreachable wasm.Opcode = 0x00
	opEnd         wasm.Opcode = 0x0b
	opCall        wasm.Opcode = 0x10
	opLocalGet    wasm.Opcode = 0x20
)

func (s *bodyShape) add(in *wasm.Instr) {
	s.n++
	switch in.Op {
	case opUnreachable:
		s.trap = s.trap || s.n == 1
	case opLocalGet:
		s.gets++
	case opCall:
		s.calls++
		s.to = in.Arg
	}
}

// stub reports whether the body does nothing, or nothing but trap: what a linker
// puts in place of a function with the wrong signature, or of none.
func (s *bodyShape) stub() bool { return s.n == 1 || s.n == 2 && s.trap }

// thunk reports whether the body only passes its arguments on to an import.
func (s *bodyShape) thunk(imported uint32) bool {
	return s.calls == 1 && s.n == s.gets+2 && s.to < imported
}

// class says which class a function belongs to. What is neither made by tools nor,
// by its name, of a library is the user's and should resolve, with debug information
// or without: if there is none, somebody has forgotten -g. Without a name nothing is
// known of who wrote a function, unless there is debug information for it, be it
// damaged, shadowed or elsewhere.
func (x *dwarfCheck) class(r *bodyResult, shape *bodyShape, start debugfile.Reason, i int) uint8 {
	if r.unit < 0 && (isGlueName(r.name) || shape.stub() || shape.thunk(x.f.ImportedFunctions())) {
		return glueClass
	}
	if !x.f.HasDWARF() || x.ghost {
		return userClass
	}
	if r.name != "" {
		if !isRuntimeName(r.name) || r.unit >= 0 && strings.HasPrefix(r.name, initPrefix) {
			return userClass
		}
		return runtimeClass
	}
	if r.unit >= 0 || x.claimed(i) {
		return userClass
	}
	if first, end := x.seqsOf(i); first < end {
		return userClass
	}
	switch start {
	case debugfile.ReasonSkeleton, debugfile.ReasonShadowed, debugfile.ReasonDamaged:
		return userClass
	}
	return runtimeClass
}
