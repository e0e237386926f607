//go:build linux

package toolchain

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packages are published npm packages with modules inside; testdata/packages.mjs
// runs each of them.
var packages = []string{
	"@resvg/resvg-wasm", "@rollup/wasm-node", "argon2-browser", "brotli-wasm", "esbuild-wasm",
	"source-map", "sql.js", "tiktoken", "vscode-oniguruma", "web-tree-sitter",
}

// Every module of each package is split and the package is run with the
// production modules in the place of its own: it must compute the same.
func TestNPMModules(t *testing.T) {
	stage(t, "npm-modules")
	node := tool(t, "node")
	var all []loaded
	for _, name := range packages {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "node_modules"), os.DirFS(npmTool(t))); err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(dir, "packages.mjs")
			write(t, script, read(t, filepath.Join("testdata", "packages.mjs")))
			run := cmd{dir: dir, args: []string{node, script, name}}
			before := run.run(t)
			if len(before) < 10 {
				t.Fatalf("the package computed only %q", before)
			}
			modules := wasmFiles(t, filepath.Join(dir, "node_modules", name))
			if len(modules) == 0 {
				t.Fatal("there is no module in the package")
			}
			for _, path := range modules {
				out := filepath.Join(scratch, "npm", name, strings.TrimPrefix(path, dir))
				full, symbols := splitAndCheck(t, path, out)
				// The input stays for load, which runs when this folder is gone.
				full.input = filepath.Join(out, "input.wasm")
				write(t, full.input, full.in)
				all = append(all, loaded{name: name + "/" + filepath.Base(path), full: full, symbols: symbols, mode: "compile"})
				write(t, path, full.prod)
			}
			if after := run.run(t); after != before {
				t.Errorf("with the production modules the package computed\n%s\nbefore\n%s", after, before)
			}
			// The files are really what the package runs.
			for _, path := range modules {
				write(t, path, []byte("no module"))
			}
			if r := run.try(t); r.code == 0 && r.stdout == before {
				t.Error("the package does not load its modules from these files")
			}
			t.Logf("%d modules", len(modules))
		})
	}
	load(t, node, all)
}

func wasmFiles(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".wasm" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
