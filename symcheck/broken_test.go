package symcheck_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
	"github.com/wasm-debugid/wasm-debugid/report"
	"github.com/wasm-debugid/wasm-debugid/rewrite"
	"github.com/wasm-debugid/wasm-debugid/symcheck"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

const (
	brokenDir = "../testdata/broken"
	corpusDir = "../testdata/corpus"
)

// broken is one pair, or one module, that must be refused, and the rule that it
// breaks. A rule that is no error by default is set to error for it.
type broken struct {
	name, rule string
	how        string // how it comes to be, for people
	make       func(t testing.TB) pair
	options    symcheck.Options
	undecided  bool // it could not be checked
	suffix     string
}

type sections = []testwasm.Section

// spec is the fixture's pair as a split makes it.
func good(t testing.TB) pair {
	return split(t, newFixture().build(t), rewrite.Options{Pointer: "good.debug.wasm"})
}

// given is the fixture's pair with an ID that says nothing about the files.
func given(t testing.TB, kind rewrite.CompanionKind) pair {
	return split(t, newFixture().build(t), rewrite.Options{Companion: kind, BuildID: buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID("an id from a CI job")}})
}

// production and companion change one half of the good pair.
func production(change func(s sections) sections) func(t testing.TB) pair {
	return func(t testing.TB) pair {
		p := good(t)
		p.production = edit(t, p.production, change)
		return p
	}
}

func companion(change func(s sections) sections) func(t testing.TB) pair {
	return func(t testing.TB) pair {
		p := good(t)
		p.companion = edit(t, p.companion, change)
		return p
	}
}

// damaged is the pair of a fixture whose DWARF was changed before the split.
func damaged(change func(f *fixture)) func(t testing.TB) pair {
	return func(t testing.TB) pair {
		f := newFixture()
		change(f)
		return split(t, f.build(t), rewrite.Options{})
	}
}

// without is the pair of a module of the corpus that was changed before the split,
// which was given an ID.
func without(name string, change func(s sections) sections) func(t testing.TB) pair {
	return func(t testing.TB) pair {
		return split(t, edit(t, readFile(t, filepath.Join(corpusDir, name)), change),
			rewrite.Options{BuildID: buildid.Policy{Mode: buildid.ModeGiven, ID: make(buildid.ID, 16)}})
	}
}

// contents changes what a section holds.
func contents(key string, change func(b []byte) []byte) func(s sections) sections {
	return func(s sections) sections {
		i := testwasm.Find(s, key)
		s[i].Payload = change(bytes.Clone(s[i].Payload))
		return s
	}
}

