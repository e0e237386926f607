package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The inputs have a test of their own, TestInputs.
func TestParseInvocation(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("link.rsp", []byte("a.o \"b c.o\" -o 'out dir/app.js'\n-g -s SINGLE_FILE"), 0o666); err != nil {
		t.Fatal(err)
	}
	clang := func(v Invocation) Invocation { return v }
	emcc := func(v Invocation) Invocation { v.Driver = DriverEmscripten; return v }
	for _, c := range []struct {
		line string
		env  string // EMCC_CFLAGS
		want Invocation
	}{
		{line: "clang a.c", want: clang(Invocation{Compiles: true, Links: true, Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -g -O2 a.o b.o -o app.wasm", want: clang(Invocation{Links: true, Target: "app.wasm", Modules: []string{"app.wasm"}, Debug: true, Level: "-O2"})},
		{line: "/opt/wasi-sdk/bin/clang++ -oapp.wasm -g0 a.o", want: clang(Invocation{Links: true, Target: "app.wasm", Modules: []string{"app.wasm"}})},
		{line: "clang-19 --output=app.wasm -g1 a.o -O", want: clang(Invocation{Links: true, Target: "app.wasm", Modules: []string{"app.wasm"}, Debug: true, Level: "-O"})},
		{line: `C:\sdk\clang.exe -lfoo -o app`, want: clang(Invocation{Links: true, Target: "app", Modules: []string{"app"}})},
		{line: "ccache clang -s a.o -o a", want: clang(Invocation{Links: true, Target: "a", Modules: []string{"a"}, Strip: "-s"})},
		{line: "clang a.o -Wl,--gc-sections,--strip-debug -o a --no-wasm-opt", want: clang(Invocation{Links: true, Target: "a", Modules: []string{"a"}, Strip: "--strip-debug", NoWasmOpt: true})},
		{line: "clang a.o -Xlinker -S -o a", want: clang(Invocation{Links: true, Target: "a", Modules: []string{"a"}, Strip: "-S"})},
		{line: "clang a.o -Xlinker --export -Xlinker -S -Wl,-mllvm,-s -o a", want: clang(Invocation{Links: true, Target: "a", Modules: []string{"a"}})}, // values
		{line: "clang a.o -Wl,--version", want: clang(Invocation{Why: "the linker only prints something", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang a.o -Xlinker --version", want: clang(Invocation{Why: "the linker only prints something", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang a.o -Wl,--gc-sections,--help", want: clang(Invocation{Why: "the linker only prints something", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "zig cc a.c -g0 -o a", want: clang(Invocation{Compiles: true, Links: true, Target: "a", Modules: []string{"a"}})},
		{line: "ccache zig cc a.c -o a", want: clang(Invocation{Compiles: true, Links: true, Target: "a", Modules: []string{"a"}, Debug: true})},
		{line: "clang -x c a.txt -x none b.o", want: clang(Invocation{Compiles: true, Links: true, Target: "a.out", Modules: []string{"a.out"}})},
		{line: "zig cc -target wasm32-wasi -g a.c -o a.wasm", want: clang(Invocation{Compiles: true, Links: true, Target: "a.wasm", Modules: []string{"a.wasm"}, Debug: true})},
		{line: "clang -c a.c -o a.o", want: clang(Invocation{Compiles: true, Why: "it compiles only", Target: "a.o", Modules: []string{"a.o"}})},
		{line: "clang -S a.c", want: clang(Invocation{Compiles: true, Why: "it compiles to assembly", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -E a.c", want: clang(Invocation{Compiles: true, Why: "it only preprocesses", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -MM a.c", want: clang(Invocation{Compiles: true, Why: "it lists dependencies", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -MD -MF -c a.c", want: clang(Invocation{Compiles: true, Links: true, Target: "a.out", Modules: []string{"a.out"}})}, // -c is a file here
		{line: "clang -r a.o b.o -o c.o", want: clang(Invocation{Why: "it links an object file", Target: "c.o", Modules: []string{"c.o"}})},
		{line: "clang --version", want: clang(Invocation{Why: "it only prints something", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -print-resource-dir", want: clang(Invocation{Why: "it only prints something", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -### a.c", want: clang(Invocation{Compiles: true, Why: "it only shows what it would do", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -v", want: clang(Invocation{Why: "there is nothing to link", Target: "a.out", Modules: []string{"a.out"}})},
		{line: "clang -I -o b.c", want: clang(Invocation{Compiles: true, Links: true, Target: "a.out", Modules: []string{"a.out"}})}, // -o is a folder here
		{line: "wasm-ld-19 -o app.wasm --export run -S a.o", want: Invocation{Driver: DriverLinker, Links: true, Target: "app.wasm", Modules: []string{"app.wasm"}, Strip: "-S"}},

		{line: "emcc -g a.c", want: emcc(Invocation{Compiles: true, Links: true, Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"}, Debug: true})},
		{line: "em++ a.o -o dist/app.html -O3", want: emcc(Invocation{Links: true, Target: "dist/app.html", Modules: []string{"dist/app.wasm", "dist/app.html"}, Level: "-O3"})},
		{line: "emcc.py a.o -o app.wasm", want: emcc(Invocation{Links: true, Target: "app.wasm", Modules: []string{"app.wasm"}})},
		{line: "emcc a.o -o app", want: emcc(Invocation{Links: true, Target: "app", Modules: []string{"app.wasm", "app"}})},
		{line: "emcc a.o -s SINGLE_FILE=1 -sWASM=0 -sFOO", want: emcc(Invocation{Links: true, Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"},
			Settings: map[string]string{"SINGLE_FILE": "1", "WASM": "0", "FOO": "1"}})},
		{line: "emcc a.o", env: "-g -sSINGLE_FILE", want: emcc(Invocation{Links: true, Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"}, Debug: true,
			Settings: map[string]string{"SINGLE_FILE": "1"}})},
		{line: "emcc a.o -g2 -gsource-map", want: emcc(Invocation{Links: true, Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"}})},
		{line: "emcc a.o -gseparate-dwarf", want: emcc(Invocation{Links: true, Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"}, Debug: true, Separate: true})},
		{line: "emcc a.o -gseparate-dwarf=x/a.debug.wasm -o a.mjs", want: emcc(Invocation{Links: true, Target: "a.mjs", Modules: []string{"a.wasm", "a.mjs"}, Debug: true, Separate: true,
			SeparateFile: "x/a.debug.wasm"})},
		{line: "emcc --pre-js -c a.o", want: emcc(Invocation{Links: true, Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"}})},
		{line: "emcc --clear-cache", want: emcc(Invocation{Why: "it only clears the cache", Target: "a.out.js", Modules: []string{"a.out.wasm", "a.out.js"}})},
		{line: "emcc @link.rsp", want: emcc(Invocation{Links: true, Target: "out dir/app.js", Modules: []string{"out dir/app.wasm", "out dir/app.js"}, Debug: true,
			Settings: map[string]string{"SINGLE_FILE": "1"}})},
	} {
		if c.want.Settings == nil && c.want.Driver != DriverLinker {
			c.want.Settings = map[string]string{}
		}
		if c.want.Driver == DriverLinker {
			c.want.Settings = map[string]string{}
		}
		got := ParseInvocation(strings.Fields(c.line), variables("EMCC_CFLAGS", c.env))
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Invocation{}, "Inputs")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.line, diff)
		}
	}
}

func TestSettings(t *testing.T) {
	for text, want := range map[string]bool{"-sX": true, "-sX=1": true, "-sX=0": false, "-sY=1": false, "-sX=false": false, "-sX=2": true, "-sX=1 -sX=0": false} {
		v := ParseInvocation(strings.Fields("emcc a.c "+text), variables())
		if got := v.On("X"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Whatever is on a command line, it is read to its end, and a link has a place for
// its module.
func FuzzParseInvocation(f *testing.F) {
	f.Add("clang -g -O2 a.o -o app.wasm -Wl,-s -Xlinker", "")
	f.Add("emcc @x -s SINGLE_FILE=1 -gseparate-dwarf= -o", "-sX -g0")
	f.Add("ccache ccache zig cc -o", "\"")
	f.Add("wasm-ld --output", "")
	f.Fuzz(func(t *testing.T, line, env string) {
		t.Chdir(t.TempDir())
		v := ParseInvocation(strings.Fields(line), variables("EMCC_CFLAGS", env))
		if v.Links != (v.Why == "") {
			t.Errorf("links: %v, and why not: %q", v.Links, v.Why)
		}
		if len(v.Modules) == 0 {
			t.Error("no place for the module")
		}
		if v.Driver == DriverEmscripten && filepath.Ext(v.Modules[0]) != ".wasm" {
			t.Errorf("the module would be %q", v.Modules[0])
		}
	})
}
