//go:build linux

package toolchain

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const releaseVersion = "9.8.7-ci.1"

// releaseFolder is where the stage has put the files of a release.
func releaseFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("WASM_DEBUGID_RELEASE")
	if dir == "" {
		t.Fatal("the stage needs WASM_DEBUGID_RELEASE: run it through .ci/run")
	}
	return dir
}

// unpack reads an archive: contents by name without the folder that all names begin
// with. A symbolic link's content is "-> " and where it points to.
func unpack(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	base := filepath.Base(archive)
	folder := strings.TrimSuffix(strings.TrimSuffix(base, ".zip"), ".tar.gz") + "/"
	files := map[string][]byte{}
	add := func(name string, content []byte) {
		short, ok := strings.CutPrefix(name, folder)
		if !ok || strings.Contains(short, "..") {
			t.Errorf("%s: %s lies outside of %s", base, name, folder)
		}
		files[short] = content
	}
	if strings.HasSuffix(base, ".zip") {
		z, err := zip.OpenReader(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, b)
		}
		return files
	}
	z, err := gzip.NewReader(bytes.NewReader(read(t, archive)))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeSymlink {
			b = []byte("-> " + h.Linkname)
		}
		add(h.Name, b)
	}
}

// machine says what a program is for, from its header alone.
func machine(t *testing.T, program []byte) string {
	t.Helper()
	r := bytes.NewReader(program)
	if f, err := elf.NewFile(r); err == nil {
		return "ELF " + f.Machine.String()
	}
	if f, err := macho.NewFile(r); err == nil {
		return "Mach-O " + f.Cpu.String()
	}
	if f, err := pe.NewFile(r); err == nil {
		switch f.Machine {
		case pe.IMAGE_FILE_MACHINE_AMD64:
			return "PE x86-64"
		case pe.IMAGE_FILE_MACHINE_ARM64:
			return "PE ARM64"
		}
	}
	return "unknown"
}

// Each archive holds the same files, and a program for its platform in which there
// is nothing of the machine that it was built on.
func TestReleaseArchives(t *testing.T) {
	stage(t, "release")
	dir := releaseFolder(t)
	tree, home := os.Getenv("WASM_DEBUGID_RELEASE_TREE"), os.Getenv("HOME")
	want := []string{"CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_LICENSES", "cmake/WasmDebugId.cmake", "completions/_wasm-debugid",
		"completions/wasm-debugid.bash", "completions/wasm-debugid.fish", "completions/wasm-debugid.ps1", "man/wasm-debugid.1"}
	for platform, header := range map[string]string{
		"linux_amd64": "ELF EM_X86_64", "linux_arm64": "ELF EM_AARCH64",
		"darwin_amd64": "Mach-O CpuAmd64", "darwin_arm64": "Mach-O CpuArm64",
		"windows_amd64": "PE x86-64", "windows_arm64": "PE ARM64",
	} {
		t.Run(platform, func(t *testing.T) {
			name, program, all := "wasm-debugid_"+releaseVersion+"_"+platform+".tar.gz", "wasm-debugid", slices.Clone(want)
			if strings.HasPrefix(platform, "windows") {
				name, program = strings.TrimSuffix(name, ".tar.gz")+".zip", program+".exe"
			} else {
				all = append(all, "cargo-debugid")
			}
			files := unpack(t, filepath.Join(dir, name))
			all = append(all, program)
			slices.Sort(all)
			if diff := cmp.Diff(all, slices.Sorted(maps.Keys(files))); diff != "" {
				t.Errorf("contents (-want +got):\n%s", diff)
			}
			if link, ok := files["cargo-debugid"]; ok && string(link) != "-> wasm-debugid" {
				t.Errorf("cargo-debugid is %q", link)
			}
			if got := machine(t, files[program]); got != header {
				t.Errorf("the program is for %s, want %s", got, header)
			}
			for _, path := range []string{tree, home + "/", "/usr/local/go/src"} {
				if path != "" && path != "/" && bytes.Contains(files[program], []byte(path)) {
					t.Errorf("the program holds the path %s", path)
				}
			}
		})
	}
}