// real reads files that real tools made.
func real(names ...string) func(t testing.TB) pair {
	return func(t testing.TB) pair {
		var p pair
		p.production = readFile(t, filepath.Join(brokenDir, "real", names[0]))
		if len(names) > 1 {
			p.companion = readFile(t, filepath.Join(brokenDir, "real", names[1]))
		}
		return p
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func corpus(name string) func(t testing.TB) pair {
	return func(t testing.TB) pair { return pair{production: readFile(t, filepath.Join(corpusDir, name))} }
}

func drop(keys ...string) func(s sections) sections {
	return func(s sections) sections { return testwasm.Without(s, keys...) }
}

func add(more ...testwasm.Section) func(s sections) sections {
	return func(s sections) sections { return append(s, more...) }
}

func replace(key string, with ...testwasm.Section) func(s sections) sections {
	return func(s sections) sections { return testwasm.Replace(s, key, with...) }
}

var catalogue = []broken{
	{name: "shifted-padding", rule: "WD101", how: "the companion's type section has a 5-byte size",
		make: companion(func(s sections) sections { s[0].Width = 5; return s })},
	{name: "shifted-section", rule: "WD101", how: "a section was put in front of the production module's code after the split",
		make: production(func(s sections) sections { return append(sections{testwasm.Custom("vendor", []byte("x"))}, s...) })},
	{name: "code-production", rule: "WD102", how: "one byte of the production module's code differs",
		make: func(t testing.TB) pair { p := good(t); p.production = flip(t, p.production, "code", 6); return p }},
	{name: "code-companion", rule: "WD102", how: "one byte of the companion's code differs",
		make: func(t testing.TB) pair { p := good(t); p.companion = flip(t, p.companion, "code", -2); return p }},
	{name: "code-longer", rule: "WD102", how: "the companion has the module's build ID and one more function",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.fns = append(f.fns, fn{name: "delta", body: plainBody(1)})
			id := buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID("an id from a CI job")}
			return pair{given(t, rewrite.CompanionFull).production, split(t, f.build(t), rewrite.Options{BuildID: id}).companion}
		}},
	{name: "code-other-build", rule: "WD106", how: "the companion is of a build with one more function",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.fns = append(f.fns, fn{name: "delta", body: plainBody(1)})
			return pair{good(t).production, split(t, f.build(t), rewrite.Options{}).companion}
		}},
	{name: "code-symbols", rule: "WD102", how: "the code changed, and the companion holds its digest only",
		make: func(t testing.TB) pair {
			p := split(t, newFixture().build(t), rewrite.Options{Companion: rewrite.CompanionSymbols})
			p.production = flip(t, p.production, "code", 6)
			return p
		}},
	{name: "code-symbols-bodies", rule: "WD102", how: "a body of a symbols companion has another length",
		make: func(t testing.TB) pair {
			p := split(t, newFixture().build(t), rewrite.Options{Companion: rewrite.CompanionSymbols})
			p.companion = edit(t, p.companion, replace("code", testwasm.Code(
				testwasm.RawBody(0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0x0b), testwasm.RawBody(0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0x0b), plainBody(1))))
			return p
		}},
	{name: "code-none", rule: "WD102", how: "the production module has lost its code",
		make: production(drop("function", "code", "export"))},
	{name: "id-none", rule: "WD103", how: "the production module has lost its build_id", make: production(drop("build_id"))},
	{name: "id-none-both", rule: "WD103", how: "neither file has a build_id",
		make: func(t testing.TB) pair {
			p := good(t)
			return pair{edit(t, p.production, drop("build_id")), edit(t, p.companion, drop("build_id"))}
		}},
	{name: "id-required", rule: "WD103", how: "an unsplit module without build_id, where one is required",
		make: func(t testing.TB) pair { return pair{production: newFixture().build(t)} }, options: symcheck.Options{RequireID: true}},
	{name: "id-twice", rule: "WD104", how: "the companion's build_id was appended a second time",
		make: companion(func(s sections) sections { return append(s, s[testwasm.Find(s, "build_id")]) })},
	{name: "id-raw", rule: "WD105", how: "the production module's build_id has no length in front",
		make: production(func(s sections) sections {
			i := testwasm.Find(s, "build_id")
			s[i].Payload = s[i].Payload[1:]
			return s
		})},
	{name: "id-zig", rule: "WD105", how: "both files have the form of Zig's linker",
		make: func(t testing.TB) pair {
			zig := func(s sections) sections {
				i := testwasm.Find(s, "build_id")
				s[i].Payload = append([]byte{1}, s[i].Payload...)
				return s
			}
			p := good(t)
			return pair{edit(t, p.production, zig), edit(t, p.companion, zig)}
		}},
	{name: "id-malformed", rule: "WD105", how: "the length says 16 in front of 20 bytes",
		make: production(replace("build_id", testwasm.Custom("build_id", append([]byte{16}, make([]byte, 20)...))))},
	{name: "id-other", rule: "WD106", how: "the companion has the ID of another build",
		make: companion(replace("build_id", testwasm.Custom("build_id", idOf("another build id"))))},
	{name: "id-stale", rule: "WD107", how: "wasm-opt 108 rewrote the code and kept the linker's ID, and the split was told to keep it",
		make: func(t testing.TB) pair {
			return split(t, readFile(t, brokenDir+"/real/stale-id.wasm"), rewrite.Options{BuildID: buildid.Policy{Mode: buildid.ModeKeep}})
		}},
	{name: "id-stale-content", rule: "WD107", how: "a byte of DWARF changed after the split",
		make: func(t testing.TB) pair { p := good(t); p.companion = flip(t, p.companion, ".debug_line", -9); return p }},
	{name: "id-conflict", rule: "WD108", how: "the production module has two IDs", make: production(add(testwasm.Custom("build_id", idOf("another build id"))))},
	{name: "id-short", rule: "WD109", how: "an ID of 2 bytes, for a client that needs 16",
		make: func(t testing.TB) pair {
			return split(t, newFixture().build(t), rewrite.Options{BuildID: buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID{0x12, 0x34}}})
		}, options: symcheck.Options{For: symcheck.Sentry}},
	{name: "dwarf-past-end", rule: "WD110", how: "the last function's DWARF begins behind the code",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				fns[2].low += 0x100
				fns[2].high += 0x100
				fns[2].rowsAt += 0x100
				fns[2].rowsEnd += 0x100
			}
		})},
	{name: "dwarf-between", rule: "WD110", how: "a function begins in the size in front of a body",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[1].low-- } })},
	{name: "dwarf-zero", rule: "WD111", how: "all addresses are 0 and there are no rows, as after wasm-opt without -g",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				for i := range fns {
					fns[i].low, fns[i].high, fns[i].rows = 0, 12, nil
				}
			}
		})},
	{name: "dwarf-no-rows", rule: "WD111", how: "the line table is empty",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				for i := range fns {
					fns[i].rows = nil
				}
			}
		})},
	{name: "row-inside", rule: "WD112", how: "a row stands inside an instruction",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].rows[1].at++ } })},
	{name: "function-inside", rule: "WD112", how: "a function begins inside an instruction of another one",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[1].low += 4 } })},
	{name: "range-too-long", rule: "WD113", how: "a function's range ends in the next function",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].high += 6 } })},
	{name: "range-off", rule: "WD113", how: "a function's range ends inside an instruction",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].high -= 2 + 2 } })},
	{name: "range-part", rule: "WD113", how: "a function's range is the first half of its body",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].high = fns[0].low + bodyDrop } })},
	{name: "walrus-shift", rule: "WD113", how: "walrus wrote the DWARF of a module with few functions, a byte too high",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				for i := range fns {
					fns[i].low, fns[i].high = fns[i].low+1, fns[i].high+1
					fns[i].rowsAt, fns[i].rowsEnd = fns[i].rowsAt+1, fns[i].rowsEnd+1
				}
			}
			f.sections = add(testwasm.Producers(testwasm.Producer{Field: "processed-by", Name: "walrus", Version: "0.27.2"}))
		})},
	{name: "rows-cross", rule: "WD113", how: "a line sequence runs on into the next function",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].rowsEnd += 6 } })},
	{name: "other-code", rule: "WD113", how: "everything has the length of other code",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				for i := range fns {
					fns[i].high, fns[i].rowsEnd = fns[i].high-1-bodyEnd+bodyLoad+1, fns[i].rowsEnd-1-bodyEnd+bodyLoad+1
					fns[i].rows = fns[i].rows[:1]
				}
			}
		})},
	{name: "coverage-lines", rule: "WD114", how: "no line is responsible for most of the code",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				for i := range fns {
					fns[i].rows[0].line, fns[i].rows[1].line, fns[i].rows[2].line = 0, 0, 0
				}
			}
		})},
	{name: "coverage-class", rule: "WD114", how: "functions without debug information, where they are to have some",
		make: damaged(func(f *fixture) {
			f.fns[2].name = "malloc"
			f.dwarf = func(fns []fn) { fns[2].noDWARF = true }
		}),
		options: symcheck.Options{MinCoverage: symcheck.Thresholds{symcheck.ClassRuntime: 50}}},
	{name: "shadowed", rule: "WD115", how: "two objects defined one weak function with different options", make: corpus("weak/w22-ab.wasm")},
	{name: "skeleton", rule: "WD116", how: "split DWARF whose .dwo files are gone", undecided: true, make: corpus("c/split-dw5.wasm")},
	{name: "abbreviations", rule: "WD117", how: "the first abbreviation has a has-children byte of 2",
		make: damaged(func(f *fixture) { f.after = func(s testdwarf.Sections) { s[".debug_abbrev"][2] = 2 } })},
	{name: "unit-cut", rule: "WD117", how: "the unit's length goes past the section",
		make: damaged(func(f *fixture) { f.after = func(s testdwarf.Sections) { s[".debug_info"][0] += 40 } })},
	{name: "line-header", rule: "WD117", how: "the line table has version 9",
		make: damaged(func(f *fixture) { f.after = func(s testdwarf.Sections) { s[".debug_line"][4] = 9 } })},
	{name: "file-unknown", rule: "WD117", how: "rows name a file that the line table does not have",
		make: damaged(func(f *fixture) {
			f.after = func(s testdwarf.Sections) {
				s[".debug_line"] = bytes.Replace(s[".debug_line"], []byte("\x00app.c\x00\x00\x00\x00\x00"), []byte("\x00\x00\x02\x30\x02\x30\x02\x30\x02\x30\x02\x30"), 1)
			}
		})},
	{name: "range-reversed", rule: "WD118", how: "an inlined call ends before it begins",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				fns[0].children = inlined(uint64(fns[0].start)+5, uint64(fns[0].start)+3)
				fns[0].children[0].Attrs[2].Form = testdwarf.FormAddr
			}
		})},
	{name: "inline-outside", rule: "WD119", how: "an inlined call lies in another function",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[0].children = inlined(uint64(fns[1].start)+5, 3) } })},
	{name: "companion-no-code", rule: "WD120", how: "the companion holds custom sections only",
		make: companion(drop("type", "import", "function", "memory", "export", "code", "data"))},
	{name: "companion-pointer", rule: "WD121", how: "the companion points to a companion", make: companion(add(testwasm.ExternalDebugInfo("good.debug.wasm")))},
	{name: "module-pointer", rule: "WD121", how: "a module with DWARF and a pointer to other debug information",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.sections = add(testwasm.ExternalDebugInfo("elsewhere.wasm"))
			return pair{production: f.build(t)}
		}},
	{name: "production-dwarf", rule: "WD122", how: "the production module still holds .debug_line",
		make: func(t testing.TB) pair {
			p := good(t)
			p.production = edit(t, p.production, add(testwasm.Custom(".debug_line", []byte{1, 2, 3})))
			return p
		}},
	{name: "module-dwarf", rule: "WD122", how: "an unsplit module, where DWARF is forbidden",
		make: func(t testing.TB) pair { return pair{production: newFixture().build(t)} }, options: symcheck.Options{ForbidDWARF: true}},
	{name: "pointer-missing", rule: "WD123", how: "the pointer leads to a file that is not there",
		make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("gone.debug.wasm")))},
	{name: "pointer-other", rule: "WD123", how: "the pointer leads to the companion of another build",
		make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("id-other.debug.wasm")))},
	{name: "pointer-malformed", rule: "WD123", how: "the pointer's length is not that of its text",
		make: production(replace("external_debug_info", testwasm.Custom("external_debug_info", []byte("\x20app"))))},
	{name: "pointer-empty", rule: "WD123", how: "the pointer is empty", make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("")))},
	{name: "pointer-control", rule: "WD123", how: "the pointer holds control characters, which clear a terminal",
		make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("\x1b[2Jgood.debug.wasm")))},
	{name: "pointer-bytes", rule: "WD123", how: "the pointer is no text", make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("\xff\xfe\x00")))},
	{name: "pointer-no-url", rule: "WD123", how: "the pointer has a per cent sign that escapes nothing",
		make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("100%.debug.wasm")))},
	{name: "pointer-alone", rule: "WD123", how: "a split module by itself, whose pointer names a place in a file and no file",
		make: func(t testing.TB) pair {
			p := good(t)
			return pair{production: edit(t, p.production, replace("external_debug_info", testwasm.ExternalDebugInfo("#app")))}
		}},
	{name: "pointer-twice", rule: "WD124", how: "a tool added a second pointer in front of the right one",
		make: production(func(s sections) sections {
			return testwasm.Before(s, "external_debug_info", testwasm.ExternalDebugInfo("old.debug.wasm"))
		})},
	{name: "names-order", rule: "WD125", how: "the indices of function names do not ascend",
		make: companion(replace("name", testwasm.Custom("name", []byte("\x01\x07\x02\x02\x01b\x01\x01a"))))},
	{name: "names-twice", rule: "WD125", how: "there are two name sections", make: companion(add(testwasm.Names{Module: "m"}.Section()))},
	{name: "sections-order", rule: "WD125", how: "producers stands in front of name, as Go writes it",
		make: companion(func(s sections) sections {
			return testwasm.Before(s, "name", testwasm.Producers(testwasm.Producer{Field: "language", Name: "C"}))
		})},
	{name: "file-name", rule: "WD126", how: "the companion is called app.debug, for a client that takes *.wasm", make: good, suffix: ".debug",
		options: symcheck.Options{For: symcheck.Datadog}},
	{name: "pointer-long", rule: "WD127", how: "a pointer of 47 bytes", options: symcheck.Options{For: symcheck.Sentry},
		make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("a-companion-with-a-rather-long-name.debug.wasm")))},
	{name: "no-debug", rule: "WD128", how: "the companion was stripped",
		make: companion(drop(".debug_info", ".debug_abbrev", ".debug_line"))},
	{name: "line-only", rule: "WD128", how: "there is a .debug_line and no .debug_info", make: corpus("c/linedirs.wasm")},
	{name: "last-empty", rule: "WD129", how: "the last section is empty", make: production(add(testwasm.Custom("marker", nil)))},
	{name: "bindgen", rule: "WD130", how: "wasm-bindgen has yet to run",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.sections = add(testwasm.Custom("__wasm_bindgen_unstable", []byte{0}))
			return pair{production: f.build(t)}
		}},
	{name: "object", rule: "WD131", how: "an object file", make: corpus("c/reloc-r.wasm")},
	{name: "dwo", rule: "WD131", how: "a .dwo file", make: corpus("c/split-dw5.trap.dwo")},
	{name: "unclaimed", rule: "WD132", how: "the unit's range ends before its last function",
		make: damaged(func(f *fixture) {
			f.unit = func(root *testdwarf.DIE) {
				for i := range root.Attrs {
					if root.Attrs[i].Name == testdwarf.AtHighPC {
						root.Attrs[i].Value = 2 * (bodySize + 1)
					}
				}
			}
		})},
	{name: "body-cut", rule: "WD133", how: "the last body ends in the middle of an instruction",
		make: damaged(func(f *fixture) { f.fns[2].body = testwasm.RawBody(1, 1, 0x7f, 0x41, 0x80, 0x0b) })},
	{name: "bodies-missing", rule: "WD133", how: "the Code section has fewer bodies than the Function section declares",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.sections = replace("function", testwasm.Functions(0, 0, 0, 0))
			return pair{production: f.build(t)}
		}},
	{name: "instruction", rule: "WD134", how: "an instruction that nobody knows", undecided: true,
		make: damaged(func(f *fixture) { f.fns[2].body = testwasm.RawBody(1, 1, 0x7f, 0x41, 0, 0xff, 1, 1, 1, 1, 1, 0x0b) })},
	{name: "data-changed", rule: "WD135", how: "a byte of data changed after the split",
		make: func(t testing.TB) pair { p := good(t); p.production = flip(t, p.production, "data", -1); return p }},
	{name: "section-added", rule: "WD135", how: "a section was appended after the split", make: production(add(testwasm.Custom("signature", []byte("x"))))},
	{name: "record", rule: "WD136", how: "the companion's record is that of another split",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.fns = f.fns[:2]
			other := split(t, f.build(t), rewrite.Options{}).companion
			p := good(t)
			p.companion = edit(t, p.companion, func(s sections) sections {
				sec := parse(t, other).Custom(wasm.CustomWasmDebugID)
				return testwasm.Replace(s, wasm.CustomWasmDebugID, testwasm.Custom(wasm.CustomWasmDebugID, other[sec.Data:sec.End()]))
			})
			return p
		}},
	{name: "record-damaged", rule: "WD136", how: "the companion's record is no JSON", make: companion(replace("wasm-debugid", testwasm.Custom("wasm-debugid", []byte("{"))))},
	{name: "imports", rule: "WD137", how: "the companion imports one function more",
		make: companion(replace("import", testwasm.Imports(testwasm.Import{Module: "env", Name: "host"}, testwasm.Import{Module: "env", Name: "more"})))},
	{name: "overlap", rule: "WD138", how: "a second unit claims the same code under another name",
		make: damaged(func(f *fixture) {
			f.second = func(b *testdwarf.Builder, fns []fn) {
				n := fns[0]
				n.dwarfName = "stranger"
				b.AddUnit(&testdwarf.Unit{Version: 4, Root: testdwarf.Die(testdwarf.TagCompileUnit, testdwarf.A(testdwarf.AtName, testdwarf.FormString, "b.c"),
					testdwarf.A(testdwarf.AtLowPC, testdwarf.FormAddr, n.low), testdwarf.A(testdwarf.AtHighPC, testdwarf.FormData4, n.high-n.low)).With(n.die(0))})
			}
		})},
	{name: "dwarf-lost", rule: "WD139", how: "the DWARF of five functions of six is marked as removed, and the functions are there",
		make: damaged(func(f *fixture) {
			f.fns = append(f.fns, fn{name: "d", body: plainBody(1)}, fn{name: "e", body: plainBody(1)}, fn{name: "f", body: plainBody(1)})
			f.dwarf = func(fns []fn) {
				for i := range fns[1:] {
					fns[i+1].low, fns[i+1].rows = 1<<32-1, nil
					fns[i+1].high = fns[i+1].low + 12
				}
			}
			f.unit = func(root *testdwarf.DIE) {
				root.Attrs = slices.DeleteFunc(root.Attrs, func(a testdwarf.Attr) bool { return a.Name == testdwarf.AtLowPC || a.Name == testdwarf.AtHighPC })
			}
		})},
	{name: "name-long", rule: "WD140", how: "a function's name has more than 100,000 bytes", options: symcheck.Options{For: symcheck.Sentry},
		make: damaged(func(f *fixture) {
			f.sections = replace("name", testwasm.Names{Functions: testwasm.From(1, strings.Repeat("a", 100_001))}.Section())
		})},
	{name: "pointer-url", rule: "WD143", how: "the pointer is a URL", make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("https://example.com/x.wasm")))},
	{name: "vendor-ids", rule: "WD150", how: "clients show the ID differently", make: good, options: symcheck.Options{For: symcheck.Sentry}},
	{name: "names-differ", rule: "WD151", how: "the names in the name section are those of the next function each",
		make: damaged(func(f *fixture) {
			f.sections = replace("name", testwasm.Names{Functions: testwasm.From(1, "beta", "gamma", "alpha")}.Section())
		})},
	{name: "leak-data", rule: "WD160", how: "a home directory in a data segment",
		make: damaged(func(f *fixture) {
			f.sections = replace("data", testwasm.Data(testwasm.Segment{Bytes: []byte("panicked at /home/alice/src/lib.rs")}))
		})},
	{name: "leak-names", rule: "WD160", how: "a home directory in producers",
		make: damaged(func(f *fixture) {
			f.sections = add(testwasm.Producers(testwasm.Producer{Field: "processed-by", Name: `C:\Users\bob\tool.exe`, Version: "1"}))
		})},
	{name: "url-private", rule: "WD161", how: "the pointer names a host inside of a network",
		make: production(replace("external_debug_info", testwasm.ExternalDebugInfo("http://symbols.corp/app.debug.wasm")))},
	{name: "url-source-map", rule: "WD161", how: "the source map is on the machine that built the module",
		make: production(add(testwasm.SourceMappingURL("http://localhost:8080/app.wasm.map")))},
	{name: "str-removed", rule: "WD162", how: "there is no .debug_str", make: without("cpp/O2-dw4.wasm", drop(".debug_str"))},
	{name: "str-offsets-removed", rule: "WD162", how: "there is no .debug_str_offsets", make: without("cpp/O2-dw5.wasm", drop(".debug_str_offsets"))},
	{name: "line-str-removed", rule: "WD162", how: "there is no .debug_line_str", make: without("cpp/O2-dw5.wasm", drop(".debug_line_str"))},
	{name: "addr-zeroed", rule: "WD162", how: ".debug_addr holds nothing but zeros",
		make: without("c/O2-dw5.wasm", contents(".debug_addr", func(b []byte) []byte { return make([]byte, len(b)) }))},
	{name: "addr-cut", rule: "WD162", how: ".debug_addr ends behind its third entry",
		make: without("c/O2-dw5.wasm", contents(".debug_addr", func(b []byte) []byte { return b[:20] }))},
	{name: "ranges-removed", rule: "WD162", how: "there is no .debug_ranges", make: without("c/O2-dw4.wasm", drop(".debug_ranges"))},
	{name: "rnglists-cut", rule: "WD162", how: ".debug_rnglists is half as long as it was",
		make: without("c/O2-dw5.wasm", contents(".debug_rnglists", func(b []byte) []byte { return b[:len(b)/2] }))},
	{name: "ranges-hole", rule: "WD162", how: "zeros stand in place of the first range of the first list, which is an end",
		make: without("c/O2-dw4.wasm", contents(".debug_ranges", func(b []byte) []byte { clear(b[:8]); return b }))},
	{name: "str-hole", rule: "WD162", how: "a third of .debug_str is zeros",
		make: without("c/O2-dw4.wasm", contents(".debug_str", func(b []byte) []byte { clear(b[len(b)/3 : 2*len(b)/3]); return b }))},
	{name: "function-nameless", rule: "WD163", how: "the DWARF name of a function is empty",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[1].entry = "lost" } })},
	{name: "function-no-entry", rule: "WD163", how: "the entry of a function has the address of removed code, and its rows do not",
		make: damaged(removedEntry(true))},
	{name: "inlined-nameless", rule: "WD164", how: "the name of an inlined call's function is empty",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				fns[0].children = inlined(uint64(fns[0].start)+bodyConst, bodyLoad-bodyConst)
				fns[0].children[0].Attrs[0].Value = ""
			}
		})},
	{name: "inlined-nowhere", rule: "WD164", how: "an inlined call has a range list without an entry",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) {
				fns[0].children = []*testdwarf.DIE{testdwarf.Die(testdwarf.TagInlinedSubroutine, testdwarf.A(testdwarf.AtName, testdwarf.FormString, "inner"),
					testdwarf.A(testdwarf.AtRanges, testdwarf.FormSecOffset, 0))}
			}
			f.second = func(b *testdwarf.Builder, _ []fn) { b.Append(".debug_ranges", make([]byte, 8)) }
		})},
	{name: "rows-dead", rule: "WD165", how: "the rows of a unit's only function have the address of removed code",
		make: damaged(func(f *fixture) {
			f.fns[2].own, f.dwarf = true, func(fns []fn) { fns[2].rowsAt, fns[2].rowsEnd = 0, 9 }
		})},
	{name: "lines-unused", rule: "WD166", how: "the unit that a line table belongs to is gone",
		make: damaged(func(f *fixture) {
			f.dwarf = func(fns []fn) { fns[2].noDWARF = true }
			f.second = addLinesOf(2)
		})},
	{name: "code-bare", rule: "WD167", how: "two functions of three were compiled without -g",
		make: damaged(func(f *fixture) { f.dwarf = func(fns []fn) { fns[1].noDWARF, fns[2].noDWARF = true, true } })},
	{name: "names-rotated", rule: "WD168", how: "the names in the production module are those of the next function each, and no record tells",
		make: func(t testing.TB) pair {
			p := good(t)
			return pair{edit(t, p.production, replace("name", testwasm.Names{Functions: testwasm.From(1, "beta", "gamma", "alpha")}.Section())),
				edit(t, p.companion, drop("wasm-debugid"))}
		}},
	{name: "section-twice", rule: "WD169", how: "the companion has a second .debug_line, of another build",
		make: companion(add(testwasm.Custom(".debug_line", []byte{1, 2, 3})))},
	{name: "record-twice", rule: "WD169", how: "the companion's record stands in it twice",
		make: companion(func(s sections) sections { return append(s, s[testwasm.Find(s, "wasm-debugid")]) })},
	{name: "record-kind", rule: "WD136", how: "the record says that the companion holds no code, and it holds all of it",
		make: companion(func(s sections) sections {
			i := testwasm.Find(s, "wasm-debugid")
			s[i].Payload = bytes.Replace(s[i].Payload, []byte(`"kind":"full"`), []byte(`"kind":"symbols"`), 1)
			return s
		})},
	{name: "debug-data", rule: "WD170", how: "a letter of a source file's name changed after the split, and the ID was given, so that it does not tell",
		make: func(t testing.TB) pair {
			p := given(t, rewrite.CompanionFull)
			p.companion = flipText(t, p.companion, ".debug_line", "app.c")
			return p
		}},
	{name: "debug-data-names", rule: "WD170", how: "the same with a letter of a function's name, in a companion without code",
		make: func(t testing.TB) pair {
			p := given(t, rewrite.CompanionSymbols)
			p.companion = flip(t, p.companion, "name", -1)
			return p
		}},
	{name: "debug-data-section", rule: "WD170", how: "a .debug_ section was added after the split",
		make: func(t testing.TB) pair {
			p := given(t, rewrite.CompanionFull)
			p.companion = edit(t, p.companion, add(testwasm.Custom(".debug_gdb_scripts", []byte("x"))))
			return p
		}},
	{name: "source-map-other-build", rule: "WD171", how: "the source map is of a build whose first function had one instruction more",
		make: func(t testing.TB) pair {
			f := newFixture()
			f.fns[0].body = testwasm.Fn(testwasm.OpNop, testwasm.OpI32Const, 0, testwasm.OpI32Load, 2, 0, testwasm.OpDrop, testwasm.OpCall, 2).With(1, testwasm.I32)
			return pair{production: withMap(t, newFixture().build(t), mapOf(segments(t, f.build(t))))}
		}},
	{name: "source-map-cut", rule: "WD172", how: "the mappings of the source map are damaged half-way",
		make: func(t testing.TB) pair {
			b := newFixture().build(t)
			m := mapOf(segments(t, b))
			half := strings.LastIndexByte(m[:len(m)/2], ',')
			return pair{production: withMap(t, b, m[:half+1]+"!"+m[half+1:])}
		}},

	{name: "real-sep", rule: "WD101", how: "emcc 3.1.6 -gseparate-dwarf", make: real("sep.wasm", "sep.wasm.debug.wasm")},
	{name: "real-objcopy14", rule: "WD101", how: "llvm-objcopy 14 --strip-debug, the linker's output as the companion", make: real("objcopy14.wasm", "objcopy14.debug.wasm")},
	{name: "real-wasm-strip", rule: "WD101", how: "wabt's wasm-strip of a module with padded sizes", make: real("emcc-wasm-strip.wasm", "emcc.wasm")},
	{name: "real-only-keep-debug", rule: "WD120", how: "llvm-objcopy --only-keep-debug as the companion", make: real("strip-debug.wasm", "only-keep-debug.debug.wasm")},
	{name: "real-ghost", rule: "WD111", how: "wasm-opt 108 -O2 without -g", make: real("ghost.wasm")},
	{name: "real-clang", rule: "WD111", how: "clang 22 -O2 -g, which runs the wasm-opt 108 on PATH by itself", make: real("clang-wasm-opt.wasm")},
	{name: "real-opt-after-split", rule: "WD102", how: "wasm-opt 108 -O2 of a production module, after the split", make: real("opt-after-split.wasm", "after-split.debug.wasm")},
	{name: "real-strip-after-split", rule: "WD103", how: "wasm-strip of a production module, after the split", make: real("strip-after-split.wasm", "after-split.debug.wasm")},
	{name: "real-opt132", rule: "WD110", how: "wasm-opt 132 -O2, which leaves DWARF as it was", make: real("opt132.wasm", "opt132.debug.wasm")},
	{name: "real-opt132-rows", rule: "WD112", how: "the same module by itself", make: corpus("post/c-O0-dw4.opt132.wasm")},
	{name: "real-opt132-dw5", rule: "WD113", how: "wasm-opt 132 -O2 of DWARF 5", make: corpus("post/c-O2-dw5.opt132.wasm")},
	{name: "real-stripped", rule: "WD128", how: "llvm-objcopy --strip-debug, and nothing kept", make: real("strip-debug.wasm")},
}

