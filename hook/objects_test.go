package hook

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tw "github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// object makes an object file as clang writes one: it imports the memory that the
// linker will define.
func object(sections ...tw.Section) []byte {
	all := []tw.Section{tw.Types(tw.FuncType{}), tw.Imports(tw.Import{Module: "env", Name: "__linear_memory", Kind: tw.KindMemory})}
	return tw.Build(append(append(all, sections...), tw.Custom("linking", []byte{2}))...)
}

// objects writes object files, and what stands beside them on command lines.
func objects(t *testing.T, dir string) {
	t.Helper()
	code := []tw.Section{tw.Functions(0), tw.Code(tw.Fn())}
	for name, b := range map[string][]byte{
		"a.o": object(code...), "b.o": object(code...), "c.o": object(code...), "d.o": object(code...),
		"g.o":            object(append(code, tw.Custom(".debug_info", []byte{1}))...),
		"crt1-command.o": object(append(code, tw.Custom(".debug_info", []byte{1}))...), "crt1.o": object(code...),
		"data.o":   object(),
		"lto.o":    []byte("BC\xc0\xde and more"),
		"lib.a":    []byte("!<arch>\n"),
		"lib.so":   tw.Build(tw.Sample()...),
		"std.rlib": []byte("!<arch>\n"),
	} {
		write(t, filepath.Join(dir, name), b)
	}
}

func TestUndebugged(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "testdata", "objects"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	objects(t, ".")
	none := "none of the object files that were linked"
	for inputs, want := range map[string]string{
		"":                      "",
		"a.o":                   "the object file that was linked (a.o) has no",
		"a.o b.o":               none + " (a.o, b.o) has no",
		"./a.o b.o c.o d.o a.o": none + " (a.o, b.o, c.o and 2 more) has no",
		"a.o lib.a data.o":      "the object file that was linked (a.o) has no",
		"a.o std.rlib":          "the object file that was linked (a.o) has no",
		"crt1-command.o a.o":    "the object file that was linked (a.o) has no",
		"crt1.o lib.a":          "",
		"a.o g.o":               "",
		"g.o":                   "",
		"data.o":                "",
		"lib.a":                 "",
		"a.o lto.o":             "", // nobody knows what it holds
		"a.o lib.so":            "",
		"a.o missing.o":         "",
		"a.o -":                 "",
	} {
		got := undebugged(strings.Fields(inputs))
		if want == "" && got != "" || !strings.HasPrefix(got, strings.TrimSuffix(want, " has no")) {
			t.Errorf("%s: %q, want %q", inputs, got, want)
		}
	}
	// What compilers have written.
	for _, name := range []string{"clang14.o", "clang19.o", "clang22.o", "clang22-64.o", "rust.o"} {
		if got := undebugged([]string{filepath.Join(root, name)}); !strings.Contains(got, "("+name+") has no debug information") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestInputs(t *testing.T) {
	for line, want := range map[string][]string{
		"clang -g -O2 a.o -lm b.a -o app.wasm":                 {"a.o", "b.a"},
		"clang -I inc -x c - -Xlinker c.o -L lib":              {"-"},
		"emcc a.o --pre-js b.js -s X=1 -o app.js":              {"a.o"},
		"wasm-ld -L/lib crt1.o a.o -lc -o app.wasm --export x": {"crt1.o", "a.o"},
		"wasm-ld -flavor wasm a.o libtest-0.rlib --strip-all":  {"a.o", "libtest-0.rlib"},
	} {
		if diff := cmp.Diff(want, ParseInvocation(strings.Fields(line), variables()).Inputs); diff != "" {
			t.Errorf("%s: -want +got:\n%s", line, diff)
		}
	}
}
