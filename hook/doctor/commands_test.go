package doctor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What runs is found wherever a command can stand, and words that nothing runs are
// no findings.
func TestCommandPosition(t *testing.T) {
	const found, quiet = true, false
	for line, want := range map[string]bool{
		"wasm-strip a.wasm":                                     found,
		"  ./node_modules/.bin/wasm-strip a.wasm":               found,
		"make && wasm-strip a.wasm":                             found,
		"make; wasm-strip a.wasm":                               found,
		"ls | wasm-strip a.wasm":                                found,
		"make & wasm-strip a.wasm":                              found,
		"(cd out && wasm-strip a.wasm)":                         found,
		"X=1 Y='a b' wasm-strip a.wasm":                         found,
		"x=$(wasm-strip a.wasm)":                                found,
		"x=\"a $(wasm-strip a.wasm) b\"":                        found,
		"x=`wasm-strip a.wasm`":                                 found,
		"sudo -n env A=1 wasm-strip a.wasm":                     found,
		"find . -name '*.wasm' | xargs -n1 wasm-strip a.wasm":   found,
		"if wasm-strip a.wasm; then true; fi":                   found,
		"sh -ec 'cd out; wasm-strip a.wasm'":                    found,
		"\"wasm-strip\" \"a b.wasm\"":                           found,
		"echo done # ready\\\n && true\nwasm-strip a.wasm":      found,
		"make \\\n  && wasm-strip \\\n a.wasm":                  found,
		"echo \"we no longer use wasm-strip a.wasm\"":           quiet,
		"echo we no longer use wasm-strip a.wasm":               quiet,
		"@echo wasm-strip a.wasm":                               quiet,
		"printf 'wasm-strip a.wasm\\n'":                         quiet,
		"echo 'a; wasm-strip a.wasm; b'":                        quiet,
		"echo \"a && wasm-strip a.wasm\"":                       quiet,
		"make # and not wasm-strip a.wasm; wasm-strip a.wasm":   quiet,
		"# wasm-strip a.wasm":                                   quiet,
		"\t# then; wasm-strip a.wasm":                           quiet,
		"grep -r wasm-strip src":                                quiet,
		"apt-get install -y wasm-strip a":                       quiet,
		"X='wasm-strip a.wasm'":                                 quiet,
		"cp wasm-strip a.wasm":                                  quiet,
		"wasm-strip --version":                                  quiet,
		"$(info wasm-strip a.wasm is no longer run)":            quiet,
		"cat <<EOF\nusage:\n  wasm-strip a.wasm\nEOF":           quiet,
		"usage() { cat >&2 <<-'END'\nwasm-strip $(a)\n\tEND\n}": quiet,
		"cat <<EOF >&2\nx \\\nEOF\nwasm-strip a.wasm":           found, // behind it
		"cat <<EOF\n$(wasm-strip a.wasm)\nEOF":                  found,
		"cat <<EOF\nusage:\nwasm-strip a.wasm":                  found, // it has no end
		"cat >a.sh <<EOF\nwasm-strip a.wasm\nEOF":               found, // a script
		"cat <<EOF | sh\nwasm-strip a.wasm\nEOF":                found,
		"sh <<EOF\nwasm-strip a.wasm\nEOF":                      found,
		"echo \"unclosed; wasm-strip a.wasm":                    quiet,
		"$(" + strings.Repeat("$(", 1000) + "wasm-strip a.wasm": quiet, // deeper than is looked at
	} {
		_, got := examine(t, Options{Dir: project(t, map[string]string{"build.sh": line + "\n"})})
		if (len(got) == 1 && strings.HasPrefix(got[0], "error WD321")) != want || len(got) > 1 {
			t.Errorf("%.80q: %q", line, got)
		}
	}
}

// Files of other kinds hold commands elsewhere.
func TestCommandsOfFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"CMakeLists.txt", "add_custom_command(TARGET a POST_BUILD COMMAND wasm-strip a.wasm COMMAND echo b)\n", []string{"error WD321 CMakeLists.txt:1"}},
		{"CMakeLists.txt", "add_custom_command(TARGET a POST_BUILD\n  COMMAND ${CMAKE_COMMAND} -E env A=1 wasm-strip a.wasm)\n", []string{"error WD321 CMakeLists.txt:2"}},
		{"CMakeLists.txt", "message(STATUS \"wasm-strip a.wasm, -sSINGLE_FILE\")\n# wasm-strip a.wasm\n", []string{}},
		{"CMakeLists.txt", "target_link_options(a PRIVATE \"SHELL:-s SINGLE_FILE=1\")\n", []string{"error WD323 CMakeLists.txt:1"}},
		{"package.json", "{\"description\": \"wasm-strip a.wasm\",\n\"scripts\": {\"a\": \"echo \\\"wasm-strip a.wasm\\\"\",\n\"b\": \"tsc && wasm-strip a.wasm\"}}", []string{"error WD321 package.json:3"}},
		{".github/workflows/a.yml", "steps:\n  - name: wasm-strip a.wasm\n  - run: wasm-strip a.wasm\n  - run: |\n      wasm-strip a.wasm\n  - run: \"wasm-strip a.wasm\"\n",
			[]string{"error WD321 .github/workflows/a.yml:3", "error WD321 .github/workflows/a.yml:5", "error WD321 .github/workflows/a.yml:6"}},
		{"Makefile", "OPT = wasm-opt -O2 a.wasm\nall:\n\t@$(BIN)/wasm-opt -O2 a.wasm\n\t-wasm-opt -Oz b\n", []string{"error WD320 Makefile:1", "error WD320 Makefile:3", "error WD320 Makefile:4"}},
	} {
		_, got := examine(t, Options{Dir: project(t, map[string]string{c.name: c.text})})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", c.text, diff)
		}
	}
}

// SINGLE_FILE is seen however emcc lets it be written.
func TestSingleFileSpellings(t *testing.T) {
	for line, want := range map[string]bool{
		"emcc a.c -s SINGLE_FILE":               true,
		"emcc a.c -s SINGLE_FILE=1":             true,
		"emcc a.c -sSINGLE_FILE":                true,
		"emcc a.c -sSINGLE_FILE=1 -O2":          true,
		"emcc a.c -sSINGLE_FILE=true":           true,
		"emcc a.c '-sSINGLE_FILE'":              true,
		"emcc a.c -s 'SINGLE_FILE=1'":           true,
		"bazel build --linkopt -sSINGLE_FILE a": true,
		"bazel build --linkopt=-sSINGLE_FILE a": true,
		"LDFLAGS=\"-O2 -sSINGLE_FILE=1\" make":  true,
		"LDFLAGS += -sSINGLE_FILE":              true,
		"emcc a.c -sSINGLE_FILE=0":              false,
		"emcc a.c -s SINGLE_FILE=0":             false,
		"emcc a.c -sSINGLE_FILE_X":              false,
		"emcc a.c -DSINGLE_FILE":                false,
		"emcc a.c # -sSINGLE_FILE":              false,
		"echo no -sSINGLE_FILE":                 false,
	} {
		_, got := examine(t, Options{Dir: project(t, map[string]string{"Makefile": line + "\n"})})
		if (len(got) == 1 && got[0] == "error WD323 Makefile:1") != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}