// removedEntry gives the entry of one function the address of removed code. With
// variables the unit is one that has an entry for each of its functions.
func removedEntry(variables bool) func(f *fixture) {
	return func(f *fixture) {
		f.dwarf = func(fns []fn) {
			if variables {
				fns[0].children = []*testdwarf.DIE{testdwarf.Die(testdwarf.TagFormalParameter, testdwarf.A(testdwarf.AtName, testdwarf.FormString, "n"))}
			}
			fns[1].low = 1<<32 - 1
			fns[1].high = fns[1].low + bodySize
		}
		f.unit = func(root *testdwarf.DIE) {
			root.Attrs = slices.DeleteFunc(root.Attrs, func(a testdwarf.Attr) bool { return a.Name == testdwarf.AtLowPC || a.Name == testdwarf.AtHighPC })
		}
	}
}

// addLinesOf adds a line table of one function that no unit leads to.
func addLinesOf(i int) func(b *testdwarf.Builder, fns []fn) {
	return func(b *testdwarf.Builder, fns []fn) {
		line := &testdwarf.Line{Version: 4, Files: []testdwarf.File{{Name: "gone.c"}}}
		fns[i].sequence(line)
		b.AddLine(line)
	}
}

// inlined is an inlined call with the given range.
func inlined(low, size uint64) []*testdwarf.DIE {
	return []*testdwarf.DIE{testdwarf.Die(testdwarf.TagInlinedSubroutine, testdwarf.A(testdwarf.AtName, testdwarf.FormString, "inner"),
		testdwarf.A(testdwarf.AtLowPC, testdwarf.FormAddr, low), testdwarf.A(testdwarf.AtHighPC, testdwarf.FormData4, size))}
}

