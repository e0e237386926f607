package dwarf_test

import (
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	td "github.com/wasm-debugid/wasm-debugid/internal/testdwarf"
)

// TestJoinPath joins by the separator rules of the directory. Windows and
// prefix-mapped paths: zackees/fastled-wasm#129, zpl-c/eco2d#4,
// WebAssembly/wasi-sdk#422.
func TestJoinPath(t *testing.T) {
	tests := []struct{ dir, path, want string }{
		{"/src", "a.c", "/src/a.c"},
		{"/src/", "a.c", "/src/a.c"},
		{"/src", "sub/a.c", "/src/sub/a.c"},
		{"/src", "./a.c", "/src/a.c"},
		{"/src", ".//./a.c", "/src/a.c"},
		{"/src", "../a.c", "/src/../a.c"},
		{"/src", ".", "/src"},
		{"/src", "", "/src"},
		{"/src", "./", "/src"},
		{"/src", "/abs/a.c", "/abs/a.c"},
		{"/", "a.c", "/a.c"},
		{"/back\\slash", "a.c", "/back\\slash/a.c"},
		{"", "a.c", "a.c"},
		{".", "a.c", "./a.c"},
		{"src", "a.c", "src/a.c"},
		{"..", ".hidden", "../.hidden"},
		{`C:\src`, "a.c", `C:\src\a.c`},
		{`C:\src\`, "a.c", `C:\src\a.c`},
		{`C:\src`, `sub\a.c`, `C:\src\sub\a.c`},
		{`C:\src`, `.\a.c`, `C:\src\a.c`},
		{`C:\src`, `D:\other\a.c`, `D:\other\a.c`},
		{`C:\src`, `D:/other/a.c`, `D:/other/a.c`},
		{`C:\src`, `\rooted.c`, `\rooted.c`},
		{"C:/src", "a.c", "C:/src/a.c"},
		{"C:/src/", "a.c", "C:/src/a.c"},
		{`C:\src/mixed`, "a.c", `C:\src/mixed/a.c`},
		{`C:/src\mixed`, "a.c", `C:/src\mixed\a.c`},
		{"C:", `sub\a.c`, `C:\sub\a.c`},
		{"C:", "sub/a.c", "C:/sub/a.c"},
		{"C:", "a.c", `C:\a.c`},
		{`\\?\C:\src`, "a.c", `\\?\C:\src\a.c`},
		{`\\?\C:\src\`, "a.c", `\\?\C:\src\a.c`},
		{`\\?\C:\src`, `\\?\C:\other\a.c`, `\\?\C:\other\a.c`},
		{`\\?\C:\src`, `C:\other\a.c`, `C:\other\a.c`},
		{`\\server\share`, "a.c", `\\server\share\a.c`},
		{`\\server\share/x`, "a.c", `\\server\share/x\a.c`},
		{"https://example.com/src", "a.c", "https://example.com/src/a.c"},
		{"/src", "https://example.com/a.c", "https://example.com/a.c"},
		{"/src", "webpack:///./a.ts", "webpack:///./a.ts"},
		{"/src", "c:a.c", "c:a.c"},
		{"/src", "a:b.c", "a:b.c"},
		{"/src", "ab:c.c", "/src/ab:c.c"},
	}
	for _, test := range tests {
		if got := string(dwarf.JoinPath([]byte(test.dir), []byte(test.path))); got != test.want {
			t.Errorf("JoinPath(%q, %q) = %q, want %q", test.dir, test.path, got, test.want)
		}
	}
}

// TestPathsOfUnits: name, directory entry and compilation directory together.
func TestPathsOfUnits(t *testing.T) {
	tests := []struct {
		version int
		compDir any // nil: none
		dirs    []string
		file    td.File
		want    string
	}{
		{4, "/build", nil, td.File{Name: "a.c"}, "/build/a.c"},
		{4, "/build", []string{"inc"}, td.File{Name: "a.h", Dir: 1}, "/build/inc/a.h"},
		{4, "/build", []string{"/usr/inc"}, td.File{Name: "a.h", Dir: 1}, "/usr/inc/a.h"},
		{4, "/build", []string{"inc"}, td.File{Name: "/x/a.h", Dir: 1}, "/x/a.h"},
		{4, "/build", []string{"inc"}, td.File{Name: "a.h", Dir: 9}, "/build/a.h"},
		{4, nil, []string{"inc"}, td.File{Name: "a.h", Dir: 1}, "inc/a.h"},
		{4, nil, nil, td.File{Name: "a.c"}, "a.c"},
		{4, ".", nil, td.File{Name: "a.c"}, "./a.c"},
		{5, "/build", []string{"/build"}, td.File{Name: "a.c"}, "/build/a.c"},
		{5, "/build", []string{"/build", "inc"}, td.File{Name: "a.h", Dir: 1}, "/build/inc/a.h"},
		{5, "/build", []string{"/build", "/usr/inc"}, td.File{Name: "a.h", Dir: 1}, "/usr/inc/a.h"},
		{5, "/build", []string{"/other", "inc"}, td.File{Name: "a.h", Dir: 1}, "/other/inc/a.h"},
		{5, "/build", []string{"rel", "inc"}, td.File{Name: "a.h", Dir: 1}, "/build/rel/inc/a.h"},
		{5, "/build", []string{"rel"}, td.File{Name: "a.c"}, "/build/rel/a.c"},
		{5, ".", []string{"."}, td.File{Name: "a.c"}, "./a.c"},
		{5, "src", []string{"src", "inc"}, td.File{Name: "a.h", Dir: 1}, "src/inc/a.h"},
		{5, nil, []string{"src", "inc"}, td.File{Name: "a.h", Dir: 1}, "src/inc/a.h"},
		{5, nil, nil, td.File{Name: "a.c"}, "a.c"},
		{5, "/build", nil, td.File{Name: "a.c"}, "/build/a.c"},
		{5, "/build", []string{"/build"}, td.File{Name: "a.c", Dir: 9}, "/build/a.c"},
		{5, `C:\build`, []string{`C:\build`, `inc`}, td.File{Name: "a.h", Dir: 1}, `C:\build\inc\a.h`},
		{5, `\\?\C:\build`, []string{`\\?\C:\build`}, td.File{Name: `sub\a.c`}, `\\?\C:\build\sub\a.c`},
		{4, `C:\build`, []string{`D:\inc`}, td.File{Name: "a.h", Dir: 1}, `D:\inc\a.h`},
		{4, "/build", nil, td.File{Name: ""}, dwarf.UnknownFile},
	}
	for _, test := range tests {
		b := td.New()
		off := b.AddLine(&td.Line{Version: test.version, Dirs: test.dirs, Files: []td.File{test.file}})
		root := cu(td.A(td.AtStmtList, td.FormSecOffset, off))
		if test.compDir != nil {
			root.Attrs = append(root.Attrs, td.A(td.AtCompDir, td.FormString, test.compDir))
		}
		p, err := unit(b, &td.Unit{Version: test.version, Root: root}).LineProgram()
		if err != nil {
			t.Fatal(err)
		}
		f := p.Files()
		if got, _ := f.Path(f.FirstFile()); got != test.want {
			t.Errorf("version %d, %v, %q, %+v: %q, want %q", test.version, test.compDir, test.dirs, test.file, got, test.want)
		}
		// Appending must leave what is already there alone.
		buf, _ := f.AppendPath([]byte("C:\\x/"), f.FirstFile())
		if string(buf) != "C:\\x/"+test.want {
			t.Errorf("appended: %q", buf)
		}
	}
}
