package doctor

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wasm-debugid/wasm-debugid/report"
)

// project writes files, by their paths, and returns their folder.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// examine returns the findings about a project as lines: severity, code, place.
func examine(t *testing.T, o Options) (report.Verdict, []string) {
	t.Helper()
	r, err := Examine(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, f := range r.Subjects[0].Findings {
		path := f.Location.Path
		if rel, err := filepath.Rel(o.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
			path = filepath.ToSlash(rel)
		} else {
			path = filepath.Base(path)
		}
		if f.Location.Line > 0 {
			path += fmt.Sprintf(":%d", f.Location.Line)
		}
		lines = append(lines, fmt.Sprintf("%v %s %s", f.Severity, f.Rule, path))
	}
	return r.Verdict(), lines
}

const wasmCrate = "[package]\nname = \"app\"\n[lib]\ncrate-type = [\"cdylib\"]\n[dependencies]\nwasm-bindgen = \"0.2\"\n"

const (
	debugCrate = wasmCrate + "[profile.release]\ndebug = true\n"
	linkerMode = "[target.wasm32-unknown-unknown]\nlinker = \"wasm-debugid\"\n"
)

func TestProjects(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		env   map[string]string
		want  []string
	}{
		{name: "empty", files: map[string]string{"README.md": "wasm-strip app.wasm"}},
		{name: "a crate for other machines", files: map[string]string{"Cargo.toml": "[package]\nname = \"app\"\n"}},
		{name: "no debug", files: map[string]string{"Cargo.toml": wasmCrate}, want: []string{"error WD310 Cargo.toml"}},
		{name: "debug off", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = 0\n"}, want: []string{"error WD310 Cargo.toml:7"}},
		{name: "debug", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n"}},
		{name: "lines", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = \"line-tables-only\"\n"}},
		{name: "strips", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = 2\nstrip = true\n"}, want: []string{"error WD311 Cargo.toml:7"}},
		{name: "another profile", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n[profile.small]\ninherits = \"release\"\ndebug = false\n"},
			want: []string{"warning WD310 Cargo.toml:9"}},
		{name: "an inherited setting", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n[profile.small]\ninherits = \"release\"\n"}},
		{name: "the configuration wins", files: map[string]string{"Cargo.toml": wasmCrate, ".cargo/config.toml": "[profile.release]\ndebug = true\n"}},
		{name: "the variable wins", files: map[string]string{"Cargo.toml": wasmCrate}, env: map[string]string{"CARGO_PROFILE_RELEASE_DEBUG": "1"}},
		{name: "flags strip", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n",
			".cargo/config.toml": "[target.wasm32-unknown-unknown]\nrustflags = [\"-C\", \"strip=debuginfo\"]\n"}, want: []string{"error WD311 .cargo/config.toml:2"}},
		{name: "members have no profiles", files: map[string]string{
			"Cargo.toml":     "[workspace]\nmembers = [\"app\"]\n[profile.release]\ndebug = 1\n",
			"app/Cargo.toml": wasmCrate}},
		{name: "damaged", files: map[string]string{"Cargo.toml": "[package\n"}, want: []string{"warning WD340 Cargo.toml:2"}},
		{name: "linker mode before wasm-bindgen", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode}, want: []string{"error WD315 .cargo/config.toml:2"}},
		{name: "linker mode of a folder", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": "[target.wasm32-unknown-unknown]\nrustflags = []\nlinker = 'C:\\bin\\wasm-debugid.exe'\n"},
			want: []string{"error WD315 .cargo/config.toml:3"}},
		{name: "linker mode by a variable", files: map[string]string{"Cargo.toml": debugCrate}, env: map[string]string{bindgenLinker: "/opt/bin/wasm-debugid"}, want: []string{"error WD315 Cargo.toml"}},
		{name: "linker mode that is off", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode + "[env]\nWASM_DEBUGID_HOOK = \"off\"\n"}},
		{name: "linker mode that is off here", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode}, env: map[string]string{"WASM_DEBUGID_HOOK": "off"}},
		{name: "linker mode that takes it", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": linkerMode + "[env]\nWASM_DEBUGID_ALLOW_BINDGEN_INPUT = { value = \"1\", force = true }\n"}},
		{name: "linker mode without wasm-bindgen", files: map[string]string{"Cargo.toml": "[profile.release]\ndebug = true\n", ".cargo/config.toml": linkerMode}},
		{name: "linker mode, perhaps wasm-bindgen", files: map[string]string{"Cargo.toml": "[profile.release]\ndebug = true\n[dependencies]\nwasm-bindgen = { version = \"0.2\", optional = true }\n", ".cargo/config.toml": linkerMode}},
		{name: "another linker", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": "[target.wasm32-unknown-unknown]\nlinker = \"wasm-ld\"\n"}},
		{name: "another target", files: map[string]string{"Cargo.toml": debugCrate, ".cargo/config.toml": "[target.wasm32-wasip1]\nlinker = \"wasm-debugid\"\n"}},
		{name: "wasm-pack's defaults", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n", "build.sh": "wasm-pack build\n"},
			want: []string{"error WD312 Cargo.toml", "error WD312 Cargo.toml"}},
		{name: "wasm-pack that keeps", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n" +
			"[package.metadata.wasm-pack.profile.release]\nwasm-opt = [\"-O\", \"-g\"]\n[package.metadata.wasm-pack.profile.release.wasm-bindgen]\ndwarf-debug-info = true\n"}},
		{name: "wasm-pack without -g", files: map[string]string{"Cargo.toml": wasmCrate + "[profile.release]\ndebug = true\n" +
			"[package.metadata.wasm-pack.profile.release]\nwasm-opt = [\"-O\"]\nwasm-bindgen = { dwarf-debug-info = true }\n"}, want: []string{"error WD312 Cargo.toml:9"}},
		{name: "trunk", files: map[string]string{"Trunk.toml": "", "index.html": "<html>\n<link data-trunk rel=\"rust\" />\n<link data-trunk rel=\"css\" href=\"a.css\">"},
			want: []string{"error WD313 index.html:2", "warning WD313 index.html:2"}},
		{name: "trunk that keeps", files: map[string]string{
			"Trunk.toml": "[[hooks]]\nstage = \"post_build\"\ncommand = \"sh\"\ncommand_arguments = [\"-c\", \"wasm-debugid split\"]\n",
			"index.html": "<link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=\"0\" data-integrity=\"none\"/>"}},
		{name: "trunk's digest", files: map[string]string{
			"Trunk.toml": "[[hooks]]\nstage = \"post_build\"\ncommand = \"wasm-debugid\"\ncommand_arguments = [\"split\"]\n",
			"index.html": "<link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=0 />"}, want: []string{"error WD314 Trunk.toml:1"}},
		{name: "no digests at all", files: map[string]string{
			"Trunk.toml": "[build]\nno_sri = true\n[[hooks]]\nstage = \"post_build\"\ncommand = \"wasm-debugid\"\n",
			"index.html": "<link data-trunk rel=\"rust\" data-keep-debug data-wasm-opt=\"0\"/>"}},
		{name: "walrus", files: map[string]string{"Cargo.lock": "[[package]]\nname = \"walrus\"\nversion = \"0.26.1\"\n"}, want: []string{"warning WD306 Cargo.lock:2"}},
		{name: "a walrus that does not count", files: map[string]string{"Cargo.lock": "[[package]]\nname = \"walrus\"\nversion = \"0.27.3\"\n"}, want: []string{"warning WD306 Cargo.lock:2"}},
		{name: "a new walrus", files: map[string]string{"Cargo.lock": "[[package]]\nname = \"walrus\"\nversion = \"0.28.0\"\n"}},
		{name: "scripts", files: map[string]string{"Makefile": "all:\n" +
			"\twasm-opt -O2 app.wasm -o app.wasm\n" + // 2
			"\twasm-opt -O2 -g app.wasm -o app.wasm\n" +
			"\t# wasm-strip app.wasm\n" +
			"\twasm-strip app.wasm\n" + // 5
			"\twasm-bindgen --out-dir pkg app.wasm\n" + // 6
			"\twasm-bindgen --keep-debug --out-dir pkg app.wasm\n" +
			"\tllvm-objcopy --only-keep-debug a b\n" + // 8
			"\temcc -g a.c -s SINGLE_FILE=1 && emcc -g a.c -sSINGLE_FILE=0\n" + // 9
			"\temcc -g a.c -Wl,--strip-debug\n" + // 10
			"\twasm-opt --strip-dwarf a.wasm -o a.wasm\n" + // 11
			"\twasm-opt -O2 \\\n\t  -g a.wasm -o a.wasm\n" +
			"\tcargo install wasm-bindgen-cli && apt install wasm-opt\n"},
			want: []string{"error WD320 Makefile:2", "error WD321 Makefile:5", "error WD322 Makefile:6", "error WD321 Makefile:8",
				"error WD323 Makefile:9", "error WD321 Makefile:10", "error WD321 Makefile:11"}},
		{name: "package.json", files: map[string]string{"package.json": "{\"scripts\": {\n\"opt\": \"wasm-opt -O3 a.wasm -o b.wasm\"}}"}, want: []string{"error WD320 package.json:2"}},
		{name: "npm's binaryen", files: map[string]string{"node_modules/binaryen/package.json": `{"version": "132.0.0"}`}, want: []string{"warning WD305 node_modules/binaryen/package.json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			verdict, got := examine(t, Options{Dir: project(t, c.files), Getenv: func(name string) string { return c.env[name] }})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			want := report.Pass
			if strings.Contains(strings.Join(c.want, "\n"), "error") {
				want = report.Fail
			}
			if verdict != want {
				t.Errorf("the verdict is %v", verdict)
			}
		})
	}
}

