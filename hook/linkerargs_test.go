package hook

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsLinker(t *testing.T) {
	for line, want := range map[string]bool{
		"wasm-debugid -flavor wasm -o a.wasm":   true,
		"anything.exe -flavor wasm --export x":  true,
		"wasm-debugid -flavor wasm":             true,
		"wasm-debugid -flavor gnu -o a.out":     false,
		"wasm-debugid split -flavor wasm":       false,
		"wasm-debugid -flavor":                  false,
		"wasm-debugid split a.wasm --in-place":  false,
		"wasm-debugid --flavor wasm -o a.wasm":  false,
		"wasm-debugid":                          false,
		"":                                      false,
		"wasm-debugid -- -flavor wasm -o a.out": false,
	} {
		if got := IsLinker(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestParseLinkerArgs(t *testing.T) {
	dir := t.TempDir()
	rsp := filepath.Join(dir, "args.rsp")
	write(t, rsp, []byte("-L \"some dir\"\n-o 'out dir/app one.wasm'\n@"+filepath.ToSlash(filepath.Join(dir, "more.rsp"))+"\n"))
	write(t, filepath.Join(dir, "more.rsp"), []byte("--strip-debug @"+filepath.ToSlash(rsp))) // names the first one again
	for _, c := range []struct {
		args []string
		want linkerArgs
	}{
		{[]string{"-flavor", "wasm", "a.o"}, linkerArgs{output: "a.out", inputs: []string{"a.o"}}},
		{[]string{"-o", "x.wasm", "a.o"}, linkerArgs{output: "x.wasm", inputs: []string{"a.o"}}},
		{[]string{"-ox.wasm"}, linkerArgs{output: "x.wasm"}},
		{[]string{"--output=x.wasm"}, linkerArgs{output: "x.wasm"}},
		{[]string{"--output", "x.wasm"}, linkerArgs{output: "x.wasm"}},
		{[]string{"-o", "a", "-o", "b"}, linkerArgs{output: "b"}},
		{[]string{"-O2", "--export", "run", "-o", "x", "-S"}, linkerArgs{output: "x", strip: "-S"}},
		{[]string{"-o", "x", "--strip-all"}, linkerArgs{output: "x", strip: "--strip-all"}},
		{[]string{"--version"}, linkerArgs{output: "a.out", nothing: true}},
		{[]string{"-o", "x", "-mllvm", "-opaque-pointers", "a.o"}, linkerArgs{output: "x", inputs: []string{"a.o"}}},
		{[]string{"-o", "x", "--export", "-s", "-L", "-ofile", "-z", "-v", "-e", "--version", "--wrap", "-S"}, linkerArgs{output: "x"}},
		{[]string{"-o", "x", "--export=y", "-S", "-ly", "-o", "z"}, linkerArgs{output: "z", strip: "-S"}},
		{[]string{"-o", "x", "-mllvm"}, linkerArgs{output: "x"}},
		{[]string{"-o", "x", "/deps/libtest-0123.rlib"}, linkerArgs{output: "x", inputs: []string{"/deps/libtest-0123.rlib"}, test: true}},
		{[]string{"-o"}, linkerArgs{output: "a.out"}},
		{[]string{"-o", "target/wasm32-wasip2/release/deps/x.wasm"}, linkerArgs{output: "target/wasm32-wasip2/release/deps/x.wasm", component: true}},
		{[]string{`C:\rust\lib\rustlib\wasm32-wasip3\lib\crt1.o`, "-o", "x"}, linkerArgs{output: "x", inputs: []string{`C:\rust\lib\rustlib\wasm32-wasip3\lib\crt1.o`}, component: true}},
		{[]string{"target/wasm32-wasip1/x.o", "my-wasm32-wasip2/y.o", "-o", "x"}, linkerArgs{output: "x", inputs: []string{"target/wasm32-wasip1/x.o", "my-wasm32-wasip2/y.o"}}},
		{[]string{"@" + filepath.Join(dir, "none"), "-o", "x"}, linkerArgs{output: "x", inputs: []string{"@" + filepath.Join(dir, "none")}}},
		{[]string{"--rsp-quoting=posix", "@" + rsp}, linkerArgs{output: "out dir/app one.wasm", inputs: []string{"@" + filepath.ToSlash(rsp)}, strip: "--strip-debug"}},
	} {
		if got := parseLinkerArgs(c.args); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.args, got, c.want)
		}
	}
}

func TestCargoHome(t *testing.T) {
	join := func(s string) string { return filepath.FromSlash(s) }
	for _, c := range []struct {
		output, bin string
		test        bool
		want        string
	}{
		{"t/release/deps/my_app.wasm", "", false, "t/release/my_app.wasm"},
		{"t/release/deps/my_app-0123456789abcdef.wasm", "my-app", false, "t/release/my-app.wasm"},
		{"t/release/deps/my_app.wasm", "my-app", false, "t/release/my-app.wasm"},
		{"t/release/deps/other-0123456789abcdef.wasm", "my-app", false, ""},
		{"t/release/deps/my_app-0123456789abcdef.wasm", "my-app", true, ""},
		{"t/release/deps/my_lib-0123456789abcdef.wasm", "", true, ""},
		{"t/release/examples/demo-0123456789abcdef.wasm", "demo", false, "t/release/examples/demo.wasm"},
		{"t/release/my_app.wasm", "", false, ""},
		{"t/release/deps/libx.so", "", false, ""},
	} {
		got := cargoHome(join(c.output), linkerArgs{test: c.test}, variables("CARGO", "/bin/cargo", "CARGO_BIN_NAME", c.bin))
		if got != join(c.want) {
			t.Errorf("%s (%s): %q, want %q", c.output, c.bin, got, c.want)
		}
	}
	if got := cargoHome("deps/my_app.wasm", linkerArgs{}, variables()); got != "" {
		t.Errorf("without cargo: %q", got)
	}
}

// Quoting as in https://llvm.org/docs/CommandLine.html#response-files and in
// Microsoft's rules for the command line.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		windows bool
		text    string
		want    []string
	}{
		{false, "", nil},
		{false, " a\tb\r\nc\n", []string{"a", "b", "c"}},
		{false, `one\ word "two words" 'three "words"'`, []string{"one word", "two words", `three "words"`}},
		{false, `a"b c"d \\ "\"" ''`, []string{"ab cd", `\`, `"`, ""}},
		{false, `"open end`, []string{"open end"}},
		{false, `end\`, []string{`end\`}},
		{true, `C:\dir\a.o "C:\two words\b.o"`, []string{`C:\dir\a.o`, `C:\two words\b.o`}},
		{true, `a\\\"b "c\\" "d""e" \\`, []string{`a\"b`, `c\`, `d"e`, `\\`}},
		{true, `'a b'`, []string{"'a", "b'"}},
		{true, `"" x`, []string{"", "x"}},
	} {
		if diff := cmp.Diff(c.want, tokens(c.text, c.windows)); diff != "" {
			t.Errorf("%v %q (-want +got):\n%s", c.windows, c.text, diff)
		}
	}
}

func TestResponseText(t *testing.T) {
	for _, b := range []string{"-o ü", "\ufeff-o ü", "\xff\xfe-\x00o\x00 \x00\xfc\x00", "\xfe\xff\x00-\x00o\x00 \x00\xfc"} {
		if got := responseText([]byte(b)); got != "-o ü" {
			t.Errorf("%q: %q", b, got)
		}
	}
}

// A file that names itself many times must not cost more than its limit.
func TestExpandEnds(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, []byte(strings.Repeat("@"+filepath.ToSlash(b)+"\n", 100)))
	write(t, b, []byte(strings.Repeat("@"+filepath.ToSlash(filepath.Join(dir, "c"))+"\n", 100)))
	write(t, filepath.Join(dir, "c"), []byte("x"))
	if n := len(expand([]string{"--rsp-quoting=posix", "@" + a})); n < maxResponseFiles/2 || n > 100*100+1 {
		t.Errorf("%d arguments", n)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{`a "b c" d\ e`, `"\"" 'x'`, `a\\\"b`, "\\", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, windows := range []bool{false, true} {
			total := 0
			for _, token := range tokens(s, windows) {
				total += len(token)
			}
			if total > len(s) {
				t.Errorf("%q became longer", s)
			}
		}
	})
}
