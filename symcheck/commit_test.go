package symcheck_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/broken")

// maxCommitted is the size in bytes up to which a broken file is kept in testdata.
const maxCommitted = 64 << 10

// commit holds a pair against the files in testdata/broken, which other programs
// can be tried on. What real tools made, and what is in the corpus, is there
// already.
func (b *broken) commit(t *testing.T, p pair) {
	t.Helper()
	if strings.HasPrefix(b.name, "real-") || len(p.production) > maxCommitted || len(p.companion) > maxCommitted {
		return
	}
	if f, err := filepath.Glob(corpusDir + "/*/*"); err == nil && p.companion == nil {
		for _, name := range f {
			if have, err := os.ReadFile(name); err == nil && bytes.Equal(have, p.production) {
				return
			}
		}
	}
	suffix := b.suffix
	if suffix == "" {
		suffix = ".debug.wasm"
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{b.name + ".wasm", p.production}, {b.name + suffix, p.companion}} {
		name := filepath.Join(brokenDir, f.name)
		if f.data == nil {
			continue
		}
		if *update {
			if err := os.WriteFile(name, f.data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(have, f.data) {
			t.Errorf("%s is not what the test builds; run go test ./symcheck -update (%v)", name, err)
		}
	}
}

// TestBrokenReadme holds the list of broken pairs against the catalogue.
func TestBrokenReadme(t *testing.T) {
	var out strings.Builder
	out.WriteString(brokenHead)
	for i := range catalogue {
		b := &catalogue[i]
		result := "fail"
		if b.undecided {
			result = "could not check"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", b.name, b.rule, result, b.how)
	}
	name := filepath.Join(brokenDir, "README.md")
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if err != nil || string(have) != out.String() {
		t.Errorf("%s does not list the catalogue; run go test ./symcheck -update (%v)", name, err)
	}
	// Nothing else lies there.
	var names []string
	for i := range catalogue {
		names = append(names, catalogue[i].name)
	}
	files, err := os.ReadDir(brokenDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range files {
		stem, _, _ := strings.Cut(f.Name(), ".")
		if !f.IsDir() && f.Name() != "README.md" && !slices.Contains(names, stem) {
			t.Errorf("%s/%s belongs to no entry of the catalogue", brokenDir, f.Name())
		}
	}
}

const brokenHead = `# Broken pairs

Each of these must be refused by ` + "`wasm-debugid check`" + ` with the rule named here, or could not be
checked. NAME.wasm is the production module or the module by itself, NAME.debug.wasm its companion. They
are made by ` + "`symcheck/broken_test.go`" + `, which also compares these files with what it makes
(` + "`go test ./symcheck -update`" + ` writes them); entries without files are in ` + "`testdata/corpus`" + ` or too large to
keep. Those called real-… were made by the tools named, from the programs in ` + "`testdata/corpus/src`" + `; they are
in ` + "`real/`" + `:

| file | made with |
|---|---|
| sep.wasm, sep.wasm.debug.wasm | emcc 3.1.6 ` + "`-O2 -gseparate-dwarf`" + ` |
| emcc.wasm | emcc 3.1.6 ` + "`-g -O0`" + ` |
| emcc-wasm-strip.wasm | wasm-strip 1.0.32 of emcc.wasm |
| objcopy14.debug.wasm, objcopy14.wasm | corpus c/bid-sha1.wasm, and llvm-objcopy 14 ` + "`--strip-debug`" + ` of it |
| strip-debug.wasm, only-keep-debug.debug.wasm | llvm-objcopy 22 ` + "`--strip-debug`, `--only-keep-debug`" + ` of corpus c/O0-dw4.wasm |
| ghost.wasm | wasm-opt 108 ` + "`-O2`" + ` of corpus c/O0-dw4.wasm |
| opt132.debug.wasm, opt132.wasm | wasm-opt 132 ` + "`-O2`" + ` of corpus c/O0-dw4.wasm, and llvm-objcopy 22 ` + "`--strip-debug`" + ` of that |
| clang-wasm-opt.wasm | clang 22 ` + "`-g -O2 -nostdlib -Wl,--no-entry -Wl,--export-all -Wl,--build-id=fast`" + ` of trap.c and other.c, with wasm-opt 108 on PATH |
| after-split.debug.wasm, opt-after-split.wasm, strip-after-split.wasm | ` + "`wasm-debugid split`" + ` of corpus c/O2-dw4.wasm, and wasm-opt 108 ` + "`-O2`" + ` and wasm-strip 1.0.32 of the production module |
| stale-id.wasm | wasm-opt 108 ` + "`-O2 -g`" + ` of corpus c/bid-fast.wasm |

| pair | rule | result | how it comes to be |
|---|---|---|---|
`