// The walrus of wasm-bindgen stands in the program, wherever in it.
func TestWalrusOfAProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files become programs by their names there")
	}
	for _, c := range []struct {
		version string
		program string
		want    []string
	}{
		{"wasm-bindgen 0.2.126", strings.Repeat("x", 1<<20-70) + " /src/walrus-0.26.4/src/lib.rs", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.126", strings.Repeat("x", 1<<20-8) + " walrus-0.26.4/src/lib.rs", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.129", "/src/walrus-0.27.2/src/lib.rs", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.131", "/src/walrus-0.28.0/src/lib.rs", []string{}},
		{"wasm-bindgen 0.2.126", "stripped", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.130", "stripped", []string{"warning WD306 wasm-bindgen"}},
		{"wasm-bindgen 0.2.131", "stripped", []string{}},
		{"nothing", "stripped", []string{}},
	} {
		bin := t.TempDir()
		run := toolbox(t, bin, map[string]string{"wasm-bindgen": c.version})
		if err := os.WriteFile(filepath.Join(bin, "wasm-bindgen"), []byte(c.program), 0o777); err != nil {
			t.Fatal(err)
		}
		_, got := examine(t, Options{Dir: t.TempDir(), Path: []string{bin}, Run: run})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %.20s: -want +got:\n%s", c.version, c.program, diff)
		}
	}
}

