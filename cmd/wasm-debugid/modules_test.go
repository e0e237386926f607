package main

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// uuid is an ID of 16 bytes whose value shows where a client shifts it.
var uuid = []byte("\xa0\xa1\xa2\xa3\xa4\xa5\x46\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf")

func bodies() []tw.Section {
	return []tw.Section{
		tw.Types(tw.FuncType{}),
		tw.Functions(0, 0),
		tw.Exports(tw.Export{Name: "run", Kind: tw.KindFunc, Index: 0}),
		tw.Code(tw.Fn(tw.OpCall, 1), tw.Fn(tw.OpUnreachable)),
	}
}

// withID returns the sample module with a build_id section of the given payload.
func withID(payload []byte) []byte {
	return tw.Build(append(tw.Sample(), tw.Custom("build_id", payload))...)
}

func dwarfSections(n int) []tw.Section {
	var out []tw.Section
	for i := range n {
		out = append(out, tw.Custom(fmt.Sprintf(".debug_%c", 'a'+i), bytes.Repeat([]byte{byte(i)}, 10+i)))
	}
	return out
}

// modules are what the command mkmodule of the scripts makes.
var modules = map[string]func() []byte{
	"sample": func() []byte { return tw.Build(tw.Sample()...) },
	// Another program of the same shape.
	"other": func() []byte {
		return tw.Build(tw.Replace(tw.Sample(), "data", tw.Data(tw.Segment{Offset: 16, Bytes: []byte("other")}))...)
	},
	// Everything that is allowed and rare at once: DWARF in front of Code and a
	// build ID there, padded sizes of sections and bodies, empty and unknown
	// sections, names that look like DWARF.
	"odd": func() []byte {
		return tw.Build(
			tw.Custom("first", nil).Pad(5),
			tw.Types(tw.FuncType{}).Pad(5),
			tw.Custom(".debug_str", []byte("early\x00")),
			tw.Functions(0, 0).Pad(3),
			tw.Custom("build_id", append([]byte{16}, uuid...)),
			tw.Exports(tw.Export{Name: "run", Kind: tw.KindFunc, Index: 0}),
			tw.Code(tw.Fn(tw.OpCall, 1).Pad(5), tw.Fn(tw.OpUnreachable).Pad(2)).Pad(5),
			tw.Custom(".debug_info", []byte("late")).Pad(4),
			tw.Custom("debug_info", []byte("no DWARF")),
			tw.Unknown(77, []byte("future")),
			tw.Custom("", []byte("no name")),
		)
	},
	"id4":       func() []byte { return withID([]byte("\x04abcd")) },
	"id8":       func() []byte { return withID([]byte("\x08abcdefgh")) },
	"id16":      func() []byte { return withID(append([]byte{16}, uuid...)) },
	"id20":      func() []byte { return withID([]byte("\x14abcdefghijklmnopqrst")) },
	"raw":       func() []byte { return withID(uuid) },
	"zig":       func() []byte { return withID(append([]byte{1, 16}, uuid...)) },
	"malformed": func() []byte { return withID(append([]byte{16}, bytes.Repeat([]byte{7}, 19)...)) },
	"conflict": func() []byte {
		return tw.Build(append(tw.Sample(), tw.BuildID(uuid), tw.BuildID([]byte("another id here!")))...)
	},
	"duplicate": func() []byte { return tw.Build(append(tw.Sample(), tw.BuildID(uuid), tw.BuildID(uuid))...) },
	// What the Go toolchain writes: its own section first, every size in 5 bytes.
	"go": func() []byte {
		sections := append([]tw.Section{tw.Custom("go:buildid", []byte("\xff Go build ID: \"abc\""))}, bodies()...)
		sections = append(sections, tw.Producers(tw.Producer{Field: "language", Name: "Go", Version: "go1.26"}), tw.Names{Functions: tw.List("main.main", "runtime.x")}.Section())
		for i := range sections {
			sections[i] = sections[i].Pad(5)
		}
		return tw.Build(sections...)
	},
	// SIMD (v128.const, i8x16.add) and bulk memory (memory.copy): a validator of the
	// first version refuses all of them.
	"simd": func() []byte {
		code := []byte{0xfd, 0x0c}
		code = append(append(append(code, uuid...), 0xfd, 0x0c), uuid...)
		code = append(code, 0xfd, 0x6e, tw.OpDrop, tw.OpI32Const, 0, tw.OpI32Const, 0, tw.OpI32Const, 0, 0xfc, 0x0a, 0, 0)
		return tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0), tw.Memories(tw.Limits{Min: 1}), tw.Code(tw.Fn(code...)), tw.BuildID(uuid))
	},
	"tag": func() []byte {
		return tw.Build(tw.Before(append(bodies(), dwarfSections(2)...), "export", tw.Tags(0))...)
	},
	"twelve":     func() []byte { return tw.Build(append(bodies(), dwarfSections(12)...)...) },
	"paddedtype": func() []byte { s := append(bodies(), dwarfSections(1)...); s[0] = s[0].Pad(5); return tw.Build(s...) },
	"paddedbodies": func() []byte {
		s := append(bodies(), dwarfSections(1)...)
		s[3] = tw.Code(tw.Fn(tw.OpCall, 1).Pad(5), tw.Fn(tw.OpUnreachable).Pad(4))
		return tw.Build(s...)
	},
	"lookalikes": func() []byte {
		return tw.Build(append(bodies(), tw.Custom("x", []byte("1")), tw.Custom(".debugger", []byte("2")), tw.Custom("debug_info", []byte("3")), tw.Custom("", []byte("4")))...)
	},
	"nodebug":   func() []byte { return tw.Build(bodies()...) },
	"sourcemap": func() []byte { return tw.Build(append(bodies(), tw.SourceMappingURL("app.wasm.map"))...) },
	"lineonly":  func() []byte { return tw.Build(append(bodies(), tw.Custom(".debug_line", []byte("rows")))...) },
	"foreign": func() []byte {
		return tw.Build(append(bodies(), tw.ExternalDebugInfo("app.debug.wasm"))...)
	},
	"bindgen": func() []byte {
		return tw.Build(append(tw.Sample(), tw.Custom("__wasm_bindgen_unstable", []byte("x")))...)
	},
	"object": func() []byte {
		return tw.Build(tw.Types(tw.FuncType{}),
			tw.Imports(tw.Import{Module: "env", Name: "__linear_memory", Kind: tw.KindMemory}),
			tw.Functions(0), tw.Code(tw.Fn()), tw.Custom("linking", []byte{2}), tw.Custom("reloc.CODE", []byte{3, 0}))
	},
	"component": func() []byte { return tw.Component(tw.Build(bodies()...)) },
	"truncated": func() []byte { b := tw.Build(tw.Sample()...); return b[:len(b)-20] },
	"lying": func() []byte {
		return tw.Build(tw.Types(tw.FuncType{}), tw.Functions(0), tw.Code(tw.Fn()).Claim(0xfffffff0))
	},
	"empty": func() []byte { return nil },
}

