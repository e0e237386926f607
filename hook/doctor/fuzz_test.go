package doctor

import (
	"context"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// Whatever stands in the files of a project, findings are made of it in the end,
// and each is at a line that the file has.
func FuzzTexts(f *testing.F) {
	f.Add("all:\n\twasm-opt -O2 a.wasm \\\n -o b.wasm && emcc -sSINGLE_FILE\n")
	f.Add(`{"scripts": {"build": "vite build", "x": "wasm-bindgen a.wasm --out-dir b"}}`)
	f.Add("[profile.release]\ndebug = 0\nstrip = \"symbols\"\ninherits = \"release\"\n[dependencies]\nwasm-bindgen = \"1\"\n[workspace]\n")
	f.Add("[[hooks]]\nstage = \"post_build\"\ncommand = \"wasm\"\n")
	f.Add(`<link data-trunk rel="rust" data-wasm-opt = 'z' data-integrity=sha384><link integrity="sha384-AA" href="/a.wasm">`)
	f.Add("[[package]]\nname = \"walrus\"\nversion = \"0.2.99999999999999999999\"\n")
	f.Add("[profile.a]\ninherits = \"b\"\n[profile.b]\ninherits = \"a\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		e := &examiner{ctx: context.Background(), s: &report.Subject{}}
		e.o.Getenv = func(string) string { return "" }
		lines := map[string]uint32{}
		for _, name := range []string{"Makefile", "package.json", "Cargo.toml", "Cargo.lock", "Trunk.toml", "index.html", ".cargo/config.toml"} {
			file := &textFile{path: name, name: name, text: text}
			if name == ".cargo/config.toml" {
				file.name = "config.toml"
			}
			lines[name] = file.at(len(text)).Line
			e.texts = append(e.texts, file)
		}
		for _, examine := range []func() error{e.bindgen, e.cargo, e.webTools, e.scripts, e.pages} {
			if err := examine(); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range e.s.Findings {
			if n, ok := lines[x.Location.Path]; ok && x.Location.Line > n && x.Rule != Unreadable {
				t.Errorf("%s: a finding at line %d of %d", x.Location.Path, x.Location.Line, n)
			}
		}
	})
}