func TestIntegrity(t *testing.T) {
	module := "\x00asm\x01\x00\x00\x00"
	sum := sha512.Sum384([]byte(module))
	right := "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
	page := func(integrity string) string {
		return "<head>\n<link rel=\"preload\" href=\"/app.wasm\" integrity=\"" + integrity + "\" as=\"fetch\">"
	}
	for integrity, want := range map[string][]string{
		right:                   {},
		"sha384-AAAA":           {"error WD335 dist/index.html:2"},
		"sha384-AAAA " + right:  {},
		"md5-AAAA":              {},
		right + "?ct=text/html": {},
	} {
		_, got := examine(t, Options{Dir: project(t, map[string]string{"dist/index.html": page(integrity), "dist/app.wasm": module})})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", integrity, diff)
		}
	}
}

func TestSetRule(t *testing.T) {
	into := map[string]report.Severity{}
	for _, text := range []string{"WD310=off", "ships-dwarf=warning"} {
		if err := SetRule(into, text); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(map[string]report.Severity{CargoNoDebug: report.Off, ShipsDWARF: report.Warning}, into); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"WD310", "WD999=off", "WD310=bad", ""} {
		if SetRule(into, text) == nil {
			t.Errorf("%q was taken", text)
		}
	}
	dir := project(t, map[string]string{"Cargo.toml": wasmCrate})
	verdict, got := examine(t, Options{Dir: dir, Rules: map[string]report.Severity{CargoNoDebug: report.Warning}})
	if diff := cmp.Diff([]string{"warning WD310 Cargo.toml"}, got); diff != "" || verdict != report.Pass {
		t.Errorf("%v %s", verdict, diff)
	}
	if verdict, _ := examine(t, Options{Dir: dir, Rules: map[string]report.Severity{CargoNoDebug: report.Warning}, Strict: true}); verdict != report.Fail {
		t.Errorf("strict, a warning: %v", verdict)
	}
}

// What a walrus does is said by its version.
func TestWalrusTrouble(t *testing.T) {
	for version, want := range map[string][2]bool{"0.26.4": {true, true}, "0.27.1": {true, true}, "0.27.2": {true, false}, "0.27.3": {true, false}, "0.28.0": {}, "1.0.0": {}} {
		got := walrusTrouble(version)
		if strings.Contains(got, "128 functions") != want[0] || strings.Contains(got, "wasm-opt") != want[1] {
			t.Errorf("%s: %q", version, got)
		}
	}
}