// makeModule is the command "mkmodule KIND FILE".
func makeModule(args []string) error {
	if len(args) != 2 || modules[args[0]] == nil {
		var kinds []string
		for k := range modules {
			kinds = append(kinds, k)
		}
		sort.Strings(kinds)
		return fmt.Errorf("usage: mkmodule KIND FILE, where KIND is one of %s", strings.Join(kinds, " "))
	}
	return os.WriteFile(args[1], modules[args[0]](), 0o666)
}

// samePair is the command "samepair INPUT PRODUCTION COMPANION". It holds the two
// outputs of a split against the input, reading the files as any other program
// would: every section that is not custom is the input's, byte for byte with its
// header; the code starts at one offset; each file has one build ID, the same.
func samePair(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: samepair INPUT PRODUCTION COMPANION")
	}
	var files [3]*wasm.File
	var code [3][]byte
	for i, name := range args {
		f, err := wasm.Open(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer f.Close()
		files[i] = f
		for k := range f.Sections {
			if s := &f.Sections[k]; s.ID != wasm.SectionCustom {
				b := make([]byte, s.Len())
				if _, err := f.ReadAt(b, int64(s.Offset)); err != nil {
					return err
				}
				code[i] = append(code[i], b...)
			}
		}
	}
	for i := 1; i < 3; i++ {
		if !bytes.Equal(code[0], code[i]) {
			return fmt.Errorf("%s: other code than %s", args[i], args[0])
		}
	}
	a, _ := files[1].CodeSpan()
	b, _ := files[2].CodeSpan()
	if a != b {
		return fmt.Errorf("the code starts at %v and %v", a.Start, b.Start)
	}
	var ids [2]buildid.Found
	for i, f := range files[1:] {
		var err error
		if ids[i], err = buildid.Read(f); err != nil {
			return err
		}
		if len(ids[i].Sections) != 1 {
			return fmt.Errorf("%s: %d build IDs", args[i+1], len(ids[i].Sections))
		}
	}
	if !ids[0].ID.Equal(ids[1].ID) {
		return fmt.Errorf("the build IDs are %v and %v", ids[0].ID, ids[1].ID)
	}
	if files[1].HasDebug() {
		return fmt.Errorf("%s: DWARF is left", args[1])
	}
	if ids[0].Status != buildid.StatusLegacy {
		return nil
	}
	_, err := fmt.Printf("the ID is in %v encoding\n", ids[0].Sections[0].Encoding)
	return err
}