// The bill of materials says of each program what the program says of itself.
func TestReleaseBill(t *testing.T) {
	stage(t, "release")
	dir := releaseFolder(t)
	var doc struct {
		Packages []struct {
			ID           string `json:"SPDXID"`
			Name         string
			VersionInfo  string
			FileName     string `json:"packageFileName"`
			Declared     string `json:"licenseDeclared"`
			Checksums    []struct{ ChecksumValue string }
			ExternalRefs []struct{ ReferenceLocator string }
		}
		Relationships []struct{ SPDXElementID, RelationshipType, RelatedSPDXElement string }
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "wasm-debugid_"+releaseVersion+".spdx.json")), &doc); err != nil {
		t.Fatal(err)
	}
	named, archives := map[string]string{}, map[string]string{}
	for _, p := range doc.Packages {
		named[p.ID] = p.Name + " " + p.VersionInfo
		if p.FileName != "" {
			archives[p.FileName] = p.Checksums[0].ChecksumValue
		}
		if p.Declared == "" || p.Declared == "NOASSERTION" {
			t.Errorf("%s has no licence", p.Name)
		}
	}
	sums := string(read(t, filepath.Join(dir, "SHA256SUMS")))
	checked := 0
	for name, sum := range archives {
		if !strings.Contains(sums, sum+"  "+name+"\n") {
			t.Errorf("SHA256SUMS and the bill of materials disagree on %s", name)
		}
		files := unpack(t, filepath.Join(dir, name))
		program := "wasm-debugid"
		if strings.HasSuffix(name, ".zip") {
			program += ".exe"
		}
		info, err := buildinfo.Read(bytes.NewReader(files[program]))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"std " + info.GoVersion}
		for _, m := range info.Deps {
			want = append(want, m.Path+" "+m.Version)
			if !bytes.Contains(files["THIRD_PARTY_LICENSES"], []byte("\n"+m.Path+" "+m.Version+" (")) {
				t.Errorf("%s: the licence of %s is not handed on", name, m.Path)
			}
		}
		platform := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "wasm-debugid_"+releaseVersion+"_"), ".zip"), ".tar.gz")
		var got []string
		for _, r := range doc.Relationships {
			if r.SPDXElementID == "SPDXRef-program-"+strings.ReplaceAll(platform, "_", "-") && r.RelationshipType == "STATIC_LINK" {
				got = append(got, named[r.RelatedSPDXElement])
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
			t.Errorf("%s (-program +bill):\n%s", name, diff)
		}
		checked++
	}
	if checked != 6 {
		t.Errorf("the bill of materials has %d archives, not 6", checked)
	}
}

// The archive for this machine is unpacked in an empty folder, and is all that one
// needs.
func TestReleaseRuns(t *testing.T) {
	stage(t, "release")
	archive, err := filepath.Abs(filepath.Join(releaseFolder(t), "wasm-debugid_"+releaseVersion+"_linux_amd64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd{dir: dir, args: []string{"tar", "xzf", archive, "--strip-components=1"}}.run(t)
	program := filepath.Join(dir, "wasm-debugid")
	write(t, filepath.Join(dir, "in.wasm"), read(t, filepath.Join("..", "..", "testdata", "demo", "app.wasm")))

	version := cmd{dir: dir, args: []string{program, "--version"}}.run(t)
	if !strings.HasPrefix(version, "wasm-debugid v"+releaseVersion+" (commit ") {
		t.Errorf("the version is %q", version)
	}
	id := cmd{dir: dir, args: []string{program, "split", "in.wasm", "-o", "app.wasm"}}.run(t)
	if id != "097ef9d0f1288c0ab0ee14e3345477f9\n" {
		t.Errorf("the build ID is %q", id)
	}
	if out := (cmd{dir: dir, args: []string{program, "check", "app.wasm"}}).run(t); !strings.Contains(out, "\npass: app.wasm") {
		t.Errorf("check says\n%s", out)
	}
	var doc struct {
		ToolVersion string `json:"tool_version"`
	}
	if err := json.Unmarshal([]byte(cmd{dir: dir, args: []string{program, "check", "app.wasm", "--json"}}.run(t)), &doc); err != nil || doc.ToolVersion != "v"+releaseVersion {
		t.Errorf("reports name the version %q (%v)", doc.ToolVersion, err)
	}
	for name, args := range map[string][]string{
		"man/wasm-debugid.1": {"man"}, "completions/wasm-debugid.bash": {"completion", "bash"}, "completions/_wasm-debugid": {"completion", "zsh"},
		"completions/wasm-debugid.fish": {"completion", "fish"}, "completions/wasm-debugid.ps1": {"completion", "powershell"},
	} {
		if out := (cmd{dir: dir, args: append([]string{program}, args...)}).run(t); out == "" || out != string(read(t, filepath.Join(dir, name))) {
			t.Errorf("%s is not what the program prints", name)
		}
	}
	cmd{dir: dir, args: []string{"bash", "-n", "completions/wasm-debugid.bash"}}.run(t)
	// As cargo calls it.
	if out := (cmd{dir: dir, args: []string{filepath.Join(dir, "cargo-debugid"), "debugid", "--help"}}).run(t); !strings.Contains(out, "wasm-debugid cargo ") {
		t.Errorf("under the name cargo-debugid it says\n%s", out)
	}
}
