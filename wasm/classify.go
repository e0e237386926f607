package wasm

import (
	"io"
	"strings"
)

// Classification says what role a module plays in a build.
type Classification struct {
	// Object: a relocatable object, the output of a compiler or of wasm-ld -r.
	// Its code is not final, so no offset in it will be met in a stack trace.
	Object bool
	// KeptRelocations: a linked module that still holds linking or reloc.*
	// sections, the output of wasm-ld --emit-relocs. Its offsets are final, but
	// those sections name others by their index, which every removal changes.
	KeptRelocations bool
	// Dynamic: a shared library or a position-independent program (dylink.0).
	Dynamic bool
	// AwaitsBindgen: wasm-bindgen has yet to process the module, and will rewrite
	// its code.
	AwaitsBindgen bool
	// AwaitsComponent: the module carries the interface types of a component that
	// may still be made of it.
	AwaitsComponent bool
	// SplitDWARF: not a program at all, but a .dwo or .dwp file.
	SplitDWARF bool
}

// objectMemory is the memory that LLVM's and Zig's object files import. A linker
// resolves the import, so a linked module never has it.
const objectMemory = "__linear_memory"

// Classify looks at the section headers of f. Only when f holds linking or
// reloc.* sections does it read more, the imports and the number of exports, and
// only that can fail.
//
// Such a module is an object file when a linker has still to give it a memory or
// a way in: it imports env.__linear_memory, as every object that a compiler
// writes does; or it imports no memory and has neither an export nor a start
// function, as every output of wasm-ld -r (which defines a memory and exports
// nothing). It is a linked module in all other cases: a linker exports the
// memory that it defines, or imports one under another name, or writes a
// dylink.0 section.
func Classify(f *File) (Classification, error) {
	var c Classification
	relocatable, dwo := false, false
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.ID != SectionCustom {
			continue
		}
		switch {
		case s.Name == CustomDylink0, s.Name == CustomDylink:
			c.Dynamic = true
		case s.Name == CustomWasmBindgen:
			c.AwaitsBindgen = true
		case strings.HasPrefix(s.Name, CustomComponentTypePrefix):
			c.AwaitsComponent = true
		case s.Name == CustomLinking, s.IsReloc():
			relocatable = true
		case s.IsDebug() && strings.HasSuffix(s.Name, ".dwo"):
			dwo = true
		}
	}
	c.SplitDWARF = dwo && f.Code() == nil
	if !relocatable || c.SplitDWARF {
		return c, nil
	}
	object, err := isObject(f, c.Dynamic)
	if err != nil {
		return c, err
	}
	c.Object, c.KeptRelocations = object, !object
	return c, nil
}

func isObject(f *File, dynamic bool) (bool, error) {
	if dynamic {
		return false, nil
	}
	imports, err := NewImportReader(f)
	if err != nil {
		return false, err
	}
	for {
		imp, err := imports.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
		if imp.Kind == ExternMemory {
			return imp.Module == "env" && imp.Name == objectMemory, nil
		}
	}
	if f.Section(SectionStart) != nil {
		return false, nil
	}
	exports := f.Section(SectionExport)
	if exports == nil {
		return true, nil
	}
	n, err := smallStream(exports).Uint32("the number of exports")
	return n == 0, err
}
