package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/internal/testwasm"
)

// built returns a module with a function of so many instructions, and sections
// behind it.
func built(size int, more ...testwasm.Section) string {
	code := make([]byte, size)
	for i := range code {
		code[i] = testwasm.OpNop
	}
	return string(testwasm.Build(append([]testwasm.Section{testwasm.Types(testwasm.FuncType{}), testwasm.Functions(0), testwasm.Code(testwasm.Fn(code...))}, more...)...))
}

func TestModules(t *testing.T) {
	dwarf := testwasm.Custom(".debug_info", []byte{0})
	id := testwasm.Custom("build_id", []byte("\x10abcdefghijklmnop"))
	for _, c := range []struct {
		name  string
		files map[string]string
		times map[string]int // seconds
		dist  []string
		want  []string
	}{
		{name: "nothing wrong", files: map[string]string{"build/app.wasm": built(1, dwarf), "dist/app.wasm": built(1, id)}},
		{name: "DWARF", files: map[string]string{"dist/app.wasm": built(1, dwarf)}, want: []string{"error WD330 dist/app.wasm"}},
		{name: "a folder that is named", files: map[string]string{"out/app.wasm": built(1, dwarf)}, dist: []string{"out"}, want: []string{"error WD330 out/app.wasm"}},
		{name: "a folder of another name", files: map[string]string{"out/app.wasm": built(1, dwarf)}},
		{name: "wasm-bindgen", files: map[string]string{"public/app.wasm": built(1, testwasm.Custom("__wasm_bindgen_unstable", []byte{0}))}, want: []string{"error WD331 public/app.wasm"}},
		{name: "a companion", files: map[string]string{"dist/app.debug.wasm": built(1, dwarf)}, want: []string{"warning WD332 dist/app.debug.wasm"}},
		{name: "another build, newer", files: map[string]string{"pkg/app_bg.wasm": built(2), "dist/assets/app_bg-1a2B3c4D.wasm": built(1)},
			times: map[string]int{"pkg/app_bg.wasm": 60, "dist/assets/app_bg-1a2B3c4D.wasm": 0}, want: []string{"error WD333 dist/assets/app_bg-1a2B3c4D.wasm"}},
		{name: "another build, older", files: map[string]string{"pkg/app_bg.wasm": built(2), "dist/app_bg.wasm": built(1)},
			times: map[string]int{"pkg/app_bg.wasm": 0, "dist/app_bg.wasm": 60}, want: []string{"warning WD333 dist/app_bg.wasm"}},
		{name: "the same code of two places", files: map[string]string{"pkg/app_bg.wasm": built(2), "out/app_bg.wasm": built(1), "dist/app_bg.wasm": built(1)}},
		{name: "packed before", files: map[string]string{"dist/app.wasm": built(1), "dist/app.wasm.br": "", "dist/app.wasm.gz": ""},
			times: map[string]int{"dist/app.wasm": 60, "dist/app.wasm.br": 0, "dist/app.wasm.gz": 60}, want: []string{"warning WD334 dist/app.wasm.br"}},
		{name: "one ID", files: map[string]string{"a.wasm": built(1, id), "b.wasm": built(2, id), "c.wasm": built(1, id, dwarf)}, want: []string{"error WD336 b.wasm"}},
		{name: "one ID, and no code", files: map[string]string{"a.wasm": built(1, id), "b.wasm": string(testwasm.Build(id, dwarf))}},
		{name: "a pair of two builds", files: map[string]string{"a.wasm": built(1, id), "a.debug.wasm": built(1, testwasm.Custom("build_id", []byte("\x10other--other--ot")), dwarf)}, want: []string{"error WD337 a.debug.wasm"}},
		{name: "a pair", files: map[string]string{"a.wasm": built(1, id), "a.debug.wasm": built(1, id, dwarf), "b.debug.wasm": built(1, dwarf)}},
		{name: "a bundler", files: map[string]string{"package.json": "{\"scripts\": {\n\"build\": \"vite build\"}}", "pkg/app_bg.wasm": built(1, dwarf)},
			want: []string{"warning WD325 package.json:2"}},
		{name: "a bundler behind a split", files: map[string]string{"package.json": `{"scripts": {"wasm": "wasm-debugid split --in-place pkg/app_bg.wasm", "build": "vite build"}}`,
			"pkg/app_bg.wasm": built(1, dwarf)}},
		{name: "cut off", files: map[string]string{"a.wasm": "\x00asm", "b.wasm": "", "c.wasm": "\x7fELF"}, want: []string{"warning WD340 a.wasm", "warning WD340 b.wasm"}},
		{name: "what is not looked at", files: map[string]string{"node_modules/x/dist/app.wasm": built(1, dwarf), "target/wasm32-wasip1/release/deps/dist/app.wasm": built(1, dwarf)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			o := Options{Dir: project(t, c.files)}
			for path, seconds := range c.times {
				set(t, filepath.Join(o.Dir, filepath.FromSlash(path)), seconds)
			}
			for _, dir := range c.dist {
				o.Dist = append(o.Dist, filepath.Join(o.Dir, dir))
			}
			_, got := examine(t, o)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestStem(t *testing.T) {
	for path, want := range map[string]string{
		"dist/assets/app-BxY3z8aQ.wasm":         "app",
		"dist/app_bg-1a2b3c4d5e6f7a8b.wasm":     "app",
		"pkg/app_bg.wasm":                       "app",
		"app.wasm":                              "app",
		"dist/0f3a9c1b2d4e5f60.module.wasm":     "0f3a9c1b2d4e5f60",
		"dist/my-application.wasm":              "my-application",
		"dist/app.1a2b3c4d.wasm":                "app",
		"target/wasm32/release/my_program.wasm": "my_program",
	} {
		if got := stem(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// Modules are not checked, and the report says so.
func TestSaysThatModulesAreNotChecked(t *testing.T) {
	for name, want := range map[string]bool{"a.wasm": true, "a.txt": false} {
		dir := project(t, map[string]string{name: built(1)})
		r, err := Examine(context.Background(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(r.Unexamined, "wasm-debugid check "+dir); got != want {
			t.Errorf("%s: %q", name, r.Unexamined)
		}
	}
}

// set changes the time of a file by so many seconds from a fixed one.
func set(t *testing.T, path string, seconds int) {
	t.Helper()
	when := time.Unix(1_700_000_000+int64(seconds), 0)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}