// elsewhere are the rules about what is beside a file, which package debugid finds
// out; its tests show them.
var elsewhere = []string{symcheck.CompanionMissing, symcheck.CompanionOrphan, symcheck.CompanionShipped, symcheck.IDShared, symcheck.LinkOutside, symcheck.LinkBroken}

func (b *broken) run(t testing.TB, p pair) *report.Subject {
	o := b.options
	o.Rules = symcheck.Settings{}
	if rule, _ := symcheck.FindRule(b.rule); rule.Default != report.Error && !b.undecided {
		o.Rules[b.rule] = report.Error
	}
	o.Debug.Alone = true
	prod := module(t, filepath.Join(brokenDir, b.name+".wasm"), p.production)
	var comp *symcheck.Module
	if p.companion != nil {
		suffix := b.suffix
		if suffix == "" {
			suffix = ".debug.wasm"
		}
		comp = module(t, filepath.Join(brokenDir, b.name+suffix), p.companion)
	}
	s, err := symcheck.Check(t.Context(), prod, comp, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func has(s *report.Subject, rule string) bool {
	return slices.ContainsFunc(s.Findings, func(f report.Finding) bool { return f.Rule == rule })
}

func TestBrokenPairsAreRefused(t *testing.T) {
	if len(catalogue) < 40 {
		t.Errorf("the catalogue holds %d pairs", len(catalogue))
	}
	covered := map[string]bool{}
	for i := range catalogue {
		b := &catalogue[i]
		covered[b.rule] = true
		t.Run(b.name, func(t *testing.T) {
			p := b.make(t)
			b.commit(t, p)
			s := b.run(t, p)
			want := report.Fail
			if b.undecided {
				want = report.CouldNotCheck
			}
			if s.Verdict != want || !has(s, b.rule) {
				t.Errorf("%s: verdict %v, want %v with %s\n%s", b.how, s.Verdict, want, b.rule, list(s))
			}
		})
	}
	for _, r := range symcheck.Rules() {
		if !covered[r.Code] && !slices.Contains(elsewhere, r.Code) {
			t.Errorf("no pair breaks %s, %s", r.Code, r.Name)
		}
	}
}

func list(s *report.Subject) string {
	var b strings.Builder
	for i := range s.Findings {
		f := &s.Findings[i]
		fmt.Fprintf(&b, "  %s %v: %s\n", f.Rule, f.Severity, f.Message)
	}
	for _, text := range s.NotChecked {
		fmt.Fprintf(&b, "  not checked: %s\n", text)
	}
	return b.String()
}

// TestGoodPairBreaksNoRule is the passing fixture of every rule: the pair that the
// broken ones are made from.
func TestGoodPairBreaksNoRule(t *testing.T) {
	someID := buildid.Policy{Mode: buildid.ModeGiven, ID: buildid.ID("an id from a CI job")}
	for _, o := range []rewrite.Options{{Pointer: "good.debug.wasm"}, {Companion: rewrite.CompanionSymbols, Pointer: "good.debug.wasm"},
		{BuildID: someID, Pointer: "good.debug.wasm"}, {BuildID: someID, Companion: rewrite.CompanionSymbols, Pointer: "good.debug.wasm"}} {
		p := split(t, newFixture().build(t), o)
		b := broken{name: "good"}
		s := b.run(t, p)
		if s.Verdict != report.Pass || len(s.Findings) > 0 || len(s.NotChecked) > 0 {
			t.Errorf("%v companion: %v\n%s", o.Companion, s.Verdict, list(s))
		}
		if c := s.Coverage.Total; c.Line != 9 || c.Total() != 9 {
			t.Errorf("coverage %+v, want 9 points with lines", c)
		}
	}
}

// TestDebugDataOfCompanionAlone: a companion without its production module is held
// against its record too.
func TestDebugDataOfCompanionAlone(t *testing.T) {
	whole := given(t, rewrite.CompanionFull).companion
	if s := (pair{production: whole}).check(t, "app", symcheck.Options{}); s.Verdict != report.Pass {
		t.Errorf("%v\n%s", s.Verdict, list(s))
	}
	if s := (pair{production: flipText(t, whole, ".debug_line", "app.c")}).check(t, "app", symcheck.Options{}); !has(s, symcheck.DebugDataChanged) {
		t.Errorf("damaged: %v\n%s", s.Verdict, list(s))
	}
}

// TestDebugDataWithoutDigest: the companion of another tool has no digest, and is not
// checked by one; nor is any where the rule is off.
func TestDebugDataWithoutDigest(t *testing.T) {
	damage := func(p pair) pair { p.companion = flipText(t, p.companion, ".debug_line", "app.c"); return p }
	p := given(t, rewrite.CompanionFull)
	p.companion = edit(t, p.companion, drop("wasm-debugid"))
	if s := damage(p).check(t, "app", symcheck.Options{}); s.Verdict != report.Pass {
		t.Errorf("a companion without a record:\n%s", list(s))
	}
	p = damage(given(t, rewrite.CompanionFull))
	if s := p.check(t, "app", symcheck.Options{Rules: symcheck.Settings{symcheck.DebugDataChanged: report.Off}}); s.Verdict != report.Pass {
		t.Errorf("with the rule off: %v\n%s", s.Verdict, list(s))
	}
	if s := p.check(t, "app", symcheck.Options{}); s.Verdict != report.Fail || !has(s, symcheck.DebugDataChanged) {
		t.Errorf("with the rule on: %v\n%s", s.Verdict, list(s))
	}
}
